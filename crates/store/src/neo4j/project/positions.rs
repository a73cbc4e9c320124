//! Positions, and the openings and structures they belong to.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::catalogue::Known;
use super::places::Places;
use super::sent::{LANES, Sent, digest};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};
use crate::knowledge::tx::ranges;

/// Positions in one transaction. Larger ones take as long for each, and more of the server's memory.
const BATCH: usize = 2000;

/// Values of a position beside its key, its digest and the node of its opening.
const VALUES: usize = 12 + columns::PACKED + 1 + 8 + 2;

macro_rules! properties {
    () => {
        "digest: row[1], epd: row[2], ply: row[3], halfmove: row[4], source: row[5], named: row[6],
        is_branching: row[7], structure: row[8], structure_by: row[9], flagged: row[10], stub_count: row[11],
        created_at: row[12], updated_at: row[13],
        games: row[14], white: row[15], draws: row[16], black: row[17], rating_sum: row[18], rated: row[19],
        first_year: row[20], last_year: row[21], collections: row[22], counts: row[23], lists: row[24],
        eval: row[25], mate: row[26], depth: row[27], best_move: row[28], best_move_uci: row[29],
        is_dubious: row[30], is_busted: row[31], engine: row[32]"
    };
}

/// Here and elsewhere the plan is kept: a planner that looks at a growing graph plans again and again. What is new is
/// created, which takes three quarters of what `MERGE` takes; only a batch that is tried again has to look first.
const CREATE: &str = concat!(
    "CYPHER replan=skip
    UNWIND $rows AS row
    CREATE (p:Position {id: row[0], ",
    properties!(),
    "})
    RETURN row[0], id(p)"
);

/// The same for those that belong to an opening.
const CREATE_TIED: &str = concat!(
    "CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (o) WHERE id(o) = row[35]
    CREATE (p:Position {id: row[0], ",
    properties!(),
    "})-[:BELONGS_TO]->(o)
    RETURN row[0], id(p)"
);

const MERGE: &str = concat!(
    "CYPHER replan=skip
    UNWIND $rows AS row
    MERGE (p:Position {id: row[0]})
    SET p += {",
    properties!(),
    "}
    RETURN row[0], id(p)"
);

const MERGE_TIED: &str = concat!(
    "CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (o) WHERE id(o) = row[35]
    MERGE (p:Position {id: row[0]})
    SET p += {",
    properties!(),
    "}
    MERGE (p)-[:BELONGS_TO]->(o)
    RETURN row[0], id(p)"
);

/// Of those that were there before: they may belong elsewhere now.
const LOOSEN: &str = "
    CYPHER replan=skip
    UNWIND $ids AS id
    MATCH (p:Position {id: id})-[r:BELONGS_TO|HAS_STRUCTURE]->() USING INDEX SEEK p:Position(id)
    DELETE r";

/// Lanes meet at structures. `CREATE` does not mind; `MERGE` holds a structure until its batch is written.
const STRUCTURE: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (p:Position {id: row[0]}) USING INDEX SEEK p:Position(id)
    MATCH (s) WHERE id(s) = row[1]
    CREATE (p)-[:HAS_STRUCTURE]->(s)";

const STRUCTURE_AGAIN: &str = "
    CYPHER replan=skip
    UNWIND $rows AS row
    MATCH (p:Position {id: row[0]}) USING INDEX SEEK p:Position(id)
    MATCH (s) WHERE id(s) = row[1]
    MERGE (p)-[:HAS_STRUCTURE]->(s)";

/// Writes what is new or changed, and gives where all of them are and the ids of those that went.
pub(super) async fn write(
    from: &mut Source<'_>,
    sent: &mut Sent<'_>,
    known: &Known,
    report: &mut ProjectReport,
) -> Result<(Places, Vec<i64>), StoreError> {
    let (total, _) = from.size().await?;
    let homes = known.homes(&from.sizes_of_openings().await?, total);
    let any = Statement::new("MATCH (p:Position) RETURN p.id LIMIT 1");
    let is_empty = sent.known(any, |row| row.int()).await?.is_empty();
    let mut places = Places::default();
    let mut gone = Vec::new();
    let mut batches: [Batch; LANES] = Default::default();
    for range in ranges() {
        if sent.stopped() {
            return Ok((places, Vec::new()));
        }
        let mut there = match is_empty {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for node in from.nodes(range).await? {
            report.positions.total += 1;
            let structure = (node.structure.as_deref()).and_then(|name| known.structure(name));
            let content = content(&node, structure.map(|(slug, _)| slug));
            let digest = digest(&content);
            let before = there.remove(&node.id);
            let lane = homes.of(node.opening);
            places.push(node.id, lane, before.map(|(place, _)| place));
            if before.is_some_and(|(_, before)| before == Some(digest)) {
                continue;
            }
            report.positions.written += 1;
            let batch = &mut batches[lane];
            let opening = node.opening.and_then(|opening| known.opening_node(opening));
            batch.add(&node, digest, &content, before.is_some(), opening);
            if let Some((_, node_of_structure)) = structure {
                batch.structures.push((node_of_structure, node.id));
            }
            if batch.positions == BATCH {
                sent.send_on(lane, std::mem::take(batch).statements()).await?;
                sent.tell(ProjectPhase::Positions, report.positions.total, total);
            }
        }
        gone.extend(there.into_keys());
    }
    for (lane, batch) in batches.into_iter().enumerate() {
        if batch.positions > 0 {
            sent.send_on(lane, batch.statements()).await?;
        }
    }
    sent.tell(ProjectPhase::Positions, total, total);
    sent.landed().await?;
    places.found(sent.take_given());
    Ok((places, gone))
}

/// The nodes and the digests of those positions of a range that are in the graph.
async fn digests(sent: &Sent<'_>, range: (i64, i64)) -> Result<HashMap<i64, (i64, Option<i64>)>, StoreError> {
    let statement = Statement::new("MATCH (p:Position) WHERE $low <= p.id <= $high RETURN p.id, id(p), p.digest")
        .int("low", range.0)
        .int("high", range.1);
    let found = sent
        .known(statement, |row| Ok((row.int()?, (row.int()?, row.opt_int()?))))
        .await?;
    Ok(found.into_iter().collect())
}

/// Rows, behind the node of the opening that they are to be tied to.
type Tied = Vec<(Option<i64>, Packer)>;

#[derive(Default)]
struct Batch {
    positions: usize,
    new: Tied,
    changed: Tied,
    changed_ids: Vec<i64>,
    /// A structure's node, and the position that has it.
    structures: Vec<(i64, i64)>,
}

impl Batch {
    fn add(&mut self, node: &ProjectedNode, digest: i64, content: &Packer, was_there: bool, opening: Option<i64>) {
        let mut row = Packer::default();
        row.list(VALUES + 3);
        row.int(node.id);
        row.int(digest);
        row.packed(content);
        row.opt_int(opening);
        self.positions += 1;
        if was_there {
            self.changed_ids.push(node.id);
            self.changed.push((opening, row));
        } else {
            self.new.push((opening, row));
        }
    }

    fn statements(mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if !self.changed.is_empty() {
            statements.push(Statement::new(LOOSEN).ints("ids", &self.changed_ids));
            statements.extend(of_rows(self.changed, [MERGE, MERGE_TIED], [MERGE, MERGE_TIED]));
        }
        statements.extend(of_rows(self.new, [CREATE, CREATE_TIED], [MERGE, MERGE_TIED]));
        if !self.structures.is_empty() {
            // All batches take them in the same order, so that no two wait for each other.
            self.structures.sort_unstable();
            let tie = Statement::new(STRUCTURE).with("rows", |packer| {
                packer.list(self.structures.len());
                for (structure, position) in &self.structures {
                    packer.ints(&[*position, *structure]);
                }
            });
            statements.push(tie.when_tried_again(STRUCTURE_AGAIN));
        }
        statements
    }
}

/// A statement for the rows that are tied to nothing, and one for the others, opening by opening; with what is said when
/// they are tried again.
fn of_rows(mut rows: Tied, cyphers: [&'static str; 2], again: [&'static str; 2]) -> Vec<Statement> {
    rows.sort_by_key(|(opening, _)| *opening);
    let (loose, tied) = rows.split_at(rows.partition_point(|(opening, _)| opening.is_none()));
    let mut statements = Vec::new();
    for (part, rows) in [loose, tied].into_iter().enumerate() {
        if !rows.is_empty() {
            let statement = Statement::new(cyphers[part]).rows("rows", rows.iter().map(|(_, row)| row));
            statements.push(statement.when_tried_again(again[part]));
        }
    }
    statements
}

/// All there is to write of a position, in the order in which the statements take it. What is false, none or zero as a rule
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
    packer.opt_text(columns::lists(&node.games).as_deref());
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
