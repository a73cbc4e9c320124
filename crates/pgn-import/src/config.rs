//! What an import is told to do.

use std::{
    fmt,
    str::FromStr,
    sync::{Arc, atomic::AtomicBool},
};

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// The choices that decide what is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestConfig {
    /// Logical user or tenant.
    pub owner: String,
    /// Label under which every edge of this import becomes part of a repertoire.
    pub repertoire: Option<String>,
    /// Keeps trees whose root has that side to move.
    pub side_filter: SideFilter,
    /// Half-moves from a tree's root; None for no limit.
    pub max_depth: Option<u32>,
    pub accept_variations: bool,
    /// Games that start from a FEN become tactics.
    pub tactic_from_fen: bool,
    /// Tactics are looked for in comments and NAGs (needs the feature `comment-tactic`).
    pub tactic_from_comments: bool,
    /// Positions reached by different move orders are one. Off, every move counter makes another position.
    pub dedupe_transpositions: bool,
}

impl Default for IngestConfig {
    fn default() -> IngestConfig {
        IngestConfig {
            owner: String::new(),
            repertoire: None,
            side_filter: SideFilter::Both,
            max_depth: None,
            accept_variations: true,
            tactic_from_fen: true,
            tactic_from_comments: false,
            dedupe_transpositions: true,
        }
    }
}

/// Which trees are kept, by the side to move at their root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideFilter {
    White,
    Black,
    #[default]
    Both,
}

impl SideFilter {
    pub fn accepts(self, to_move: Color) -> bool {
        match self {
            SideFilter::White => to_move == Color::White,
            SideFilter::Black => to_move == Color::Black,
            SideFilter::Both => true,
        }
    }
}

impl fmt::Display for SideFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SideFilter::White => "white",
            SideFilter::Black => "black",
            SideFilter::Both => "both",
        })
    }
}

/// The text is no side.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of white, black, both")]
pub struct ParseSideError(String);

impl FromStr for SideFilter {
    type Err = ParseSideError;

    fn from_str(text: &str) -> Result<SideFilter, ParseSideError> {
        match text.to_ascii_lowercase().as_str() {
            "white" | "w" => Ok(SideFilter::White),
            "black" | "b" => Ok(SideFilter::Black),
            "both" => Ok(SideFilter::Both),
            _ => Err(ParseSideError(text.to_owned())),
        }
    }
}

/// What happens at a game that cannot be understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The import ends with an error. All games before the bad one are kept, nothing of it.
    #[default]
    FailFast,
    /// The bad branch ends where the trouble is, the game is entered in the ledger, and the import goes on.
    SkipIllegal,
}

/// Everything beyond [`IngestConfig`]: policies, extras and resources.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    pub policy: Policy,
    /// Games that start from a FEN become trees of their own instead of tactics.
    pub include_fen_in_trie: bool,
    /// Chess960 games become trees too. Their castling is not that of standard chess, so they are left out otherwise.
    pub include_chess960: bool,
    /// One more tactic for every variation of a FEN-tagged game.
    pub tactic_variations: bool,
    /// The repertoire's label is taken from a study's and its chapter's name.
    pub repertoire_from_study: bool,
    /// Threads that read games.
    pub threads: usize,
    /// How much PGN is read, and committed, at a time.
    pub block_bytes: usize,
    /// Goes on where an earlier, interrupted run of the same import stopped.
    pub resume: bool,
    /// Set from outside to end the import after the batch at hand.
    pub stop: Arc<AtomicBool>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            policy: Policy::default(),
            include_fen_in_trie: false,
            include_chess960: false,
            tactic_variations: false,
            repertoire_from_study: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            block_bytes: crate::pipeline::BLOCK_BYTES,
            resume: true,
            stop: Arc::default(),
        }
    }
}

/// Changes when a choice does that decides what is stored, so that a journal is not continued under other rules.
pub(crate) fn digest(config: &IngestConfig, options: &ImportOptions) -> String {
    let text = format!(
        "{config:?} {:?} {} {} {} {}",
        options.policy,
        options.include_fen_in_trie,
        options.include_chess960,
        options.tactic_variations,
        options.repertoire_from_study
    );
    format!("{:016x}", tabiya_chess::fnv1a(text.as_bytes()))
}
