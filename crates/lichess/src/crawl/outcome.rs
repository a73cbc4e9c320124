//! How a crawl went.

use std::ops::AddAssign;

use tabiya_chess::UciError;

use super::CrawledNode;
use crate::ExplorerError;

/// What was done, and why it ended.
#[derive(Debug)]
#[must_use = "a crawl that failed says so here"]
pub struct CrawlOutcome<E> {
    /// What was done up to then.
    pub report: CrawlReport,
    /// Why it ended.
    pub end: CrawlEnd<E>,
}

/// Counts of a crawl. All of this was handed to the sink, and the sink was content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrawlReport {
    /// Positions that were answered.
    pub answered: u64,
    /// Positions that an earlier run had answered.
    pub known: u64,
    /// Moves that were kept.
    pub moves: u64,
    /// Moves with too few games.
    pub pruned: u64,
    /// Entries that were no moves.
    pub illegal: u64,
    /// Positions with such entries.
    pub flagged: u64,
}

impl From<&CrawledNode> for CrawlReport {
    fn from(node: &CrawledNode) -> CrawlReport {
        CrawlReport {
            answered: 1,
            known: 0,
            moves: node.moves.len() as u64,
            pruned: node.pruned,
            illegal: node.illegal.len() as u64,
            flagged: u64::from(node.is_flagged()),
        }
    }
}

impl AddAssign for CrawlReport {
    fn add_assign(&mut self, other: CrawlReport) {
        self.answered += other.answered;
        self.known += other.known;
        self.moves += other.moves;
        self.pruned += other.pruned;
        self.illegal += other.illegal;
        self.flagged += other.flagged;
    }
}

/// Why a crawl ended. In every case all that was answered before has reached the sink.
#[derive(Debug)]
#[non_exhaustive]
pub enum CrawlEnd<E> {
    /// There is nothing left to ask for.
    Complete,
    /// The caller asked to stop.
    Cancelled,
    /// The explorer gives no more answers.
    Explorer(ExplorerError),
    /// The sink could not keep a node.
    Sink(E),
    /// A move that an earlier run is said to have kept cannot be played.
    Known {
        epd: String,
        /// What is wrong with the move.
        source: UciError,
    },
}
