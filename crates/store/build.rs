//! `sqlx::migrate!` reads the migrations when the crate is compiled, so a changed one must compile it again. With the
//! feature `checked-queries` there has to be a database that statements can be held against: an empty one is made of the
//! migrations, so that no server is needed.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    #[cfg(feature = "checked-queries")]
    if let Err(error) = schema::make() {
        panic!("the database for `checked-queries` cannot be made of migrations/sqlite: {error}");
    }
}

#[cfg(feature = "checked-queries")]
mod schema {
    use std::error::Error;
    use std::path::{Path, PathBuf};

    use sqlx::migrate::Migrator;
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions, Connection};

    pub(super) fn make() -> Result<(), Box<dyn Error>> {
        let file = PathBuf::from(std::env::var("OUT_DIR")?).join("schema.db");
        if file.exists() {
            std::fs::remove_file(&file)?;
        }
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(migrate(&file))?;
        // sqlx's macros read it while this crate is compiled, whatever the caller's own `DATABASE_URL` says.
        let path = file
            .display()
            .to_string()
            .replace('%', "%25")
            .replace('?', "%3f")
            .replace('#', "%23");
        println!("cargo:rustc-env=DATABASE_URL=sqlite://{path}");
        Ok(())
    }

    async fn migrate(file: &Path) -> Result<(), Box<dyn Error>> {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let mut connection = options.connect().await?;
        let migrations = Migrator::new(Path::new("migrations/sqlite")).await?;
        migrations.run_direct(None, &mut connection, false).await?;
        Ok(connection.close().await?)
    }
}
