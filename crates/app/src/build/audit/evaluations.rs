//! Are the evaluations of nodes as they should be? How many there are is no question of right or wrong.

use shakmaty::{Chess, Position};
use tabiya_chess::{Eval, PositionId, StoredEval, from_uci, parse_fen, to_san, turn_of};
use tabiya_store::{KnowledgeNode, NodeEvaluation};

use super::{Broken, Check};

pub(super) fn checks(nodes: &[KnowledgeNode]) -> [Check; 3] {
    let evaluated = || nodes.iter().filter_map(|node| Some((node, node.evaluation.as_ref()?)));
    let count = evaluated().count();
    let mut ranges = Broken::of("evaluations lie within ±1500, and mates are ±1000", count);
    let mut flags = Broken::of("dubious and busted moves are marked as such", count);
    let mut moves = Broken::of("best moves are legal, and missing only where the game is over", count);
    let initial = PositionId::of(&Chess::default());
    for (node, evaluation) in evaluated() {
        let StoredEval { cp, mate } = evaluation.eval;
        ranges.note(StoredEval::from(Eval::from(evaluation.eval)) != evaluation.eval, || {
            let mate = mate.map(|moves| format!(", mate {moves}")).unwrap_or_default();
            format!("{cp}{mate} in {}", node.epd)
        });
        let mover = (node.id != initial).then(|| turn_of(&node.epd).other());
        let marks = (
            mover.is_some_and(|mover| evaluation.eval.is_dubious_for(mover)),
            mover.is_some_and(|mover| evaluation.eval.is_busted_for(mover)),
        );
        flags.note(marks != (evaluation.is_dubious, evaluation.is_busted), || {
            format!("{cp} in {}", node.epd)
        });
        moves.note(!is_playable(&node.epd, evaluation), || match &evaluation.best_move {
            Some(best) => format!("{} in {}", best.san, node.epd),
            None => format!("none in {}", node.epd),
        });
    }
    [ranges, flags, moves].map(Broken::check)
}

fn is_playable(epd: &str, evaluation: &NodeEvaluation) -> bool {
    let Ok(start) = parse_fen(epd) else {
        return false;
    };
    match &evaluation.best_move {
        None => start.position.legal_moves().is_empty(),
        Some(best) => from_uci(&start.position, &best.uci).is_ok_and(|m| to_san(&start.position, m) == best.san),
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::Stats;
    use tabiya_store::{BestMove, NodeSource};

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -";

    fn node(epd: &str, cp: i32, mate: Option<i32>, best: Option<(&str, &str)>, flags: (bool, bool)) -> KnowledgeNode {
        KnowledgeNode {
            id: PositionId::from_text(epd),
            epd: epd.to_owned(),
            ply: 0,
            halfmove: 0,
            source: NodeSource::Corpus,
            stats: Stats::default(),
            opening: None,
            named: false,
            structure: None,
            is_branching: false,
            stub_count: 0,
            evaluation: Some(NodeEvaluation {
                eval: StoredEval { cp, mate },
                depth: 20,
                best_move: best.map(|(san, uci)| BestMove {
                    san: san.to_owned(),
                    uci: uci.to_owned(),
                }),
                is_dubious: flags.0,
                is_busted: flags.1,
                engine: "an engine".to_owned(),
            }),
        }
    }

    /// How many break each rule.
    fn broken(node: KnowledgeNode) -> [u64; 3] {
        checks(&[node]).map(|check| check.broken)
    }

    #[test]
    fn sound_evaluations_break_nothing() {
        let (none, both) = ((false, false), (true, true));
        for node in [
            node(START, -1500, None, Some(("Nf3", "g1f3")), none),
            node(AFTER_E4, -50, None, Some(("e5", "e7e5")), (true, false)),
            node(AFTER_E4, -1000, Some(-4), Some(("e5", "e7e5")), both),
            node(AFTER_E4, 1000, Some(4), Some(("e5", "e7e5")), none),
            node(MATED, -1000, Some(0), None, none),
        ] {
            assert_eq!(broken(node.clone()), [0; 3], "{node:?}");
        }
    }

    #[test]
    fn each_rule_can_be_broken() {
        let none = (false, false);
        let e5 = Some(("e5", "e7e5"));
        assert_eq!(broken(node(AFTER_E4, 1501, None, e5, none)), [1, 0, 0]);
        assert_eq!(broken(node(AFTER_E4, 1000, Some(-4), e5, none)), [1, 0, 0]);
        assert_eq!(broken(node(AFTER_E4, 20, Some(0), e5, none)), [1, 0, 0]);
        assert_eq!(broken(node(AFTER_E4, -50, None, e5, none)), [0, 1, 0]);
        assert_eq!(broken(node(AFTER_E4, 0, None, e5, (false, true))), [0, 1, 0]);
        assert_eq!(
            broken(node(START, -200, None, Some(("Nf3", "g1f3")), (true, true))),
            [0, 1, 0]
        );
        assert_eq!(broken(node(AFTER_E4, 0, None, None, none)), [0, 0, 1]);
        assert_eq!(broken(node(AFTER_E4, 0, None, Some(("e4", "e2e4")), none)), [0, 0, 1]);
        assert_eq!(broken(node(AFTER_E4, 0, None, Some(("e6", "e7e5")), none)), [0, 0, 1]);
    }
}
