//! Constraints and indexes. The Community edition knows that properties are unique, and no other constraint.

use super::super::bolt::{Access, Statement};
use super::super::{Neo4jStore, VERSION};
use crate::StoreError;

const SCHEMA: [&str; 10] = [
    "CREATE CONSTRAINT tabiya_opening IF NOT EXISTS FOR (o:Opening) REQUIRE o.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_structure IF NOT EXISTS FOR (s:Structure) REQUIRE s.slug IS UNIQUE",
    "CREATE CONSTRAINT tabiya_collection IF NOT EXISTS FOR (c:Collection) REQUIRE c.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_game IF NOT EXISTS FOR (g:Game) REQUIRE (g.id, g.collection) IS UNIQUE",
    "CREATE CONSTRAINT tabiya_analysis IF NOT EXISTS
     FOR (a:Analysis) REQUIRE (a.position, a.engine, a.search_limit, a.multipv) IS UNIQUE",
    "CREATE CONSTRAINT tabiya_tactic IF NOT EXISTS FOR (t:Tactic) REQUIRE t.id IS UNIQUE",
    "CREATE CONSTRAINT tabiya_projection IF NOT EXISTS FOR (t:Tabiya) REQUIRE t.name IS UNIQUE",
    "CREATE CONSTRAINT tabiya_lane IF NOT EXISTS FOR (l:TabiyaLane) REQUIRE l.lane IS UNIQUE",
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
        "MATCH (n:Position|Opening|Structure|Collection|Game|Analysis|Tactic)
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

/// Each position once. The server looks this up for every position that comes, a fifth of what a new one takes; for many that are
/// there already it is made in a second.
const POSITIONS: &str = "CREATE CONSTRAINT tabiya_position IF NOT EXISTS FOR (p:Position) REQUIRE p.id IS UNIQUE";

/// What nobody needs to write. An index over positions that are there is made in half the time that it takes to keep
/// it up while they come.
const EPD: &str = "CREATE INDEX tabiya_epd IF NOT EXISTS FOR (p:Position) ON (p.epd)";

/// Creates what is needed to write anything but positions, if it is missing, and waits until it can be used.
pub(super) async fn create(store: &Neo4jStore) -> Result<(), StoreError> {
    make(store, &SCHEMA.map(Statement::new)).await?;
    wait(store).await
}

/// Sees to it that positions are found by their ids and are there once.
pub(super) async fn hold_positions(store: &Neo4jStore) -> Result<(), StoreError> {
    make(store, &[Statement::new(POSITIONS)]).await
}

/// Does without that, while the first positions are written by one who knows them all to be different.
pub(super) async fn free_positions(store: &Neo4jStore) -> Result<(), StoreError> {
    make(store, &[Statement::new("DROP CONSTRAINT tabiya_position IF EXISTS")]).await
}

/// Creates what is needed to read. It may take a while until it can be used.
pub(super) async fn create_rest(store: &Neo4jStore) -> Result<(), StoreError> {
    hold_positions(store).await?;
    make(store, &[Statement::new(EPD)]).await
}

async fn make(store: &Neo4jStore, statements: &[Statement]) -> Result<(), StoreError> {
    let created = store.pool.run(Access::Write, statements, |_, _| Ok(())).await;
    created.map_err(|error| store.explain(error))
}

/// Waits until all of it can be used.
pub(super) async fn wait(store: &Neo4jStore) -> Result<(), StoreError> {
    let online = Statement::new("CALL db.awaitIndexes(300)");
    let waited = store.pool.run(Access::Read, &[online], |_, _| Ok(())).await;
    waited.map_err(|error| store.explain(error))
}
