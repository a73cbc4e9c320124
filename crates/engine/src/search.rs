//! What a pool is asked, and what it answers.

use shakmaty::{CastlingMode, Chess, Position, fen::Fen};
use tabiya_chess::{Analysis, EngineLine, Eval, SearchLimit, full_fen};

/// One position to think about.
#[derive(Clone, Debug)]
pub struct Search {
    /// The position, of standard chess or of Chess960.
    pub position: Chess,
    /// How long to think. Without any limit no engine is asked.
    pub limit: SearchLimit,
    /// How many lines are wanted; there are never more than legal moves. At least one.
    pub multipv: u8,
}

/// Positions that one engine thinks about in order: a game, or a single position.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The positions.
    pub searches: Vec<Search>,
    /// What the engine may remember.
    pub memory: Memory,
}

/// What an engine may remember when it comes to a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: every answer depends on its position alone.
    #[default]
    Nothing,
    /// The positions of the same unit before it. Faster for a game's positions, and still reproducible as long as no engine fails
    /// in between.
    OfUnit,
    /// Whatever it thought about before, in other units too. The fastest for neighbours in a tree; what comes out depends on
    /// which engine had which unit.
    Everything,
}

/// What came of one position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// It was answered.
    Done(Analysis),
    /// It was given up.
    Quarantined {
        /// How often it was tried.
        tries: u32,
        /// What went wrong the last time.
        reason: String,
    },
    /// It was not tried to the end, through no fault of its own: ask again.
    NotDone(NotDone),
}

/// Why a position was not tried to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDone {
    /// The pool was asked to stop.
    Stopped,
    /// No engine can be started any more; this is what the last one said.
    NoEngine(String),
}

impl Search {
    /// How many lines an answer has.
    pub(crate) fn wanted(&self) -> usize {
        usize::from(self.multipv.max(1)).min(self.position.legal_moves().len())
    }

    /// Why no engine should see this, if so.
    pub(crate) fn objection(&self) -> Option<String> {
        let endless = "the search has no limit: give it a depth, a number of nodes or a time";
        self.limit.is_unlimited().then(|| endless.to_owned())
    }

    /// How castling is written here: as in Chess960 only where standard chess could not say it.
    pub(crate) fn castling_mode(&self) -> CastlingMode {
        match self.position.castles().mode() {
            CastlingMode::Chess960 if !self.castles_as_usual() => CastlingMode::Chess960,
            _ => CastlingMode::Standard,
        }
    }

    fn castles_as_usual(&self) -> bool {
        let fen: Option<Fen> = full_fen(&self.position).parse().ok();
        fen.is_some_and(|fen| fen.into_position::<Chess>(CastlingMode::Standard).is_ok())
    }

    /// The answer to a position in which the game is over, which needs no engine.
    pub(crate) fn over(&self, engine: &str) -> Option<Analysis> {
        let line = EngineLine {
            index: 1,
            eval: Eval::at_end(&self.position)?,
            depth: 0,
            seldepth: None,
            wdl: None,
            moves: Vec::new(),
        };
        Some(Analysis {
            engine: engine.to_owned(),
            limit: self.limit,
            multipv: self.multipv.max(1),
            lines: vec![line],
            nodes: 0,
            millis: 0,
            hashfull: None,
            tbhits: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;
    use tabiya_chess::{parse_fen, parse_fen_with_mode};

    use super::*;

    fn search(fen: &str) -> Search {
        Search {
            position: parse_fen(fen).expect(fen).position,
            limit: SearchLimit::depth(5),
            multipv: 3,
        }
    }

    #[test]
    fn a_game_that_is_over_needs_no_engine() {
        for (fen, eval) in [
            (
                "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
                Eval::Checkmate(Color::Black),
            ),
            ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Eval::Checkmate(Color::White)),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Eval::Cp(0)),
        ] {
            let analysis = search(fen).over("Stockfish 17").expect(fen);
            assert_eq!((analysis.lines.len(), analysis.depth()), (1, 0), "{fen}");
            let best = analysis.best().expect("a line");
            assert_eq!((best.eval, best.moves.len()), (eval, 0), "{fen}");
        }
        // Nobody can win this, but there are moves.
        assert_eq!(search("8/8/4k3/8/8/3K4/8/8 w - - 0 1").over("Stockfish 17"), None);
    }

    #[test]
    fn no_more_lines_than_moves() {
        assert_eq!(search("7k/8/6K1/8/8/8/8/R7 b - - 0 1").wanted(), 1);
        assert_eq!(
            search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").wanted(),
            3
        );
    }

    #[test]
    fn some_searches_are_not_for_engines() {
        let mut endless = search("8/8/4k3/8/8/3K4/8/8 w - - 0 1");
        assert_eq!(endless.objection(), None);
        endless.limit = SearchLimit::default();
        assert!(endless.objection().is_some_and(|reason| reason.contains("no limit")));
    }

    #[test]
    fn chess960_is_written_as_such_only_where_it_must_be() {
        let chess960 = |fen: &str| Search {
            position: parse_fen_with_mode(fen, CastlingMode::Chess960).expect(fen).position,
            ..search("8/8/4k3/8/8/3K4/8/8 w - - 0 1")
        };
        let mode = |fen| chess960(fen).castling_mode();
        assert_eq!(
            mode("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            CastlingMode::Standard
        );
        assert_eq!(
            mode("bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w GDgd - 0 1"),
            CastlingMode::Chess960
        );
        assert_eq!(
            mode("bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w - - 0 1"),
            CastlingMode::Standard
        );
    }
}
