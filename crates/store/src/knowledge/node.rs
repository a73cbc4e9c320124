//! One position and its surroundings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tabiya_chess::{Facet, PositionId, RatingBand, Speed, Stats, turn_of};
use uuid::Uuid;

use super::rows::Collection;
use super::stats::{small, stats};
use super::tx::{Tx, fetch};
use super::views::{ChildView, MoveFacet, NodeView, OpeningName, OtherParent};
use super::{evaluation, games};
use crate::Identity;
use crate::fault::Trouble;
use crate::rows::{clean, fen, id};

/// All collections, by name.
pub(super) async fn collections(tx: &mut Tx) -> Result<Vec<Collection>, Trouble> {
    type Row = (String, String, i64, i64, i32, Option<i32>, String);
    let rows = fetch!(
        tx,
        Row,
        "SELECT name, source, games, min_games, depth, max_ply, facets FROM collections ORDER BY name"
    );
    rows.into_iter()
        .map(|row| {
            Ok(Collection {
                name: row.0,
                source: row.1.parse().map_err(Trouble::Malformed)?,
                games: id(row.2),
                min_games: id(row.3),
                depth: small(row.4),
                max_ply: row.5.map(small),
                facets: row
                    .6
                    .parse()
                    .map_err(|e: tabiya_chess::ParseFacetsError| Trouble::Malformed(e.to_string()))?,
            })
        })
        .collect()
}

/// A collection that is asked for has to be there.
pub(super) async fn check(tx: &mut Tx, collection: Option<&str>) -> Result<(), Trouble> {
    if let Some(name) = collection {
        let found = fetch!(tx, (i64,), "SELECT id FROM collections WHERE name = $1", clean(name));
        if found.is_empty() {
            return Err(Trouble::NoCollection(name.to_owned()));
        }
    }
    Ok(())
}

/// A node as one collection sees it, together with the named lines, or as all of them do.
pub(super) async fn node(
    tx: &mut Tx,
    position: PositionId,
    collection: Option<&str>,
) -> Result<Option<NodeView>, Trouble> {
    check(tx, collection).await?;
    let collection = collection.map(clean);
    let collection = collection.as_deref();
    let key = position.to_i64();
    let counts = fetch!(
        tx,
        (i64, i64, i64, i64, i64, i32, i32),
        "SELECT c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM collections k CROSS JOIN node_counts c
         WHERE ($2 IS NULL OR k.name IN ($2, 'openings')) AND c.collection = k.id AND c.node_id = $1",
        key,
        collection
    );
    type Row = (
        String,
        i32,
        i32,
        String,
        Option<Uuid>,
        bool,
        Option<bool>,
        Option<String>,
        Option<String>,
        Option<String>,
        i64,
        String,
        String,
    );
    let rows = fetch!(
        tx,
        Row,
        "SELECT p.key, n.ply, n.halfmove, n.source, n.opening_id, n.named, n.is_branching, n.structure, n.structure_by,
                n.flagged, n.stub_count, {text(n.created_at)}, {text(n.updated_at)}
         FROM nodes n CROSS JOIN positions p WHERE n.id = $1 AND p.id = n.id",
        key
    );
    let Some(row) = rows.into_iter().next().filter(|_| !counts.is_empty()) else {
        return Ok(None);
    };

    let ways = ways_to(tx, key, collection).await?;
    let opening = opening_name(tx, row.4).await?;
    let mut transpositions = Vec::new();
    // Games may shuffle back to the initial position, but nothing leads there.
    let has_parent = row.1 > 0;
    for way in ways.iter().skip(usize::from(has_parent)) {
        transpositions.push(OtherParent {
            node_id: way.parent.into(),
            uci: way.uci.clone(),
            san: way.san.clone(),
            stats: way.stats,
            opening: opening_name(tx, way.opening).await?,
        });
    }
    let parent = ways.into_iter().next().filter(|_| has_parent);
    let games = games::at(tx, key, collection).await?;
    let ply = small(row.1);
    let mover = !turn_of(&row.0);
    Ok(Some(NodeView {
        node_id: position.into(),
        side: parent.is_some().then_some(mover.char().to_ascii_uppercase()),
        fen: fen(row.0, row.1.cast_unsigned(), row.2.cast_unsigned(), Identity::Position),
        ply,
        move_number: ply.div_ceil(2),
        parent: parent.as_ref().map(|way| way.parent.into()),
        pgn_move: parent.map(|way| way.san),
        opening,
        named: row.5,
        children: children(tx, key, collection).await?,
        is_branching: row.6.unwrap_or_default(),
        transpositions,
        structure: row.7,
        structure_by: row.8.map(|by| by.parse().map_err(Trouble::Malformed)).transpose()?,
        evaluation: evaluation::of_node(tx, key).await?,
        stats: sum(counts.into_iter().map(stats)),
        source: row.3.parse().map_err(Trouble::Malformed)?,
        flagged: row.9,
        stub_count: id(row.10),
        created_at: row.11,
        updated_at: row.12,
        top_games: games.top,
        recent_games: games.recent,
    }))
}

pub(super) fn sum(all: impl Iterator<Item = Stats>) -> Stats {
    let mut total = Stats::default();
    for stats in all {
        total += stats;
    }
    total
}

/// A move that leads to a node.
struct Way {
    ply: i32,
    epd: String,
    parent: PositionId,
    uci: String,
    san: String,
    opening: Option<Uuid>,
    stats: Stats,
}

/// All ways to a node, the one from its parent first.
async fn ways_to(tx: &mut Tx, key: i64, collection: Option<&str>) -> Result<Vec<Way>, Trouble> {
    type Row = (
        i64,
        String,
        String,
        i32,
        String,
        Option<Uuid>,
        i64,
        i64,
        i64,
        i64,
        i64,
        i32,
        i32,
    );
    let rows = fetch!(
        tx,
        Row,
        "SELECT e.parent_id, e.move_uci, e.move_san, n.ply, p.key, n.opening_id,
                c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM edges e CROSS JOIN collections k CROSS JOIN edge_counts c CROSS JOIN positions p CROSS JOIN nodes n
         WHERE e.child_id = $1 AND ($2 IS NULL OR k.name IN ($2, 'openings'))
           AND c.collection = k.id AND c.parent_id = e.parent_id AND c.move_uci = e.move_uci
           AND p.id = e.parent_id AND n.id = e.parent_id",
        key,
        collection
    );
    let mut ways: BTreeMap<(i64, String), Way> = BTreeMap::new();
    for row in rows {
        let counted = stats((row.6, row.7, row.8, row.9, row.10, row.11, row.12));
        let way = ways.entry((row.0, row.1.clone())).or_insert(Way {
            ply: row.3,
            epd: row.4,
            parent: PositionId::from_i64(row.0),
            uci: row.1,
            san: row.2,
            opening: row.5,
            stats: Stats::default(),
        });
        way.stats += counted;
    }
    let mut ways: Vec<Way> = ways.into_values().collect();
    ways.sort_by(|a, b| (a.ply, &a.epd, &a.uci).cmp(&(b.ply, &b.epd, &b.uci)));
    Ok(ways)
}

async fn children(tx: &mut Tx, key: i64, collection: Option<&str>) -> Result<Vec<ChildView>, Trouble> {
    type Row = (String, String, i64, i64, i64, i64, i64, i64, i32, i32);
    let rows = fetch!(
        tx,
        Row,
        "SELECT e.move_uci, e.move_san, e.child_id,
                c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM collections k CROSS JOIN edge_counts c CROSS JOIN edges e
         WHERE ($2 IS NULL OR k.name IN ($2, 'openings')) AND c.collection = k.id AND c.parent_id = $1
           AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci",
        key,
        collection
    );
    let mut children: BTreeMap<String, ChildView> = BTreeMap::new();
    for row in rows {
        let child = children.entry(row.0.clone()).or_insert(ChildView {
            node_id: PositionId::from_i64(row.2).into(),
            uci: row.0,
            san: row.1,
            stats: Stats::default(),
        });
        child.stats += stats((row.3, row.4, row.5, row.6, row.7, row.8, row.9));
    }
    let mut children: Vec<ChildView> = children.into_values().collect();
    // The sort is stable, so moves with as many games stay in the order of their UCI.
    children.sort_by_key(|child| Reverse(child.stats.games()));
    Ok(children)
}

async fn opening_name(tx: &mut Tx, opening: Option<Uuid>) -> Result<Option<OpeningName>, Trouble> {
    let Some(opening) = opening else {
        return Ok(None);
    };
    let rows = fetch!(
        tx,
        (Uuid, String, String, String, Option<String>, String),
        "SELECT id, eco, name, family, variation, slug FROM openings WHERE id = $1",
        opening
    );
    Ok(rows.into_iter().next().map(|row| OpeningName {
        id: row.0,
        eco: row.1,
        name: row.2,
        family: row.3,
        variation: row.4,
        slug: row.5,
    }))
}

/// Those of some positions that an opening is named after, and what it is called.
pub(super) async fn names_at(tx: &mut Tx, positions: &[PositionId]) -> Result<Vec<(PositionId, OpeningName)>, Trouble> {
    type Row = (i64, Uuid, String, String, String, Option<String>, String);
    const COLUMNS: &str = "n.id, o.id, o.eco, o.name, o.family, o.variation, o.slug";
    let ids: Vec<i64> = positions.iter().map(|position| position.to_i64()).collect();
    let rows: Vec<Row> = match tx {
        Tx::Sqlite(tx) => {
            let sql = format!(
                "SELECT {COLUMNS} FROM json_each($1) j CROSS JOIN nodes n CROSS JOIN openings o
                 WHERE n.id = j.value AND n.named AND o.id = n.opening_id"
            );
            let list = serde_json::Value::from(ids).to_string();
            let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(list);
            query.fetch_all(&mut **tx).await?
        }
        Tx::Postgres(tx) => {
            let sql = format!(
                "SELECT {COLUMNS} FROM nodes n JOIN openings o ON o.id = n.opening_id
                 WHERE n.id = ANY($1) AND n.named"
            );
            let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(ids);
            query.fetch_all(&mut **tx).await?
        }
    };
    let named = rows.into_iter().map(|row| {
        let name = OpeningName {
            id: row.1,
            eco: row.2,
            name: row.3,
            family: row.4,
            variation: row.5,
            slug: row.6,
        };
        (PositionId::from_i64(row.0), name)
    });
    Ok(named.collect())
}

/// The moves from a node in one collection, told apart by what it tells apart; by UCI and facet.
pub(super) async fn facets(tx: &mut Tx, position: PositionId, collection: &str) -> Result<Vec<MoveFacet>, Trouble> {
    check(tx, Some(collection)).await?;
    type Row = (String, i32, i32, i32, i64, i64, i64, i64, i64);
    let rows = fetch!(
        tx,
        Row,
        "SELECT f.move_uci, f.year, f.band, f.speed, f.white, f.draws, f.black, f.rating_sum, f.rated
         FROM collections k CROSS JOIN edge_facets f
         WHERE k.name = $2 AND f.collection = k.id AND f.parent_id = $1
         ORDER BY f.move_uci, f.year, f.band, f.speed",
        position.to_i64(),
        clean(collection)
    );
    Ok(rows
        .into_iter()
        .map(|row| {
            let facet = Facet {
                year: small(row.1),
                band: RatingBand::of(Some(small(row.2))),
                speed: usize::try_from(row.3)
                    .ok()
                    .and_then(|code| Speed::ALL.get(code).copied())
                    .unwrap_or_default(),
            };
            MoveFacet {
                uci: row.0,
                facet,
                stats: stats((row.4, row.5, row.6, row.7, row.8, 0, 0)),
            }
        })
        .collect())
}
