//! Whether others have changed the database.

use sqlx::pool::PoolConnection;
use sqlx::{Postgres, Sqlite};

use crate::fault::Trouble;
use crate::{Neo4jStore, PostgresStore, SqliteStore, Store, StoreError};

/// Looks at one database, on a connection of its own.
#[derive(Debug)]
pub struct Watch {
    eye: Eye,
}

#[derive(Debug)]
enum Eye {
    Sqlite(SqliteStore, PoolConnection<Sqlite>),
    Postgres(PostgresStore, PoolConnection<Postgres>),
    Neo4j(Neo4jStore),
    /// Nobody else can change what is in our memory.
    Memory,
}

impl Store {
    /// Begins to look.
    pub async fn watch(&self) -> Result<Watch, StoreError> {
        let eye = match self {
            Store::Sqlite(store) if store.pool.options().get_max_connections() == 1 => Eye::Memory,
            Store::Sqlite(store) => {
                let connection = store.pool.acquire().await.map_err(|error| store.explain(error))?;
                Eye::Sqlite(store.clone(), connection)
            }
            Store::Postgres(store) => {
                let connection = store.pool.acquire().await.map_err(|error| store.explain(error))?;
                Eye::Postgres(store.clone(), connection)
            }
            Store::Neo4j(store) => Eye::Neo4j(store.clone()),
        };
        Ok(Watch { eye })
    }
}

impl Watch {
    /// A number that is another after every commit, and means nothing else. PostgreSQL may take a second to tell.
    pub async fn mark(&mut self) -> Result<u64, StoreError> {
        let mark: i64 = match &mut self.eye {
            Eye::Sqlite(store, connection) => sqlx::query_scalar("PRAGMA data_version")
                .fetch_one(&mut **connection)
                .await
                .map_err(|error| store.explain(Trouble::from(error)))?,
            // A counter of our own would be a row that all writers wait for.
            Eye::Postgres(store, connection) => sqlx::query_scalar(
                "SELECT CAST(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS bigint) FROM pg_stat_user_tables
                 WHERE schemaname = current_schema() AND relname IN ('collections', 'nodes', 'node_counts', 'edge_counts',
                       'node_evaluations', 'openings', 'structures', 'structure_openings', 'node_transpositions', 'tactics')",
            )
            .fetch_one(&mut **connection)
            .await
            .map_err(|error| store.explain(Trouble::from(error)))?,
            Eye::Neo4j(store) => store.mark().await?,
            Eye::Memory => 0,
        };
        Ok(mark.cast_unsigned())
    }
}
