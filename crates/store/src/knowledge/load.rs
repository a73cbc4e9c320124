//! Writing a graph and what collections say of it.

use pgn_import::Edge;
use tabiya_chess::{Speed, edge_id, fnv1a};

use super::pages::{CountPages, GraphPages, LoadPages};
use super::rows::{
    Collection, CollectionCounts, CollectionSource, GameHeader, Graph, GraphEdge, GraphNode, NodeGame, Stub,
};
use super::tx::{Column, Tx, execute, fetch};
use super::{game_lists, plies, stats};
use crate::fault::Trouble;
use crate::rows::{PositionRow, bits, clean};
use crate::{merge, postgres, sqlite};

pub(super) async fn counts(tx: &mut Tx, load: LoadPages) -> Result<(), Trouble> {
    graph(tx, load.graph).await?;
    replace(tx, load.counts).await
}

/// Lines that end in stubs. They belong to a collection of their own, so that no build removes them.
pub(super) async fn stubs(tx: &mut Tx, stubs: Vec<Stub>) -> Result<(), Trouble> {
    let mut all = Graph::default();
    let mut ends = Vec::new();
    for stub in stubs {
        all.nodes.extend(stub.line.nodes);
        all.edges.extend(stub.line.edges);
        ends.push((stub.node, stub.count));
    }
    all.nodes.sort_unstable_by_key(|node| (node.id.to_i64(), node.ply));
    all.nodes.dedup_by_key(|node| node.id);
    all.edges
        .sort_unstable_by(|a, b| (a.parent.to_i64(), &a.uci).cmp(&(b.parent.to_i64(), &b.uci)));
    all.edges.dedup_by(|a, b| (a.parent, &a.uci) == (b.parent, &b.uci));

    let collection = Collection::without_games(Collection::VALIDATION, CollectionSource::Validation);
    let id = enter(tx, &collection).await?;
    begin(tx).await?;
    let lines = CollectionCounts::without_games(collection, &all);
    tx.scratch("stub_nodes", "id bigint PRIMARY KEY").await?;
    tx.insert(
        "stub_nodes",
        &[Column::ids(lines.nodes.iter().map(|row| row.0.to_i64()))],
    )
    .await?;
    tx.scratch("stub_edges", "parent_id bigint, move_uci text COLLATE \"C\"")
        .await?;
    let edges = [
        Column::ids(lines.edges.iter().map(|row| row.0.to_i64())),
        Column::texts(lines.edges.into_iter().map(|row| row.1)),
    ];
    tx.insert("stub_edges", &edges).await?;
    graph(tx, all.into()).await?;
    execute!(
        tx,
        "INSERT INTO node_counts SELECT $1, id, 0, 0, 0, 0, 0, 0, 0 FROM stub_nodes WHERE true ON CONFLICT DO NOTHING",
        id
    );
    execute!(
        tx,
        "INSERT INTO edge_counts SELECT $1, parent_id, move_uci, 0, 0, 0, 0, 0, 0, 0 FROM stub_edges
         WHERE true ON CONFLICT DO NOTHING",
        id
    );
    nodes(tx, id, CollectionSource::Validation).await?;
    for (node, count) in ends {
        execute!(
            tx,
            "UPDATE nodes SET stub_count = $2 WHERE id = $1",
            node.to_i64(),
            bits(count)
        );
    }
    refresh(tx).await?;
    plies::settle(tx).await
}

/// Adds positions and moves to the shared graph.
pub(super) async fn graph(tx: &mut Tx, graph: GraphPages) -> Result<(), Trouble> {
    let GraphPages { mut nodes, mut edges } = graph;
    let (mut seen, mut seen_edges) = (Rising::default(), Rising::default());
    let mut next_positions = || -> Result<Option<Vec<PositionRow>>, Trouble> {
        let Some(page) = nodes.turn()? else { return Ok(None) };
        let rows = positions(page)?;
        seen.page(&rows, |row| row.id)?;
        Ok(Some(rows))
    };
    let mut next_edges = || -> Result<Option<Vec<Edge>>, Trouble> {
        let Some(page) = edges.turn()? else { return Ok(None) };
        let rows = merge::edges(page.into_iter().map(edge).collect())?;
        seen_edges.page(&rows, |row| (bits(row.parent_id), row.move_uci.clone()))?;
        Ok(Some(rows))
    };
    match tx {
        Tx::Sqlite(tx) => {
            let writing = sqlite::GraphWriting::begin(tx).await?;
            while let Some(rows) = next_positions()? {
                writing.positions(tx, rows).await?;
            }
            while let Some(rows) = next_edges()? {
                writing.edges(tx, rows).await?;
            }
            writing.finish(tx).await
        }
        Tx::Postgres(tx) => {
            let mut writing = postgres::GraphWriting::begin(tx).await?;
            while let Some(rows) = next_positions()? {
                writing.positions(tx, rows).await?;
            }
            while let Some(rows) = next_edges()? {
                writing.edges(tx, rows).await?;
            }
            writing.finish(tx).await
        }
    }
}

/// Looks that keys rise from page to page: whatever comes twice is found within a page.
struct Rising<K>(Option<K>);

impl<K> Default for Rising<K> {
    fn default() -> Rising<K> {
        Rising(None)
    }
}

impl<K: PartialOrd> Rising<K> {
    /// The rows of a page, sorted.
    fn page<T>(&mut self, rows: &[T], key: impl Fn(&T) -> K) -> Result<(), Trouble> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            return Ok(());
        };
        if self.0.as_ref().is_some_and(|before| key(first) <= *before) {
            return Err(Trouble::Malformed("a page begins before the last one ended".to_owned()));
        }
        self.0 = Some(key(last));
        Ok(())
    }
}

/// The rows of a page, each position once, by id.
fn positions(page: Vec<GraphNode>) -> Result<Vec<PositionRow>, Trouble> {
    let mut positions = page.into_iter().map(position).collect::<Result<Vec<_>, _>>()?;
    positions.sort_unstable_by_key(|row| row.id);
    positions.dedup();
    if let Some(pair) = positions.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(if pair[0].key == pair[1].key {
            Trouble::Malformed(format!("`{}` comes with two plies or clocks", pair[0].key))
        } else {
            merge::position_collision(&pair[0].key, &pair[1])
        });
    }
    Ok(positions)
}

fn position(node: GraphNode) -> Result<PositionRow, Trouble> {
    if fnv1a(node.epd.as_bytes()) != node.id.get() {
        return Err(Trouble::Malformed(format!(
            "position {} is not under the hash of `{}`",
            node.id, node.epd
        )));
    }
    Ok(PositionRow {
        id: node.id.to_i64(),
        key: node.epd,
        ply: node.ply.into(),
        halfmove: node.halfmove.into(),
    })
}

fn edge(edge: GraphEdge) -> Edge {
    Edge {
        id: edge_id(edge.parent, &edge.uci),
        parent_id: edge.parent.get(),
        move_uci: edge.uci,
        move_san: edge.san,
        child_id: edge.child.get(),
        source_hint: None,
    }
}

/// Makes room for two lists: the nodes around which something changes, and those that a collection counted before.
pub(super) async fn begin(tx: &mut Tx) -> Result<(), Trouble> {
    tx.scratch("touched", "id bigint PRIMARY KEY").await?;
    tx.scratch("before", "id bigint, collection bigint").await
}

/// Enters a collection, or what is new about it, and gives its number.
pub(super) async fn enter(tx: &mut Tx, collection: &Collection) -> Result<i64, Trouble> {
    execute!(
        tx,
        "INSERT INTO collections
         SELECT coalesce(max(id), 0) + 1, $1, $2, $3, $4, $5, $6, $7 FROM collections WHERE true
         ON CONFLICT (name) DO UPDATE SET
             source = excluded.source, games = excluded.games, min_games = excluded.min_games,
             depth = excluded.depth, max_ply = excluded.max_ply, facets = excluded.facets",
        clean(&collection.name),
        collection.source.as_str(),
        bits(collection.games),
        bits(collection.min_games),
        i32::from(collection.depth),
        collection.max_ply.map(i32::from),
        collection.facets.to_string(),
    );
    // Everything is joined through this table; how small it is decides every plan.
    tx.analyze("collections").await?;
    let found = fetch!(
        tx,
        (i64,),
        "SELECT id FROM collections WHERE name = $1",
        clean(&collection.name)
    );
    match found.first() {
        Some(row) => Ok(row.0),
        None => Err(Trouble::NoCollection(collection.name.clone())),
    }
}

/// Forgets what collections said before and writes what they say now. Nodes follow when all have spoken: one that moved
/// from a collection to another is not to be lost in between.
pub(super) async fn replace(tx: &mut Tx, all: Vec<CountPages>) -> Result<(), Trouble> {
    begin(tx).await?;
    let mut written = Vec::new();
    for counts in all {
        let source = counts.collection.source;
        let id = enter(tx, &counts.collection).await?;
        execute!(
            tx,
            "INSERT INTO before SELECT node_id, collection FROM node_counts WHERE collection = $1",
            id
        );
        // What an explorer was caught at goes with its answers, unless another was asked there too: it may have been that one.
        for forget in [
            "DELETE FROM review_queue WHERE reason = 'flagged' AND answer IS NULL
                 AND node_id IN (SELECT node_id FROM crawl_answers WHERE collection = $1)
                 AND NOT EXISTS (
                     SELECT 1 FROM collections k CROSS JOIN crawl_answers a
                     WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = review_queue.node_id)",
            "UPDATE nodes SET flagged = NULL
                 WHERE flagged IS NOT NULL AND id IN (SELECT node_id FROM crawl_answers WHERE collection = $1)
                 AND NOT EXISTS (
                     SELECT 1 FROM collections k CROSS JOIN crawl_answers a
                     WHERE k.id <> $1 AND a.collection = k.id AND a.node_id = nodes.id)",
            "DELETE FROM node_counts WHERE collection = $1",
            "DELETE FROM edge_counts WHERE collection = $1",
            "DELETE FROM edge_facets WHERE collection = $1",
            "DELETE FROM games WHERE collection = $1",
            "DELETE FROM node_games WHERE collection = $1",
            "DELETE FROM crawl_answers WHERE collection = $1",
        ] {
            execute!(tx, forget, id);
        }
        write_counts(tx, id, counts).await?;
        written.push((id, source));
    }
    for (id, source) in written {
        nodes(tx, id, source).await?;
    }
    forget_uncounted(tx).await?;
    refresh(tx).await?;
    plies::settle(tx).await
}

async fn write_counts(tx: &mut Tx, id: i64, mut counts: CountPages) -> Result<(), Trouble> {
    let same = |rows: usize| Column::Ids(vec![id; rows]);

    while let Some(mut nodes) = counts.nodes.turn()? {
        nodes.sort_unstable_by_key(|row| row.0.to_i64());
        let mut columns = vec![same(nodes.len()), Column::ids(nodes.iter().map(|row| row.0.to_i64()))];
        columns.extend(stats::columns(nodes.iter().map(|row| &row.1)));
        tx.insert("node_counts", &columns).await?;
    }
    while let Some(mut edges) = counts.edges.turn()? {
        edges.sort_unstable_by(|a, b| (a.0.to_i64(), &a.1).cmp(&(b.0.to_i64(), &b.1)));
        let mut columns = vec![same(edges.len()), Column::ids(edges.iter().map(|row| row.0.to_i64()))];
        let counted = stats::columns(edges.iter().map(|row| &row.2));
        columns.push(Column::texts(edges.iter_mut().map(|row| std::mem::take(&mut row.1))));
        columns.extend(counted);
        tx.insert("edge_counts", &columns).await?;
    }
    while let Some(mut facets) = counts.facets.turn()? {
        facets.sort_unstable_by(|a, b| (a.0.to_i64(), &a.1, a.2).cmp(&(b.0.to_i64(), &b.1, b.2)));
        let mut columns = vec![same(facets.len()), Column::ids(facets.iter().map(|row| row.0.to_i64()))];
        let counted = stats::counts(facets.iter().map(|row| &row.3));
        columns.push(Column::texts(facets.iter_mut().map(|row| std::mem::take(&mut row.1))));
        columns.push(Column::ints(facets.iter().map(|row| row.2.year)));
        columns.push(Column::ints(facets.iter().map(|row| row.2.band.lower_end())));
        columns.push(Column::ints(facets.iter().map(|row| speed_code(row.2.speed))));
        columns.extend(counted);
        tx.insert("edge_facets", &columns).await?;
    }
    while let Some(page) = counts.games.turn()? {
        games(tx, id, page).await?;
    }
    while let Some(page) = counts.node_games.turn()? {
        node_games(tx, id, page).await?;
    }
    Ok(())
}

/// The place among all speeds, as the schema says it.
fn speed_code(speed: Speed) -> u8 {
    Speed::ALL
        .iter()
        .zip(0..)
        .find(|(s, _)| **s == speed)
        .map_or(0, |(_, code)| code)
}

async fn games(tx: &mut Tx, id: i64, mut games: Vec<GameHeader>) -> Result<(), Trouble> {
    games.sort_unstable_by_key(|game| bits(game.id));
    let elos = [
        Column::opt_ints(games.iter().map(|game| game.white_elo)),
        Column::opt_ints(games.iter().map(|game| game.black_elo)),
    ];
    let ids = Column::ids(games.iter().map(|game| bits(game.id)));
    let outcomes = Column::texts(games.iter().map(|game| game.outcome.as_str()));
    // Moved, not copied: there may be hundreds of thousands.
    let mut texts = |field: fn(&mut GameHeader) -> &mut String| {
        Column::texts(games.iter_mut().map(|game| std::mem::take(field(game))))
    };
    let [white, black] = [texts(|game| &mut game.white), texts(|game| &mut game.black)];
    let [date, event] = [texts(|game| &mut game.date), texts(|game| &mut game.event)];
    let [site, round] = [texts(|game| &mut game.site), texts(|game| &mut game.round)];
    let [white_elo, black_elo] = elos;
    let columns = [
        Column::Ids(vec![id; games.len()]),
        ids,
        white,
        black,
        white_elo,
        black_elo,
        outcomes,
        date,
        event,
        site,
        round,
    ];
    tx.insert("games", &columns).await
}

async fn node_games(tx: &mut Tx, id: i64, mut games: Vec<NodeGame>) -> Result<(), Trouble> {
    games.sort_unstable_by_key(|game| (game.node.to_i64(), game.kind, game.rank));
    let (mut nodes, mut lists) = (Vec::new(), Vec::new());
    for of_node in games.chunk_by(|a, b| a.node == b.node) {
        nodes.push(of_node[0].node.to_i64());
        lists.push(game_lists::write(of_node));
    }
    let columns = [
        Column::Ids(vec![id; nodes.len()]),
        Column::Ids(nodes),
        Column::Texts(lists),
    ];
    tx.insert("node_games", &columns).await
}

/// Makes nodes of all positions a collection counts. Of several sources the first in the order of `NodeSource` stays.
async fn nodes(tx: &mut Tx, id: i64, source: CollectionSource) -> Result<(), Trouble> {
    execute!(
        tx,
        "INSERT INTO touched SELECT node_id FROM node_counts WHERE collection = $1 ORDER BY node_id
         ON CONFLICT DO NOTHING",
        id
    );
    execute!(
        tx,
        "INSERT INTO nodes (id, ply, halfmove, source, named, stub_count, created_at, updated_at)
         SELECT c.node_id, p.ply, p.halfmove, $2, false, 0, {now}, {now} FROM node_counts c CROSS JOIN positions p
         WHERE c.collection = $1 AND p.id = c.node_id ORDER BY c.node_id
         ON CONFLICT (id) DO UPDATE SET source = excluded.source
         WHERE CASE nodes.source WHEN 'openings' THEN 0 WHEN 'corpus' THEN 1 WHEN 'explorer' THEN 2 ELSE 3 END
             > CASE excluded.source WHEN 'openings' THEN 0 WHEN 'corpus' THEN 1 WHEN 'explorer' THEN 2 ELSE 3 END",
        id,
        source.of_nodes().as_str(),
    );
    Ok(())
}

/// Of the nodes that a collection counted before and does not count any more, removes those that no other one counts, and
/// gives the others the source they now have. A person's answers are kept for the day a node returns.
pub(super) async fn forget_uncounted(tx: &mut Tx) -> Result<(), Trouble> {
    tx.analyze("before").await?;
    execute!(
        tx,
        "DELETE FROM before WHERE EXISTS (
             SELECT 1 FROM node_counts c WHERE c.collection = before.collection AND c.node_id = before.id)"
    );
    execute!(
        tx,
        "INSERT INTO touched SELECT DISTINCT id FROM before WHERE true ON CONFLICT DO NOTHING"
    );
    execute!(
        tx,
        "DELETE FROM nodes WHERE id IN (SELECT id FROM before) AND NOT EXISTS (
             SELECT 1 FROM collections k CROSS JOIN node_counts c WHERE c.collection = k.id AND c.node_id = nodes.id)"
    );
    for forget in [
        "DELETE FROM review_queue WHERE answer IS NULL AND node_id IN (SELECT id FROM before)
             AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = node_id)",
        "DELETE FROM node_changelog WHERE node_id IN (SELECT id FROM before)
             AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = node_id)",
        "DELETE FROM opening_resolutions WHERE node_id IN (SELECT id FROM before)
             AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = node_id)",
    ] {
        execute!(tx, forget);
    }
    execute!(
        tx,
        "UPDATE nodes SET source = (
             SELECT CASE min(CASE k.source WHEN 'openings' THEN 0 WHEN 'explorer' THEN 2 WHEN 'validation' THEN 3
                             ELSE 1 END)
                    WHEN 0 THEN 'openings' WHEN 1 THEN 'corpus' WHEN 2 THEN 'explorer' ELSE 'validation' END
             FROM collections k CROSS JOIN node_counts c WHERE c.collection = k.id AND c.node_id = nodes.id)
         WHERE id IN (SELECT id FROM before)"
    );
    Ok(())
}

/// From this many touched nodes on the planner should know about them.
const MANY: i64 = 1000;

/// Brings up to date what follows for the touched nodes from moves, names and answers.
pub(super) async fn refresh(tx: &mut Tx) -> Result<(), Trouble> {
    let touched = fetch!(tx, (i64,), "SELECT count(*) FROM touched");
    if touched.iter().any(|row| row.0 > MANY) {
        for table in ["touched", "nodes", "node_counts", "edge_counts"] {
            tx.analyze(table).await?;
        }
    }
    tx.scratch("changed", "id bigint PRIMARY KEY, was boolean, becomes boolean")
        .await?;
    // Two different moves are there if the first by name is not the last.
    execute!(
        tx,
        "INSERT INTO changed
         SELECT id, was, becomes FROM (
             SELECT n.id, n.is_branching AS was, coalesce((
                 SELECT min(c.move_uci) < max(c.move_uci) FROM collections k CROSS JOIN edge_counts c
                 WHERE c.collection = k.id AND c.parent_id = n.id), false) AS becomes
             FROM touched t CROSS JOIN nodes n WHERE n.id = t.id AND n.is_branching IS NOT NULL) counted
         WHERE was <> becomes"
    );
    execute!(
        tx,
        "INSERT INTO node_changelog (node_id, changed_at, field, old_value, new_value)
         SELECT id, {now}, 'is_branching_node', CASE WHEN was THEN 'true' ELSE 'false' END,
                CASE WHEN becomes THEN 'true' ELSE 'false' END
         FROM changed ORDER BY id"
    );
    execute!(
        tx,
        "UPDATE nodes SET updated_at = {now}, is_branching = NOT is_branching
         WHERE id IN (SELECT id FROM changed)"
    );
    execute!(
        tx,
        "UPDATE nodes SET is_branching = coalesce((
             SELECT min(c.move_uci) < max(c.move_uci) FROM collections k CROSS JOIN edge_counts c
             WHERE c.collection = k.id AND c.parent_id = nodes.id), false)
         WHERE is_branching IS NULL AND id IN (SELECT id FROM touched)"
    );
    execute!(
        tx,
        "UPDATE nodes SET named = true
         WHERE NOT named AND id IN (SELECT position_id FROM opening_positions)"
    );
    execute!(
        tx,
        "UPDATE nodes SET structure_by = 'person', structure = (
             SELECT r.answer FROM review_queue r WHERE r.node_id = nodes.id AND r.reason = 'structure')
         WHERE structure_by IS DISTINCT FROM 'person' AND id IN (
             SELECT node_id FROM review_queue WHERE reason = 'structure' AND answer IS NOT NULL)
         AND NOT EXISTS (
             SELECT 1 FROM collections k CROSS JOIN edge_counts c
             WHERE c.collection = k.id AND c.parent_id = nodes.id)"
    );
    Ok(())
}
