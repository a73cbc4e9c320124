//! Positions, and the openings and structures they belong to.

use std::collections::HashMap;

use uuid::Uuid;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::catalogue::Known;
use super::sent::{Sent, digest, row};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};
use crate::knowledge::tx::ranges;

/// Positions in one transaction.
const BATCH: usize = 5000;

/// Values of a position beside its key and its digest.
const VALUES: usize = 12 + columns::PACKED + 2 + 8 + 2;

/// Here and elsewhere the index is named and the plan kept: a planner that looks at an empty graph takes reading all of it
/// for cheaper, and one that looks at a growing graph plans again and again. `CREATE` was tried for an empty graph; once the
/// server is warm it takes as long as `MERGE`.
const WRITE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MERGE (p:Position {id: row[0]})
    SET p += {digest: row[1], epd: row[2], ply: row[3], halfmove: row[4], source: row[5], named: row[6],
        is_branching: row[7], structure: row[8], structure_by: row[9], flagged: row[10], stub_count: row[11],
        created_at: row[12], updated_at: row[13],
        games: row[14], white: row[15], draws: row[16], black: row[17], rating_sum: row[18], rated: row[19],
        first_year: row[20], last_year: row[21], collections: row[22], counts: row[23],
        lists_of: row[24], lists: row[25],
        eval: row[26], mate: row[27], depth: row[28], best_move: row[29], best_move_uci: row[30],
        is_dubious: row[31], is_busted: row[32], engine: row[33]}
    WITH p, row
    MATCH (o:Opening {id: row[34]}) USING INDEX SEEK o:Opening(id)
    MERGE (p)-[:BELONGS_TO]->(o)";

/// Of those that were there before: they may belong elsewhere now.
const LOOSEN: &str = "
    CYPHER replan=skip
    UNWIND $ids AS id
    MATCH (p:Position {id: id})-[r:BELONGS_TO|HAS_STRUCTURE]->() USING INDEX SEEK p:Position(id)
    DELETE r";

const STRUCTURE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (p:Position {id: row[0]}) USING INDEX SEEK p:Position(id)
    MATCH (s:Structure {slug: row[1]}) USING INDEX SEEK s:Structure(slug)
    MERGE (p)-[:HAS_STRUCTURE]->(s)";

/// Writes what is new or changed, and gives the ids of those that went.
pub(super) async fn write(
    from: &mut Source<'_>,
    sent: &mut Sent<'_>,
    known: &Known,
    report: &mut ProjectReport,
) -> Result<Vec<i64>, StoreError> {
    let (total, _) = from.size().await?;
    let is_empty = sent
        .known(Statement::new("MATCH (p:Position) RETURN p.id LIMIT 1"), |row| {
            row.int()
        })
        .await?
        .is_empty();
    let mut gone = Vec::new();
    let mut batch = Batch::default();
    for range in ranges() {
        if sent.stopped() {
            return Ok(Vec::new());
        }
        let mut there = match is_empty {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for node in from.nodes(range).await? {
            report.positions.total += 1;
            let structure = (node.structure.as_deref()).and_then(|name| known.structure_slug(name));
            let content = content(&node, structure);
            let digest = digest(&content);
            let before = there.remove(&node.id);
            if before == Some(Some(digest)) {
                continue;
            }
            report.positions.written += 1;
            batch.changed.extend(before.map(|_| node.id));
            let row = row(|key| key.int(node.id), digest, &content, VALUES);
            batch.rows.push((node.opening, row));
            if let Some(slug) = structure {
                let mut row = Packer::default();
                row.list(2);
                row.int(node.id);
                row.text(slug);
                batch.structures.push((slug.to_owned(), row));
            }
            if batch.rows.len() == BATCH {
                sent.send(std::mem::take(&mut batch).statements()).await?;
                sent.tell(ProjectPhase::Positions, report.positions.total, total);
            }
        }
        gone.extend(there.into_keys());
    }
    if !batch.rows.is_empty() {
        sent.send(batch.statements()).await?;
    }
    sent.tell(ProjectPhase::Positions, total, total);
    Ok(gone)
}

/// The digests of those positions of a range that are in the graph.
async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<i64, Option<i64>>, StoreError> {
    let statement = Statement::new("MATCH (p:Position) WHERE $low <= p.id <= $high RETURN p.id, p.digest")
        .int("low", range.0)
        .int("high", range.1);
    let found = sent.known(statement, |row| Ok((row.int()?, row.opt_int()?))).await?;
    Ok(found.into_iter().collect())
}

/// Rows with what they are to be tied to.
#[derive(Default)]
struct Batch {
    rows: Vec<(Option<Uuid>, Packer)>,
    structures: Vec<(String, Packer)>,
    changed: Vec<i64>,
}

impl Batch {
    /// Two batches at a time wait for each other at openings and structures, but not in a circle: all take them in the same
    /// order.
    fn statements(mut self) -> Vec<Statement> {
        self.rows.sort_by_key(|(opening, _)| *opening);
        self.structures.sort_by(|a, b| a.0.cmp(&b.0));
        let mut statements = Vec::new();
        if !self.changed.is_empty() {
            statements.push(Statement::new(LOOSEN).ints("ids", &self.changed));
        }
        let rows = self.rows.iter().map(|(_, row)| row);
        statements.push(Statement::new(WRITE).rows("rows", rows));
        if !self.structures.is_empty() {
            let structures = self.structures.iter().map(|(_, row)| row);
            statements.push(Statement::new(STRUCTURE).rows("rows", structures));
        }
        statements
    }
}

/// All there is to write of a position, in the order in which [`WRITE`] takes it. What is false, none or zero as a rule
/// has no property: half of them all would be that.
fn content(node: &ProjectedNode, structure: Option<&str>) -> Packer {
    let mut content = Packer::default();
    let packer = &mut content;
    packer.text(&node.epd);
    packer.int(node.ply.into());
    packer.int(node.halfmove.into());
    packer.text(&node.source);
    when(node.named, packer);
    when(node.is_branching, packer);
    packer.opt_text(node.structure.as_deref());
    packer.opt_text(node.structure_by.as_deref());
    packer.opt_text(node.flagged.as_deref());
    packer.opt_int((node.stub_count != 0).then_some(node.stub_count));
    packer.text(&node.created_at);
    // Most were never changed.
    packer.opt_text((node.updated_at != node.created_at).then_some(&*node.updated_at));
    columns::pack(&node.counts, packer);
    if node.games.is_empty() {
        packer.null();
        packer.null();
    } else {
        let (collections, lists): (Vec<i64>, Vec<String>) = node.games.iter().cloned().unzip();
        packer.ints(&collections);
        packer.texts(&lists);
    }
    match &node.evaluation {
        None => (0..8).for_each(|_| packer.null()),
        Some(shown) => {
            packer.int(shown.eval.cp.into());
            packer.opt_int(shown.eval.mate);
            packer.int(shown.depth.into());
            packer.opt_text(shown.best_move.as_ref().map(|best| best.san.as_str()));
            packer.opt_text(shown.best_move.as_ref().map(|best| best.uci.as_str()));
            packer.bool(shown.is_dubious);
            packer.bool(shown.is_busted);
            packer.text(&shown.engine);
        }
    }
    packer.opt_text(node.opening.map(|opening| opening.to_string()).as_deref());
    // For the digest: a structure that was unknown may have become known.
    packer.opt_text(structure);
    content
}

fn when(value: bool, packer: &mut Packer) {
    match value {
        true => packer.bool(true),
        false => packer.null(),
    }
}

/// Removes positions with all that leads to them and from them.
pub(super) async fn remove(sent: &mut Sent<'_>, gone: Vec<i64>, report: &mut ProjectReport) -> Result<(), StoreError> {
    let total = gone.len() as u64;
    for ids in gone.chunks(BATCH) {
        if sent.stopped() {
            return Ok(());
        }
        let delete = Statement::new(
            "UNWIND $ids AS id MATCH (p:Position {id: id}) USING INDEX SEEK p:Position(id) DETACH DELETE p",
        )
        .ints("ids", ids);
        sent.send_on(0, vec![delete]).await?;
        report.positions.removed += ids.len() as u64;
        sent.tell(ProjectPhase::Removing, report.positions.removed, total);
    }
    Ok(())
}
