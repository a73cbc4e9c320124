//! Counts asked of an explorer, one position at a time.

use std::collections::BTreeMap;

use tabiya_chess::PositionId;

use super::rows::{Collection, CrawlAnswer, Graph, GraphNode};
use super::stats::{StatsRow, columns, small, stats};
use super::tx::{Column, Tx, execute, fetch};
use super::views::{CrawledEdge, CrawledNode};
use super::{load, plies};
use crate::fault::Trouble;
use crate::rows::{bits, clean};

/// Writes an answer whole. Positions that were not asked about yet have the games of the moves that lead to them. The plies of what
/// is behind a shorter way are settled when the crawl ends.
pub(super) async fn commit(tx: &mut Tx, collection: &Collection, answer: CrawlAnswer) -> Result<(), Trouble> {
    let CrawlAnswer {
        node,
        depth,
        stats,
        edges,
        flagged,
    } = answer;
    let id = load::enter(tx, collection).await?;
    load::begin(tx).await?;
    let here = node.id.to_i64();

    let mut graph = Graph {
        nodes: vec![node],
        edges: Vec::new(),
    };
    let mut moves = Vec::new();
    for (edge, child, stats) in edges {
        moves.push((edge.uci.clone(), child.id.to_i64(), stats));
        graph.nodes.push(child);
        graph.edges.push(edge);
    }
    moves.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    // A position may be known by another ply already; settling decides.
    load::graph(tx, graph.into()).await?;

    // An answer may be a second one, and lack a move of the first.
    execute!(
        tx,
        "INSERT INTO before SELECT DISTINCT e.child_id, c.collection FROM edge_counts c CROSS JOIN edges e
         WHERE c.collection = $1 AND c.parent_id = $2 AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci",
        id,
        here
    );
    let mut children = fetch!(tx, (i64,), "SELECT id FROM before");
    children.extend(moves.iter().map(|row| (row.1,)));
    for forget in [
        "DELETE FROM node_counts WHERE collection = $1 AND node_id = $2",
        "DELETE FROM edge_counts WHERE collection = $1 AND parent_id = $2",
        "DELETE FROM crawl_answers WHERE collection = $1 AND node_id = $2",
    ] {
        execute!(tx, forget, id, here);
    }
    execute!(
        tx,
        "INSERT INTO crawl_answers VALUES ($1, $2, $3)",
        id,
        here,
        i32::from(depth)
    );
    let mut row = vec![Column::Ids(vec![id]), Column::Ids(vec![here])];
    row.extend(columns([stats].iter()));
    tx.insert("node_counts", &row).await?;
    let mut rows = vec![
        Column::Ids(vec![id; moves.len()]),
        Column::Ids(vec![here; moves.len()]),
        Column::texts(moves.iter().map(|row| row.0.clone())),
    ];
    rows.extend(columns(moves.iter().map(|row| &row.2)));
    tx.insert("edge_counts", &rows).await?;

    for (child,) in children {
        count_from_moves(tx, id, child).await?;
    }
    load::forget_uncounted(tx).await?;
    for node in std::iter::once(here).chain(moves.iter().map(|row| row.1)) {
        execute!(
            tx,
            "INSERT INTO nodes (id, ply, halfmove, source, named, stub_count, created_at, updated_at)
             SELECT id, ply, halfmove, 'explorer', false, 0, {now}, {now} FROM positions WHERE id = $1
             ON CONFLICT (id) DO UPDATE SET source = 'explorer' WHERE nodes.source = 'validation'",
            node
        );
        execute!(tx, "INSERT INTO touched VALUES ($1) ON CONFLICT DO NOTHING", node);
    }
    flag(tx, id, here, flagged.as_deref()).await?;
    load::refresh(tx).await
}

/// The sum over the moves that lead to a position, unless the explorer was asked about it.
async fn count_from_moves(tx: &mut Tx, collection: i64, node: i64) -> Result<(), Trouble> {
    execute!(
        tx,
        "DELETE FROM node_counts WHERE collection = $1 AND node_id = $2
             AND NOT EXISTS (SELECT 1 FROM crawl_answers a WHERE a.collection = $1 AND a.node_id = $2)",
        collection,
        node
    );
    execute!(
        tx,
        &format!(
            "INSERT INTO node_counts SELECT $1, $2, {SUMS} FROM edges e CROSS JOIN edge_counts c
             WHERE e.child_id = $2 AND c.collection = $1 AND c.parent_id = e.parent_id AND c.move_uci = e.move_uci
             HAVING count(*) > 0 ON CONFLICT DO NOTHING"
        ),
        collection,
        node
    );
    Ok(())
}

/// The columns of `node_counts`, of the moves that lead to a position.
const SUMS: &str = "coalesce(CAST(sum(c.white) AS bigint), 0), coalesce(CAST(sum(c.draws) AS bigint), 0),
     coalesce(CAST(sum(c.black) AS bigint), 0), coalesce(CAST(sum(c.rating_sum) AS bigint), 0),
     coalesce(CAST(sum(c.rated) AS bigint), 0),
     coalesce(min(nullif(c.first_year, 0)), 0), coalesce(max(c.last_year), 0)";

/// The moves of a collection `$1` that have fewer than `$2` games and are on no named line, and those of answers that are not kept.
const LOST: &str = "collection = $1 AND (
     white + draws + black < $2 AND NOT EXISTS (
         SELECT 1 FROM collections k CROSS JOIN edge_counts o
         WHERE k.name = 'openings' AND o.collection = k.id
           AND o.parent_id = edge_counts.parent_id AND o.move_uci = edge_counts.move_uci)
     OR parent_id NOT IN (SELECT id FROM kept))";

/// Leaves of a crawl what one with the collection's threshold would have asked: answers with their depths, and the moves that
/// have enough games or are on a named line.
pub(super) async fn keep(
    tx: &mut Tx,
    collection: &Collection,
    mut kept: Vec<(PositionId, u16)>,
) -> Result<(), Trouble> {
    let id = load::enter(tx, collection).await?;
    let min_games = bits(collection.min_games);
    load::begin(tx).await?;
    kept.sort_unstable_by_key(|row| row.0.to_i64());
    tx.scratch("kept", "id bigint PRIMARY KEY, depth integer").await?;
    let columns = [
        Column::ids(kept.iter().map(|row| row.0.to_i64())),
        Column::ints(kept.iter().map(|row| row.1)),
    ];
    tx.insert("kept", &columns).await?;
    tx.analyze("kept").await?;
    execute!(
        tx,
        "INSERT INTO before SELECT node_id, collection FROM node_counts WHERE collection = $1",
        id
    );
    // Positions that lose a move.
    execute!(
        tx,
        &format!("INSERT INTO touched SELECT DISTINCT parent_id FROM edge_counts WHERE {LOST} ON CONFLICT DO NOTHING"),
        id,
        min_games
    );
    execute!(tx, &format!("DELETE FROM edge_counts WHERE {LOST}"), id, min_games);
    // What an explorer was caught at goes with its answers, unless another was asked there too: it may have been that one.
    for forget in [
        "DELETE FROM review_queue WHERE reason = 'flagged' AND answer IS NULL AND node_id IN (
             SELECT node_id FROM crawl_answers WHERE collection = $1 AND node_id NOT IN (SELECT id FROM kept))
             AND NOT EXISTS (
                 SELECT 1 FROM collections k CROSS JOIN crawl_answers a
                 WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = review_queue.node_id)",
        "UPDATE nodes SET flagged = NULL WHERE flagged IS NOT NULL AND id IN (
             SELECT node_id FROM crawl_answers WHERE collection = $1 AND node_id NOT IN (SELECT id FROM kept))
             AND NOT EXISTS (
                 SELECT 1 FROM collections k CROSS JOIN crawl_answers a
                 WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = nodes.id)",
        "DELETE FROM crawl_answers WHERE collection = $1 AND node_id NOT IN (SELECT id FROM kept)",
        "DELETE FROM node_counts WHERE collection = $1 AND node_id NOT IN (SELECT id FROM kept)",
        "UPDATE crawl_answers SET depth = (SELECT k.depth FROM kept k WHERE k.id = crawl_answers.node_id)
             WHERE collection = $1",
    ] {
        execute!(tx, forget, id);
    }
    execute!(
        tx,
        &format!(
            "INSERT INTO node_counts SELECT $1, e.child_id, {SUMS} FROM edge_counts c CROSS JOIN edges e
             WHERE c.collection = $1 AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci
             GROUP BY e.child_id ON CONFLICT DO NOTHING"
        ),
        id
    );
    load::forget_uncounted(tx).await?;
    load::refresh(tx).await?;
    plies::settle(tx).await
}

async fn flag(tx: &mut Tx, collection: i64, node: i64, flagged: Option<&str>) -> Result<(), Trouble> {
    if let Some(detail) = flagged {
        execute!(tx, "UPDATE nodes SET flagged = $2 WHERE id = $1", node, clean(detail));
        execute!(
            tx,
            "INSERT INTO review_queue VALUES ($1, 'flagged', $2, NULL)
             ON CONFLICT (node_id, reason) DO UPDATE SET detail = excluded.detail WHERE review_queue.answer IS NULL",
            node,
            clean(detail)
        );
        return Ok(());
    }
    // Nothing is wrong any more, so there is nothing to ask; unless another explorer was asked here too: it may have been that one.
    for forget in [
        "UPDATE nodes SET flagged = NULL WHERE id = $2 AND flagged IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM collections k CROSS JOIN crawl_answers a
             WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = $2)",
        "DELETE FROM review_queue WHERE node_id = $2 AND reason = 'flagged' AND answer IS NULL AND NOT EXISTS (
             SELECT 1 FROM collections k CROSS JOIN crawl_answers a
             WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = $2)",
    ] {
        execute!(tx, forget, collection, node);
    }
    Ok(())
}

/// What a crawl has answers for, by id, so that it can go on from there.
pub(super) async fn crawled(tx: &mut Tx, name: &str) -> Result<Vec<CrawledNode>, Trouble> {
    type Row = (i64, i32, String, i32, i32, i64, i64, i64, i64, i64, i32, i32);
    let answers = fetch!(
        tx,
        Row,
        "SELECT a.node_id, a.depth, p.key, n.ply, n.halfmove,
                c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM collections k CROSS JOIN crawl_answers a CROSS JOIN positions p CROSS JOIN nodes n CROSS JOIN node_counts c
         WHERE k.name = $1 AND a.collection = k.id AND p.id = a.node_id AND n.id = a.node_id
           AND c.collection = k.id AND c.node_id = a.node_id",
        clean(name)
    );
    let mut nodes: BTreeMap<PositionId, CrawledNode> = answers
        .into_iter()
        .map(|row| {
            let id = PositionId::from_i64(row.0);
            let node = GraphNode {
                id,
                epd: row.2,
                ply: small(row.3),
                halfmove: small(row.4),
            };
            let crawled = CrawledNode {
                node,
                depth: small(row.1),
                stats: stats((row.5, row.6, row.7, row.8, row.9, row.10, row.11)),
                edges: Vec::new(),
            };
            (id, crawled)
        })
        .collect();
    type Move = (i64, String, i64, i64, i64, i64, i64, i64, i32, i32);
    let moves = fetch!(
        tx,
        Move,
        "SELECT c.parent_id, c.move_uci, e.child_id,
                c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM collections k CROSS JOIN edge_counts c CROSS JOIN edges e
         WHERE k.name = $1 AND c.collection = k.id AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci
         ORDER BY c.parent_id, c.move_uci",
        clean(name)
    );
    for row in moves {
        if let Some(parent) = nodes.get_mut(&PositionId::from_i64(row.0)) {
            let counted: StatsRow = (row.3, row.4, row.5, row.6, row.7, row.8, row.9);
            parent.edges.push(CrawledEdge {
                uci: row.1,
                child: PositionId::from_i64(row.2),
                stats: stats(counted),
            });
        }
    }
    Ok(nodes.into_values().collect())
}
