//! Reaching a server: its schema, and the identity its data was begun with.

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgConnection};
use tabiya_address::PostgresAddress;

use super::{PostgresStore, fault};
use crate::fault::{Trouble, migration_error};
use crate::{Identity, StoreError, StoreOptions};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

pub(super) async fn connect(url: &str, options: &StoreOptions) -> Result<PostgresStore, StoreError> {
    let target: PostgresAddress = url.parse()?;
    let connect_options = target
        .options
        .application_name("tabiya")
        // Statements over a whole table are slow by nature; that is no news to log.
        .disable_statement_logging();
    let name = target.name;
    let explain = |e: sqlx::Error| fault::read_while_connecting(&e).into_error(&name, e);

    // The pool would try a refused connection again and again; the first one is to fail at once.
    let connecting = connect_options.connect();
    let mut connection = match tokio::time::timeout(options.connect_timeout, connecting).await {
        Ok(result) => result.map_err(explain)?,
        Err(elapsed) => {
            return Err(StoreError::Unreachable {
                database: name,
                source: Box::new(elapsed),
            });
        }
    };
    if !is_current(&mut connection).await {
        migrate(&mut connection, &name).await?;
    }
    let stored = stored_identity(&mut connection)
        .await
        .map_err(|trouble| trouble.into_error(&name, fault::read))?;
    connection.close().await.map_err(explain)?;
    let identity = match (stored, options.identity) {
        (Some(stored), Some(asked)) if stored != asked => {
            return Err(StoreError::IdentityMismatch {
                database: name,
                stored,
                asked,
            });
        }
        (stored, asked) => stored.or(asked).unwrap_or(Identity::Position),
    };
    Ok(PostgresStore {
        pool: pool(connect_options, options),
        name: name.into(),
        identity,
        patience: options.busy_timeout,
    })
}

fn pool(connect_options: PgConnectOptions, options: &StoreOptions) -> sqlx::PgPool {
    PgPoolOptions::new()
        .max_connections(options.max_connections.max(1))
        .acquire_timeout(options.connect_timeout)
        .connect_lazy_with(connect_options)
}

/// Whether exactly our migrations were applied: then a user who may not create tables can work here too.
async fn is_current(connection: &mut PgConnection) -> bool {
    let applied: Result<Vec<(i64, Vec<u8>)>, _> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY 1")
            .fetch_all(connection)
            .await;
    // Any error means that there is something to migrate, or something that migrating will report better.
    applied.is_ok_and(|applied| {
        applied
            .iter()
            .map(|(version, checksum)| (*version, checksum.as_slice()))
            .eq(MIGRATIONS.iter().map(|m| (m.version, m.checksum.as_ref())))
    })
}

async fn migrate(connection: &mut PgConnection, name: &str) -> Result<(), StoreError> {
    let known = MIGRATIONS.iter().map(|m| m.version).max().unwrap_or(0);
    MIGRATIONS
        .run_direct(None, connection, false)
        .await
        .map_err(|error| migration_error(name, error, known, fault::read))
}

async fn stored_identity(connection: &mut PgConnection) -> Result<Option<Identity>, Trouble> {
    let stored: Option<String> = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'identity'")
        .fetch_optional(connection)
        .await?;
    stored.map(|text| text.parse().map_err(Trouble::Malformed)).transpose()
}

/// Fixes the identity with the first write, and refuses to write under another one.
pub(super) async fn claim_identity(connection: &mut PgConnection, asked: Identity) -> Result<(), Trouble> {
    let stored = match stored_identity(connection).await? {
        None => {
            // Of two first writers one waits here for the other.
            sqlx::query("INSERT INTO meta (name, value) VALUES ('identity', $1) ON CONFLICT DO NOTHING")
                .bind(asked.to_string())
                .execute(&mut *connection)
                .await?;
            stored_identity(connection).await?
        }
        stored => stored,
    };
    match stored {
        Some(stored) if stored != asked => Err(Trouble::Identity { stored, asked }),
        _ => Ok(()),
    }
}
