//! What nodes show.

use std::collections::HashMap;

use shakmaty::Chess;
use tabiya_chess::{Eval, PositionId, StoredEval};

use super::super::tx::{Column, Tx, execute, fetch, ranged, sweep};
use super::rows::{BestMove, EvaluationCoverage, NodeAnnotation, NodeEvaluation};
use crate::fault::Trouble;
use crate::rows::id;

/// The columns of an evaluation that are logged, under the names they have outside.
const LOGGED: [(&str, &str); 8] = [
    ("eval", "stockfish_eval"),
    ("mate", "mate"),
    ("depth", "stockfish_depth"),
    ("best_move", "best_move"),
    ("best_move_uci", "best_move_uci"),
    ("is_dubious", "is_dubious"),
    ("is_busted", "is_busted"),
    ("engine", "engine"),
];

/// Enters evaluations of nodes. What replaces a value that was there is logged; a first evaluation is not a change.
pub(super) async fn annotate(tx: &mut Tx, mut rows: Vec<NodeAnnotation>) -> Result<(), Trouble> {
    if let Some(row) = rows.iter().find(|row| !is_sound(row.eval)) {
        return Err(Trouble::Malformed(format!(
            "the evaluation of {} is {:?}, which no node can have",
            row.node, row.eval
        )));
    }
    // Of several about one node the deepest; which of equally deep ones must not depend on their order.
    rows.sort_unstable_by(|a, b| {
        (
            a.node.to_i64(),
            b.depth,
            &a.engine,
            a.eval.cp,
            a.eval.mate,
            &a.best_move,
        )
            .cmp(&(
                b.node.to_i64(),
                a.depth,
                &b.engine,
                b.eval.cp,
                b.eval.mate,
                &b.best_move,
            ))
    });
    rows.dedup_by_key(|row| row.node);
    tx.scratch(
        "found",
        "id bigint PRIMARY KEY, eval integer, mate integer, depth integer, best_move text COLLATE \"C\",
         best_move_uci text COLLATE \"C\", engine text COLLATE \"C\"",
    )
    .await?;
    let best = |part: fn(&BestMove) -> &String| {
        Column::opt_texts(
            rows.iter()
                .map(|row| row.best_move.as_ref().map(|best| part(best).clone())),
        )
    };
    let columns = [
        Column::ids(rows.iter().map(|row| row.node.to_i64())),
        Column::ints(rows.iter().map(|row| row.eval.cp)),
        Column::opt_ints(rows.iter().map(|row| row.eval.mate)),
        Column::ints(rows.iter().map(|row| row.depth)),
        best(|best| &best.san),
        best(|best| &best.uci),
        Column::texts(rows.iter().map(|row| row.engine.clone())),
    ];
    tx.insert("found", &columns).await?;
    tx.analyze("found").await?;
    judge(tx).await?;
    // Most evaluations are a node's first. Others wait for whoever writes here, so nothing is asked that has no answer.
    let replaces = fetch!(
        tx,
        (bool,),
        "SELECT EXISTS (SELECT 1 FROM judged j CROSS JOIN node_evaluations e WHERE e.node_id = j.node_id)"
    );
    if replaces.iter().any(|row| row.0) {
        forget_unchanged(tx).await?;
        log(tx).await?;
    }
    execute!(
        tx,
        "INSERT INTO node_evaluations SELECT * FROM judged WHERE true
         ON CONFLICT (node_id) DO UPDATE SET
             eval = excluded.eval, mate = excluded.mate, depth = excluded.depth, best_move = excluded.best_move,
             best_move_uci = excluded.best_move_uci, is_dubious = excluded.is_dubious,
             is_busted = excluded.is_busted, engine = excluded.engine"
    );
    Ok(())
}

/// Whether an evaluation has the form in which the knowledge base keeps them.
fn is_sound(eval: StoredEval) -> bool {
    StoredEval::from(Eval::from(eval)) == eval
}

/// Keeps those that are about nodes, and judges the move that led there. Of `key`, the EPD, only the
/// side to move stands between spaces as a `b`.
async fn judge(tx: &mut Tx) -> Result<(), Trouble> {
    tx.scratch(
        "judged",
        "node_id bigint PRIMARY KEY, eval integer, mate integer, depth integer, best_move text COLLATE \"C\",
         best_move_uci text COLLATE \"C\", is_dubious boolean, is_busted boolean, engine text COLLATE \"C\"",
    )
    .await?;
    execute!(
        tx,
        "INSERT INTO judged
         SELECT f.id, f.eval, f.mate, f.depth, f.best_move, f.best_move_uci,
                f.id <> $1 AND CASE WHEN p.key LIKE '% b %' THEN f.eval ELSE -f.eval END <= -50,
                f.id <> $1 AND CASE WHEN p.key LIKE '% b %' THEN f.eval ELSE -f.eval END <= -150,
                f.engine
         FROM found f CROSS JOIN nodes n CROSS JOIN positions p WHERE n.id = f.id AND p.id = f.id",
        PositionId::of(&Chess::default()).to_i64()
    );
    Ok(())
}

/// Keeps those that say something new.
async fn forget_unchanged(tx: &mut Tx) -> Result<(), Trouble> {
    execute!(
        tx,
        "DELETE FROM judged WHERE EXISTS (
             SELECT 1 FROM node_evaluations e
             WHERE e.node_id = judged.node_id AND e.eval = judged.eval AND e.mate IS NOT DISTINCT FROM judged.mate
               AND e.depth = judged.depth AND e.best_move IS NOT DISTINCT FROM judged.best_move
               AND e.best_move_uci IS NOT DISTINCT FROM judged.best_move_uci
               AND e.is_dubious = judged.is_dubious AND e.is_busted = judged.is_busted
               AND e.engine = judged.engine)"
    );
    Ok(())
}

async fn log(tx: &mut Tx) -> Result<(), Trouble> {
    for (column, field) in LOGGED {
        let text = |table: &str| match column {
            // SQLite would write its numbers.
            "is_dubious" | "is_busted" => format!("CASE WHEN {table}.{column} THEN 'true' ELSE 'false' END"),
            _ => format!("CAST({table}.{column} AS text)"),
        };
        let sql = format!(
            "INSERT INTO node_changelog (node_id, changed_at, field, old_value, new_value)
             SELECT e.node_id, {{now}}, $1, {}, {} FROM judged j CROSS JOIN node_evaluations e
             WHERE e.node_id = j.node_id AND e.{column} IS DISTINCT FROM j.{column} ORDER BY e.node_id",
            text("e"),
            text("j")
        );
        execute!(tx, &sql, field);
    }
    execute!(
        tx,
        "UPDATE nodes SET updated_at = {now}
         WHERE id IN (SELECT j.node_id FROM judged j CROSS JOIN node_evaluations e WHERE e.node_id = j.node_id)"
    );
    Ok(())
}

type Row = (
    i64,
    i32,
    Option<i32>,
    i32,
    Option<String>,
    Option<String>,
    i32,
    i32,
    String,
);

fn evaluation(row: Row) -> NodeEvaluation {
    NodeEvaluation {
        eval: StoredEval { cp: row.1, mate: row.2 },
        depth: u8::try_from(row.3).unwrap_or(u8::MAX),
        best_move: row.4.zip(row.5).map(|(san, uci)| BestMove { san, uci }),
        is_dubious: row.6 != 0,
        is_busted: row.7 != 0,
        engine: row.8,
    }
}

/// The evaluation of one node.
pub(crate) async fn of_node(tx: &mut Tx, node: i64) -> Result<Option<NodeEvaluation>, Trouble> {
    let rows = fetch!(
        tx,
        Row,
        "SELECT node_id, eval, mate, depth, best_move, best_move_uci, CAST(is_dubious AS integer),
                CAST(is_busted AS integer), engine
         FROM node_evaluations WHERE node_id = $1",
        node
    );
    Ok(rows.into_iter().next().map(evaluation))
}

/// All evaluations, those of positions included that are no nodes at present.
pub(crate) async fn of_nodes(tx: &mut Tx) -> Result<HashMap<i64, NodeEvaluation>, Trouble> {
    let rows = sweep!(
        tx,
        Row,
        "node_id, eval, mate, depth, best_move, best_move_uci, CAST(is_dubious AS integer),
         CAST(is_busted AS integer), engine",
        "FROM node_evaluations WHERE node_id {range} AND $1 IS NULL",
        None::<&str>
    );
    Ok(rows.into_iter().map(|row| (row.0, evaluation(row))).collect())
}

/// The evaluations of positions with ids in a range.
pub(crate) async fn of_nodes_in(tx: &mut Tx, range: (i64, i64)) -> Result<HashMap<i64, NodeEvaluation>, Trouble> {
    let rows = ranged!(
        tx,
        Row,
        "node_id, eval, mate, depth, best_move, best_move_uci, CAST(is_dubious AS integer),
         CAST(is_busted AS integer), engine",
        "FROM node_evaluations WHERE node_id {range}",
        range
    );
    Ok(rows.into_iter().map(|row| (row.0, evaluation(row))).collect())
}

/// How many nodes show an evaluation, over all collections.
pub(super) async fn coverage(tx: &mut Tx) -> Result<EvaluationCoverage, Trouble> {
    type Row = (i64, i64, i64, i64, i64, i64);
    let rows = fetch!(
        tx,
        Row,
        "SELECT count(*), count(node_id),
                coalesce(sum(branching), 0), coalesce(sum(CASE WHEN node_id IS NOT NULL THEN branching END), 0),
                coalesce(sum(terminal), 0), coalesce(sum(CASE WHEN node_id IS NOT NULL THEN terminal END), 0)
         FROM (SELECT e.node_id, CASE WHEN n.is_branching THEN 1 ELSE 0 END AS branching,
                      CASE WHEN m.parent_id IS NULL THEN 1 ELSE 0 END AS terminal
               FROM nodes n LEFT JOIN node_evaluations e ON e.node_id = n.id
               LEFT JOIN (SELECT DISTINCT parent_id FROM edge_counts) m ON m.parent_id = n.id) marked"
    );
    let row = rows.first().copied().unwrap_or_default();
    Ok(EvaluationCoverage {
        nodes: id(row.0),
        evaluated: id(row.1),
        branching: id(row.2),
        branching_evaluated: id(row.3),
        terminal: id(row.4),
        terminal_evaluated: id(row.5),
    })
}
