//! What a crawl hands over.

use shakmaty::{Chess, Move, Position};
use tabiya_chess::PositionId;

use super::{CrawlOptions, Target};
use crate::{ExplorerAnswer, ExplorerMove, IllegalMove, OpeningName, Tally};

/// A position that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct CrawledNode {
    /// The position, with the counters of the shallowest way here that the crawl found.
    pub position: Chess,
    pub id: PositionId,
    /// Its text.
    pub epd: String,
    /// Half-moves from the nearest seed.
    pub depth: u32,
    /// Half-moves from the initial position, on the shallowest way here that the crawl found.
    pub ply: u32,
    /// How the games that reached it ended.
    pub tally: Tally,
    /// The mean rating of the players, where the server says it.
    pub average_rating: Option<u32>,
    /// The opening's name, where the server says it.
    pub opening: Option<OpeningName>,
    /// The moves with enough games and those that are always kept, in the server's order.
    pub moves: Vec<CrawledMove>,
    /// How many moves had too few games.
    pub pruned: u64,
    /// What the server listed as moves and cannot be used as such.
    pub illegal: Vec<IllegalMove>,
    /// How many positions were known and not answered yet, this one among them.
    pub waiting: usize,
}

/// A move that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct CrawledMove {
    /// The move and its counts.
    pub edge: ExplorerMove,
    /// The position behind it.
    pub child: Chess,
}

impl CrawledNode {
    pub(super) fn new(
        target: Target,
        answer: ExplorerAnswer,
        options: CrawlOptions,
        always: &[Move],
        waiting: usize,
    ) -> CrawledNode {
        let listed = answer.moves.len();
        let kept = answer
            .moves
            .into_iter()
            .filter(|m| m.tally.games() >= options.min_games || always.contains(&m.played));
        let moves: Vec<CrawledMove> = kept
            .map(|edge| {
                let mut child = target.position.clone();
                child.play_unchecked(edge.played);
                CrawledMove { edge, child }
            })
            .collect();
        CrawledNode {
            position: target.position,
            id: target.id,
            epd: target.epd,
            depth: target.depth,
            ply: target.ply,
            tally: answer.tally,
            average_rating: answer.average_rating,
            opening: answer.opening,
            pruned: (listed - moves.len()) as u64,
            moves,
            illegal: answer.illegal,
            waiting,
        }
    }

    /// Whether someone should look at it: the server listed something that is no move here.
    #[must_use]
    pub fn is_flagged(&self) -> bool {
        !self.illegal.is_empty()
    }
}
