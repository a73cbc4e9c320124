//! Tabiya in a terminal: the programs `tabiya` and `pgn-import`.
//!
//! Arguments, environment and configuration files become one ready request before any work starts; the work itself is
//! a verb of `tabiya-app`. Results go to standard output, everything else to standard error, and only this crate
//! prints or chooses an exit code:
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | data was rejected and the user asked to stop at that, an audit failed, or a position is not known |
//! | 2 | usage or input |
//! | 3 | database, disk, network or engine |
//! | 130 | interrupted |

mod analyze;
mod args;
mod build;
mod completions;
mod configuration;
mod count;
mod dates;
mod doctor;
mod engine_args;
mod evals;
mod export;
mod failure;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod import;
mod inputs;
mod interrupt;
mod logging;
mod lookup;
mod man;
mod metrics;
mod name;
mod numbers;
mod positions;
mod progress;
mod project;
mod prose;
mod queue_args;
mod repertoire;
mod review;
mod runtime;
mod serve;
mod structure;
mod telling;
mod terminal;
mod token;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Command, Face, PgnImport, Tabiya};
use failure::Failure;

/// Runs the program `tabiya` with the process's arguments.
pub fn tabiya() -> ExitCode {
    let Tabiya { command, ui } = match parse(Tabiya::command()) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    terminal::begin(&ui);
    let result = match command {
        Command::Import(arguments) => {
            let paths = arguments.paths;
            import::run(Face::Tabiya, paths, arguments.options, &ui)
        }
        Command::Count(arguments) => count::run(*arguments, &ui),
        Command::Repertoire(arguments) => repertoire::run(arguments, &ui),
        Command::Worker(arguments) => worker::run(*arguments, &ui),
        Command::Workers(arguments) => worker::list(arguments, &ui),
        Command::Doctor(arguments) => doctor::run(arguments, &ui),
        Command::Structure(arguments) => structure::run(arguments, &ui),
        Command::Build(arguments) => build::run(arguments, &ui),
        Command::Evals(arguments) => evals::run(arguments, &ui),
        Command::Serve(arguments) => serve::run(arguments, &ui),
        Command::Export(arguments) => export::run(*arguments, &ui),
        Command::Project(arguments) => project::run(arguments, &ui),
        Command::Fetch(arguments) => fetch::run(arguments, &ui),
        Command::Analyze(arguments) => analyze::run(*arguments, &ui),
        Command::Review(arguments) => review::run(*arguments, &ui),
        Command::Lookup(arguments) => lookup::run(arguments, &ui),
        Command::Name(arguments) => name::run(arguments, &ui),
        Command::Positions(arguments) => positions::run(*arguments, &ui),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    };
    ended(result)
}

/// Runs the program `pgn-import` with the process's arguments.
pub fn pgn_import() -> ExitCode {
    let PgnImport { options, ui } = match parse(PgnImport::command()) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    terminal::begin(&ui);
    ended(import::run(Face::PgnImport, Vec::new(), options, &ui))
}

fn parse<A: FromArgMatches>(command: clap::Command) -> Result<A, ExitCode> {
    command
        .try_get_matches()
        .and_then(|matches| A::from_arg_matches(&matches))
        .map_err(|error| {
            // Whoever asked for help and does not read it needs no complaint about that.
            terminal::print_usage(&error);
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        })
}

fn ended(result: Result<ExitCode, Failure>) -> ExitCode {
    result.unwrap_or_else(|failure| {
        failure.report();
        failure.exit_code()
    })
}
