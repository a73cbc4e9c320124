//! Lines, and which answer serves which question.

use shakmaty::uci::UciMove;

use super::SearchLimit;
use crate::Eval;

/// Chances out of 1,000, White's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wdl {
    /// White wins.
    pub win: u16,
    /// Nobody wins.
    pub draw: u16,
    /// Black wins.
    pub loss: u16,
}

/// One line of an answer: what the engine would play, and what it thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineLine {
    /// 1 for the best move, 2 for the second best.
    pub index: u8,
    /// The evaluation, White's.
    pub eval: Eval,
    /// How deep this line was searched, in half-moves.
    pub depth: u8,
    /// The deepest half-move looked at.
    pub seldepth: Option<u8>,
    /// Chances, where the engine gives them.
    pub wdl: Option<Wdl>,
    /// The moves. Castling is the king's two steps, or the king taking its rook where a position has rights that only
    /// Chess960 knows. Empty only where the game is over, or where somebody noted down no more than the evaluation.
    pub moves: Vec<UciMove>,
}

/// What an engine answered about one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The engine's own name with its version, as in UCI's `id name`, or that of the service.
    pub engine: String,
    /// What it was given to think.
    pub limit: SearchLimit,
    /// How many lines were asked for; there are fewer where there are fewer legal moves.
    pub multipv: u8,
    /// The lines by index, all of the deepest depth that was finished. Checkmate and stalemate have one, without moves.
    pub lines: Vec<EngineLine>,
    /// Positions searched.
    pub nodes: u64,
    /// Milliseconds it took.
    pub millis: u64,
    /// How full the hash was, out of 1,000.
    pub hashfull: Option<u16>,
    /// Positions looked up in tablebases.
    pub tbhits: u64,
}

/// What one would like to know of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// How long an engine would think about it.
    pub limit: SearchLimit,
    /// How many lines are wanted; with 0 an evaluation alone will do.
    pub multipv: u8,
    /// Whose answer alone counts; `None` for anybody's.
    pub engine: Option<String>,
}

impl Analysis {
    /// The best line.
    #[must_use]
    pub fn best(&self) -> Option<&EngineLine> {
        self.lines.first()
    }

    /// The depth of the best line; 0 where there is none.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.best().map_or(0, |line| line.depth)
    }

    /// Whether nothing would be learned by asking again: the same was asked, or this went further.
    ///
    /// A limit is served by itself, a depth by a deeper one, too, and a number of nodes by more. Time says nothing from one
    /// machine to the next: more of it, and nothing else, serves only a question to this engine. Of several limits together
    /// one that is reached will do. `legal_moves` is how many moves there are: no answer can have more lines.
    #[must_use]
    pub fn serves(&self, question: &Question, legal_moves: usize) -> bool {
        if question.engine.as_ref().is_some_and(|engine| *engine != self.engine) {
            return false;
        }
        if legal_moves == 0 {
            return !self.lines.is_empty();
        }
        if self.lines.is_empty() || self.lines.len() < legal_moves.min(usize::from(question.multipv)) {
            return false;
        }
        // A number in a game's comment has no move to it.
        if question.multipv > 0 && self.lines[0].moves.is_empty() {
            return false;
        }
        let (asked, limit) = (&question.limit, &self.limit);
        limit == asked
            || asked.depth.is_some_and(|depth| self.depth() >= depth)
            || asked.nodes.is_some_and(|nodes| self.nodes >= nodes)
            || asked.millis.is_some_and(|millis| {
                question.engine.is_some()
                    && limit
                        .millis
                        .is_some_and(|spent| spent >= millis && limit.depth.is_none() && limit.nodes.is_none())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(limit: SearchLimit, depth: u8, lines: u8) -> Analysis {
        let line = |index| EngineLine {
            index,
            eval: Eval::Cp(20),
            depth,
            seldepth: None,
            wdl: None,
            moves: vec![UciMove::from_ascii(b"e2e4").expect("a move")],
        };
        Analysis {
            engine: "Stockfish 17".to_owned(),
            limit,
            multipv: lines,
            lines: (1..=lines).map(line).collect(),
            nodes: 1_000_000,
            millis: 700,
            hashfull: None,
            tbhits: 0,
        }
    }

    fn asking(limit: SearchLimit, multipv: u8) -> Question {
        Question {
            limit,
            multipv,
            engine: None,
        }
    }

    #[test]
    fn a_deeper_answer_serves_a_shallower_question() {
        let deep = analysis(SearchLimit::depth(22), 22, 3);
        assert!(deep.serves(&asking(SearchLimit::depth(18), 1), 20));
        assert!(deep.serves(&asking(SearchLimit::depth(22), 3), 20));
        assert!(!deep.serves(&asking(SearchLimit::depth(23), 1), 20));
        assert!(!deep.serves(&asking(SearchLimit::depth(18), 4), 20));
    }

    #[test]
    fn no_answer_has_more_lines_than_there_are_moves() {
        let only_move = analysis(SearchLimit::depth(22), 22, 1);
        assert!(only_move.serves(&asking(SearchLimit::depth(22), 3), 1));
        assert!(!only_move.serves(&asking(SearchLimit::depth(22), 3), 2));
        assert!(only_move.serves(&asking(SearchLimit::depth(99), 3), 0));
    }

    #[test]
    fn a_bare_evaluation_serves_whoever_wants_no_line() {
        let mut bare = analysis(SearchLimit::depth(22), 22, 1);
        bare.lines[0].moves.clear();
        assert!(bare.serves(&asking(SearchLimit::depth(18), 0), 20));
        assert!(!bare.serves(&asking(SearchLimit::depth(18), 1), 20));
    }

    #[test]
    fn nodes_serve_fewer_nodes() {
        let answer = analysis(SearchLimit::nodes(1_000_000), 19, 1);
        assert!(answer.serves(&asking(SearchLimit::nodes(500_000), 1), 20));
        assert!(answer.serves(&asking(SearchLimit::depth(19), 1), 20));
        assert!(!answer.serves(&asking(SearchLimit::nodes(2_000_000), 1), 20));
    }

    #[test]
    fn time_serves_the_same_engine_only() {
        let answer = analysis(SearchLimit::millis(700), 19, 1);
        let mut question = asking(SearchLimit::millis(500), 1);
        assert!(!answer.serves(&question, 20));
        question.engine = Some("Stockfish 17".to_owned());
        assert!(answer.serves(&question, 20));
        question.engine = Some("Stockfish 16".to_owned());
        assert!(!answer.serves(&question, 20));
    }

    #[test]
    fn the_same_question_is_answered_though_the_engine_stopped_early() {
        let answer = analysis(SearchLimit::depth(40), 12, 1);
        assert!(answer.serves(&asking(SearchLimit::depth(40), 1), 20));
        assert!(!answer.serves(&asking(SearchLimit::depth(39), 1), 20));
    }
}
