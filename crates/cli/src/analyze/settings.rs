//! The settings of `tabiya analyze` as they are written in a file, in the environment or on the command line.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::args::AnalyzeArgs;
use crate::{configuration::threads, failure::Failure};

/// Every key of the section `[analyze]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// The section's own, and not the database of every verb: a knowledge base is compared with where somebody asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) db: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_games: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repertoires: Option<usize>,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 4] = ["db", "min_games", "repertoires", "threads"];

const MIN_GAMES: u32 = 2;
const REPERTOIRES: usize = 100;

impl Settings {
    pub(super) fn new(arguments: &AnalyzeArgs) -> Settings {
        Settings {
            db: arguments.db.clone(),
            threads: arguments.threads,
            min_games: arguments.min_games,
            repertoires: arguments.repertoires,
        }
    }

    /// Threads that read.
    pub(super) fn threads(&self) -> usize {
        threads(self.threads).get()
    }

    /// From how many games on a sequence is common.
    pub(super) fn min_games(&self) -> Result<u32, Failure> {
        match self.min_games.unwrap_or(MIN_GAMES) {
            games @ 0..MIN_GAMES => Err(Failure::usage(format!(
                "configuration: min_games: {games} is too few; what one game plays is not common"
            ))
            .hint(format!("{MIN_GAMES} are the fewest"))),
            games => Ok(games),
        }
    }

    /// So many players' repertoires are written.
    pub(super) fn repertoires(&self) -> usize {
        self.repertoires.unwrap_or(REPERTOIRES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            db: Some("x".to_owned()),
            threads: NonZeroUsize::new(1),
            min_games: Some(2),
            repertoires: Some(1),
        };
        assert_keys(&all, &KEYS);
    }

    #[test]
    fn one_game_is_not_common() {
        let of = |min_games| Settings {
            min_games,
            ..Settings::default()
        };
        let games: Vec<Option<u32>> = [None, Some(0), Some(1), Some(2), Some(50)]
            .map(|games| of(games).min_games().ok())
            .to_vec();
        assert_eq!(games, [Some(2), None, None, Some(2), Some(50)]);
    }
}
