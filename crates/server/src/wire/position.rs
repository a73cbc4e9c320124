//! Everything about a position at once.

use serde::Serialize;
use tabiya_app::explore::{BestLine, Facts, ListedGame, NodeEvaluation, OpeningName};
use tabiya_chess::{Classified, Stats, StoredEval, classify, expected_points, parse_fen};
use utoipa::ToSchema;

use super::numbers::{percent, share};
use super::{Id, Node};

/// A position with all there is to say of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Position<'a> {
    #[serde(flatten)]
    pub node: Node<'a>,
    pub child_node_ids: Vec<Id>,
    pub transposition_ids: Vec<Id>,
    /// What it is called, by itself and by the line that was given.
    pub names: Names<'a>,
    /// Results, ratings and years of the games that reached it.
    pub games: Results,
    /// What each collection counts here.
    pub collections: Vec<CollectionResults<'a>>,
    /// White's expected points by the evaluation, 0 to 1.
    pub expected_points: Option<f64>,
    /// Which engine evaluated it.
    pub engine: Option<&'a str>,
    /// What an engine would play, the best line first; empty where nothing is known but the evaluation.
    pub lines: Vec<EvaluationLine<'a>>,
    /// The pawn structure on the board, whether or not the line ends here.
    pub structure: Option<&'static str>,
    /// How it is played.
    pub structure_plans: Option<Plans>,
    /// The moves, with what is known of the positions behind them; the most played first.
    pub moves: Vec<MoveRow<'a>>,
    /// All positions from which a move leads here, the parent first.
    pub parents: Vec<ParentRow<'a>>,
    /// Of the strongest players.
    pub top_games: Vec<Game<'a>>,
    pub recent_games: Vec<Game<'a>>,
}

/// A line of an engine, and what it thinks of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationLine<'a> {
    /// 1 for the best.
    pub rank: u8,
    /// Centipawns, White's.
    pub stockfish_eval: i32,
    pub mate: Option<i32>,
    /// White's, 0 to 1.
    pub expected_points: f64,
    #[schema(example = 22)]
    pub depth: u8,
    pub engine: &'a str,
    #[schema(example = json!(["Nf3", "Nc6", "Bc4"]))]
    pub san: &'a [String],
    #[schema(example = json!(["g1f3", "b8c6", "f1c4"]))]
    pub uci: &'a [String],
}

/// How a pawn structure is played.
#[derive(Debug, Serialize, ToSchema)]
pub struct Plans {
    #[schema(example = "isolated-queens-pawn")]
    pub slug: &'static str,
    pub description: &'static str,
    pub typical_plans_white: &'static [&'static str],
    pub typical_plans_black: &'static [&'static str],
    /// Whether it is on the board with colours reversed: then White's plans are Black's, on the squares across.
    pub reversed: bool,
}

/// Two ways to name a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct Names<'a> {
    /// Its own name, or that of its nearest named ancestor.
    pub by_position: Option<Name<'a>>,
    /// The name of the last position with one of its own on the line that was given.
    pub by_path: Option<Name<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Name<'a> {
    pub opening_id: Id,
    pub slug: &'a str,
    pub eco_code: &'a str,
    /// The whole name.
    pub name: &'a str,
    pub opening_name: &'a str,
    pub variation_name: Option<&'a str>,
}

/// What became of some games.
#[derive(Debug, Serialize, ToSchema)]
pub struct Results {
    pub game_count: u64,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    pub white_win_pct: Option<f64>,
    pub draw_pct: Option<f64>,
    pub black_win_pct: Option<f64>,
    /// Of both players, over the games in which both have a rating.
    pub average_rating: Option<u64>,
    pub first_year: Option<u16>,
    pub last_year: Option<u16>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CollectionResults<'a> {
    #[schema(example = "games")]
    pub collection: &'a str,
    #[serde(flatten)]
    pub results: Results,
}

/// A move and the position behind it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MoveRow<'a> {
    pub node_id: Id,
    pub uci: &'a str,
    pub pgn_move: &'a str,
    /// Of all games here, in percent.
    pub share_pct: Option<f64>,
    /// Games that played it here.
    pub games: Results,
    /// Games that reached the position behind it by whatever move.
    pub position_games: Results,
    /// Of those, the share that came another way, in percent.
    pub transposition_pct: Option<f64>,
    /// What the position behind it is called.
    pub name: Option<Name<'a>>,
    /// Whether that name is its own, and not that of a position before it.
    pub name_is_own: bool,
    /// Of the position behind it.
    pub stockfish_eval: Option<i32>,
    pub mate: Option<i32>,
    pub expected_points: Option<f64>,
    pub is_dubious: bool,
    pub is_busted: bool,
    pub resulting_structure: Option<&'a str>,
}

/// A way to a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct ParentRow<'a> {
    pub node_id: Id,
    pub pgn_move: &'a str,
    pub uci: &'a str,
    /// Games that came this way.
    pub game_count: u64,
    /// What the position before the move is called.
    pub name: Option<Name<'a>>,
    /// The moves to the position before, in UCI with commas between them, as `play` takes them.
    #[schema(example = "e2e4,e7e5,g1f3")]
    pub play: String,
}

/// A game, as a list shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Game<'a> {
    /// The move it went on with.
    pub uci: &'a str,
    pub white: Player<'a>,
    pub black: Player<'a>,
    #[schema(example = "1/2-1/2")]
    pub result: &'static str,
    #[schema(example = "2024.03.01")]
    pub date: &'a str,
    pub event: &'a str,
    pub site: &'a str,
    pub round: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Player<'a> {
    pub name: &'a str,
    pub rating: Option<u16>,
}

impl<'a> Position<'a> {
    pub fn of(facts: &'a Facts) -> Position<'a> {
        let view = &facts.node;
        let total = view.game_count();
        let board = parse_fen(&view.fen).ok();
        let structure = board.and_then(|start| classify(shakmaty::Position::board(&start.position)));
        Position {
            node: Node::of_view(view),
            child_node_ids: view.children.iter().map(|child| child.node_id.into()).collect(),
            transposition_ids: view.transpositions.iter().map(|other| other.node_id.into()).collect(),
            names: Names {
                by_position: view.opening.as_ref().map(Name::of),
                by_path: facts.path_name.as_ref().map(Name::of),
            },
            games: Results::of(&view.stats),
            collections: (facts.collections.iter())
                .map(|(collection, stats)| CollectionResults {
                    collection,
                    results: Results::of(stats),
                })
                .collect(),
            expected_points: view.evaluation.as_ref().map(points),
            engine: view.evaluation.as_ref().map(|shown| shown.engine.as_str()),
            lines: facts.best_lines.iter().map(EvaluationLine::of).collect(),
            structure: structure.as_ref().map(|found| found.structure.name),
            structure_plans: structure.as_ref().map(Plans::of),
            moves: view
                .children
                .iter()
                .map(|child| {
                    let after = facts.after.get(&child.node_id);
                    let reached = after.map_or(child.stats, |after| after.stats);
                    let shown = after.and_then(|after| after.evaluation.as_ref());
                    let elsewhere = reached.games().saturating_sub(child.stats.games());
                    MoveRow {
                        node_id: child.node_id.into(),
                        uci: &child.uci,
                        pgn_move: &child.san,
                        share_pct: share(child.stats.games(), total),
                        games: Results::of(&child.stats),
                        position_games: Results::of(&reached),
                        transposition_pct: share(elsewhere, reached.games()),
                        name: after.and_then(|after| after.opening.as_ref()).map(Name::of),
                        name_is_own: after.is_some_and(|after| after.named),
                        stockfish_eval: shown.map(|shown| shown.eval.cp),
                        mate: shown.and_then(|shown| shown.eval.mate),
                        expected_points: shown.map(points),
                        is_dubious: shown.is_some_and(|shown| shown.is_dubious),
                        is_busted: shown.is_some_and(|shown| shown.is_busted),
                        resulting_structure: after.and_then(|after| after.structure.as_deref()),
                    }
                })
                .collect(),
            parents: parents(facts),
            top_games: view.top_games.iter().map(Game::of).collect(),
            recent_games: view.recent_games.iter().map(Game::of).collect(),
        }
    }
}

fn parents(facts: &Facts) -> Vec<ParentRow<'_>> {
    let view = &facts.node;
    let ways = facts.parent.iter().chain(&view.transpositions);
    ways.map(|way| ParentRow {
        node_id: way.node_id.into(),
        pgn_move: &way.san,
        uci: &way.uci,
        game_count: way.stats.games(),
        name: way.opening.as_ref().map(Name::of),
        play: facts
            .lines
            .get(&way.node_id)
            .map_or_else(String::new, |line| line.join(",")),
    })
    .collect()
}

fn points(shown: &NodeEvaluation) -> f64 {
    rounded_points(shown.eval)
}

fn rounded_points(eval: StoredEval) -> f64 {
    (expected_points(eval.into()) * 1000.0).round() / 1000.0
}

impl<'a> EvaluationLine<'a> {
    fn of(line: &'a BestLine) -> EvaluationLine<'a> {
        EvaluationLine {
            rank: line.rank,
            stockfish_eval: line.eval.cp,
            mate: line.eval.mate,
            expected_points: rounded_points(line.eval),
            depth: line.depth,
            engine: &line.engine,
            san: &line.san,
            uci: &line.uci,
        }
    }
}

impl Plans {
    fn of(found: &Classified) -> Plans {
        let structure = found.structure;
        Plans {
            slug: structure.slug,
            description: structure.description,
            typical_plans_white: structure.plans_white,
            typical_plans_black: structure.plans_black,
            reversed: found.side.is_black(),
        }
    }
}

impl<'a> Name<'a> {
    fn of(opening: &'a OpeningName) -> Name<'a> {
        Name {
            opening_id: opening.id.into(),
            slug: &opening.slug,
            eco_code: &opening.eco,
            name: &opening.name,
            opening_name: &opening.family,
            variation_name: opening.variation.as_deref(),
        }
    }
}

impl Results {
    pub(super) fn of(stats: &Stats) -> Results {
        let (white, draws) = (stats.white_percent(), stats.draw_percent());
        let years = (stats.first_year > 0).then_some((stats.first_year, stats.last_year));
        Results {
            game_count: stats.games(),
            white: stats.white,
            draws: stats.draws,
            black: stats.black,
            white_win_pct: white.map(percent),
            draw_pct: draws.map(percent),
            black_win_pct: share(stats.black, stats.games()),
            average_rating: stats.average_rating(),
            first_year: years.map(|years| years.0),
            last_year: years.map(|years| years.1),
        }
    }
}

impl<'a> Game<'a> {
    fn of(listed: &'a ListedGame) -> Game<'a> {
        let game = &listed.game;
        Game {
            uci: &listed.uci,
            white: Player {
                name: &game.white,
                rating: game.white_elo,
            },
            black: Player {
                name: &game.black,
                rating: game.black_elo,
            },
            result: game.outcome.as_str(),
            date: &game.date,
            event: &game.event,
            site: &game.site,
            round: &game.round,
        }
    }
}
