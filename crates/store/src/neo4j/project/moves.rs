//! The moves from each position, all of them at once.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::sent::{Sent, digest, row};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedMove, Source};

/// Moves in one transaction, or a few more.
const BATCH: usize = 5000;

/// `moves` says which moves were written. A batch that was written already finds them there, and does nothing.
const LOOSEN: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (a:Position {id: row[0]}) USING INDEX SEEK a:Position(id) WHERE a.moves <> row[1]
    MATCH (a)-[r:MOVE]->()
    DELETE r";

const WRITE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (a:Position {id: row[0]}) USING INDEX SEEK a:Position(id) WHERE a.moves IS NULL OR a.moves <> row[1]
    SET a.moves = row[1]
    WITH a, row
    UNWIND row[2] AS m
    MATCH (b:Position {id: m[0]}) USING INDEX SEEK b:Position(id)
    CREATE (a)-[:MOVE {uci: m[1], san: m[2],
        games: m[3], white: m[4], draws: m[5], black: m[6], rating_sum: m[7], rated: m[8],
        first_year: m[9], last_year: m[10], collections: m[11], counts: m[12], facets: m[13]}]->(b)";

/// Writes moves, one batch after the other: two at a time would wait for each other's positions.
pub(super) struct Moves {
    total: u64,
    /// Whether there are none to be compared with.
    none_yet: bool,
    batch: Batch,
}

impl Moves {
    pub(super) async fn begin(from: &mut Source<'_>, sent: &mut Sent<'_>) -> Result<Moves, StoreError> {
        let (_, total) = from.size().await?;
        // Positions have to be there to be looked at.
        sent.landed().await?;
        let any = Statement::new("MATCH ()-[m:MOVE]->() RETURN 1 LIMIT 1");
        Ok(Moves {
            total,
            none_yet: sent.known(any, |row| row.int()).await?.is_empty(),
            batch: Batch::default(),
        })
    }

    pub(super) async fn write(
        &mut self,
        from: &mut Source<'_>,
        sent: &mut Sent<'_>,
        range: (i64, i64),
        report: &mut ProjectReport,
    ) -> Result<(), StoreError> {
        let mut there = match self.none_yet {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for (parent, moves) in from.moves(range).await? {
            let count = moves.len();
            report.moves.total += count as u64;
            let content = content(&moves);
            let digest = digest(&content);
            let before = there.remove(&parent);
            if before == Some(digest) {
                continue;
            }
            report.moves.written += count as u64;
            self.batch.add(parent, digest, &content, count, before.is_some());
            if self.batch.moves >= BATCH {
                sent.send_on(0, std::mem::take(&mut self.batch).statements()).await?;
                sent.tell(ProjectPhase::Moves, report.moves.total, self.total);
            }
        }
        // Nothing leads on from these any more.
        for parent in there.into_keys() {
            let content = content(&[]);
            self.batch.add(parent, digest(&content), &content, 1, true);
        }
        Ok(())
    }

    pub(super) async fn end(self, sent: &mut Sent<'_>) -> Result<(), StoreError> {
        if !self.batch.rows.is_empty() {
            sent.send_on(0, self.batch.statements()).await?;
        }
        sent.tell(ProjectPhase::Moves, self.total, self.total);
        Ok(())
    }
}

/// What was written of the moves from positions of a range; those with none, or with none since, are left out.
async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<i64, i64>, StoreError> {
    let statement = Statement::new(
        "MATCH (p:Position) WHERE $low <= p.id <= $high AND p.moves IS NOT NULL AND p.moves <> $none
         RETURN p.id, p.moves",
    )
    .int("low", range.0)
    .int("high", range.1)
    .int("none", digest(&content(&[])));
    let found = sent.known(statement, |row| Ok((row.int()?, row.int()?))).await?;
    Ok(found.into_iter().collect())
}

#[derive(Default)]
struct Batch {
    rows: Vec<Packer>,
    /// Whether any of these had moves before.
    changed: bool,
    moves: usize,
}

impl Batch {
    fn add(&mut self, parent: i64, digest: i64, content: &Packer, moves: usize, changed: bool) {
        self.rows.push(row(|key| key.int(parent), digest, content, 1));
        self.moves += moves;
        self.changed |= changed;
    }

    fn statements(self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if self.changed {
            statements.push(Statement::new(LOOSEN).rows("rows", self.rows.iter()));
        }
        statements.push(Statement::new(WRITE).rows("rows", self.rows.iter()));
        statements
    }
}

/// A list of moves, as one value.
fn content(moves: &[ProjectedMove]) -> Packer {
    let mut content = Packer::default();
    let packer = &mut content;
    packer.list(moves.len());
    for played in moves {
        packer.list(4 + columns::PACKED);
        packer.int(played.child);
        packer.text(&played.uci);
        packer.text(&played.san);
        columns::pack(&played.counts, packer);
        if played.facets.is_empty() {
            packer.null();
        } else {
            packer.ints(&played.facets.concat());
        }
    }
    content
}
