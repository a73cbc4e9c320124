//! Which games and which of their positions are taken.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use tabiya_chess::Speed;

/// The rules of selection. Two runs with the same rules take the same positions from the same games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Another seed, another choice.
    pub seed: u64,
    /// Positions of a game, at most.
    pub per_game: usize,
    /// Half-moves that are passed over at the beginning.
    pub min_ply: usize,
    /// Half-moves that are passed over at the end.
    pub end_margin: usize,
    /// Fewer pieces are left to tablebases.
    pub min_pieces: usize,
    /// Shorter games are left out, in half-moves.
    pub min_game_length: usize,
    /// Games with a bot are left out.
    pub skip_bots: bool,
    /// Both players have at least this rating.
    pub min_elo: Option<u16>,
    /// Both players have at most this rating.
    pub max_elo: Option<u16>,
    /// Only games at these speeds; all where none is named.
    pub speeds: Vec<String>,
    /// Only rated games.
    pub rated_only: bool,
    /// Abandoned games, and those that ended by a decision about the rules, are left out.
    pub skip_abandoned: bool,
    /// Games whose result contradicts their last position are left out.
    pub check_results: bool,
    /// Standard chess, Chess960, or both.
    pub variants: Vec<String>,
    /// Positions in check are passed over.
    pub not_in_check: bool,
    /// Positions in check, and those whose best move takes or promotes, are passed over.
    pub quiet: bool,
    /// Positions in which a side is ahead by so much and loses all the same are passed over.
    pub result_consistent: Option<u32>,
    /// Positions with an evaluation in the game are taken, and only those, with that evaluation.
    pub use_evals: bool,
    /// Positions with an evaluation in the game are taken like others.
    pub keep_evaluated: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            seed: 0,
            per_game: 1,
            min_ply: 10,
            end_margin: 5,
            min_pieces: 7,
            min_game_length: 20,
            skip_bots: true,
            min_elo: None,
            max_elo: None,
            speeds: Vec::new(),
            rated_only: false,
            skip_abandoned: true,
            check_results: true,
            variants: vec!["standard".to_owned()],
            not_in_check: false,
            quiet: false,
            result_consistent: None,
            use_evals: false,
            keep_evaluated: false,
        }
    }
}

impl Rules {
    pub(super) fn speed_list(&self) -> Result<Vec<Speed>, String> {
        let known = || {
            let names = Speed::ALL.iter().skip(1).map(|speed| speed.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let parse = |name: &String| {
            Speed::from_name(name).ok_or_else(|| format!("`{name}` is no speed; there are {}", known()))
        };
        self.speeds.iter().map(parse).collect()
    }
}

/// `i/n`: the i-th of n equal shares, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

/// Not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no share such as 2/8: the second of eight")]
pub struct ParseShardError(String);

impl Shard {
    /// The i-th of n, counted from 1.
    pub fn new(number: u32, of: u32) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// Whether the position of this number belongs to it.
    pub(super) fn has(self, number: u64) -> bool {
        number % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let bad = || ParseShardError(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(bad)?;
        let parse = |part: &str| part.trim().parse().map_err(|_| bad());
        Shard::new(parse(number)?, parse(of)?).ok_or_else(bad)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ParseShardError;

    fn try_from(text: String) -> Result<Shard, ParseShardError> {
        text.parse()
    }
}
