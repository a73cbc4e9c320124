//! Answers that could be true: legal moves, plausible numbers, always the same for the same position.

use std::io;

use shakmaty::{CastlingMode, Chess, MoveList, Position, fen::Fen};

pub(crate) struct Asked {
    moves: MoveList,
    multipv: usize,
    /// Between -50 and 50, from the text of the position.
    cp: i32,
}

impl Asked {
    pub(crate) fn new(fen: &str, multipv: usize) -> io::Result<Asked> {
        let position: Chess = fen
            .parse::<Fen>()
            .map_err(io::Error::other)?
            .into_position(CastlingMode::Standard)
            .map_err(io::Error::other)?;
        let sum: u32 = fen.bytes().map(u32::from).sum();
        Ok(Asked {
            moves: position.legal_moves(),
            multipv,
            cp: (sum % 101).cast_signed() - 50,
        })
    }

    fn uci(&self, slot: usize) -> String {
        match self.moves.get(slot) {
            Some(m) => m.to_uci(CastlingMode::Standard).to_string(),
            None => "(none)".to_owned(),
        }
    }

    pub(crate) fn best(&self) -> String {
        self.uci(0)
    }

    /// One `info` line; slots count from 0. Each is a little worse than the one before.
    pub(crate) fn line(&self, depth: u8, slot: usize, worse: i32) -> String {
        format!(
            "info depth {depth} seldepth {} multipv {} score cp {} nodes {} nps 1000000 hashfull 1 tbhits 0 time 1 pv {}",
            depth + 2,
            slot + 1,
            self.cp - worse,
            1000 * u64::from(depth),
            self.uci(slot)
        )
    }

    /// All lines, and the move.
    pub(crate) fn answer(&self) -> String {
        let slots = self.multipv.min(self.moves.len());
        let lines: Vec<_> = (0..slots)
            .zip(0..)
            .map(|(slot, worse)| self.line(10, slot, worse))
            .collect();
        format!("{}\nbestmove {}", lines.join("\n"), self.best())
    }
}
