//! `tabiya fetch`: players' games from the sites that keep them.

pub(crate) mod settings;

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::Args;
use tabiya_app::fetch::{Day, FetchEvent, FetchReport, FetchRequest, FetchWatcher, Site, fetch};

use crate::{
    args::{Face, Format, Ui},
    configuration::layered,
    failure::{Failure, INTERRUPTED},
    interrupt, logging,
    numbers::{count, duration},
    progress::{Display, Stage},
    runtime::runtime,
    telling::refuse_dash,
    terminal::{Label, json, print, say},
    token::read_token,
};
use settings::{KEYS, Settings};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya fetch lichess:somebody                        all games of a player, into somebody.pgn
  tabiya fetch chesscom:somebody --since 2024-01-01    those of some time
  tabiya fetch lichess:ann lichess:bob -o ours.pgn     the games between two players
  tabiya analyze ours.pgn --output db.json             and what is in them

Games are added to the file as they come; what is there is not fetched again, so the same command goes on where it was \
interrupted, and brings what is new later. One request is made at a time, and a site that asks for patience gets it. \
FILE.fetch.json beside the file says how far it goes.";

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// A player as lichess:NAME or chesscom:NAME; a second one asks for the games between the two
    #[arg(value_name = "PLAYER", required = true, num_args = 1..=2, help_heading = "Choice")]
    players: Vec<String>,
    /// Games of this day or later, such as 2024-01-31 (UTC)
    #[arg(long, value_name = "DAY", help_heading = "Choice")]
    since: Option<Day>,
    /// Games of this day or earlier
    #[arg(long, value_name = "DAY", help_heading = "Choice")]
    until: Option<Day>,
    /// Not more than these, the newest first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Choice")]
    max: Option<u64>,
    /// The file to add games to [default: the players' names and .pgn]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print a summary, or the report as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    format: Format,
    /// A file with an access token, for which a site may be faster [default for Lichess: $TABIYA_FETCH_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Site")]
    token_file: Option<PathBuf>,
    /// Ask this server instead, which has to answer as the site does
    #[arg(long, value_name = "URL", help_heading = "Site")]
    base_url: Option<String>,
    /// Seconds to wait after a site has asked us to slow down [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = "Site")]
    slow_down: Option<u64>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Site")]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: FetchArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let request = request(&arguments)?;
    let runtime = runtime()?;
    let display = (!ui.quiet && arguments.format == Format::Text).then(Display::of_stages);
    if let Some(display) = &display {
        display.stage().expect_of(0, "game");
    }
    let watcher = watcher(display.as_ref().map(Display::stage), ui.quiet);
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        fetch(&request, watcher).await
    });
    drop(display);
    runtime.shutdown_background();
    let report = outcome?;
    match arguments.format {
        Format::Json => print(&json(&report))?,
        Format::Text if !ui.quiet => print(&text(&report, started.elapsed()))?,
        Format::Text => {}
    }
    if report.interrupted {
        say(
            Label::Hint,
            "interrupted: every game so far is kept; run the same command again to go on",
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

fn watcher(stage: Option<Stage>, quiet: bool) -> FetchWatcher {
    Arc::new(move |event| match event {
        FetchEvent::Game => {
            if let Some(stage) = &stage {
                stage.answered("");
            }
        }
        FetchEvent::Waiting(wait) if !quiet => say(Label::Note, &wait.to_string()),
        FetchEvent::Waiting(_) => {}
    })
}

fn request(arguments: &FetchArgs) -> Result<FetchRequest, Failure> {
    // It is read before it is added to.
    refuse_dash(
        "--output",
        arguments.output.as_deref(),
        "name a file, to which games can be added later",
    )?;
    let (site, player) = player(&arguments.players[0], None)?;
    let against = match arguments.players.get(1) {
        Some(other) => {
            let (other_site, name) = self::player(other, Some(site))?;
            if other_site != site {
                return Err(Failure::usage("the two players are on different sites")
                    .hint("players meet on one site; fetch their games one after the other into files of their own"));
            }
            Some(name)
        }
        None => None,
    };
    let flags = Settings::new(arguments, site);
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "fetch", &KEYS, &flags)?;
    let mut config = FetchRequest::config(settings.base(site)?);
    config.token = read_token(settings.token_file(site).as_deref(), token_variable(site))?;
    let politeness = &mut config.politeness;
    politeness.long_pause = settings.slow_down();
    // Other failures are waited for no longer than that, but never without a pause.
    let most = politeness.long_pause.max(Duration::from_millis(10));
    politeness.first_backoff = politeness.first_backoff.min(most);
    let names: Vec<&str> = [Some(player.as_str()), against.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    Ok(FetchRequest {
        output: match &arguments.output {
            Some(path) => path.clone(),
            None => PathBuf::from(format!("{}.pgn", names.join("-"))),
        },
        site,
        player,
        against,
        since: settings.since()?,
        until: settings.until()?,
        max: settings.max()?,
        config,
        stop: Arc::default(),
    })
}

/// Whose token a variable holds cannot be seen from it, so one is Lichess's alone, the only site that gives tokens out.
fn token_variable(site: Site) -> Option<&'static str> {
    match site {
        Site::Lichess => Some("TABIYA_FETCH_TOKEN"),
        Site::ChessCom => None,
    }
}

/// `lichess:NAME`; the second of two may leave out the site.
fn player(text: &str, site: Option<Site>) -> Result<(Site, String), Failure> {
    let bad = |message: String| Failure::usage(message).hint("write lichess:NAME or chesscom:NAME");
    let (site, name) = match (text.split_once(':'), site) {
        (Some(("lichess", name)), _) => (Site::Lichess, name),
        (Some(("chesscom" | "chess.com", name)), _) => (Site::ChessCom, name),
        (Some((other, _)), _) => return Err(bad(format!("{text:?}: there is no site {other:?}"))),
        (None, Some(site)) => (site, text),
        (None, None) => return Err(bad(format!("{text:?} does not name a site"))),
    };
    // Both sites know no others; a name with a slash would ask for something else.
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return Err(bad(format!("{name:?} is not a player's name")));
    }
    Ok((site, name.to_owned()))
}

fn text(report: &FetchReport, elapsed: Duration) -> String {
    let mut text = format!("{} added to {}", count(report.new, "game"), report.output);
    if report.known > 0 {
        text += &format!(", {} there already", report.known);
    }
    if report.passed_over > 0 {
        text += &format!(", {} of others or of other days passed over", report.passed_over);
    }
    text + &format!(" ({})\n", duration(elapsed))
}
