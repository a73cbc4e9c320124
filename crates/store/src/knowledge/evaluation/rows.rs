//! Evaluations of nodes.

use shakmaty::Chess;
use tabiya_chess::{Analysis, PositionId, Question, StoredEval, from_uci, to_san, to_uci};

/// What an engine would play.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BestMove {
    pub san: String,
    pub uci: String,
}

/// An evaluation to be shown at a node. Whether it makes the move that led there dubious is for the store to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAnnotation {
    pub node: PositionId,
    pub eval: StoredEval,
    /// Half-moves.
    pub depth: u8,
    /// `None` only where the game is over.
    pub best_move: Option<BestMove>,
    pub engine: String,
}

impl NodeAnnotation {
    /// What an answer says of the position it is about; `None` where it has no line or its move is not legal there.
    pub fn of(position: &Chess, analysis: &Analysis) -> Option<NodeAnnotation> {
        let best = analysis.best()?;
        let best_move = match best.moves.first() {
            Some(uci) => {
                let played = from_uci(position, &uci.to_string()).ok()?;
                Some(BestMove {
                    san: to_san(position, played),
                    uci: to_uci(position, played),
                })
            }
            None => None,
        };
        Some(NodeAnnotation {
            node: PositionId::of(position),
            eval: best.eval.into(),
            depth: best.depth,
            best_move,
            engine: analysis.engine.clone(),
        })
    }
}

/// The evaluation a node shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeEvaluation {
    pub eval: StoredEval,
    /// Half-moves.
    pub depth: u8,
    /// `None` only where the game is over.
    pub best_move: Option<BestMove>,
    /// Whether the side that just moved stands at −50 or worse. Nobody moved to the initial position.
    pub is_dubious: bool,
    /// Whether it stands at −150 or worse.
    pub is_busted: bool,
    pub engine: String,
}

/// How many nodes there are and how many of them show an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EvaluationCoverage {
    pub nodes: u64,
    pub evaluated: u64,
    pub branching: u64,
    pub branching_evaluated: u64,
    pub terminal: u64,
    pub terminal_evaluated: u64,
}

/// How much engines have said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluationCounts {
    pub positions: u64,
    pub evaluations: u64,
    /// Evaluations of each engine, by name.
    pub by_engine: Vec<(String, u64)>,
}

/// A position that no engine could answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    pub position: PositionId,
    pub epd: String,
    pub question: Question,
    /// How often it was tried.
    pub tries: u32,
    /// How the last try ended.
    pub reason: String,
    pub quarantined_at: String,
}
