//! What a worker hands over for a stretch of games.

use std::sync::LazyLock;

use shakmaty::{Chess, Move, Position as _};

use crate::{
    GameInfo, PackedMove, PositionKey,
    departure::{Departure, PARTITIONS},
    texts::BlockTexts,
};

/// A game that was followed.
#[derive(Debug, Clone, Copy)]
pub struct CountedGame {
    /// Equal for games with the same moves, players and date.
    pub identity: u64,
    pub info: GameInfo,
    /// Where its header ends in [`Block`].
    pub(crate) header_end: u32,
}

/// Departures that are put in order at a time: a quarter of a megabyte, which a core's own cache holds twice.
const STRETCH: usize = 1 << 14;

/// A departure of a game that has no number yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    pub(crate) key: u64,
    pub(crate) by: PackedMove,
    /// The game's place in its block.
    pub(crate) game: u32,
}

/// The departures of a stretch of games. Its buffers are used again.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// In the order of games, until they are [spread](Block::spread).
    departures: Vec<Left>,
    /// A stretch of games behind the other, each by partition; within one in the order of games. What lies behind the last end is left
    /// from before: to make room anew each time would be to write everything twice.
    spread: Vec<Left>,
    /// Where each partition's departures end, for each stretch.
    ends: Vec<u32>,
    pub(crate) games: Vec<CountedGame>,
    pub(crate) headers: Vec<u8>,
    /// Only where they are asked for.
    pub(crate) texts: Option<BlockTexts>,
}

impl Block {
    pub fn clear(&mut self) {
        self.departures.clear();
        self.ends.clear();
        self.games.clear();
        self.headers.clear();
        if let Some(texts) = &mut self.texts {
            texts.clear();
        }
    }

    pub fn games(&self) -> &[CountedGame] {
        &self.games
    }

    /// Puts the departures in the order of the files they go to, as long as they are near at hand; one by one they would be
    /// written to hundreds of places that are not.
    fn spread(&mut self) {
        let mut next = [0; PARTITIONS];
        for left in &self.departures {
            next[Departure::partition(left.key)] += 1;
        }
        let mut before = self.ends.last().copied().unwrap_or(0);
        for place in &mut next {
            before += std::mem::replace(place, before);
        }
        let nothing = Left {
            key: 0,
            by: PackedMove::NONE,
            game: 0,
        };
        if self.spread.len() < before as usize {
            self.spread.resize(before as usize, nothing);
        }
        for left in self.departures.drain(..) {
            let place = &mut next[Departure::partition(left.key)];
            self.spread[*place as usize] = left;
            *place += 1;
        }
        self.ends.extend(next);
    }

    /// Each partition's departures, in the order of partitions, stretch by stretch.
    pub(crate) fn partitions(&self) -> impl Iterator<Item = &[Left]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.spread[*start as usize..*end as usize])
    }
}

/// Follows one game after the other into a [`Block`].
#[derive(Debug, Clone)]
pub struct Tally {
    block: Block,
    max_ply: u32,
    key: PositionKey,
    /// The key of each position of this game so far; the last one is where it stands.
    path: Vec<u64>,
    /// Whether the position it stands in has been left before.
    repeated: bool,
    moves: u64,
    from: usize,
}

impl Tally {
    /// Counts positions up to `max_ply` half-moves from the start.
    pub fn new(block: Block, max_ply: u32) -> Tally {
        Tally {
            block: Block { texts: None, ..block },
            max_ply,
            key: PositionKey::of(&Chess::default()),
            path: Vec::with_capacity(128),
            repeated: false,
            moves: 0,
            from: 0,
        }
    }

    /// The same, and keeps each position's text beside its key.
    pub fn with_texts(mut block: Block, max_ply: u32) -> Tally {
        let texts = block.texts.take();
        let mut tally = Tally::new(block, max_ply);
        tally.block.texts = Some(texts.unwrap_or_default());
        tally
    }

    /// A game begins where most do.
    pub fn begin_initial(&mut self) {
        static INITIAL: LazyLock<(Chess, PositionKey)> = LazyLock::new(|| {
            let start = Chess::default();
            let key = PositionKey::of(&start);
            (start, key)
        });
        let (start, key) = &*INITIAL;
        self.begin_at(start, *key);
    }

    /// A game begins.
    pub fn begin(&mut self, start: &Chess) {
        self.begin_at(start, PositionKey::of(start));
    }

    fn begin_at(&mut self, start: &Chess, key: PositionKey) {
        self.key = key;
        self.path.clear();
        let key = self.key.value(start);
        self.path.push(key);
        self.note_text(key, start);
        self.repeated = false;
        self.moves = 0;
        self.from = self.block.departures.len();
    }

    /// Whether the game is followed any further.
    #[inline]
    pub fn full(&self) -> bool {
        self.path.len() > self.max_ply as usize
    }

    /// Half-moves followed so far.
    pub fn ply(&self) -> u32 {
        self.path.len() as u32 - 1
    }

    /// A legal move is about to be made.
    #[inline]
    pub fn playing(&mut self, before: &Chess, m: Move) {
        let by = PackedMove::of(m);
        if !self.repeated {
            self.leave(by);
        }
        self.key.play(before.turn(), m);
        self.tell_apart(u64::from(by.bits()));
    }

    /// It has been made.
    #[inline]
    pub fn reached(&mut self, after: &Chess) {
        let key = self.key.value(after);
        // A position can come back after four half-moves without a capture or pawn move at the earliest.
        let reversible = (after.halfmoves() as usize).min(self.path.len());
        self.repeated = reversible >= 4
            && self.path[self.path.len() - reversible..]
                .iter()
                .rev()
                .skip(3)
                .step_by(2)
                .any(|seen| *seen == key);
        self.path.push(key);
        self.note_text(key, after);
    }

    /// Takes something else about the game into its identity: the moves beyond the counted ones, its players.
    #[inline]
    pub fn tell_apart(&mut self, what: u64) {
        self.moves = (self.moves.rotate_left(29) ^ what).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    pub fn tell_apart_text(&mut self, text: &[u8]) {
        let (chunks, rest) = text.as_chunks::<8>();
        for chunk in chunks {
            self.tell_apart(u64::from_le_bytes(*chunk));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.tell_apart(u64::from_le_bytes(last));
        self.tell_apart(text.len() as u64);
    }

    /// The game counts. `header` writes what lists of games will show.
    pub fn count(&mut self, info: GameInfo, header: impl FnOnce(&mut Vec<u8>)) {
        if !self.repeated {
            self.leave(PackedMove::NONE);
        }
        header(&mut self.block.headers);
        self.block.games.push(CountedGame {
            identity: self.moves ^ self.moves >> 32,
            info,
            header_end: self.block.headers.len() as u32,
        });
        if self.block.departures.len() >= STRETCH {
            self.block.spread();
        }
    }

    /// The game does not count.
    pub fn discard(&mut self) {
        self.block.departures.truncate(self.from);
    }

    /// No games follow. Whoever has threads to spare asks for it where the games were read; else it is done on the way out.
    pub fn end_block(&mut self) {
        self.block.spread();
    }

    pub fn into_block(mut self) -> Block {
        if !self.block.departures.is_empty() {
            self.end_block();
        }
        self.block
    }

    #[inline]
    fn leave(&mut self, by: PackedMove) {
        let left = Left {
            key: self.here(),
            by,
            game: self.block.games.len() as u32,
        };
        self.block.departures.push(left);
    }

    /// A game that is discarded leaves its texts behind: a text without departures says nothing.
    #[inline]
    fn note_text(&mut self, key: u64, pos: &Chess) {
        if let Some(texts) = &mut self.block.texts {
            texts.note(key, pos);
        }
    }

    #[inline]
    fn here(&self) -> u64 {
        self.path.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::{Outcome, Speed, from_uci};

    use super::*;

    fn follow(line: &str, max_ply: u32) -> Block {
        let mut tally = Tally::new(Block::default(), max_ply);
        let mut pos = Chess::default();
        tally.begin(&pos);
        for uci in line.split_whitespace() {
            if tally.full() {
                break;
            }
            let m = from_uci(&pos, uci).expect("a legal move");
            tally.playing(&pos, m);
            pos.play_unchecked(m);
            tally.reached(&pos);
        }
        tally.count(GameInfo::new(Outcome::Draw, None, None, Speed::Unknown), |_| {});
        tally.into_block()
    }

    #[test]
    fn every_position_is_left_once() {
        let block = follow("e2e4 e7e5 g1f3", 50);
        let ends: Vec<bool> = block.spread.iter().map(|left| left.by == PackedMove::NONE).collect();
        assert_eq!((ends.len(), ends.iter().filter(|ends| **ends).count()), (4, 1));
    }

    #[test]
    fn a_position_that_comes_back_counts_with_its_first_departure() {
        let block = follow("g1f3 g8f6 f3g1 f6g8 e2e4", 50);
        // The initial position is left by Nf3; coming back to it and leaving it by e4 is not counted again.
        assert_eq!(block.spread.len(), 5);
        let unique: std::collections::HashSet<u64> = block.spread.iter().map(|left| left.key).collect();
        assert_eq!(unique.len(), 5);
        // A game that ends where it has been before leaves no second trace there.
        assert_eq!(follow("g1f3 g8f6 f3g1 f6g8", 50).spread.len(), 4);
    }

    #[test]
    fn texts_are_kept_once_a_block_and_only_on_request() {
        assert!(follow("e2e4", 50).texts.is_none());
        let mut tally = Tally::with_texts(Block::default(), 50);
        for _ in 0..2 {
            let pos = Chess::default();
            tally.begin(&pos);
            let m = from_uci(&pos, "e2e4").expect("a legal move");
            tally.playing(&pos, m);
            tally.reached(&pos.play(m).expect("a legal move"));
        }
        let mut block = tally.into_block();
        let texts: Vec<&str> = block
            .texts
            .iter()
            .flat_map(|texts| texts.iter())
            .map(|(_, text)| text)
            .collect();
        assert_eq!(
            texts,
            [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
            ]
        );
        block.clear();
        assert_eq!(block.texts.iter().flat_map(|texts| texts.iter()).count(), 0);
    }

    #[test]
    fn nothing_beyond_the_last_ply_is_counted() {
        let block = follow("e2e4 e7e5 g1f3 b8c6", 2);
        let ends = block.spread.iter().filter(|left| left.by == PackedMove::NONE);
        assert_eq!((block.spread.len(), ends.count()), (3, 1));
    }

    #[test]
    fn departures_lie_by_partition_and_within_one_in_the_order_of_games() {
        let mut tally = Tally::new(Block::default(), 50);
        for line in ["e2e4 e7e5", "d2d4", "e2e4 c7c5"] {
            let mut pos = Chess::default();
            tally.begin(&pos);
            for uci in line.split_whitespace() {
                let m = from_uci(&pos, uci).expect("a legal move");
                tally.playing(&pos, m);
                pos.play_unchecked(m);
                tally.reached(&pos);
            }
            tally.count(GameInfo::new(Outcome::Draw, None, None, Speed::Unknown), |_| {});
        }
        let block = tally.into_block();
        let partitions: Vec<&[Left]> = block.partitions().collect();
        assert_eq!(partitions.len(), PARTITIONS);
        for (part, lefts) in partitions.iter().enumerate() {
            assert!(lefts.iter().all(|left| Departure::partition(left.key) == part));
            assert!(lefts.is_sorted_by_key(|left| left.game));
        }
        let start = PositionKey::of(&Chess::default()).value(&Chess::default());
        let from_start = partitions[Departure::partition(start)];
        let games: Vec<u32> = (from_start.iter().filter(|left| left.key == start))
            .map(|left| left.game)
            .collect();
        assert_eq!(games, [0, 1, 2]);
    }
}
