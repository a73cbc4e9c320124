//! `tabiya doctor`: is everything there that other commands need?

use std::{fmt::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use tabiya_app::doctor::{DoctorReport, Health, doctor};

use crate::{
    args::{Format, Ui},
    build::annotate::settings::Settings,
    configuration::database,
    engine_args::EngineArgs,
    failure::{Failure, WORLD},
    logging,
    runtime::runtime,
    serve,
    terminal::{json, print},
};

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(crate) fn run(arguments: DoctorArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let database = database(arguments.db, arguments.config.as_deref())?;
    let file = arguments.config.as_deref();
    let (engine, _) = Settings::engine_and_database(arguments.engine, None, file)?;
    let bind = serve::bind(file)?;
    let report = runtime()?.block_on(doctor(&database, &engine, bind));
    match arguments.format {
        Format::Json => print(&json(&report))?,
        Format::Text => print(&text(&report))?,
    }
    Ok(if report.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(WORLD)
    })
}

fn text(report: &DoctorReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let state = match finding.state {
            Health::Fine => "ok",
            Health::Warning => "warning",
            Health::Broken => "broken",
        };
        let _ = writeln!(text, "{:<11} {state:<8} {}", finding.what, finding.says);
        for hint in &finding.hints {
            let _ = writeln!(text, "{:<20} hint: {hint}", "");
        }
    }
    text
}
