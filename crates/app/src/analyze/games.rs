//! The games of a set, as they lie in memory: moves in the blocks they were read in.

use std::collections::HashMap;

use tabiya_chess::{Opening, Outcome};
use tabiya_counts::PackedMove;

/// A player of the set, by the order of first appearance.
pub(super) type PlayerId = u32;

/// Games of one block of a file, written by one worker and kept as they are: copying them together would cost as much as
/// the trie does.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Two bytes each: how they are written and what positions they lead to is found out when somebody asks.
    pub(super) moves: Vec<PackedMove>,
    /// Names, dates and addresses of all games, one behind the other.
    pub(super) text: String,
    pub(super) games: Vec<BlockGame>,
    pub(super) left_out: Vec<BlockLeftOut>,
}

/// A game within its block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockGame {
    pub(super) first_move: u32,
    pub(super) plies: u32,
    /// Where White's name begins, and where it, Black's name, the date, the address, the event, the site and the round end.
    pub(super) texts: [u32; 8],
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

#[derive(Debug, Clone, Copy)]
struct Record {
    block: u32,
    place: BlockGame,
    white: PlayerId,
    black: PlayerId,
    /// Moves of all games before it.
    moves_before: u64,
}

/// All games of a set, by id.
#[derive(Debug, Default)]
pub(super) struct Games {
    blocks: Vec<Block>,
    records: Vec<Record>,
    players: Vec<String>,
    by_name: HashMap<String, PlayerId>,
    moves: u64,
}

impl Games {
    /// Takes in a block; gives the ids of its games.
    pub(super) fn add(&mut self, block: Block) -> std::ops::Range<u32> {
        let first = self.records.len() as u32;
        let number = self.blocks.len() as u32;
        for place in &block.games {
            let [start, white, black, ..] = place.texts.map(|at| at as usize);
            let white_id = self.player(&block.text[start..white]);
            let black_id = self.player(&block.text[white..black]);
            self.records.push(Record {
                block: number,
                place: *place,
                white: white_id,
                black: black_id,
                moves_before: self.moves,
            });
            self.moves += u64::from(place.plies);
        }
        if !block.games.is_empty() {
            self.blocks.push(block);
        }
        first..self.records.len() as u32
    }

    fn player(&mut self, name: &str) -> PlayerId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.players.len() as PlayerId;
        self.players.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }

    pub(super) fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Half-moves of all games.
    pub(super) fn total_moves(&self) -> u64 {
        self.moves
    }

    pub(super) fn players(&self) -> &[String] {
        &self.players
    }

    #[inline]
    pub(super) fn moves(&self, id: u32) -> &[PackedMove] {
        let (block, moves) = self.place(id);
        &self.blocks[block].moves[moves]
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that has its moves, and where they are in it.
    #[inline]
    pub(super) fn place(&self, id: u32) -> (usize, std::ops::Range<usize>) {
        let record = &self.records[id as usize];
        let first = record.place.first_move as usize;
        (record.block as usize, first..first + record.place.plies as usize)
    }

    pub(super) fn opening(&self, id: u32) -> Option<&'static Opening> {
        self.records[id as usize].place.opening
    }

    /// The number of its first move among the moves of all games.
    pub(super) fn moves_before(&self, id: u32) -> u64 {
        self.records[id as usize].moves_before
    }

    pub(super) fn white(&self, id: u32) -> PlayerId {
        self.records[id as usize].white
    }

    pub(super) fn black(&self, id: u32) -> PlayerId {
        self.records[id as usize].black
    }

    pub(super) fn name(&self, player: PlayerId) -> &str {
        &self.players[player as usize]
    }

    /// Who makes the game's half-move `ply`, counted from 1.
    pub(super) fn mover(&self, id: u32, ply: u32) -> PlayerId {
        if ply % 2 == 1 { self.white(id) } else { self.black(id) }
    }

    /// `None` where it is not over, or nobody knows.
    pub(super) fn outcome(&self, id: u32) -> Option<Outcome> {
        self.records[id as usize].place.outcome
    }

    /// As PGN writes it.
    pub(super) fn result(&self, id: u32) -> &'static str {
        self.outcome(id).map_or("*", Outcome::as_str)
    }

    /// Empty where it is not known.
    pub(super) fn date(&self, id: u32) -> &str {
        self.text(id, 2)
    }

    /// Empty where there is none.
    pub(super) fn url(&self, id: u32) -> &str {
        self.text(id, 3)
    }

    /// Empty where it is not known, as the two below.
    pub(super) fn event(&self, id: u32) -> &str {
        self.text(id, 4)
    }

    pub(super) fn site(&self, id: u32) -> &str {
        self.text(id, 5)
    }

    pub(super) fn round(&self, id: u32) -> &str {
        self.text(id, 6)
    }

    fn text(&self, id: u32, number: usize) -> &str {
        let record = &self.records[id as usize];
        let texts = record.place.texts.map(|at| at as usize);
        &self.blocks[record.block as usize].text[texts[number]..texts[number + 1]]
    }
}
