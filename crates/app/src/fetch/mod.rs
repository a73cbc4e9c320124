//! `fetch`: a player's games from the site that keeps them, into a PGN file that grows.
//!
//! What the file has is not asked for again. Beside it lies `FILE.fetch.json`, which says how far each player's games have
//! been fetched; without it everything is asked for again, and what is there is recognised by its address.

mod file;
mod pieces;
mod state;
mod time;

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use serde::Serialize;
use tabiya_dataset::is_special;
use tabiya_lichess::{CancellationToken, ChessCom, GamesConfig, GamesError, Lichess, LichessQuery, Url, Wait};

pub use tabiya_lichess::{GamesConfig as SiteConfig, Politeness, Token, Url as SiteUrl};

use crate::{AppError, interrupt};
use file::{GameFile, GameTags};
use pieces::{LONGEST, Pieces};
use state::{Progress, State};
pub use time::{Day, ParseDayError};

/// Where games are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Site {
    Lichess,
    ChessCom,
}

impl Site {
    /// As it is written before a name.
    pub fn as_str(self) -> &'static str {
        match self {
            Site::Lichess => "lichess",
            Site::ChessCom => "chesscom",
        }
    }

    /// Where it is.
    pub fn base(self) -> &'static str {
        match self {
            Site::Lichess => Lichess::BASE,
            Site::ChessCom => ChessCom::BASE,
        }
    }
}

/// Whose games, and where to.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    pub site: Site,
    pub player: String,
    /// Only games between the two.
    pub against: Option<String>,
    /// Played on this day or later, by the site's clock.
    pub since: Option<Day>,
    pub until: Option<Day>,
    /// Not more than these, and the newest.
    pub max: Option<u64>,
    pub output: PathBuf,
    pub config: GamesConfig,
    pub stop: Arc<AtomicBool>,
}

impl FetchRequest {
    /// Whom to ask, where nobody says otherwise.
    pub fn config(base: Url) -> GamesConfig {
        GamesConfig::new(base)
    }
}

/// How it went.
#[derive(Debug, Clone, Serialize)]
pub struct FetchReport {
    pub site: Site,
    pub player: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    pub output: String,
    /// Games that were added to the file.
    pub new: u64,
    /// Games that came and were there already.
    pub known: u64,
    /// Games that came and were not asked for: of other players, or of other days.
    pub passed_over: u64,
    pub interrupted: bool,
}

/// What is told meanwhile.
#[derive(Debug)]
pub enum FetchEvent<'a> {
    /// One more game is in the file.
    Game,
    Waiting(&'a Wait),
}

pub type FetchWatcher = Arc<dyn Fn(FetchEvent<'_>) + Send + Sync>;

/// Fetches games. Every game is in the file before the next one is looked at.
pub async fn fetch(request: &FetchRequest, watcher: FetchWatcher) -> Result<FetchReport, AppError> {
    if let (Some(since), Some(until)) = (request.since, request.until)
        && since > until
    {
        return Err(AppError::OutOfRange(format!(
            "--since {since} is after --until {until}"
        )));
    }
    if is_special(&request.output) || request.output.as_os_str() == "-" {
        return Err(AppError::OutOfRange(format!(
            "--output {}: games are added to those that a file has, so it has to be a file",
            request.output.display()
        )));
    }
    let stop = CancellationToken::new();
    let site = Asked::new(request, stop.clone(), &watcher)?;
    let found = file::find(&request.output)?;
    // Read with the lock on the file: until then somebody else may be adding to both.
    let noted = State::read(&request.output)?;
    let file = GameFile::open(&request.output, found, noted.as_ref().map(|noted| noted.before))?;
    let mut fetching = Fetching {
        request,
        watcher,
        has_note: noted.is_some(),
        state: noted.unwrap_or_else(|| State::behind(file.length())),
        file,
        report: FetchReport {
            site: request.site,
            player: request.player.clone(),
            against: request.against.clone(),
            output: request.output.display().to_string(),
            new: 0,
            known: 0,
            passed_over: 0,
            interrupted: false,
        },
    };
    let _listening = interrupt::cancel_when_asked(Arc::clone(&request.stop), stop);
    let done = match site {
        Asked::Lichess(site) => fetching.ask_lichess(&site).await,
        Asked::ChessCom(site) => fetching.ask_chesscom(&site).await,
    };
    match done {
        Err(AppError::Games(GamesError::Cancelled)) => fetching.report.interrupted = true,
        done => done?,
    }
    Ok(fetching.report)
}

/// The site that is asked.
enum Asked {
    Lichess(Lichess),
    ChessCom(ChessCom),
}

impl Asked {
    fn new(request: &FetchRequest, stop: CancellationToken, watcher: &FetchWatcher) -> Result<Asked, AppError> {
        let watcher = Arc::clone(watcher);
        let tell = move |wait: &Wait| watcher(FetchEvent::Waiting(wait));
        let config = request.config.clone();
        Ok(match request.site {
            Site::Lichess => Asked::Lichess(Lichess::new(config)?.stopped_by(stop).on_wait(tell)),
            Site::ChessCom => Asked::ChessCom(ChessCom::new(config)?.stopped_by(stop).on_wait(tell)),
        })
    }
}

/// As Lichess counts.
fn milliseconds(seconds: u64) -> u64 {
    seconds.saturating_mul(1000)
}

/// A page to log in, say, which comes with the same status as games do.
fn not_games(address: &str, reason: &str) -> AppError {
    AppError::Games(GamesError::NotAnAnswer {
        url: address.to_owned(),
        source: reason.into(),
    })
}

/// After so many games it is noted how far they go.
const NOTED: u64 = 100;

struct Fetching<'a> {
    request: &'a FetchRequest,
    watcher: FetchWatcher,
    file: GameFile,
    state: State,
    /// The file is known to be ours.
    has_note: bool,
    report: FetchReport,
}

impl Fetching<'_> {
    async fn ask_lichess(&mut self, site: &Lichess) -> Result<(), AppError> {
        let request = self.request;
        let since = request.since.map(Day::first_second);
        let until = request.until.map(|day| day.last_second() * 1000 + 999);
        // Behind the newest game only newer ones are left, unless older ones are asked for than ever before.
        let reached = self.state.reached(request).filter(|_| request.max.is_none());
        let all = LichessQuery {
            player: request.player.clone(),
            against: request.against.clone(),
            since: since.max(reached).map(milliseconds),
            until,
            newest: request.max,
            correspondence: false,
        };
        self.ask_for(site, &all).await?;
        // Games are found by when they began, and those of correspondence may have been under way the last time.
        let Some(reached) = reached.filter(|reached| since <= Some(*reached)) else {
            return Ok(());
        };
        let late = LichessQuery {
            since: since.map(milliseconds),
            until: Some(until.unwrap_or(u64::MAX).min(milliseconds(reached))),
            correspondence: true,
            ..all
        };
        self.ask_for(site, &late).await
    }

    /// Asks for games, and again from the last one on where the answer breaks off.
    async fn ask_for(&mut self, site: &Lichess, query: &LichessQuery) -> Result<(), AppError> {
        let first = query.since.map(|since| since / 1000);
        let from = std::cell::Cell::new(first);
        let address = site.address(query);
        let is_by_age = query.newest.is_none();
        let mut pieces = Pieces::default();
        let mut failed = None;
        let asked = site.games(
            || LichessQuery {
                since: from.get().map(milliseconds),
                ..query.clone()
            },
            |bytes| {
                if bytes.is_empty() {
                    pieces.begin_anew();
                    return ControlFlow::Continue(());
                }
                pieces.push(bytes);
                while let Some(game) = pieces.next_whole() {
                    let taken = self.take(&game, &address).and_then(|tags| {
                        // Whoever is killed does not begin anew.
                        if (self.report.new + self.report.known).is_multiple_of(NOTED) {
                            self.note_reached(query, from.get())?;
                        }
                        Ok(tags)
                    });
                    match taken {
                        // The answer comes by age, so what is asked for again begins here.
                        Ok(tags) if is_by_age => from.set(from.get().max(tags.played_at)),
                        Ok(_) => {}
                        Err(error) => {
                            failed = Some(error);
                            return ControlFlow::Break(());
                        }
                    }
                }
                if pieces.is_too_long() {
                    failed = Some(not_games(&address, "what it says goes on and on, and is no game"));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        let asked = asked.await;
        if let Some(error) = failed {
            return Err(error);
        }
        let asked = match asked {
            // What is left is a whole game only where the answer is whole.
            Ok(()) => match pieces.rest() {
                Some(last) => (self.take(&last, &address)).map(|tags| from.set(from.get().max(tags.played_at))),
                None => Ok(()),
            },
            Err(error) => Err(error.into()),
        };
        self.note_reached(query, from.get())?;
        asked
    }

    /// The answer comes by age: nothing before this is missing, if it is about all games.
    fn note_reached(&mut self, query: &LichessQuery, second: Option<u64>) -> Result<(), AppError> {
        let is_about_all = query.newest.is_none() && !query.correspondence;
        match second {
            Some(second) if is_about_all && self.file.exists() => self.note(Progress::Reached(second)),
            _ => Ok(()),
        }
    }

    fn note(&mut self, progress: Progress) -> Result<(), AppError> {
        self.state.note(self.request, progress);
        // What the note says is there has to be there when the power is back.
        self.file.sync()?;
        self.state.write(&self.request.output)
    }

    async fn ask_chesscom(&mut self, site: &ChessCom) -> Result<(), AppError> {
        let request = self.request;
        let mut months = site.months(&request.player).await?;
        months.retain(|month| {
            request.since.is_none_or(|since| since.month() <= *month)
                && request.until.is_none_or(|until| *month <= until.month())
        });
        // The newest month may have grown since, and a month of which some days were wanted is not whole.
        let newest = months.last().copied();
        let is_done = |month: &tabiya_lichess::Month| self.state.has_month(request, *month);
        let mut open: Vec<_> = months.into_iter().filter(|month| !is_done(month)).collect();
        if request.max.is_some() {
            open.reverse();
        }
        for month in open {
            let pgn = site.month(&request.player, month).await?;
            let address = site.address(&request.player, month);
            let mut pieces = Pieces::default();
            pieces.push(&pgn);
            let mut games = Vec::new();
            while let Some(game) = pieces.next_whole() {
                games.push(game);
            }
            games.extend(pieces.rest());
            if request.max.is_some() {
                games.reverse();
            }
            for game in games {
                if request
                    .max
                    .is_some_and(|max| self.report.new + self.report.known >= max)
                {
                    return Ok(());
                }
                self.take(&game, &address)?;
            }
            let is_cut = request.since.is_some_and(|since| since.month() == month)
                || request.until.is_some_and(|until| until.month() == month);
            if Some(month) != newest && !is_cut && self.file.exists() {
                self.note(Progress::Month(month))?;
            }
        }
        Ok(())
    }

    /// Adds a game to the file, if it is wanted and not there. It came from this address, which may have something else to say.
    fn take(&mut self, game: &[u8], address: &str) -> Result<GameTags, AppError> {
        if game.len() > LONGEST {
            return Err(not_games(address, "one of its games goes on and on"));
        }
        let tags = GameTags::of(game).ok_or_else(|| {
            let begins: String = String::from_utf8_lossy(&game[..game.len().min(60)]).into_owned();
            not_games(address, &format!("no game begins with {begins:?}"))
        })?;
        if !self.wants(&tags) {
            self.report.passed_over += 1;
            return Ok(tags);
        }
        if !self.has_note {
            // Whatever becomes of this run, the next one knows whose file it is.
            self.state.write(&self.request.output)?;
            self.has_note = true;
        }
        if self.file.add(&tags, game)? {
            self.report.new += 1;
            (self.watcher)(FetchEvent::Game);
        } else {
            self.report.known += 1;
        }
        Ok(tags)
    }

    fn wants(&self, tags: &GameTags) -> bool {
        let request = self.request;
        let between = match &request.against {
            None => true,
            Some(other) => {
                let pair = |white: &str, black: &str| {
                    tags.white.eq_ignore_ascii_case(white) && tags.black.eq_ignore_ascii_case(black)
                };
                pair(&request.player, other) || pair(other, &request.player)
            }
        };
        let in_time = tags.played_at.is_none_or(|at| {
            request.since.is_none_or(|since| since.first_second() <= at)
                && request.until.is_none_or(|until| at <= until.last_second())
        });
        between && in_time
    }
}
