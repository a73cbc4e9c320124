//! Everything there is to say, a range of positions at a time, for whoever keeps a copy elsewhere.

use std::collections::HashMap;

use tabiya_chess::Stats;
use uuid::Uuid;

use super::evaluation::StoredAnalysis;
use super::games::GameRow;
use super::openings::{self, Which};
use super::rows::Collection;
use super::stats::stats;
use super::tx::{Tx, fetch, ranged};
use super::views::{OpeningView, StructureView};
use super::{NodeEvaluation, evaluation, node};
use crate::fault::Trouble;
use crate::{Store, StoreError};

/// What each collection that speaks of something counts, by its id.
pub(crate) type Counts = Vec<(i64, Stats)>;

/// A position, and all that lies in a row about it.
#[derive(Debug)]
pub(crate) struct ProjectedNode {
    pub(crate) id: i64,
    pub(crate) epd: String,
    pub(crate) ply: i32,
    pub(crate) halfmove: i32,
    pub(crate) source: String,
    pub(crate) opening: Option<Uuid>,
    pub(crate) named: bool,
    pub(crate) is_branching: bool,
    pub(crate) structure: Option<String>,
    pub(crate) structure_by: Option<String>,
    pub(crate) flagged: Option<String>,
    pub(crate) stub_count: i64,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) counts: Counts,
    /// The lists of games of each collection that has some, as text.
    pub(crate) games: Vec<(i64, String)>,
    pub(crate) evaluation: Option<NodeEvaluation>,
}

/// A move, and what each collection counts of it.
#[derive(Debug)]
pub(crate) struct ProjectedMove {
    pub(crate) uci: String,
    pub(crate) san: String,
    pub(crate) child: i64,
    pub(crate) counts: Counts,
    /// Collection, year, band, speed, White's wins, draws, Black's wins, sum of ratings, rated games.
    pub(crate) facets: Vec<[i64; 9]>,
}

/// A game that is listed somewhere.
#[derive(Debug)]
pub(crate) struct ProjectedGame {
    pub(crate) collection: i64,
    pub(crate) id: i64,
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) white_elo: Option<i32>,
    pub(crate) black_elo: Option<i32>,
    pub(crate) result: String,
    pub(crate) date: String,
    pub(crate) event: String,
    pub(crate) site: String,
    pub(crate) round: String,
}

/// Two openings whose trees meet: the first, the other, positions, games, one of the positions.
pub(crate) type ProjectedLink = (Uuid, Uuid, i64, i64, i64);

/// One state of a knowledge base, to be read in parts.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    store: &'a Store,
    tx: Tx,
}

impl<'a> Source<'a> {
    pub(crate) async fn open(store: &'a Store) -> Result<Source<'a>, StoreError> {
        let tx = store.begin_look().await?;
        Ok(Source { store, tx })
    }

    /// How many positions and moves there are.
    pub(crate) async fn size(&mut self) -> Result<(u64, u64), StoreError> {
        let found = size(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    pub(crate) async fn number_of_games(&mut self) -> Result<u64, StoreError> {
        let found = number_of_games(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// When most positions were made and last changed.
    pub(crate) async fn usual_times(&mut self) -> Result<Option<(String, String)>, StoreError> {
        let found = usual_times(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// Where most positions come from.
    pub(crate) async fn usual_source(&mut self) -> Result<Option<String>, StoreError> {
        let found = usual_source(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// The collection that speaks of most positions.
    pub(crate) async fn usual_collection(&mut self) -> Result<Option<i64>, StoreError> {
        let found = usual_collection(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// How many positions belong to each opening that has some.
    pub(crate) async fn sizes_of_openings(&mut self) -> Result<HashMap<Uuid, u64>, StoreError> {
        let found = sizes_of_openings(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// All collections with their ids, by name.
    pub(crate) async fn collections(&mut self) -> Result<Vec<(i64, Collection)>, StoreError> {
        let found = collections(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    pub(crate) async fn openings(&mut self) -> Result<Vec<OpeningView>, StoreError> {
        let found = openings::openings(&mut self.tx, Which::All).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    pub(crate) async fn links(&mut self) -> Result<Vec<ProjectedLink>, StoreError> {
        let found = links(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    pub(crate) async fn structures(&mut self) -> Result<Vec<StructureView>, StoreError> {
        let found = openings::structures(&mut self.tx).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// The positions with ids in a range, by id.
    pub(crate) async fn nodes(&mut self, range: (i64, i64)) -> Result<Vec<ProjectedNode>, StoreError> {
        let found = nodes(&mut self.tx, range).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// The moves from positions with ids in a range, by position and UCI.
    pub(crate) async fn moves(&mut self, range: (i64, i64)) -> Result<Vec<(i64, Vec<ProjectedMove>)>, StoreError> {
        let found = moves(&mut self.tx, range).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// What engines have answered about positions with ids in a range, whether or not these are nodes.
    pub(crate) async fn analyses(&mut self, range: (i64, i64)) -> Result<Vec<StoredAnalysis>, StoreError> {
        let found = evaluation::in_range(&mut self.tx, range).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }

    /// The games with ids in a range, by id and collection.
    pub(crate) async fn games(&mut self, range: (i64, i64)) -> Result<Vec<ProjectedGame>, StoreError> {
        let found = games(&mut self.tx, range).await;
        found.map_err(|trouble| self.store.explain(trouble))
    }
}

async fn size(tx: &mut Tx) -> Result<(u64, u64), Trouble> {
    let nodes = fetch!(tx, (i64,), "SELECT count(*) FROM nodes");
    let moves = fetch!(
        tx,
        (i64,),
        "SELECT count(*) FROM (SELECT DISTINCT parent_id, move_uci FROM edge_counts) moves"
    );
    let number = |rows: Vec<(i64,)>| rows.first().map_or(0, |row| row.0.cast_unsigned());
    Ok((number(nodes), number(moves)))
}

async fn number_of_games(tx: &mut Tx) -> Result<u64, Trouble> {
    let games = fetch!(tx, (i64,), "SELECT count(*) FROM games");
    Ok(games.first().map_or(0, |row| row.0.cast_unsigned()))
}

async fn usual_times(tx: &mut Tx) -> Result<Option<(String, String)>, Trouble> {
    let times = fetch!(
        tx,
        (String, String),
        "SELECT {text(n.created_at)}, {text(n.updated_at)} FROM (
             SELECT created_at, updated_at, count(*) AS alike FROM nodes GROUP BY created_at, updated_at
             ORDER BY alike DESC, created_at, updated_at LIMIT 1) n"
    );
    Ok(times.into_iter().next())
}

async fn usual_source(tx: &mut Tx) -> Result<Option<String>, Trouble> {
    let sources = fetch!(
        tx,
        (String,),
        "SELECT source FROM nodes GROUP BY source ORDER BY count(*) DESC, source LIMIT 1"
    );
    Ok(sources.into_iter().next().map(|(source,)| source))
}

async fn usual_collection(tx: &mut Tx) -> Result<Option<i64>, Trouble> {
    let collections = fetch!(
        tx,
        (i64,),
        "SELECT collection FROM node_counts GROUP BY collection ORDER BY count(*) DESC, collection LIMIT 1"
    );
    Ok(collections.into_iter().next().map(|(collection,)| collection))
}

async fn sizes_of_openings(tx: &mut Tx) -> Result<HashMap<Uuid, u64>, Trouble> {
    let sizes = fetch!(
        tx,
        (Uuid, i64),
        "SELECT opening_id, count(*) FROM nodes WHERE opening_id IS NOT NULL GROUP BY opening_id"
    );
    Ok(sizes
        .into_iter()
        .map(|(opening, size)| (opening, size.cast_unsigned()))
        .collect())
}

async fn collections(tx: &mut Tx) -> Result<Vec<(i64, Collection)>, Trouble> {
    let ids = fetch!(tx, (i64, String), "SELECT id, name FROM collections");
    let ids: HashMap<String, i64> = ids.into_iter().map(|(id, name)| (name, id)).collect();
    let all = node::collections(tx).await?.into_iter();
    Ok(all
        .filter_map(|collection| Some((*ids.get(&collection.name)?, collection)))
        .collect())
}

async fn links(tx: &mut Tx) -> Result<Vec<ProjectedLink>, Trouble> {
    Ok(fetch!(
        tx,
        ProjectedLink,
        "SELECT opening_a, opening_b, nodes, games, example_node FROM node_transpositions"
    ))
}

async fn nodes(tx: &mut Tx, range: (i64, i64)) -> Result<Vec<ProjectedNode>, Trouble> {
    type Row = (
        i64,
        String,
        i32,
        i32,
        String,
        i32,
        i32,
        Option<String>,
        Option<String>,
        Option<String>,
        i64,
        String,
        String,
    );
    let rows = ranged!(
        tx,
        Row,
        "n.id, p.key, n.ply, n.halfmove, n.source, CAST(n.named AS integer),
         coalesce(CAST(n.is_branching AS integer), 0), n.structure, n.structure_by, n.flagged, n.stub_count,
         {text(n.created_at)}, {text(n.updated_at)}",
        "FROM nodes n CROSS JOIN positions p WHERE p.id = n.id AND n.id {range}",
        range
    );
    let lineage = fetch!(
        tx,
        (i64, Uuid),
        "SELECT id, opening_id FROM nodes WHERE opening_id IS NOT NULL AND id BETWEEN $1 AND $2",
        range.0,
        range.1
    );
    let openings: HashMap<i64, Uuid> = lineage.into_iter().collect();
    type Count = (i64, i64, i64, i64, i64, i64, i64, i32, i32);
    let counted = ranged!(
        tx,
        Count,
        "c.node_id, c.collection, c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year",
        "FROM collections k CROSS JOIN node_counts c WHERE c.collection = k.id AND c.node_id {range}",
        range
    );
    let mut counts: HashMap<i64, Counts> = HashMap::with_capacity(rows.len());
    for row in counted {
        let known = counts.entry(row.0).or_default();
        known.push((row.1, stats((row.2, row.3, row.4, row.5, row.6, row.7, row.8))));
    }
    let listed = ranged!(
        tx,
        (i64, i64, String),
        "l.node_id, l.collection, l.games",
        "FROM collections k CROSS JOIN node_games l WHERE l.collection = k.id AND l.node_id {range}",
        range
    );
    let mut games: HashMap<i64, Vec<(i64, String)>> = HashMap::new();
    for (node, collection, list) in listed {
        games.entry(node).or_default().push((collection, list));
    }
    let mut evaluations = evaluation::of_nodes_in(tx, range).await?;
    let mut nodes: Vec<ProjectedNode> = rows
        .into_iter()
        .map(|row| {
            let mut node = ProjectedNode {
                opening: openings.get(&row.0).copied(),
                counts: counts.remove(&row.0).unwrap_or_default(),
                games: games.remove(&row.0).unwrap_or_default(),
                evaluation: evaluations.remove(&row.0),
                id: row.0,
                epd: row.1,
                ply: row.2,
                halfmove: row.3,
                source: row.4,
                named: row.5 != 0,
                is_branching: row.6 != 0,
                structure: row.7,
                structure_by: row.8,
                flagged: row.9,
                stub_count: row.10,
                created_at: row.11,
                updated_at: row.12,
            };
            node.counts.sort_unstable_by_key(|(collection, _)| *collection);
            node.games.sort_unstable();
            node
        })
        .collect();
    nodes.sort_unstable_by_key(|node| node.id);
    Ok(nodes)
}

async fn moves(tx: &mut Tx, range: (i64, i64)) -> Result<Vec<(i64, Vec<ProjectedMove>)>, Trouble> {
    type Count = (i64, String, i64, String, i64, i64, i64, i64, i64, i64, i32, i32);
    let mut counted = ranged!(
        tx,
        Count,
        "e.parent_id, e.move_uci, e.child_id, e.move_san, c.collection,
         c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year",
        "FROM collections k CROSS JOIN edge_counts c CROSS JOIN edges e
         WHERE c.collection = k.id AND c.parent_id {range} AND e.parent_id = c.parent_id AND e.move_uci = c.move_uci",
        range
    );
    counted.sort_unstable_by(|a, b| (a.0, &a.1, a.4).cmp(&(b.0, &b.1, b.4)));
    type Facet = (i64, String, i64, i64, i64, i64, i64, i64, i64, i64, i64);
    let mut told_apart = ranged!(
        tx,
        Facet,
        "f.parent_id, f.move_uci, f.collection, CAST(f.year AS bigint), CAST(f.band AS bigint),
         CAST(f.speed AS bigint), f.white, f.draws, f.black, f.rating_sum, f.rated",
        "FROM collections k CROSS JOIN edge_facets f WHERE f.collection = k.id AND f.parent_id {range}",
        range
    );
    told_apart.sort_unstable();
    let mut facets: HashMap<(i64, String), Vec<[i64; 9]>> = HashMap::new();
    for f in told_apart {
        let known = facets.entry((f.0, f.1)).or_default();
        known.push([f.2, f.3, f.4, f.5, f.6, f.7, f.8, f.9, f.10]);
    }
    let mut parents: Vec<(i64, Vec<ProjectedMove>)> = Vec::new();
    for row in counted {
        let counts = (row.4, stats((row.5, row.6, row.7, row.8, row.9, row.10, row.11)));
        if parents.last().is_none_or(|(parent, _)| *parent != row.0) {
            parents.push((row.0, Vec::new()));
        }
        // One was just pushed.
        let Some((_, moves)) = parents.last_mut() else {
            continue;
        };
        match moves.last_mut() {
            Some(last) if last.uci == row.1 => last.counts.push(counts),
            _ => moves.push(ProjectedMove {
                facets: facets.remove(&(row.0, row.1.clone())).unwrap_or_default(),
                uci: row.1,
                child: row.2,
                san: row.3,
                counts: vec![counts],
            }),
        }
    }
    Ok(parents)
}

async fn games(tx: &mut Tx, range: (i64, i64)) -> Result<Vec<ProjectedGame>, Trouble> {
    let rows = ranged!(
        tx,
        GameRow,
        "g.collection, g.id, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.round",
        "FROM collections k CROSS JOIN games g WHERE g.collection = k.id AND g.id {range}",
        range
    );
    let mut games: Vec<ProjectedGame> = rows
        .into_iter()
        .map(|row| ProjectedGame {
            collection: row.0,
            id: row.1,
            white: row.2,
            black: row.3,
            white_elo: row.4,
            black_elo: row.5,
            result: row.6,
            date: row.7,
            event: row.8,
            site: row.9,
            round: row.10,
        })
        .collect();
    games.sort_unstable_by_key(|game| (game.id, game.collection));
    Ok(games)
}
