//! `tabiya lookup`: what the knowledge base has to say of a position.

use std::{fmt::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};
use tabiya_app::lookup::{ListedGame, NodeEvaluation, NodeView, OpeningName, Stats, lookup};

use crate::{
    args::{Format, Ui},
    configuration::database,
    failure::{Failure, REJECTED},
    import::runtime,
    logging,
    numbers::{count, thousands},
    terminal::{Label, print, say},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya lookup \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"
  tabiya lookup \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\" --format json")]
pub(crate) struct LookupArgs {
    /// A position as FEN or EPD, or the moves that lead to it
    position: String,
    /// Only the games of this collection
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

pub(crate) fn run(arguments: LookupArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let url = database(arguments.db, arguments.config.as_deref())?;
    let asked = lookup(&url, &arguments.position, arguments.collection.as_deref());
    let Some(node) = runtime()?.block_on(asked)? else {
        say(
            Label::Error,
            &format!("the knowledge base has no position {:?}", arguments.position),
        );
        return Ok(ExitCode::from(REJECTED));
    };
    match arguments.format {
        Format::Json => print(&format!("{}\n", json_of(&node)))?,
        Format::Text => print(&text_of(&node))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn stats(stats: &Stats) -> Value {
    json!({
        "game_count": stats.games(),
        "white": stats.white,
        "draws": stats.draws,
        "black": stats.black,
        "average_rating": stats.average_rating(),
    })
}

fn name(opening: &OpeningName) -> Value {
    json!({
        "opening_id": opening.id.to_string(),
        "eco_code": opening.eco,
        "opening_name": opening.family,
        "variation_name": opening.variation,
        "slug": opening.slug,
    })
}

fn with(mut base: Value, more: Value) -> Value {
    if let (Some(base), Value::Object(more)) = (base.as_object_mut(), more) {
        base.extend(more);
    }
    base
}

fn games(games: &[ListedGame]) -> Vec<Value> {
    games
        .iter()
        .map(|listed| {
            let game = &listed.game;
            json!({
                "uci": listed.uci,
                "white": {"name": game.white, "rating": game.white_elo},
                "black": {"name": game.black, "rating": game.black_elo},
                "result": game.outcome.as_str(),
                "date": game.date,
                "event": game.event,
                "site": game.site,
                "round": game.round,
            })
        })
        .collect()
}

fn json_of(node: &NodeView) -> Value {
    let children: Vec<Value> = node
        .children
        .iter()
        .map(|child| {
            let moved = json!({"node_id": child.node_id.to_string(), "pgn_move": child.san, "uci": child.uci});
            with(moved, stats(&child.stats))
        })
        .collect();
    let transpositions: Vec<Value> = node
        .transpositions
        .iter()
        .map(|other| {
            let way = json!({"node_id": other.node_id.to_string(), "pgn_move": other.san, "uci": other.uci,
                "game_count": other.stats.games()});
            match &other.opening {
                Some(opening) => with(way, name(opening)),
                None => way,
            }
        })
        .collect();
    let own = json!({
        "node_id": node.node_id.to_string(),
        "fen": node.fen,
        "ply": node.ply,
        "pgn_move": node.pgn_move,
        "move_number": node.move_number,
        "side": node.side,
        "eco_code": node.eco_code(),
        "opening_name": node.opening_name(),
        "variation_name": node.variation_name(),
        "named": node.named,
        "parent_node_id": node.parent.map(|parent| parent.to_string()),
        "child_node_ids": node.children.iter().map(|child| child.node_id.to_string()).collect::<Vec<_>>(),
        "is_branching_node": node.is_branching,
        "stockfish_eval": node.stockfish_eval(),
        "mate": node.mate(),
        "stockfish_depth": node.stockfish_depth(),
        "best_move": node.best_move().map(|best| &best.san),
        "best_move_uci": node.best_move().map(|best| &best.uci),
        "engine": node.evaluation.as_ref().map(|shown| &shown.engine),
        "is_dubious": node.is_dubious(),
        "is_busted": node.is_busted(),
        "resulting_structure": node.structure,
        "white_win_pct": node.white_win_pct(),
        "draw_pct": node.draw_pct(),
        "first_year": node.years().map(|years| years.0),
        "last_year": node.years().map(|years| years.1),
        "source": node.source.as_str(),
        "flagged": node.flagged,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "children": children,
        "transpositions": transpositions,
        "top_games": games(&node.top_games),
        "recent_games": games(&node.recent_games),
    });
    with(own, stats(&node.stats))
}

fn text_of(node: &NodeView) -> String {
    let mut text = format!("{}\n", node.fen);
    if let Some(opening) = &node.opening {
        let _ = writeln!(text, "{} {}", opening.eco, opening.name);
    }
    let _ = write!(text, "{}", count(node.game_count(), "game"));
    if let (Some(white), Some(draws)) = (node.white_win_pct(), node.draw_pct()) {
        let _ = write!(
            text,
            ", White {white:.1} %, draws {draws:.1} %, Black {:.1} %",
            100.0 - white - draws
        );
    }
    if let Some(rating) = node.average_rating() {
        let _ = write!(text, ", average rating {rating}");
    }
    if let Some((first, last)) = node.years() {
        let _ = write!(text, ", {first}-{last}");
    }
    text.push('\n');
    if let Some(structure) = &node.structure {
        let _ = writeln!(text, "structure: {structure}");
    }
    if let Some(shown) = &node.evaluation {
        let _ = writeln!(text, "{}", evaluation(shown));
    }
    for child in &node.children {
        let _ = writeln!(text, "  {:<8} {:>10}", child.san, thousands(child.stats.games()));
    }
    for other in &node.transpositions {
        let from = other
            .opening
            .as_ref()
            .map(|opening| opening.name.as_str())
            .unwrap_or("an unnamed line");
        let _ = writeln!(
            text,
            "also reached by {} from {from} ({})",
            other.san,
            count(other.stats.games(), "game")
        );
    }
    for listed in &node.top_games {
        let game = &listed.game;
        let _ = writeln!(
            text,
            "  {} - {}  {}  {}",
            game.white,
            game.black,
            game.outcome.as_str(),
            game.date
        );
    }
    text
}

/// `+0.32 after Nf3 (Stockfish 17, depth 22)`.
pub(crate) fn evaluation(shown: &NodeEvaluation) -> String {
    let value = match shown.eval.mate {
        Some(0) => "checkmate".to_owned(),
        Some(moves) => format!("mate in {}", moves.abs()),
        None => format!("{:+.2}", f64::from(shown.eval.cp) / 100.0),
    };
    let best = shown.best_move.as_ref().map(|best| format!(" with {}", best.san));
    let verdict = match (shown.is_busted, shown.is_dubious) {
        (true, _) => ", busted",
        (false, true) => ", dubious",
        (false, false) => "",
    };
    format!(
        "evaluation: {value}{}{verdict} ({}, depth {})",
        best.unwrap_or_default(),
        shown.engine,
        shown.depth
    )
}
