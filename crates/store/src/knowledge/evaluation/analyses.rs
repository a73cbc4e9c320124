//! Answers under (position, engine, limit, number of lines).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use shakmaty::packed::PackedSetup;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position};
use tabiya_chess::{Analysis, PositionId, Question, SearchLimit, epd};

use super::super::tx::{Column, Tx, execute, fetch};
use super::lines;
use super::rows::EvaluationCounts;
use crate::fault::Trouble;
use crate::rows::{clean, id};

/// Positions looked up at once.
const BATCH: usize = 4000;

/// The position itself, in at most 24 bytes.
fn pack(position: &Chess) -> Result<Vec<u8>, Trouble> {
    let setup = position.to_setup(EnPassantMode::Legal);
    match PackedSetup::pack_standard_normalized(&setup) {
        Ok(packed) => Ok(packed.as_bytes().to_vec()),
        Err(error) => Err(Trouble::Malformed(format!(
            "`{}` cannot be packed: {error}",
            epd(position)
        ))),
    }
}

/// A packed position in words.
fn unpacked(bytes: &[u8]) -> String {
    let unpack = || {
        let setup = PackedSetup::try_from_bytes(bytes).ok()?.unpack_standard().ok()?;
        Chess::from_setup(setup, CastlingMode::Chess960).ok()
    };
    unpack().map_or_else(|| format!("{bytes:02x?}"), |position| epd(&position))
}

fn collision(position: i64, one: &[u8], other: &[u8]) -> Trouble {
    let (one, other) = (unpacked(one), unpacked(other));
    Trouble::Collision(format!(
        "`{one}` and `{other}` are both position {}",
        PositionId::from_i64(position)
    ))
}

#[derive(Debug)]
struct Row {
    position_id: i64,
    engine_id: i64,
    limit: String,
    packed: Vec<u8>,
    multipv: u8,
    depth: u8,
    nodes: i64,
    millis: i64,
    hashfull: Option<u16>,
    tbhits: i64,
    lines: String,
}

impl Row {
    fn key(&self) -> (i64, i64, &str, u8) {
        (self.position_id, self.engine_id, &self.limit, self.multipv)
    }

    /// Of two rows for one key the first in this order is kept. `KEEP_BETTER` says the same to the database.
    fn rank(&self) -> impl Ord {
        (
            Reverse((self.depth, self.nodes)),
            (self.lines.as_str(), self.millis, self.tbhits, self.hashfull),
        )
    }
}

/// A row about another position under the same hash is given no position, which the table does not allow.
const KEEP_BETTER: &str = "
    ON CONFLICT (position_id, engine_id, search_limit, multipv) DO UPDATE SET
        position = CASE WHEN excluded.position = evaluations.position THEN excluded.position END,
        depth = excluded.depth, nodes = excluded.nodes, millis = excluded.millis, hashfull = excluded.hashfull,
        tbhits = excluded.tbhits, lines = excluded.lines, evaluated_at = excluded.evaluated_at
    WHERE excluded.position <> evaluations.position
       OR (excluded.depth, excluded.nodes) > (evaluations.depth, evaluations.nodes)
       OR ((excluded.depth, excluded.nodes) = (evaluations.depth, evaluations.nodes)
           AND (excluded.lines, excluded.millis, excluded.tbhits, coalesce(excluded.hashfull, -1))
             < (evaluations.lines, evaluations.millis, evaluations.tbhits, coalesce(evaluations.hashfull, -1)))";

/// Writes what is new or better, and gives the number of such rows.
pub(super) async fn put(tx: &mut Tx, analyses: Vec<(Chess, Analysis)>) -> Result<u64, Trouble> {
    let mut engines: BTreeMap<String, i64> = BTreeMap::new();
    let mut rows = Vec::with_capacity(analyses.len());
    for (position, analysis) in analyses {
        let engine_id = match engines.get(&analysis.engine) {
            Some(engine) => *engine,
            None => {
                let engine = enter_engine(tx, &analysis.engine).await?;
                engines.insert(analysis.engine.clone(), engine);
                engine
            }
        };
        rows.push(row(&position, &analysis, engine_id)?);
    }
    rows.sort_unstable_by(|a, b| a.key().cmp(&b.key()).then_with(|| a.rank().cmp(&b.rank())));
    if let Some(pair) = rows
        .windows(2)
        .find(|pair| pair[0].position_id == pair[1].position_id && pair[0].packed != pair[1].packed)
    {
        return Err(collision(pair[0].position_id, &pair[0].packed, &pair[1].packed));
    }
    rows.dedup_by(|next, kept| next.key() == kept.key());
    let now = fetch!(tx, (i64,), "SELECT {millis}");
    let seconds = now.first().map_or(0, |row| row.0 / 1000);
    let columns = [
        Column::ids(rows.iter().map(|row| row.position_id)),
        Column::ids(rows.iter().map(|row| row.engine_id)),
        Column::texts(rows.iter_mut().map(|row| std::mem::take(&mut row.limit))),
        Column::ints(rows.iter().map(|row| row.multipv)),
        Column::Bytes(rows.iter_mut().map(|row| std::mem::take(&mut row.packed)).collect()),
        Column::ints(rows.iter().map(|row| row.depth)),
        Column::ids(rows.iter().map(|row| row.nodes)),
        Column::ids(rows.iter().map(|row| row.millis)),
        Column::opt_ints(rows.iter().map(|row| row.hashfull)),
        Column::ids(rows.iter().map(|row| row.tbhits)),
        Column::texts(rows.iter_mut().map(|row| std::mem::take(&mut row.lines))),
        Column::Ids(vec![seconds; rows.len()]),
    ];
    tx.insert_or("evaluations", &columns, KEEP_BETTER).await
}

fn row(position: &Chess, analysis: &Analysis, engine_id: i64) -> Result<Row, Trouble> {
    // Nobody searches more positions than this.
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Ok(Row {
        position_id: PositionId::of(position).to_i64(),
        engine_id,
        limit: analysis.limit.to_string(),
        packed: pack(position)?,
        multipv: analysis.multipv,
        depth: analysis.depth(),
        nodes: number(analysis.nodes),
        millis: number(analysis.millis),
        hashfull: analysis.hashfull,
        tbhits: number(analysis.tbhits),
        lines: lines::write(&analysis.lines),
    })
}

async fn enter_engine(tx: &mut Tx, name: &str) -> Result<i64, Trouble> {
    execute!(
        tx,
        "INSERT INTO engines SELECT coalesce(max(id), 0) + 1, $1 FROM engines WHERE true ON CONFLICT (name) DO NOTHING",
        clean(name)
    );
    let found = fetch!(tx, (i64,), "SELECT id FROM engines WHERE name = $1", clean(name));
    match found.first() {
        Some(row) => Ok(row.0),
        None => Err(Trouble::Malformed(format!(
            "engine `{name}` was entered and is not there"
        ))),
    }
}

/// A stored answer, its lines not yet read.
type Stored = (i64, Vec<u8>, String, String, i32, i64, i64, Option<i32>, i64, String);

const COLUMNS: &str = "e.position_id, e.position, g.name, e.search_limit, e.multipv, e.nodes, e.millis, e.hashfull,
    e.tbhits, e.lines";

/// A stored answer for whoever keeps a copy, its lines as text.
#[derive(Debug)]
pub(crate) struct StoredAnalysis {
    pub(crate) position: i64,
    pub(crate) epd: String,
    pub(crate) engine: String,
    pub(crate) limit: String,
    pub(crate) multipv: i32,
    pub(crate) nodes: i64,
    pub(crate) millis: i64,
    pub(crate) hashfull: Option<i32>,
    pub(crate) tbhits: i64,
    pub(crate) lines: String,
}

impl StoredAnalysis {
    pub(crate) fn read(self) -> Result<Analysis, Trouble> {
        let limit: SearchLimit = (self.limit.parse())
            .map_err(|error: tabiya_chess::ParseLimitError| Trouble::Malformed(error.to_string()))?;
        Ok(Analysis {
            engine: self.engine,
            limit,
            multipv: u8::try_from(self.multipv).unwrap_or(u8::MAX),
            lines: lines::read(&self.lines)?,
            nodes: id(self.nodes),
            millis: id(self.millis),
            hashfull: self.hashfull.map(super::super::stats::small),
            tbhits: id(self.tbhits),
        })
    }

    /// The position is left out: whoever reads one answer knows what it is about.
    fn of(row: Stored) -> StoredAnalysis {
        StoredAnalysis {
            position: row.0,
            epd: String::new(),
            engine: row.2,
            limit: row.3,
            multipv: row.4,
            nodes: row.5,
            millis: row.6,
            hashfull: row.7,
            tbhits: row.8,
            lines: row.9,
        }
    }
}

/// All answers about positions with ids in a range, by their key.
pub(crate) async fn in_range(tx: &mut Tx, range: (i64, i64)) -> Result<Vec<StoredAnalysis>, Trouble> {
    let sql = format!(
        "SELECT {COLUMNS} FROM evaluations e JOIN engines g ON g.id = e.engine_id
         WHERE e.position_id BETWEEN $1 AND $2"
    );
    let rows = fetch!(tx, Stored, &sql, range.0, range.1);
    let with_epd = |row: Stored| StoredAnalysis {
        epd: unpacked(&row.1),
        ..StoredAnalysis::of(row)
    };
    let mut all: Vec<StoredAnalysis> = rows.into_iter().map(with_epd).collect();
    all.sort_unstable_by(|a, b| {
        (a.position, &a.engine, &a.limit, a.multipv).cmp(&(b.position, &b.engine, &b.limit, b.multipv))
    });
    Ok(all)
}

/// Everything that is stored of some positions.
async fn stored(tx: &mut Tx, positions: &[i64]) -> Result<Vec<Stored>, Trouble> {
    match tx {
        Tx::Sqlite(tx) => {
            // A statement takes no lists, and one that has as many places as there are values is another each time.
            let list = serde_json::Value::from(positions).to_string();
            let sql = format!(
                "SELECT {COLUMNS} FROM json_each($1) j CROSS JOIN evaluations e CROSS JOIN engines g
                 WHERE e.position_id = j.value AND g.id = e.engine_id"
            );
            Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
                .bind(list)
                .fetch_all(&mut **tx)
                .await?)
        }
        Tx::Postgres(tx) => {
            let sql = format!(
                "SELECT {COLUMNS} FROM evaluations e JOIN engines g ON g.id = e.engine_id
                 WHERE e.position_id = ANY($1)"
            );
            Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
                .bind(positions)
                .fetch_all(&mut **tx)
                .await?)
        }
    }
}

/// The best of some answers about a position that has so many legal moves.
pub(crate) fn best<'a>(
    known: impl Iterator<Item = &'a Analysis>,
    question: &Question,
    legal_moves: usize,
) -> Option<&'a Analysis> {
    known
        .filter(|analysis| analysis.serves(question, legal_moves))
        .min_by_key(|analysis| {
            (
                Reverse((analysis.depth(), analysis.lines.len(), analysis.nodes)),
                &analysis.engine,
                // One engine asked in several ways: whichever, but always the same.
                (analysis.limit.to_string(), analysis.multipv),
            )
        })
}

/// The best stored answer to each question, in their order.
pub(super) async fn find(tx: &mut Tx, asked: &[(Chess, Question)]) -> Result<Vec<Option<Analysis>>, Trouble> {
    let mut answers = Vec::with_capacity(asked.len());
    for asked in asked.chunks(BATCH) {
        let mut positions: Vec<i64> = asked.iter().map(|(p, _)| PositionId::of(p).to_i64()).collect();
        let ids = positions.clone();
        positions.sort_unstable();
        positions.dedup();
        let mut known: HashMap<i64, Vec<(Vec<u8>, Analysis)>> = HashMap::new();
        for mut row in stored(tx, &positions).await? {
            let (position, packed) = (row.0, std::mem::take(&mut row.1));
            known
                .entry(position)
                .or_default()
                .push((packed, StoredAnalysis::of(row).read()?));
        }
        for ((position, question), id) in asked.iter().zip(ids) {
            let Some(known) = known.get(&id) else {
                answers.push(None);
                continue;
            };
            let packed = pack(position)?;
            if let Some((other, _)) = known.iter().find(|(other, _)| *other != packed) {
                return Err(collision(id, &packed, other));
            }
            let legal_moves = position.legal_moves().len();
            let best = best(known.iter().map(|(_, analysis)| analysis), question, legal_moves);
            answers.push(best.cloned());
        }
    }
    Ok(answers)
}

/// After a write that ran into another position under the same hash: both of them.
pub(super) async fn name_collision(tx: &mut Tx, positions: &[Chess]) -> Result<(), Trouble> {
    let mut packed: HashMap<i64, Vec<u8>> = HashMap::new();
    for position in positions {
        packed.insert(PositionId::of(position).to_i64(), pack(position)?);
    }
    let ids: Vec<i64> = packed.keys().copied().collect();
    for ids in ids.chunks(BATCH) {
        for row in stored(tx, ids).await? {
            if packed.get(&row.0).is_some_and(|packed| *packed != row.1) {
                return Err(collision(row.0, &packed[&row.0], &row.1));
            }
        }
    }
    Ok(())
}

pub(super) async fn counts(tx: &mut Tx) -> Result<EvaluationCounts, Trouble> {
    let positions = fetch!(tx, (i64,), "SELECT count(DISTINCT position_id) FROM evaluations");
    let by_engine = fetch!(
        tx,
        (String, i64),
        "SELECT g.name, count(*) FROM evaluations e JOIN engines g ON g.id = e.engine_id GROUP BY g.name ORDER BY g.name"
    );
    let by_engine: Vec<(String, u64)> = by_engine.into_iter().map(|row| (row.0, id(row.1))).collect();
    Ok(EvaluationCounts {
        positions: positions.first().map_or(0, |row| id(row.0)),
        evaluations: by_engine.iter().map(|(_, count)| count).sum(),
        by_engine,
    })
}
