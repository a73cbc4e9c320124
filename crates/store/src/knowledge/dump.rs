//! All of it as text, the same from both databases, for telling whether two builds came to the same. Times and the log
//! of changes are left out: they tell when, not what.

use uuid::Uuid;

use super::tx::{Tx, fetch};
use crate::fault::Trouble;

pub(super) async fn dump(tx: &mut Tx) -> Result<Vec<String>, Trouble> {
    let mut lines = Vec::new();
    macro_rules! table {
        ($name:literal, ($($column:ty),* $(,)?), $sql:literal) => {
            let rows = fetch!(tx, ($($column,)*), $sql);
            lines.extend(rows.into_iter().map(|row| format!("{} {row:?}", $name)));
        };
    }
    type Text = String;
    type OptText = Option<String>;
    table!(
        "collection",
        (Text, Text, i64, i64, i32, Option<i32>, Text),
        "SELECT name, source, games, min_games, depth, max_ply, facets FROM collections"
    );
    table!(
        "node",
        (
            i64,
            Text,
            i32,
            i32,
            Text,
            Option<Uuid>,
            bool,
            Option<bool>,
            OptText,
            OptText,
            OptText,
            i64
        ),
        "SELECT n.id, p.key, n.ply, n.halfmove, n.source, n.opening_id, n.named, n.is_branching, n.structure,
                n.structure_by, n.flagged, n.stub_count
         FROM nodes n LEFT JOIN positions p ON p.id = n.id"
    );
    table!(
        "node count",
        (Text, i64, i64, i64, i64, i64, i64, i32, i32),
        "SELECT k.name, c.node_id, c.white, c.draws, c.black, c.rating_sum, c.rated, c.first_year, c.last_year
         FROM collections k JOIN node_counts c ON c.collection = k.id"
    );
    table!(
        "edge count",
        (Text, i64, Text, i64, Text, i64, i64, i64, i64, i64, i32, i32),
        "SELECT k.name, c.parent_id, c.move_uci, e.child_id, e.move_san, c.white, c.draws, c.black, c.rating_sum,
                c.rated, c.first_year, c.last_year
         FROM collections k JOIN edge_counts c ON c.collection = k.id
         JOIN edges e ON e.parent_id = c.parent_id AND e.move_uci = c.move_uci"
    );
    table!(
        "edge facet",
        (Text, i64, Text, i32, i32, i32, i64, i64, i64, i64, i64),
        "SELECT k.name, f.parent_id, f.move_uci, f.year, f.band, f.speed, f.white, f.draws, f.black, f.rating_sum,
                f.rated
         FROM collections k JOIN edge_facets f ON f.collection = k.id"
    );
    table!(
        "game",
        (
            Text,
            i64,
            Text,
            Text,
            Option<i32>,
            Option<i32>,
            Text,
            Text,
            Text,
            Text,
            Text
        ),
        "SELECT k.name, g.id, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.round
         FROM collections k JOIN games g ON g.collection = k.id"
    );
    table!(
        "node game",
        (Text, i64, Text),
        "SELECT k.name, l.node_id, l.games
         FROM collections k JOIN node_games l ON l.collection = k.id"
    );
    table!(
        "crawl answer",
        (Text, i64, i32),
        "SELECT k.name, a.node_id, a.depth FROM collections k JOIN crawl_answers a ON a.collection = k.id"
    );
    table!(
        "opening",
        (Uuid, Text, Text, Text, OptText, Text, Text, Text, Text, i64, Text, Text),
        "SELECT id, eco, name, family, variation, slug, category, primary_color, system, root_id, aliases, tags
         FROM openings"
    );
    table!(
        "opening position",
        (Uuid, i64, Text),
        "SELECT opening_id, position_id, line FROM opening_positions"
    );
    table!(
        "opening resolution",
        (Uuid, i64),
        "SELECT opening_id, node_id FROM opening_resolutions"
    );
    table!("opening relation", (Uuid, Uuid), "SELECT a, b FROM opening_relations");
    table!(
        "transposition",
        (Uuid, Uuid, i64, i64, i64),
        "SELECT opening_a, opening_b, nodes, games, example_node FROM node_transpositions"
    );
    table!(
        "structure",
        (Uuid, Text, Text, Text, Text, Text),
        "SELECT id, slug, name, description, plans_white, plans_black FROM structures"
    );
    table!(
        "structure opening",
        (Text, Uuid, i64, i64),
        "SELECT structure, opening_id, nodes, games FROM structure_openings"
    );
    table!(
        "review",
        (i64, Text, Text, OptText),
        "SELECT node_id, reason, detail, answer FROM review_queue"
    );
    table!(
        "book move",
        (i64, Text, i32),
        "SELECT parent_id, move_uci, weight FROM book_moves"
    );
    table!(
        "node evaluation",
        (i64, i32, Option<i32>, i32, OptText, OptText, bool, bool, Text),
        "SELECT e.node_id, e.eval, e.mate, e.depth, e.best_move, e.best_move_uci, e.is_dubious, e.is_busted, e.engine
         FROM nodes n JOIN node_evaluations e ON e.node_id = n.id"
    );
    table!(
        "evaluation",
        (i64, Text, Text, i32, i64, i64, Option<i32>, i64, Text),
        "SELECT e.position_id, g.name, e.search_limit, e.multipv, e.nodes, e.millis, e.hashfull, e.tbhits, e.lines
         FROM evaluations e JOIN engines g ON g.id = e.engine_id"
    );
    table!("phase", (Text, Text, Text), "SELECT name, input, figures FROM phases");
    lines.sort_unstable();
    Ok(lines)
}
