//! The moves from each position, all of them at once.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::places::Places;
use super::sent::{LANES, Sent, digest};
use super::usual::Usual;
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedMove, Source};

/// Moves in one transaction, or a few more.
const BATCH: usize = 2000;

/// Batches that wait at most until all lanes are free.
const WAITING: usize = 100;

macro_rules! written {
    ($before:literal) => {
        concat!(
            "CYPHER replan=skip
            UNWIND $rows AS row
            MATCH (a) WHERE id(a) = row[0] ",
            $before,
            "UNWIND row[1] AS m
            MATCH (b) WHERE id(b) = m[0]
            CREATE (a)-[:MOVE {uci: m[1], san: m[2],
                games: m[3], white: m[4], draws: m[5], black: m[6], rating_sum: m[7], rated: m[8],
                first_year: m[9], last_year: m[10], collections: m[11], counts: m[12], facets: m[13], digest: m[14]}]->(b)"
        )
    };
}

const WRITE: &str = written!("");

/// What leads on from a position goes first.
const REPLACE: &str = written!(
    "OPTIONAL MATCH (a)-[r:MOVE]->()
     DELETE r
     WITH DISTINCT row, a "
);

/// Writes moves. A lane has those within its own positions; those that lead from one lane's positions to another's are
/// written alone.
pub(super) struct Moves<'a> {
    places: &'a Places,
    usual: &'a Usual,
    total: u64,
    /// Whether there are none to be compared with.
    none_yet: bool,
    batches: [Batch; LANES],
    between: Batch,
    waiting: Vec<Batch>,
}

impl<'a> Moves<'a> {
    pub(super) async fn begin(
        from: &mut Source<'_>,
        sent: &Sent<'_>,
        places: &'a Places,
        usual: &'a Usual,
    ) -> Result<Moves<'a>, StoreError> {
        let (_, total) = from.size().await?;
        let any = Statement::new("MATCH ()-[m:MOVE]->() RETURN 1 LIMIT 1");
        Ok(Moves {
            places,
            usual,
            total,
            none_yet: sent.known(any, |row| row.int()).await?.is_empty(),
            batches: Default::default(),
            between: Batch::default(),
            waiting: Vec::new(),
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
            report.moves.total += moves.len() as u64;
            let digest = digest(&content(&moves, self.usual));
            let before = there.remove(&parent);
            if before == Some(Some(digest)) {
                continue;
            }
            report.moves.written += moves.len() as u64;
            self.add(sent, parent, &moves, digest, before.is_some()).await?;
        }
        // Nothing leads on from these any more.
        for parent in there.into_keys() {
            self.add(sent, parent, &[], 0, true).await?;
        }
        sent.tell(ProjectPhase::Moves, report.moves.total, self.total);
        Ok(())
    }

    async fn add(
        &mut self,
        sent: &mut Sent<'_>,
        parent: i64,
        moves: &[ProjectedMove],
        digest: i64,
        changed: bool,
    ) -> Result<(), StoreError> {
        // A position that went takes its moves with it.
        let Some((node, lane)) = self.places.of(parent) else {
            return Ok(());
        };
        let placed: Vec<_> = (moves.iter())
            .filter_map(|played| Some((self.places.of(played.child)?, played)))
            .collect();
        let mut row = Packer::default();
        row.list(2);
        row.int(node);
        row.list(placed.len());
        // The first one says which all of them are. On the position it would be a property that is added later, for which the server
        // looks through all that the position has: a third of what moves take.
        let mut said = Some(digest);
        for ((child, _), played) in &placed {
            pack(*child, played, self.usual, &mut row);
            row.opt_int(said.take());
        }
        let is_within = placed.iter().all(|((_, other), _)| *other == lane);
        let batch = match is_within {
            true => &mut self.batches[lane],
            false => &mut self.between,
        };
        batch.rows.push(row);
        batch.moves += placed.len().max(1);
        batch.changed |= changed;
        if batch.moves < BATCH {
            return Ok(());
        }
        let full = std::mem::take(batch);
        if is_within {
            return sent.send_on(lane, full.statements()).await;
        }
        self.waiting.push(full);
        if self.waiting.len() < WAITING {
            return Ok(());
        }
        self.send_waiting(sent).await
    }

    async fn send_waiting(&mut self, sent: &mut Sent<'_>) -> Result<(), StoreError> {
        sent.landed().await?;
        for batch in self.waiting.drain(..) {
            sent.send_on(0, batch.statements()).await?;
        }
        sent.landed().await
    }

    pub(super) async fn end(mut self, sent: &mut Sent<'_>) -> Result<(), StoreError> {
        for (lane, batch) in std::mem::take(&mut self.batches).into_iter().enumerate() {
            if !batch.rows.is_empty() {
                sent.send_on(lane, batch.statements()).await?;
            }
        }
        if !self.between.rows.is_empty() {
            let last = std::mem::take(&mut self.between);
            self.waiting.push(last);
        }
        self.send_waiting(sent).await?;
        sent.tell(ProjectPhase::Moves, self.total, self.total);
        Ok(())
    }
}

/// What was written of the moves from positions of a range; those with none are left out. Moves of an earlier form say nothing of
/// themselves.
async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<i64, Option<i64>>, StoreError> {
    let statement =
        Statement::new("MATCH (p:Position)-[m:MOVE]->() WHERE $low <= p.id <= $high RETURN p.id, max(m.digest)")
            .int("low", range.0)
            .int("high", range.1);
    let found = sent.known(statement, |row| Ok((row.int()?, row.opt_int()?))).await?;
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
    fn statements(self) -> Vec<Statement> {
        let cypher = if self.changed { REPLACE } else { WRITE };
        let statement = Statement::new(cypher).rows("rows", self.rows.iter());
        vec![statement.when_tried_again(REPLACE)]
    }
}

/// All moves from a position, for their digest: that must not know where the server keeps what they lead to.
fn content(moves: &[ProjectedMove], usual: &Usual) -> Packer {
    let mut content = Packer::default();
    content.list(moves.len());
    for played in moves {
        pack(played.child, played, usual, &mut content);
        content.null();
    }
    content
}

/// All but the last of a move's values.
fn pack(to: i64, played: &ProjectedMove, usual: &Usual, packer: &mut Packer) {
    packer.list(5 + columns::PACKED);
    packer.int(to);
    packer.text(&played.uci);
    packer.text(&played.san);
    columns::pack(&played.counts, usual.collections(), packer);
    if played.facets.is_empty() {
        packer.null();
    } else {
        packer.ints(&played.facets.concat());
    }
}
