//! `tabiya lookup`: what the knowledge base has to say of a position.

mod json;
mod moves;
mod page;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use tabiya_app::lookup::{Asked, Looked, NodeEvaluation, lookup};

use crate::{
    args::{Format, Ui},
    configuration::database,
    failure::{Failure, REJECTED},
    logging,
    runtime::runtime,
    terminal::{Label, print, say},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya lookup \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"
  tabiya lookup \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\" --format json
  tabiya lookup \"1.d4 d5 2.c4\" --collection masters --moves 30

A bar shows White's wins, draws and Black's wins from left to right. A position that the knowledge base lacks ends with \
exit code 1.")]
pub(crate) struct LookupArgs {
    /// A position as FEN or EPD, or the moves that lead to it
    position: String,
    /// Only the games of this collection
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// Show the most played moves, at most so many
    #[arg(long, value_name = "N", default_value_t = 12)]
    moves: usize,
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
    let asked = Asked::parse(&arguments.position)?;
    let looked = lookup(&url, &asked, arguments.collection.as_deref());
    match runtime()?.block_on(looked)? {
        Looked::Up(facts) => {
            print(&match arguments.format {
                Format::Json => json::answer(&facts)?,
                Format::Text => page::answer(&facts, arguments.moves),
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Looked::InVain { known_plies } => {
            let position = &arguments.position;
            say(
                Label::Error,
                &format!("the knowledge base has no position {position:?}"),
            );
            say(Label::Hint, &way_out(known_plies, asked.positions().len()));
            Ok(ExitCode::from(REJECTED))
        }
    }
}

/// Where a line leaves the graph; or, of a position, what the graph is.
fn way_out(known_plies: Option<usize>, positions: usize) -> String {
    match known_plies {
        _ if positions < 2 => "it has what enough games reach, and the way to every named position".to_owned(),
        None | Some(0) => "it does not know the line's first move either".to_owned(),
        Some(plies) => {
            let (number, mover) = (plies.div_ceil(2), if plies % 2 == 1 { "White" } else { "Black" });
            format!("it knows the line up to {mover}'s move {number}")
        }
    }
}

/// `evaluation: +0.32 with Nf3, dubious (Stockfish 17, depth 22)`.
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
