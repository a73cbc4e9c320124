//! Positions, and the openings and structures they belong to.

use std::collections::HashMap;

use super::super::bolt::{Packer, Statement};
use super::super::columns;
use super::catalogue::Known;
use super::places::Places;
use super::sent::{LANES, Sent, digest};
use super::usual::{USUAL, Usual};
use super::{ProjectPhase, ProjectReport};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedNode, Source};
use crate::knowledge::tx::ranges;

/// Positions in one transaction. Larger ones take as long for each, and more of the server's memory.
const BATCH: usize = 2000;

/// Values of every position beside its key, what it is tied to and its digest.
const COMMON: usize = 7 + columns::PACKED;

/// Values that few positions have: all of these, or none.
const RARE: usize = USUAL + 3 + 8;

macro_rules! common {
    () => {
        "digest: row[3], epd: row[4], ply: row[5], halfmove: row[6], is_branching: row[7], structure: row[8],
        structure_by: row[9], lists: row[10], games: row[11], white: row[12], draws: row[13], black: row[14],
        rating_sum: row[15], rated: row[16], first_year: row[17], last_year: row[18], collections: row[19],
        counts: row[20]"
    };
}

macro_rules! rare {
    () => {
        ", source: row[21], created_at: row[22], updated_at: row[23], named: row[24], flagged: row[25],
        stub_count: row[26], eval: row[27], mate: row[28], depth: row[29], best_move: row[30],
        best_move_uci: row[31], is_dubious: row[32], is_busted: row[33], engine: row[34]"
    };
}

/// Rows become positions, tied to the opening and to the structure that they name as nodes. Here and elsewhere the plan is kept:
/// a planner that looks at a growing graph plans again and again.
macro_rules! written {
    ($matches:literal, $position:literal, $rare:expr, $close:literal, $ties:literal) => {
        concat!(
            "CYPHER replan=skip UNWIND $rows AS row ",
            $matches,
            $position,
            common!(),
            $rare,
            $close,
            $ties,
            " RETURN row[0], id(p)"
        )
    };
}

/// For rows without what is rare, and for those with it: the server takes its time to find that a row has nothing in a place.
macro_rules! created {
    ($matches:literal, $ties:literal) => {
        [
            written!($matches, "CREATE (p:Position {id: row[0], ", "", "})", $ties),
            written!($matches, "CREATE (p:Position {id: row[0], ", rare!(), "})", $ties),
        ]
    };
}

/// `moves` is of an earlier form. A row without what is rare has nothing in these places.
macro_rules! merged {
    ($matches:literal, $ties:literal) => {
        written!(
            $matches,
            "MERGE (p:Position {id: row[0]}) SET p += {moves: null, ",
            rare!(),
            "}",
            $ties
        )
    };
}

/// What is new is created, which takes three quarters of what `MERGE` takes; only a batch that is tried again has to look first.
/// By what a row is tied to: to nothing, to an opening, to a structure, to both. Lanes meet at structures. `CREATE` does not mind,
/// once a structure has a few dozens of positions; `MERGE` holds it until its batch is written.
const CREATE: [[&str; 2]; 4] = [
    created!("", ""),
    created!("MATCH (o) WHERE id(o) = row[1] ", "-[:BELONGS_TO]->(o)"),
    created!("MATCH (s) WHERE id(s) = row[2] ", "-[:HAS_STRUCTURE]->(s)"),
    created!(
        "MATCH (o) WHERE id(o) = row[1] MATCH (s) WHERE id(s) = row[2] ",
        "-[:BELONGS_TO]->(o), (p)-[:HAS_STRUCTURE]->(s)"
    ),
];

const MERGE: [&str; 4] = [
    merged!("", ""),
    merged!("MATCH (o) WHERE id(o) = row[1] ", " MERGE (p)-[:BELONGS_TO]->(o)"),
    merged!("MATCH (s) WHERE id(s) = row[2] ", " MERGE (p)-[:HAS_STRUCTURE]->(s)"),
    merged!(
        "MATCH (o) WHERE id(o) = row[1] MATCH (s) WHERE id(s) = row[2] ",
        " MERGE (p)-[:BELONGS_TO]->(o) MERGE (p)-[:HAS_STRUCTURE]->(s)"
    ),
];

/// Of those that were there before: they may belong elsewhere now.
const LOOSEN: &str = "
    CYPHER replan=skip
    UNWIND $ids AS id
    MATCH (p:Position {id: id})-[r:BELONGS_TO|HAS_STRUCTURE]->() USING INDEX SEEK p:Position(id)
    DELETE r";

/// Writes what is new or changed, and gives where all of them are, what they leave out, and the ids of those that went.
pub(super) async fn write(
    from: &mut Source<'_>,
    sent: &mut Sent<'_>,
    known: &Known,
    report: &mut ProjectReport,
) -> Result<(Places, Usual, Vec<i64>), StoreError> {
    let (total, _) = from.size().await?;
    let homes = known.homes(&from.sizes_of_openings().await?, total);
    let any = Statement::new("MATCH (p:Position) RETURN p.id LIMIT 1");
    let is_empty = sent.known(any, |row| row.int()).await?.is_empty();
    match is_empty {
        true => sent.free_positions().await?,
        false => sent.hold_positions().await?,
    }
    let usual = Usual::settle(from, sent, is_empty).await?;
    let mut places = Places::default();
    let mut gone = Vec::new();
    let mut batches: [Batch; LANES] = Default::default();
    for range in ranges() {
        if sent.stopped() {
            return Ok((places, usual, Vec::new()));
        }
        let mut there = match is_empty {
            true => HashMap::new(),
            false => digests(sent, range).await?,
        };
        for node in from.nodes(range).await? {
            report.positions.total += 1;
            let structure = (node.structure.as_deref()).and_then(|name| known.structure(name));
            let content = Content::of(&node, &usual);
            let digest = content.digest(&node, structure.map(|(slug, _)| slug));
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
            batch.add(node.id, digest, &content, before.is_some(), tied);
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
    Ok((places, usual, gone))
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

/// A row, and what the statement about it goes by.
struct Row {
    tied: Tied,
    has_rare: bool,
    values: Packer,
}

impl Row {
    /// Rows with the same one go into one statement.
    fn kind(&self) -> (usize, bool) {
        (self.tied.kind(), self.has_rare)
    }
}

#[derive(Default)]
struct Batch {
    positions: usize,
    new: Vec<Row>,
    changed: Vec<Row>,
    changed_ids: Vec<i64>,
}

impl Batch {
    fn add(&mut self, id: i64, digest: i64, content: &Content, was_there: bool, tied: Tied) {
        let has_rare = content.rare.is_some();
        let mut values = Packer::default();
        values.list(4 + COMMON + if has_rare { RARE } else { 0 });
        values.int(id);
        values.opt_int(tied.opening);
        values.opt_int(tied.structure);
        values.int(digest);
        values.packed(&content.common);
        if let Some(rare) = &content.rare {
            values.packed(rare);
        }
        let row = Row { tied, has_rare, values };
        self.positions += 1;
        if was_there {
            self.changed_ids.push(id);
            self.changed.push(row);
        } else {
            self.new.push(row);
        }
    }

    fn statements(self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if !self.changed.is_empty() {
            statements.push(Statement::new(LOOSEN).ints("ids", &self.changed_ids));
            statements.extend(of_rows(self.changed, |(tied, _)| MERGE[tied]));
        }
        statements.extend(of_rows(self.new, |(tied, has_rare)| {
            CREATE[tied][usize::from(has_rare)]
        }));
        statements
    }
}

/// A statement for each kind of rows; with what is said when they are tried again.
fn of_rows(mut rows: Vec<Row>, cypher: impl Fn((usize, bool)) -> &'static str) -> Vec<Statement> {
    rows.sort_by_key(|row| (row.kind(), row.tied));
    let kinds = rows.chunk_by(|one, other| one.kind() == other.kind());
    let statement = |rows: &[Row]| {
        let kind = rows[0].kind();
        let statement = Statement::new(cypher(kind)).rows("rows", rows.iter().map(|row| &row.values));
        statement.when_tried_again(MERGE[kind.0])
    };
    kinds.map(statement).collect()
}

/// All there is to write of a position, in the order in which the statements take it. What is false, none, zero or usual as a rule
/// has no property: half of them all would be that.
struct Content {
    common: Packer,
    /// None where it would be nothing but nulls.
    rare: Option<Packer>,
}

impl Content {
    fn of(node: &ProjectedNode, usual: &Usual) -> Content {
        let mut common = Packer::default();
        common.text(&node.epd);
        common.int(node.ply.into());
        common.opt_int((node.halfmove != 0).then_some(node.halfmove));
        when(node.is_branching, &mut common);
        common.opt_text(node.structure.as_deref());
        common.opt_text(node.structure_by.as_deref());
        common.opt_text(columns::lists(&node.games).as_deref());
        columns::pack(&node.counts, usual.collections(), &mut common);

        let mut rare = Packer::default();
        usual.pack(node, &mut rare);
        when(node.named, &mut rare);
        rare.opt_text(node.flagged.as_deref());
        rare.opt_int((node.stub_count != 0).then_some(node.stub_count));
        match &node.evaluation {
            None => (0..8).for_each(|_| rare.null()),
            Some(shown) => {
                rare.int(shown.eval.cp.into());
                rare.opt_int(shown.eval.mate);
                rare.int(shown.depth.into());
                rare.opt_text(shown.best_move.as_ref().map(|best| best.san.as_str()));
                rare.opt_text(shown.best_move.as_ref().map(|best| best.uci.as_str()));
                rare.bool(shown.is_dubious);
                rare.bool(shown.is_busted);
                rare.text(&shown.engine);
            }
        }
        let is_nothing = rare == Packer::nulls(RARE);
        Content {
            common,
            rare: (!is_nothing).then_some(rare),
        }
    }

    /// Of this and of what the position is tied to: a structure that was unknown may have become known.
    fn digest(&self, node: &ProjectedNode, structure: Option<&str>) -> i64 {
        let mut all = self.common.clone();
        if let Some(rare) = &self.rare {
            all.packed(rare);
        }
        all.opt_text(node.opening.map(|opening| opening.to_string()).as_deref());
        all.opt_text(structure);
        digest(&all)
    }
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
