//! The games of a set, as they lie in memory: moves and texts in the blocks they were read in.

use tabiya_chess::{Opening, Outcome};
use tabiya_counts::PackedMove;

use super::{
    date::Date,
    texts::{Interner, TextId, Texts},
};

/// A player of the set, by the order of first appearance.
pub(super) type PlayerId = u32;

/// Games of one block of a file, written by one worker and kept as they are: copying them together would cost as much as
/// the trie does.
#[derive(Debug)]
pub(super) struct Block {
    /// Two bytes each: how they are written and what positions they lead to is found out when somebody asks.
    pub(super) moves: Vec<PackedMove>,
    /// Names, dates and addresses of all games.
    pub(super) texts: Texts,
    pub(super) games: Vec<BlockGame>,
    pub(super) left_out: Vec<BlockLeftOut>,
}

/// A game within its block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockGame {
    pub(super) first_move: u32,
    pub(super) plies: u32,
    pub(super) white: TextId,
    pub(super) black: TextId,
    pub(super) date: TextId,
    pub(super) url: TextId,
    pub(super) event: TextId,
    pub(super) site: TextId,
    pub(super) round: TextId,
    /// What the date says, if it says anything.
    pub(super) day: Option<Date>,
    pub(super) outcome: Option<Outcome>,
    /// The name of the last position that has one.
    pub(super) opening: Option<&'static Opening>,
}

/// A game that is not part of the set.
#[derive(Debug, Clone)]
pub(super) struct BlockLeftOut {
    /// Counted from 0 within the block.
    pub(super) index: u64,
    pub(super) offset: u64,
    pub(super) reason: String,
}

/// What is asked of every game many times, close together.
#[derive(Debug, Clone, Copy)]
struct Record {
    block: u32,
    first_move: u32,
    plies: u32,
    white: PlayerId,
    black: PlayerId,
}

/// What came before a block.
#[derive(Debug, Clone, Copy)]
struct Before {
    games: u32,
    moves: u64,
}

/// All games of a set, by id.
#[derive(Debug)]
pub(super) struct Games {
    blocks: Vec<Block>,
    before: Vec<Before>,
    records: Vec<Record>,
    /// Every player is one behind their id there, since no name is empty.
    players: Interner,
    moves: u64,
}

impl Games {
    pub(super) fn new() -> Games {
        Games {
            blocks: Vec::new(),
            before: Vec::new(),
            records: Vec::new(),
            players: Interner::new(),
            moves: 0,
        }
    }

    /// Takes in a block, whose games get the next ids.
    pub(super) fn add(&mut self, block: Block) {
        const UNKNOWN: PlayerId = PlayerId::MAX;
        if block.games.is_empty() {
            return;
        }
        let number = self.blocks.len() as u32;
        self.before.push(Before {
            games: self.len(),
            moves: self.moves,
        });
        // Most players have several games in a block, and are looked for once.
        let mut ids = vec![UNKNOWN; block.texts.len()];
        let mut player = |name: TextId| {
            let id = &mut ids[name.index()];
            if *id == UNKNOWN {
                *id = self.players.take(block.texts.get(name)).index() as PlayerId - 1;
            }
            *id
        };
        for game in &block.games {
            self.records.push(Record {
                block: number,
                first_move: game.first_move,
                plies: game.plies,
                white: player(game.white),
                black: player(game.black),
            });
        }
        self.moves += block.moves.len() as u64;
        self.blocks.push(block);
    }

    pub(super) fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Half-moves of all games.
    pub(super) fn total_moves(&self) -> u64 {
        self.moves
    }

    pub(super) fn player_count(&self) -> usize {
        self.players.texts().len() - 1
    }

    #[inline]
    pub(super) fn moves(&self, id: u32) -> &[PackedMove] {
        let (block, moves) = self.place(id);
        &self.blocks[block].moves[moves]
    }

    /// The four moves behind so many half-moves of a game, the first one in the lowest bits; 0 for those behind its last.
    #[inline]
    pub(super) fn ahead(&self, id: u32, ply: u32) -> u64 {
        let record = &self.records[id as usize];
        let moves = &self.blocks[record.block as usize].moves;
        let from = (record.first_move + ply.min(record.plies)) as usize;
        let to = (record.first_move + record.plies.min(ply + 4)) as usize;
        let ahead = &moves[from..to];
        match ahead.first_chunk::<4>() {
            Some(all) => all
                .iter()
                .rev()
                .fold(0, |bits, played| bits << 16 | u64::from(played.bits())),
            None => ahead
                .iter()
                .rev()
                .fold(0, |bits, played| bits << 16 | u64::from(played.bits())),
        }
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that has its moves, and where they are in it.
    #[inline]
    pub(super) fn place(&self, id: u32) -> (usize, std::ops::Range<usize>) {
        let record = &self.records[id as usize];
        let first = record.first_move as usize;
        (record.block as usize, first..first + record.plies as usize)
    }

    pub(super) fn plies(&self, id: u32) -> u32 {
        self.records[id as usize].plies
    }

    pub(super) fn opening(&self, id: u32) -> Option<&'static Opening> {
        self.in_block(id).1.opening
    }

    /// The number of its first move among the moves of all games.
    pub(super) fn moves_before(&self, id: u32) -> u64 {
        let record = &self.records[id as usize];
        self.before[record.block as usize].moves + u64::from(record.first_move)
    }

    pub(super) fn white(&self, id: u32) -> PlayerId {
        self.records[id as usize].white
    }

    pub(super) fn black(&self, id: u32) -> PlayerId {
        self.records[id as usize].black
    }

    pub(super) fn name(&self, player: PlayerId) -> &str {
        self.players.texts().get(TextId::from_index(player as usize + 1))
    }

    /// Who makes the game's half-move `ply`, counted from 1.
    pub(super) fn mover(&self, id: u32, ply: u32) -> PlayerId {
        if ply % 2 == 1 { self.white(id) } else { self.black(id) }
    }

    /// `None` where it is not over, or nobody knows.
    pub(super) fn outcome(&self, id: u32) -> Option<Outcome> {
        self.in_block(id).1.outcome
    }

    /// As PGN writes it.
    pub(super) fn result(&self, id: u32) -> &'static str {
        self.outcome(id).map_or("*", Outcome::as_str)
    }

    /// Empty where it is not known.
    pub(super) fn date(&self, id: u32) -> &str {
        self.text(id, |game| game.date)
    }

    /// The same as a day, or a month, or a year.
    pub(super) fn day(&self, id: u32) -> Option<Date> {
        self.in_block(id).1.day
    }

    /// Empty where there is none.
    pub(super) fn url(&self, id: u32) -> &str {
        self.text(id, |game| game.url)
    }

    /// Empty where it is not known, as the two below.
    pub(super) fn event(&self, id: u32) -> &str {
        self.text(id, |game| game.event)
    }

    pub(super) fn site(&self, id: u32) -> &str {
        self.text(id, |game| game.site)
    }

    pub(super) fn round(&self, id: u32) -> &str {
        self.text(id, |game| game.round)
    }

    fn text(&self, id: u32, which: impl Fn(&BlockGame) -> TextId) -> &str {
        let (block, game) = self.in_block(id);
        block.texts.get(which(game))
    }

    #[inline]
    fn in_block(&self, id: u32) -> (&Block, &BlockGame) {
        let number = self.records[id as usize].block as usize;
        let block = &self.blocks[number];
        (block, &block.games[(id - self.before[number].games) as usize])
    }
}
