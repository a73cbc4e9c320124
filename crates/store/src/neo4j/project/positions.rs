//! Positions, and the openings and structures they belong to.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::catalogue::Known;
use super::places::Places;
use super::schema;
use super::sent::{LANES, Sent, digest};
use super::times::{TIMES, Times};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};
use crate::knowledge::tx::ranges;

/// Positions in one transaction. Larger ones take as long for each, and more of the server's memory.
const BATCH: usize = 2000;

/// Values of a position beside its key, its digest and the node of its opening.
const VALUES: usize = 10 + TIMES + columns::PACKED + 1 + 8 + 2;

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

/// Rows become positions, tied to the opening and to the structure that they name as nodes. Here and elsewhere the plan is kept:
/// a planner that looks at a growing graph plans again and again.
macro_rules! written {
    ($matches:literal, $position:literal, $properties:literal, $close:literal, $ties:literal) => {
        concat!(
            "CYPHER replan=skip UNWIND $rows AS row ",
            $matches,
            $position,
            $properties,
            properties!(),
            $close,
            $ties,
            " RETURN row[0], id(p)"
        )
    };
}

macro_rules! created {
    ($matches:literal, $ties:literal) => {
        written!($matches, "CREATE (p:Position {id: row[0], ", "", "})", $ties)
    };
}

/// `moves` is of an earlier form.
macro_rules! merged {
    ($matches:literal, $ties:literal) => {
        written!(
            $matches,
            "MERGE (p:Position {id: row[0]}) ",
            "SET p += {moves: null, ",
            "}",
            $ties
        )
    };
}

/// What is new is created, which takes three quarters of what `MERGE` takes; only a batch that is tried again has to look first.
/// By what a row is tied to: to nothing, to an opening, to a structure, to both. Lanes meet at structures. `CREATE` does not mind,
/// once a structure has a few dozens of positions; `MERGE` holds it until its batch is written.
const CREATE: [&str; 4] = [
    created!("", ""),
    created!("MATCH (o) WHERE id(o) = row[35] ", "-[:BELONGS_TO]->(o)"),
    created!("MATCH (s) WHERE id(s) = row[36] ", "-[:HAS_STRUCTURE]->(s)"),
    created!(
        "MATCH (o) WHERE id(o) = row[35] MATCH (s) WHERE id(s) = row[36] ",
        "-[:BELONGS_TO]->(o), (p)-[:HAS_STRUCTURE]->(s)"
    ),
];

const MERGE: [&str; 4] = [
    merged!("", ""),
    merged!("MATCH (o) WHERE id(o) = row[35] ", " MERGE (p)-[:BELONGS_TO]->(o)"),
    merged!("MATCH (s) WHERE id(s) = row[36] ", " MERGE (p)-[:HAS_STRUCTURE]->(s)"),
    merged!(
        "MATCH (o) WHERE id(o) = row[35] MATCH (s) WHERE id(s) = row[36] ",
        " MERGE (p)-[:BELONGS_TO]->(o) MERGE (p)-[:HAS_STRUCTURE]->(s)"
    ),
];

/// Of those that were there before: they may belong elsewhere now.
const LOOSEN: &str = "
    CYPHER replan=skip
    UNWIND $ids AS id
    MATCH (p:Position {id: id})-[r:BELONGS_TO|HAS_STRUCTURE]->() USING INDEX SEEK p:Position(id)
    DELETE r";

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
    match is_empty {
        true => schema::free_positions(sent.store()).await?,
        false => schema::hold_positions(sent.store()).await?,
    }
    let times = Times::settle(from, sent, is_empty).await?;
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
            let content = content(&node, structure.map(|(slug, _)| slug), &times);
            let digest = digest(&content);
            let before = there.remove(&node.id);
            let lane = homes.of(node.opening);
            places.push(node.id, lane, before.map(|(place, _)| place));
            if before.is_some_and(|(_, before)| before == Some(digest)) {
                continue;
            }
            report.positions.written += 1;
            let batch = &mut batches[lane];
            let tied = Tied {
                structure: structure.map(|(_, node_of_structure)| node_of_structure),
                opening: node.opening.and_then(|opening| known.opening_node(opening)),
            };
            batch.add(&node, digest, &content, before.is_some(), tied);
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

/// The nodes that a position is tied to. In this order: all batches come to structures, and none must wait for another that waits
/// for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tied {
    structure: Option<i64>,
    opening: Option<i64>,
}

impl Tied {
    /// Which of the statements is about such rows.
    fn kind(self) -> usize {
        usize::from(self.opening.is_some()) + 2 * usize::from(self.structure.is_some())
    }
}

type Rows = Vec<(Tied, Packer)>;

#[derive(Default)]
struct Batch {
    positions: usize,
    new: Rows,
    changed: Rows,
    changed_ids: Vec<i64>,
}

impl Batch {
    fn add(&mut self, node: &ProjectedNode, digest: i64, content: &Packer, was_there: bool, tied: Tied) {
        let mut row = Packer::default();
        row.list(VALUES + 4);
        row.int(node.id);
        row.int(digest);
        row.packed(content);
        row.opt_int(tied.opening);
        row.opt_int(tied.structure);
        self.positions += 1;
        if was_there {
            self.changed_ids.push(node.id);
            self.changed.push((tied, row));
        } else {
            self.new.push((tied, row));
        }
    }

    fn statements(self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if !self.changed.is_empty() {
            statements.push(Statement::new(LOOSEN).ints("ids", &self.changed_ids));
            statements.extend(of_rows(self.changed, MERGE));
        }
        statements.extend(of_rows(self.new, CREATE));
        statements
    }
}

/// A statement for each kind of rows; with what is said when they are tried again.
fn of_rows(mut rows: Rows, cyphers: [&'static str; 4]) -> Vec<Statement> {
    rows.sort_by_key(|(tied, _)| (tied.kind(), *tied));
    let kinds = rows.chunk_by(|(one, _), (other, _)| one.kind() == other.kind());
    let statement = |rows: &[(Tied, Packer)]| {
        let kind = rows[0].0.kind();
        let statement = Statement::new(cyphers[kind]).rows("rows", rows.iter().map(|(_, row)| row));
        statement.when_tried_again(MERGE[kind])
    };
    kinds.map(statement).collect()
}

/// All there is to write of a position, in the order in which the statements take it. What is false, none or zero as a rule
/// has no property: half of them all would be that.
fn content(node: &ProjectedNode, structure: Option<&str>, times: &Times) -> Packer {
    let mut content = Packer::default();
    let packer = &mut content;
    packer.text(&node.epd);
    packer.int(node.ply.into());
    packer.opt_int((node.halfmove != 0).then_some(node.halfmove));
    packer.text(&node.source);
    when(node.named, packer);
    when(node.is_branching, packer);
    packer.opt_text(node.structure.as_deref());
    packer.opt_text(node.structure_by.as_deref());
    packer.opt_text(node.flagged.as_deref());
    packer.opt_int((node.stub_count != 0).then_some(node.stub_count));
    times.pack(node, packer);
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
