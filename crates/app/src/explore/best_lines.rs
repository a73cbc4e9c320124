//! What an engine would play in a position, line by line.

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, EngineLine, Question, SearchLimit, StoredEval, to_san, to_uci};

use super::{Asked, KnowledgeBase};
use crate::AppError;

/// One of an engine's lines, in both notations.
#[derive(Debug, Clone, PartialEq)]
pub struct BestLine {
    pub engine: String,
    /// 1 for the best.
    pub rank: u8,
    pub eval: StoredEval,
    pub depth: u8,
    pub san: Vec<String>,
    pub uci: Vec<String>,
}

impl KnowledgeBase {
    /// The lines of the deepest answer about a position that has moves in it; none where there is none. They lie in the
    /// database alone: few positions have any, and only who looks at one asks for them.
    pub(super) async fn best_lines(&self, asked: &Asked) -> Result<Vec<BestLine>, AppError> {
        let any = Question {
            limit: SearchLimit::depth(1),
            multipv: 1,
            engine: None,
        };
        let found = self.store().find_analysis(asked.position(), &any).await?;
        Ok(found.map_or_else(Vec::new, |analysis| spoken(asked.position(), &analysis)))
    }
}

fn spoken(position: &Chess, analysis: &Analysis) -> Vec<BestLine> {
    let spoken = analysis.lines.iter().map(|line| {
        let (san, uci) = moves(position, line);
        BestLine {
            engine: analysis.engine.clone(),
            rank: line.index,
            eval: line.eval.into(),
            depth: line.depth,
            san,
            uci,
        }
    });
    spoken.filter(|line| !line.san.is_empty()).collect()
}

/// As far as they are legal; an import by others may have been wrong.
fn moves(position: &Chess, line: &EngineLine) -> (Vec<String>, Vec<String>) {
    let mut at = position.clone();
    let (mut san, mut uci) = (Vec::new(), Vec::new());
    for written in &line.moves {
        let Ok(m) = written.to_move(&at) else { break };
        san.push(to_san(&at, m));
        uci.push(to_uci(&at, m));
        at.play_unchecked(m);
    }
    (san, uci)
}
