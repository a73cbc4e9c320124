//! Reaching a server, and whether there is a projection.

use std::sync::Arc;

use super::bolt::{BoltError, Statement};
use super::pool::Pool;
use super::{Neo4jStore, VERSION};
use crate::url::Neo4jTarget;
use crate::{Identity, StoreError, StoreOptions};

/// The server, whatever is in it. It is asked at once whether it is there.
pub(super) async fn reach(url: &str, options: &StoreOptions) -> Result<Neo4jStore, StoreError> {
    let target: Neo4jTarget = url.parse()?;
    let name: Arc<str> = target.name.into();
    if let Some(asked @ Identity::FullFen) = options.identity {
        return Err(StoreError::IdentityMismatch {
            database: name.to_string(),
            stored: Identity::Position,
            asked,
        });
    }
    let pool = Pool::new(
        target.address,
        options.connect_timeout,
        options.busy_timeout,
        options.max_connections,
    );
    let store = Neo4jStore {
        pool: Arc::new(pool),
        name,
    };
    let found = store.ask(&[Statement::new("RETURN 1")], |_, _| Ok(())).await;
    match found {
        // Whoever was never reached has not been lost.
        Err(StoreError::ConnectionLost { database, source }) => Err(StoreError::Unreachable { database, source }),
        Err(error) => Err(error),
        Ok(()) => Ok(store),
    }
}

pub(super) async fn connect(url: &str, options: &StoreOptions) -> Result<Neo4jStore, StoreError> {
    let store = reach(url, options).await?;
    match store.state().await? {
        Some(state) if state.version > VERSION => Err(StoreError::NewerSchema {
            database: store.name.to_string(),
            found: state.version,
            known: VERSION,
        }),
        Some(state) if state.generation > 0 && state.version == VERSION => Ok(store),
        _ => Err(StoreError::NotProjected {
            database: store.name.to_string(),
        }),
    }
}

/// What is known of the projection in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) version: i64,
    /// Counts the runs that changed something and came to an end.
    pub(super) generation: i64,
    /// Whether a run is under way, or was and did not come to an end.
    pub(super) writing: bool,
}

impl Neo4jStore {
    pub(super) async fn state(&self) -> Result<Option<State>, StoreError> {
        let statement = Statement::new("MATCH (t:Tabiya) RETURN t.version, t.generation, t.writing");
        let found = self
            .rows(statement, |row| {
                Ok::<_, BoltError>(State {
                    version: row.int()?,
                    generation: row.int()?,
                    writing: row.bool()?,
                })
            })
            .await?;
        Ok(found.into_iter().next())
    }
}
