//! `tabiya repertoire`: what is stored under a label, and back out as PGN.

use std::{fmt::Write as _, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use tabiya_app::repertoire;

use crate::{
    args::{Face, Format, Ui},
    configuration::{self, file_read},
    failure::Failure,
    inputs::Inputs,
    logging,
    numbers::thousands,
    telling::is_standard_output,
    terminal::{Label, plain, print, say, write_file},
};

#[derive(Debug, Args)]
pub(crate) struct RepertoireArgs {
    #[command(subcommand)]
    command: RepertoireCommand,
}

#[derive(Debug, Subcommand)]
enum RepertoireCommand {
    /// List all repertoires with their owners and sizes
    #[command(after_help = "\
Examples:
  tabiya repertoire list
  tabiya repertoire list --db mine.db --format json")]
    List(ListArgs),
    /// Write a repertoire as PGN, every move exactly once
    #[command(after_help = "\
Examples:
  tabiya repertoire export \"Italian + Scandinavian\"
  tabiya repertoire export Italian --owner me -o italian.pgn")]
    Export(ExportArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Print a table, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// The repertoire's label, as `tabiya repertoire list` shows it
    label: String,
    /// Only this owner's; otherwise everybody's moves under that label, as one
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Which database to ask.
#[derive(Debug, Args)]
struct DatabaseArgs {
    /// The database: a file name, sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME [default: $TABIYA_DB, else
    /// tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl DatabaseArgs {
    fn url(self) -> Result<String, Failure> {
        configuration::database(self.db, self.config.as_deref())
    }
}

pub(crate) fn run(arguments: RepertoireArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    match arguments.command {
        RepertoireCommand::List(arguments) => list(arguments),
        RepertoireCommand::Export(arguments) => export(arguments, ui),
    }
}

fn list(arguments: ListArgs) -> Result<ExitCode, Failure> {
    let database = arguments.database.url()?;
    let repertoires = crate::runtime::runtime()?.block_on(repertoire::list(&database))?;
    if arguments.format == Format::Json {
        let rows: Vec<_> = repertoires
            .iter()
            .map(|one| serde_json::json!({"owner": one.owner, "repertoire": one.repertoire_key, "edges": one.edges}))
            .collect();
        print(&format!("{}\n", serde_json::Value::from(rows)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if repertoires.is_empty() {
        say(Label::Note, "the database has no repertoires");
        say(Label::Hint, "import with --repertoire LABEL or --repertoire-from-study");
        return Ok(ExitCode::SUCCESS);
    }
    let owner_width = repertoires
        .iter()
        .map(|one| plain(&one.owner).chars().count())
        .max()
        .unwrap_or(0)
        .max(5);
    let mut text = format!("{:>9}  {:<owner_width$}  repertoire\n", "edges", "owner");
    for one in &repertoires {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>9}  {:<owner_width$}  {}",
            thousands(one.edges),
            plain(&one.owner),
            plain(&one.repertoire_key)
        );
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn export(arguments: ExportArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let inputs = Inputs::default().files(file_read(Face::Tabiya, arguments.database.config.as_deref()));
    let database = arguments.database.url()?;
    let output = ("--output", arguments.output.as_deref());
    inputs.database(&database).refuse_outputs(&[output])?;
    let export = repertoire::export(&database, &arguments.label, arguments.owner.as_deref());
    let games = crate::runtime::runtime()?.block_on(export)?;
    let texts: Vec<String> = games
        .iter()
        .map(|game| game.to_string().trim_end().to_owned() + "\n")
        .collect();
    let pgn = texts.join("\n");
    match &arguments.output {
        None => print(&pgn)?,
        Some(path) => {
            write_file(path, &pgn)?;
            if !ui.quiet && !is_standard_output(path) {
                say(Label::Note, &format!("wrote {}", path.display()));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
