//! Opening a file: its pragmas, its migrations, and the identity it was begun with.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tabiya_address::SqliteAddress;

use super::statement::fixed;
use super::unchanging::Unchanging;
use super::{SqliteStore, fault};
use crate::fault::{Fault, Trouble, migration_error};
use crate::{Identity, StoreError, StoreOptions};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Two processes that create one file at the same time meet locks that SQLite does not wait for by itself.
const OPEN_RETRY: Duration = Duration::from_millis(20);

pub(super) async fn connect(url: &str, options: &StoreOptions) -> Result<SqliteStore, StoreError> {
    let mut target: SqliteAddress = url.parse()?;
    if let Some(file) = &target.file {
        check_path(&target.name, file)?;
        if cannot_change(file) {
            target.options = target.options.read_only(true).immutable(true);
            target.read_only = true;
            target.immutable = true;
        }
    }
    // Before anything is read: what changes from here on is noticed.
    let unchanging = target.file.as_deref().filter(|_| target.immutable).map(Unchanging::new);
    let connect_options = tuned(&target, options);
    let stored = prepare(&target, &connect_options, options.busy_timeout).await?;
    let asked = options.identity;
    let identity = match (stored, asked) {
        (Some(stored), Some(asked)) if stored != asked => {
            return Err(StoreError::IdentityMismatch {
                database: target.name,
                stored,
                asked,
            });
        }
        (stored, asked) => stored.or(asked).unwrap_or(Identity::Position),
    };

    let in_memory = target.file.is_none();
    let pool = SqlitePoolOptions::new()
        // Each connection to memory is a database of its own, and it lives as long as the connection.
        .max_connections(if in_memory { 1 } else { options.max_connections })
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(options.busy_timeout)
        .connect_lazy_with(connect_options);
    let store = SqliteStore {
        pool,
        name: target.name.into(),
        identity,
        unchanging: unchanging.map(Arc::new),
    };
    if in_memory {
        let mut connection = store.pool.acquire().await.map_err(|e| store.explain(e))?;
        migrate(&mut connection, &store.name).await?;
    }
    Ok(store)
}

/// Whether nobody who is like us can change a file, and nothing waits to be written into it. SQLite shares what it reads with others
/// by files beside it, and where none can be made it reads only what it is told will stay as it is.
fn cannot_change(file: &Path) -> bool {
    let beside = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        std::path::PathBuf::from(name)
    };
    file.is_file() && !may_write_into(file.parent()) && !beside("-wal").exists() && !beside("-journal").exists()
}

#[cfg(unix)]
fn may_write_into(directory: Option<&Path>) -> bool {
    let directory = directory.filter(|path| !path.as_os_str().is_empty());
    rustix::fs::access(directory.unwrap_or(Path::new(".")), rustix::fs::Access::WRITE_OK).is_ok()
}

/// Elsewhere permissions are not for us to read.
#[cfg(not(unix))]
fn may_write_into(_directory: Option<&Path>) -> bool {
    true
}

/// What SQLite would call "unable to open database file".
fn check_path(name: &str, file: &Path) -> Result<(), StoreError> {
    let cannot = |reason: String| {
        Err(StoreError::CannotOpen {
            database: name.to_owned(),
            reason,
        })
    };
    if file.is_dir() {
        return cannot("it is a directory".to_owned());
    }
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            cannot(format!("there is no directory `{}`", parent.display()))
        }
        _ => Ok(()),
    }
}

fn tuned(target: &SqliteAddress, options: &StoreOptions) -> SqliteConnectOptions {
    let tuned = target
        .options
        .clone()
        .busy_timeout(options.busy_timeout)
        .synchronous(SqliteSynchronous::Normal)
        // Batches scatter over the indexes; what does not fit here is written more than once.
        .pragma("cache_size", "-65536")
        .pragma("wal_autocheckpoint", "16384")
        .row_buffer_size(1000)
        // Statements over a whole table are slow by nature; that is no news to log.
        .disable_statement_logging();
    if target.read_only || target.file.is_none() {
        tuned
    } else {
        tuned.journal_mode(SqliteJournalMode::Wal)
    }
}

/// Brings a file's schema up to date and returns the identity it was begun with.
async fn prepare(
    target: &SqliteAddress,
    options: &SqliteConnectOptions,
    patience: Duration,
) -> Result<Option<Identity>, StoreError> {
    if target.file.is_none() {
        return Ok(None);
    }
    let explain = |e: sqlx::Error| fault::read(&e).into_error(&target.name, e);
    let deadline = std::time::Instant::now() + patience;
    let mut connection = loop {
        match options.connect().await {
            Err(error) if fault::read(&error) == Fault::Busy && std::time::Instant::now() < deadline => {
                tokio::time::sleep(OPEN_RETRY).await;
            }
            other => break other.map_err(explain)?,
        }
    };
    if !is_current(&mut connection).await {
        migrate(&mut connection, &target.name).await?;
    }
    let stored = stored_identity(&mut connection)
        .await
        .map_err(|trouble| trouble.into_error(&target.name, fault::read))?;
    connection.close().await.map_err(explain)?;
    Ok(stored)
}

/// Whether exactly our migrations were applied: then nobody needs the write lock to open the file.
async fn is_current(connection: &mut SqliteConnection) -> bool {
    let applied: Result<Vec<(i64, Vec<u8>)>, _> = fixed!(
        query_as,
        "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY 1"
    )
    .fetch_all(connection)
    .await;
    // Any error means that there is something to migrate, or something that migrating will report better.
    applied.is_ok_and(|applied| {
        applied
            .iter()
            .map(|(v, c)| (*v, c.as_slice()))
            .eq(MIGRATIONS.iter().map(|m| (m.version, m.checksum.as_ref())))
    })
}

async fn migrate(connection: &mut SqliteConnection, name: &str) -> Result<(), StoreError> {
    let explain = |e: sqlx::Error| fault::read(&e).into_error(name, e);
    let known = MIGRATIONS.iter().map(|m| m.version).max().unwrap_or(0);
    // One lock over all of it; the migrator's own transactions become savepoints.
    let mut tx = connection.begin_with("BEGIN IMMEDIATE").await.map_err(explain)?;
    MIGRATIONS
        .run_direct(None, &mut *tx, false)
        .await
        .map_err(|error| migration_error(name, error, known, fault::read))?;
    tx.commit().await.map_err(explain)
}

async fn stored_identity(connection: &mut SqliteConnection) -> Result<Option<Identity>, Trouble> {
    let stored: Option<String> = fixed!(query_scalar, "SELECT value FROM meta WHERE name = 'identity'")
        .fetch_optional(connection)
        .await?;
    stored.map(|text| text.parse().map_err(Trouble::Malformed)).transpose()
}

/// Fixes the identity with the first write, and refuses to write under another one.
pub(super) async fn claim_identity(connection: &mut SqliteConnection, asked: Identity) -> Result<(), Trouble> {
    match stored_identity(connection).await? {
        Some(stored) if stored == asked => Ok(()),
        Some(stored) => Err(Trouble::Identity { stored, asked }),
        None => {
            fixed!(
                query,
                "INSERT INTO meta (name, value) VALUES ('identity', ?)",
                asked.to_string()
            )
            .execute(connection)
            .await?;
            Ok(())
        }
    }
}
