//! What a database is, for whoever looks for a fault.

use crate::fault::Trouble;
use crate::{Store, StoreError};

/// A database's program, version and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// `SQLite 3.50.2`, `PostgreSQL 15.14` or `Neo4j 5.26.0`.
    pub server: String,
    /// The newest migration that was made.
    pub schema: i64,
    /// `None` where the server does not say.
    pub bytes: Option<u64>,
}

impl Store {
    /// Asks the database who it is.
    pub async fn about(&self) -> Result<About, StoreError> {
        match self {
            Store::Sqlite(store) => {
                let mut tx = store.begin_look().await.map_err(|trouble| store.explain(trouble))?;
                let row: (String, i64, i64) = sqlx::query_as(
                    "SELECT sqlite_version(), (SELECT coalesce(max(version), 0) FROM _sqlx_migrations),
                            (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())",
                )
                .fetch_one(&mut *tx)
                .await
                .map_err(|error| store.explain(Trouble::from(error)))?;
                Ok(about(format!("SQLite {}", row.0), row.1, row.2))
            }
            Store::Postgres(store) => {
                let mut tx = store.begin_look().await.map_err(|trouble| store.explain(trouble))?;
                let row: (String, i64, i64) = sqlx::query_as(
                    "SELECT current_setting('server_version'), (SELECT coalesce(max(version), 0) FROM _sqlx_migrations),
                            pg_database_size(current_database())",
                )
                .fetch_one(&mut *tx)
                .await
                .map_err(|error| store.explain(Trouble::from(error)))?;
                let version = row.0.split(' ').next().unwrap_or_default();
                Ok(about(format!("PostgreSQL {version}"), row.1, row.2))
            }
            Store::Neo4j(store) => store.about().await,
        }
    }
}

fn about(server: String, schema: i64, bytes: i64) -> About {
    About {
        server,
        schema,
        bytes: u64::try_from(bytes).ok(),
    }
}
