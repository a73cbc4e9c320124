//! The whole of it at once.

use std::collections::HashMap;

use tabiya_chess::{PositionId, Stats};
use uuid::Uuid;

use super::evaluation;
use super::node::check;
use super::openings::from_json;
use super::stats::{small, stats};
use super::tx::{Tx, fetch, sweep};
use super::views::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode};
use crate::fault::Trouble;
use crate::rows::{clean, id};

/// Sums are made here and not in SQL, which would sort what comes almost sorted.
pub(super) async fn graph(tx: &mut Tx, collection: Option<&str>) -> Result<KnowledgeGraph, Trouble> {
    check(tx, collection).await?;
    let collection = collection.map(clean);
    let collection = collection.as_deref();
    type Count = (i64, i64, i64, i64, i64, i64, i32, i32);
    let counts = sweep!(
        tx,
        Count,
        "c.node_id, c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year",
        "FROM collections k CROSS JOIN node_counts c
         WHERE ($1 IS NULL OR k.name IN ($1, 'openings')) AND c.collection = k.id AND c.node_id {range}",
        collection
    );
    let mut summed: HashMap<i64, Stats> = HashMap::with_capacity(counts.len());
    for row in counts {
        *summed.entry(row.0).or_default() += stats((row.1, row.2, row.3, row.4, row.5, row.6, row.7));
    }
    type Row = (i64, String, i32, i32, String, i32, Option<String>, i32, i64);
    let rows = sweep!(
        tx,
        Row,
        "n.id, p.key, n.ply, n.halfmove, n.source, CAST(n.named AS integer), n.structure,
         coalesce(CAST(n.is_branching AS integer), 0), n.stub_count",
        "FROM nodes n CROSS JOIN positions p WHERE p.id = n.id AND n.id {range} AND $1 IS NULL",
        None::<&str>
    );
    // A row for each opening, not for each node: there are many nodes.
    let lineage = fetch!(
        tx,
        (Uuid, String),
        "SELECT opening_id, {ids} FROM nodes WHERE opening_id IS NOT NULL GROUP BY opening_id"
    );
    let mut openings: HashMap<i64, Uuid> = HashMap::with_capacity(summed.len());
    for (opening, nodes) in lineage {
        openings.extend(from_json::<Vec<i64>>(&nodes)?.into_iter().map(|node| (node, opening)));
    }
    let mut evaluations = evaluation::of_nodes(tx).await?;
    let mut nodes = Vec::with_capacity(summed.len());
    for row in rows {
        let Some(stats) = summed.get(&row.0) else {
            continue;
        };
        nodes.push(KnowledgeNode {
            id: PositionId::from_i64(row.0),
            epd: row.1,
            ply: small(row.2),
            halfmove: small(row.3),
            source: row.4.parse().map_err(Trouble::Malformed)?,
            stats: *stats,
            opening: openings.get(&row.0).copied(),
            named: row.5 != 0,
            structure: row.6,
            is_branching: row.7 != 0,
            stub_count: id(row.8),
            evaluation: evaluations.remove(&row.0),
        });
    }
    nodes.sort_unstable_by_key(|node| node.id);
    Ok(KnowledgeGraph {
        nodes,
        edges: edges(tx, collection).await?,
    })
}

async fn edges(tx: &mut Tx, collection: Option<&str>) -> Result<Vec<KnowledgeEdge>, Trouble> {
    type Row = (i64, String, i64, String, i64, i64, i64, i64, i64, i32, i32);
    let rows = sweep!(
        tx,
        Row,
        "e.parent_id, e.move_uci, e.child_id, e.move_san,
         c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year",
        "FROM collections k CROSS JOIN edge_counts c CROSS JOIN edges e
         WHERE ($1 IS NULL OR k.name IN ($1, 'openings')) AND c.collection = k.id AND c.parent_id {range}
           AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci",
        collection
    );
    let mut edges: Vec<KnowledgeEdge> = rows
        .into_iter()
        .map(|row| KnowledgeEdge {
            parent: PositionId::from_i64(row.0),
            child: PositionId::from_i64(row.2),
            uci: row.1,
            san: row.3,
            stats: stats((row.4, row.5, row.6, row.7, row.8, row.9, row.10)),
        })
        .collect();
    edges.sort_by(|a, b| (a.parent, &a.uci).cmp(&(b.parent, &b.uci)));
    edges.dedup_by(|next, kept| {
        let same = (next.parent, &next.uci) == (kept.parent, &kept.uci);
        if same {
            kept.stats += next.stats;
        }
        same
    });
    Ok(edges)
}
