//! Constraints and indexes. The Community edition knows that properties are unique, and no other constraint.

use super::super::bolt::{Access, Statement};
use super::super::{Neo4jStore, VERSION};
use crate::StoreError;

const SCHEMA: [&str; 9] = [
    "CREATE CONSTRAINT tabiya_position IF NOT EXISTS FOR (p:Position) REQUIRE p.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_opening IF NOT EXISTS FOR (o:Opening) REQUIRE o.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_structure IF NOT EXISTS FOR (s:Structure) REQUIRE s.slug IS UNIQUE",
    "CREATE CONSTRAINT tabiya_collection IF NOT EXISTS FOR (c:Collection) REQUIRE c.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_game IF NOT EXISTS FOR (g:Game) REQUIRE (g.id, g.collection) IS UNIQUE",
    "CREATE CONSTRAINT tabiya_tactic IF NOT EXISTS FOR (t:Tactic) REQUIRE t.id IS UNIQUE",
    "CREATE INDEX tabiya_epd IF NOT EXISTS FOR (p:Position) ON (p.epd)",
    "CREATE INDEX tabiya_slug IF NOT EXISTS FOR (o:Opening) ON (o.slug)",
    "CREATE INDEX tabiya_eco IF NOT EXISTS FOR (o:Opening) ON (o.eco)",
];

/// Refuses a database that is in other hands: nodes with our labels that are not ours would be taken for ours, and removed.
pub(super) async fn check(store: &Neo4jStore) -> Result<(), StoreError> {
    match store.state().await? {
        Some(state) if state.version > VERSION => {
            return Err(StoreError::NewerSchema {
                database: store.name().to_owned(),
                found: state.version,
                known: VERSION,
            });
        }
        Some(_) => return Ok(()),
        None => {}
    }
    let foreign = Statement::new(
        "MATCH (n:Position|Opening|Structure|Collection|Game|Tactic)
         WITH labels(n)[0] AS label, count(*) AS nodes ORDER BY nodes DESC LIMIT 1 RETURN label, nodes",
    );
    let found = store.rows(foreign, |row| Ok((row.text()?, row.int()?))).await?;
    match found.first() {
        None => Ok(()),
        Some((label, nodes)) => Err(StoreError::Occupied {
            database: store.name().to_owned(),
            found: format!("{nodes} nodes with the label {label} that are not Tabiya's"),
        }),
    }
}

/// Creates what is missing and waits until it can be used.
pub(super) async fn create(store: &Neo4jStore) -> Result<(), StoreError> {
    let statements = SCHEMA.map(Statement::new);
    let created = store.pool.run(Access::Write, &statements, |_, _| Ok(())).await;
    created.map_err(|error| store.explain(error))?;
    let online = Statement::new("CALL db.awaitIndexes(300)");
    let waited = store.pool.run(Access::Read, &[online], |_, _| Ok(())).await;
    waited.map_err(|error| store.explain(error))
}
