//! Random legal games, written as PGN with tags.
//!
//! Their openings are drawn from few moves and the rest from all, so that games share beginnings about as much as real
//! ones do. Their SAN is not like that of real games: more piece moves, checks and disambiguation, fewer castlings and
//! captures. Rates measured on them are good for comparing contenders, not for foretelling a real file's time.

use std::io::{self, Write};

use shakmaty::{Chess, Color, KnownOutcome, Move, MoveList, Outcome, Position, san::SanPlus};

use super::movetext::Movetext;
use crate::rng::{Rng, mix};

/// Half-moves that are drawn from few moves.
const OPENING: usize = 20;
/// How likely an opening's first choice is, then its second, and so on.
const FAVOURED: usize = 75;

/// Writes one game after the other, for ever.
#[derive(Debug)]
pub(crate) struct GameWriter {
    rng: Rng,
    number: u64,
    moves: Movetext,
}

impl GameWriter {
    pub(crate) fn seeded(seed: u64) -> GameWriter {
        GameWriter {
            rng: Rng::seeded(seed),
            number: 0,
            moves: Movetext::default(),
        }
    }

    /// Writes the next game; gives its half-moves.
    pub(crate) fn write_game(&mut self, out: &mut impl Write) -> io::Result<u64> {
        let wanted = self.rng.between(40, 120);
        let mut position = Chess::default();
        let mut plies = 0;
        while plies < wanted && !position.is_game_over() {
            let m = self.choose(&position, plies);
            if position.turn() == Color::White {
                self.moves.word(format_args!("{}.", plies / 2 + 1));
            }
            self.moves.word(SanPlus::from_move_and_play_unchecked(&mut position, m));
            plies += 1;
        }
        let result = match position.outcome() {
            Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
            Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
            Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
            Outcome::Unknown => ["1-0", "0-1", "1/2-1/2"][self.rng.below(3)],
        };
        self.moves.word(result);
        self.write_tags(out, result)?;
        writeln!(out, "{}\n", self.moves.take())?;
        Ok(plies as u64)
    }

    fn choose(&mut self, position: &Chess, plies: usize) -> Move {
        let moves: MoveList = position.legal_moves();
        if plies >= OPENING {
            return moves[self.rng.below(moves.len())];
        }
        let mut rank = 0;
        while !self.rng.percent(FAVOURED) {
            rank += 1;
        }
        let first = mix(u64::from(position.board().occupied()) ^ plies as u64) as usize;
        moves[(first.wrapping_add(rank)) % moves.len()]
    }

    fn write_tags(&mut self, out: &mut impl Write, result: &str) -> io::Result<()> {
        self.number += 1;
        let round = self.number % 11 + 1;
        let (white, black) = (self.rng.below(5000), self.rng.below(5000));
        writeln!(out, "[Event \"Random Legal Open {}\"]", self.number / 500 + 1)?;
        writeln!(out, "[Site \"Nowhere {}\"]", self.number % 97)?;
        writeln!(
            out,
            "[Date \"{}.{:02}.{:02}\"]",
            1990 + self.number % 36,
            self.number % 12 + 1,
            self.number % 28 + 1
        )?;
        writeln!(out, "[Round \"{round}.{}\"]", self.number % 40 + 1)?;
        writeln!(out, "[White \"Player,{white}\"]\n[Black \"Player,{black}\"]")?;
        writeln!(out, "[Result \"{result}\"]")?;
        writeln!(
            out,
            "[WhiteElo \"{}\"]\n[BlackElo \"{}\"]",
            1800 + white % 1000,
            1800 + black % 1000
        )?;
        writeln!(out, "[EventDate \"{}.01.01\"]\n", 1990 + self.number % 36)
    }
}
