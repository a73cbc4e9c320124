//! `tabiya serve`: the knowledge base over HTTP.

pub(crate) mod settings;

use std::{
    fs,
    net::SocketAddr,
    num::{NonZeroU32, NonZeroU64},
    path::Path,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::Args;
use tabiya_app::{engines::EngineSettings, review::DeskOptions};
use tabiya_server::{ApiKey, Limits, ServeError, ServeOptions, Server};

use crate::{
    args::{Face, Ui},
    configuration::{DEFAULT_DATABASE, Persistence, layered},
    engine_args::engine_or_environment,
    failure::{CHECK_NAME, Failure},
    interrupt, logging,
    runtime::runtime,
    terminal::{Label, print, say},
};
use settings::{KEYS, Settings};

/// A database that nothing is left of.
const IN_MEMORY: &str = "sqlite::memory:";

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya serve                                    answer at http://127.0.0.1:8000, see /docs there
  tabiya serve --db postgres://host/chess --bind 127.0.0.1:9000
  tabiya serve --games our-match/                 compare these games, with or without a database
  tabiya serve --cors https://my-app.example      let a web page ask
  curl 'http://127.0.0.1:8000/opening/search?q=najdorf'";

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:8000]; with 0 for the port, one that is free
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<SocketAddr>,
    /// Let web pages of this origin ask, or of all with `*`; may be given more than once
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// Take orders (POST /reload) from those who have the key in this file
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Show the games of these PGN files or directories on the page
    #[arg(long, value_name = "PATH")]
    games: Vec<String>,
    /// The engine that reviews games [default: $TABIYA_ENGINE, else stockfish on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<PathBuf>,
    /// Positions that it searches about each position of a game [default: 200000]
    #[arg(long, value_name = "N")]
    review_nodes: Option<NonZeroU64>,
    /// Requests that one address may make in a second [default: any number]
    #[arg(long, value_name = "N")]
    rate: Option<NonZeroU32>,
    /// Look for new data every so many seconds; 0 for never [default: 2]
    #[arg(long, value_name = "SECONDS")]
    reload: Option<u32>,
}

pub(crate) fn run(arguments: ServeArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let flags = Settings {
        api_key_file: arguments.api_key_file,
        bind: arguments.bind,
        cors: (!arguments.cors.is_empty()).then_some(arguments.cors),
        persistence: Persistence { dsn: arguments.db },
        engine: engine_or_environment(arguments.engine),
        games: (!arguments.games.is_empty()).then_some(arguments.games),
        rate: arguments.rate,
        reload: arguments.reload,
        review_nodes: arguments.review_nodes,
    };
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "serve", &KEYS, &flags)?;
    let database = database(&settings);
    let options = options(settings)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let server = Server::bind(&database, options).await?;
        let address = server.address();
        if !address.ip().is_loopback() {
            say(
                Label::Note,
                &format!("{address} can be reached from other machines, without encryption"),
            );
        }
        if !ui.quiet {
            print(&format!(
                "Listening on http://{address} (see /docs there); Ctrl-C stops\n"
            ))?;
        }
        server.run(interrupt::asked_to_stop()).await?;
        Ok(ExitCode::SUCCESS)
    });
    // Games that are still being read must not keep the process.
    runtime.shutdown_background();
    served
}

/// What is known; nothing where there are only games to show.
fn database(settings: &Settings) -> String {
    let unnamed = settings.persistence.dsn.is_none();
    let has_games = settings.games.as_ref().is_some_and(|games| !games.is_empty());
    if unnamed && has_games && !Path::new(DEFAULT_DATABASE).exists() {
        say(
            Label::Note,
            &format!(
                "there is no {DEFAULT_DATABASE}, so the page knows nothing but these games; name another one with --db"
            ),
        );
        return IN_MEMORY.to_owned();
    }
    settings.persistence.clone().url()
}

/// Where it would listen, unless the command line says otherwise.
pub(crate) fn bind(file: Option<&Path>) -> Result<SocketAddr, Failure> {
    let settings: Settings = layered(Face::Tabiya, file, "serve", &KEYS, &Settings::default())?;
    Ok(settings.bind.unwrap_or(ServeOptions::default().bind))
}

fn options(settings: Settings) -> Result<ServeOptions, Failure> {
    let default = ServeOptions::default();
    let engine = EngineSettings {
        engine: settings.engine,
        ..EngineSettings::default()
    };
    // It is started for the first review, which is too late for saying that it is not there.
    engine.check()?;
    Ok(ServeOptions {
        bind: settings.bind.unwrap_or(default.bind),
        cors: settings.cors.unwrap_or_default(),
        games: settings.games.unwrap_or_default(),
        reviews: DeskOptions {
            engine,
            nodes: settings.review_nodes.map_or(default.reviews.nodes, NonZeroU64::get),
            ..default.reviews
        },
        api_key: settings.api_key_file.as_deref().map(read_key).transpose()?,
        limits: Limits {
            rate: settings.rate,
            ..default.limits
        },
        reload: settings
            .reload
            .map_or(default.reload, |seconds| Duration::from_secs(seconds.into())),
    })
}

fn read_key(path: &Path) -> Result<ApiKey, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read the API key in {name}: {error}")).hint(CHECK_NAME))?;
    ApiKey::new(&text).ok_or_else(|| {
        Failure::usage(format!("{name}: the file is empty")).hint("write a long random word into it, and nothing else")
    })
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Failure {
        match error {
            ServeError::App(error) => error.into(),
            ServeError::Origin { .. } => {
                Failure::usage(error.to_string()).hint("an origin is like https://example.org, without a path; or *")
            }
            ServeError::Bind { .. } => {
                Failure::world(error.into()).hint("name another address with --bind; port 0 takes one that is free")
            }
        }
    }
}
