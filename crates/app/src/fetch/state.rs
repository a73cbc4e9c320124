//! How far games have been fetched, beside the file they are in.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tabiya_dataset::WholeFile;
use tabiya_lichess::Month;

use super::{FetchRequest, Site};
use crate::AppError;

/// What is known of one file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    /// Bytes that somebody else had written before the first game of ours.
    #[serde(default)]
    pub(super) before: u64,
    fetched: Vec<Fetched>,
}

/// How far the games of one player, or of two, have come.
#[derive(Debug, Serialize, Deserialize)]
struct Fetched {
    site: String,
    player: String,
    against: Option<String>,
    /// The first second that was asked for; absent where all were.
    since: Option<u64>,
    /// The newest game, where the site gives them by age.
    reached: Option<u64>,
    /// Months that are there whole, where the site gives them by month.
    #[serde(default)]
    months: Vec<String>,
}

const VERSION: u32 = 1;

/// How much further it is.
pub(super) enum Progress {
    Reached(u64),
    Month(Month),
}

fn beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".fetch.json");
    name.into()
}

impl State {
    /// Nothing is fetched, and so many bytes are somebody else's.
    pub(super) fn behind(before: u64) -> State {
        State {
            version: VERSION,
            before,
            fetched: Vec::new(),
        }
    }

    /// What was noted, if anything was, and as long as the file that it is about is there.
    pub(super) fn read(output: &Path) -> Result<Option<State>, AppError> {
        let path = beside(output);
        if fs::metadata(output).map_or(true, |meta| meta.len() == 0) {
            return Ok(None);
        }
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                let input = path.display().to_string();
                return Err(AppError::Unreadable { input, source });
            }
        };
        // A note that cannot be understood costs a download, nothing else.
        let state: Option<State> = serde_json::from_str(&text).ok();
        Ok(state.filter(|state| state.version == VERSION))
    }

    pub(super) fn write(&self, output: &Path) -> Result<(), AppError> {
        let path = beside(output);
        let mut file = WholeFile::create(&path)?;
        // Plain values with text keys can always be written.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        writeln!(file, "{text}").map_err(|source| AppError::CannotWrite { path, source })?;
        file.commit()?;
        Ok(())
    }

    fn find(&self, request: &FetchRequest) -> Option<&Fetched> {
        self.fetched.iter().find(|fetched| fetched.is_about(request))
    }

    /// The newest game that is there, where nothing older is missing.
    pub(super) fn reached(&self, request: &FetchRequest) -> Option<u64> {
        let fetched = self.find(request)?;
        let asked = request.since.map(super::Day::first_second);
        // Whoever wants older games than those of before has to ask for all.
        if fetched.since > asked { None } else { fetched.reached }
    }

    pub(super) fn has_month(&self, request: &FetchRequest, month: Month) -> bool {
        let month = month.to_string();
        self.find(request)
            .is_some_and(|fetched| fetched.months.contains(&month))
    }

    pub(super) fn note(&mut self, request: &FetchRequest, progress: Progress) {
        let since = request.since.map(super::Day::first_second);
        let known = self.fetched.iter().position(|fetched| fetched.is_about(request));
        let place = known.unwrap_or_else(|| {
            self.fetched.push(Fetched {
                site: request.site.as_str().to_owned(),
                player: request.player.to_lowercase(),
                against: request.against.as_ref().map(|other| other.to_lowercase()),
                since,
                reached: None,
                months: Vec::new(),
            });
            self.fetched.len() - 1
        });
        let fetched = &mut self.fetched[place];
        match progress {
            Progress::Reached(second) => {
                // What begins behind the last game that is there leaves a gap, and says nothing of it.
                let joins = (fetched.reached).is_none_or(|reached| since.is_none_or(|since| since <= reached));
                if joins {
                    fetched.since = fetched.since.min(since);
                    fetched.reached = Some(second);
                }
            }
            Progress::Month(month) => {
                fetched.months.push(month.to_string());
                fetched.months.sort_unstable();
                fetched.months.dedup();
            }
        }
    }
}

impl Fetched {
    fn is_about(&self, request: &FetchRequest) -> bool {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let site: Site = request.site;
        self.site == site.as_str()
            && same(&self.player, &request.player)
            && match (&self.against, &request.against) {
                (None, None) => true,
                (Some(one), Some(other)) => same(one, other),
                _ => false,
            }
    }
}
