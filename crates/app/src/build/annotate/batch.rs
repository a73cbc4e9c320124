//! Positions that are worked on together, and how they travel.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{PositionId, Question, SearchLimit, parse_fen};

use super::neighbours::Child;
use crate::AppError;

/// Neighbouring positions, in an order in which each has something of the one before it. One engine goes through them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    pub positions: Vec<BatchPosition>,
    pub multipv: u8,
    /// Whether the engine keeps what it remembers from one position to the next.
    pub reuse_hash: bool,
    /// Whether only the engine's own evaluations count, not those of others.
    pub engine_only: bool,
    /// By how many centipawns neighbours may differ; whoever works on it decides where nobody has said it.
    #[serde(default)]
    pub gap: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchPosition {
    pub fen: String,
    /// In the words of UCI's `go`.
    pub limit: String,
    /// The moves that lead there, for whoever watches.
    pub line: String,
    pub games: u64,
    /// Whether the node shows an evaluation; one that its continuations contradict does not replace it.
    pub shown: bool,
    pub children: Vec<Child>,
}

/// A position of a batch, understood.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) position: Chess,
    pub(super) id: PositionId,
    pub(super) limit: SearchLimit,
}

impl Batch {
    /// What it is called in a queue: the same positions with the same limits, answered in the same way, are the same work.
    pub fn key(&self) -> String {
        let mut hash = tabiya_chess::Fnv1a::new();
        hash.update(&[u8::from(self.engine_only), u8::from(self.reuse_hash)]);
        if let Some(gap) = self.gap {
            hash.update(&gap.to_le_bytes());
        }
        for position in &self.positions {
            hash.update(position.fen.as_bytes());
            hash.update(b"\n");
            hash.update(position.limit.as_bytes());
            hash.update(b"\n");
        }
        format!("annotate-{:016x}-{}", hash.value(), self.multipv)
    }

    /// The games of its most played position: what it is queued by.
    pub fn games(&self) -> u64 {
        self.positions.iter().map(|position| position.games).max().unwrap_or(0)
    }

    /// Understands all positions; a job that was written by other hands may hold anything.
    pub(super) fn understand(&self) -> Result<Vec<Asked>, AppError> {
        let understand = |position: &BatchPosition| {
            let bad = |reason: String| AppError::BadFen {
                fen: position.fen.clone(),
                reason,
            };
            let start = parse_fen(&position.fen).map_err(|error| bad(error.to_string()))?;
            Ok(Asked {
                id: PositionId::of(&start.position),
                position: start.position,
                limit: position
                    .limit
                    .parse()
                    .map_err(|error: tabiya_chess::ParseLimitError| bad(error.to_string()))?,
            })
        };
        self.positions.iter().map(understand).collect()
    }
}

impl Asked {
    pub(super) fn question(&self, multipv: u8, engine: Option<&str>) -> Question {
        Question {
            limit: self.limit,
            multipv,
            engine: engine.map(str::to_owned),
        }
    }

    pub(super) fn legal_moves(&self) -> usize {
        self.position.legal_moves().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ways_to_answer_are_other_work() {
        let usual = Batch {
            positions: Vec::new(),
            multipv: 3,
            reuse_hash: false,
            engine_only: false,
            gap: Some(100),
        };
        let others = [
            Batch {
                multipv: 1,
                ..usual.clone()
            },
            Batch {
                reuse_hash: true,
                ..usual.clone()
            },
            Batch {
                engine_only: true,
                ..usual.clone()
            },
            Batch {
                gap: Some(200),
                ..usual.clone()
            },
        ];
        let keys: std::collections::HashSet<String> = others.iter().chain([&usual]).map(Batch::key).collect();
        assert_eq!(keys.len(), 5);
        assert_eq!(usual.clone().key(), usual.key());
    }

    #[test]
    fn a_batch_says_what_its_answers_are_measured_by() {
        let sent = Batch {
            positions: Vec::new(),
            multipv: 3,
            reuse_hash: false,
            engine_only: false,
            gap: Some(250),
        };
        let text = serde_json::to_string(&sent).expect("JSON");
        assert_eq!(serde_json::from_str::<Batch>(&text).expect("a batch"), sent);
        // Those that lie in queues since before do not.
        let older = r#"{"positions": [], "multipv": 3, "reuse_hash": false, "engine_only": false}"#;
        assert_eq!(serde_json::from_str::<Batch>(older).expect("a batch").gap, None);
    }
}
