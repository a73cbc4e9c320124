//! The order of the rules, candidates, critical and brilliant moves: every board for both colours.

use shakmaty::{Chess, EnPassantMode, Position, fen::Fen};

use super::*;
use crate::{from_uci, parse_fen};

/// A move as it was played, what was best instead of it, and what three searches said.
struct Case<'a> {
    fen: &'a str,
    played: &'a str,
    top: &'a str,
    eval: Eval,
    second: Option<Eval>,
    after: Eval,
    theory: bool,
}

impl<'a> Case<'a> {
    /// The top move was played, and nothing changed.
    fn top(fen: &'a str, played: &'a str) -> Case<'a> {
        Case {
            fen,
            played,
            top: played,
            eval: Eval::Cp(50),
            second: None,
            after: Eval::Cp(50),
            theory: false,
        }
    }

    /// All evaluations are from the mover's side here.
    fn verdict(&self, rules: RuleSet, mirror: bool) -> Verdict {
        let mut fen = self.fen.to_owned();
        let mut uci = [self.played.to_owned(), self.top.to_owned()];
        if mirror {
            let position = parse_fen(&fen).expect(&fen).position;
            let setup = position.to_setup(EnPassantMode::Legal).into_mirrored();
            fen = Fen::try_from_setup(setup).expect("a position").to_string();
            uci = uci.map(|text| flipped(&text));
        }
        let position = parse_fen(&fen).expect(&fen).position;
        let mover = position.turn();
        let [played, top] = uci.map(|text| from_uci(&position, &text).expect(&text));
        let next: Chess = position.clone().play(played).expect("a legal move");
        let white = |eval: Eval| Eval::from_mover(eval, mover);
        let before = Before {
            position: &position,
            eval: white(self.eval),
            top: Some(top),
            second: self.second.map(white),
            played,
        };
        let after = After {
            position: &next,
            eval: white(self.after),
            theory: self.theory,
        };
        classify(rules, &Thresholds::default(), &before, &after)
    }

    #[track_caller]
    fn is(&self, class: Class) -> Verdict {
        let verdict = self.verdict(RuleSet::Wintr, false);
        let mirrored = self.verdict(RuleSet::Wintr, true);
        assert_eq!(verdict.class, class, "{} {}", self.fen, self.played);
        assert_eq!(mirrored.class, class, "{} {} mirrored", self.fen, self.played);
        assert!((verdict.loss - mirrored.loss).abs() < 1e-12);
        assert_eq!(verdict.centipawn_loss, mirrored.centipawn_loss);
        verdict
    }
}

fn flipped(uci: &str) -> String {
    uci.chars()
        .map(|letter| match letter.to_digit(10) {
            Some(rank) => char::from_digit(9 - rank, 10).expect("a rank"),
            None => letter,
        })
        .collect()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn forced_comes_before_everything() {
    let only = Case {
        after: Eval::Mate(-1),
        theory: true,
        ..Case::top("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "h8g8")
    };
    let verdict = only.is(Class::Forced);
    assert_eq!(verdict.reason, Reason::OnlyMove);
}

#[test]
fn theory_comes_before_numbers() {
    let named = Case {
        top: "e2e4",
        after: Eval::Cp(-300),
        theory: true,
        ..Case::top(START, "f2f3")
    };
    named.is(Class::Theory);
    Case { theory: false, ..named }.is(Class::Blunder);
}

#[test]
fn checkmate_is_best_whatever_was_searched() {
    let mate = Case {
        top: "g1h1",
        after: Eval::Checkmate(shakmaty::Color::White),
        ..Case::top("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8")
    };
    let verdict = mate.is(Class::Best);
    assert_eq!((verdict.reason, verdict.loss), (Reason::Checkmate, 0.0));
}

#[test]
fn the_top_move_never_loses_anything() {
    let disputed = Case {
        after: Eval::Cp(-400),
        ..Case::top(START, "e2e4")
    };
    let verdict = disputed.is(Class::Best);
    assert_eq!((verdict.loss, verdict.centipawn_loss), (0.0, 0));
    assert!(verdict.accuracy > 99.9);
}

#[test]
fn other_moves_go_by_the_table() {
    let other = |after| Case {
        top: "e2e4",
        eval: Eval::Cp(0),
        after: Eval::Cp(after),
        ..Case::top(START, "a2a3")
    };
    other(-5).is(Class::Best);
    other(-30).is(Class::Excellent);
    other(-80).is(Class::Okay);
    other(-120).is(Class::Inaccuracy);
    let mistake = other(-200).is(Class::Mistake);
    assert_eq!(mistake.centipawn_loss, 200);
    let blunder = other(-3000).is(Class::Blunder);
    assert_eq!(blunder.centipawn_loss, 1000, "no more than a thousand count");
    assert!(matches!(blunder.reason, Reason::Loss { loss } if loss > 0.49));
}

/// A quiet position in which the second best would lose much.
fn critical() -> Case<'static> {
    Case {
        second: Some(Eval::Cp(-100)),
        ..Case::top("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1", "a1a7")
    }
}

#[test]
fn critical_is_the_only_good_move() {
    let verdict = critical().is(Class::Critical);
    assert!(matches!(verdict.reason, Reason::OnlyGood { loss } if loss > 0.1));
    // .10 from +50 is −65.5.
    Case {
        second: Some(Eval::Cp(-66)),
        ..critical()
    }
    .is(Class::Critical);
    Case {
        second: Some(Eval::Cp(-64)),
        ..critical()
    }
    .is(Class::Best);
    Case {
        second: None,
        ..critical()
    }
    .is(Class::Best);
    Case {
        second: Some(Eval::Mate(-3)),
        ..critical()
    }
    .is(Class::Critical);
}

#[test]
fn only_the_top_move_is_critical() {
    Case {
        top: "a1a6",
        ..critical()
    }
    .is(Class::Best);
}

#[test]
fn who_wins_anyway_needs_no_critical_move() {
    let winning = |eval, second, after| Case {
        eval: Eval::Cp(eval),
        second,
        after: Eval::Cp(after),
        ..critical()
    };
    winning(2000, Some(Eval::Cp(699)), 2000).is(Class::Best);
    winning(1500, Some(Eval::Cp(300)), 1500).is(Class::Critical);
    winning(1500, Some(Eval::Cp(700)), 1500).is(Class::Best);
    // Without a second line it goes by the position after; and nothing is critical without one.
    winning(1500, None, 1500).is(Class::Best);
}

#[test]
fn a_losing_move_is_not_critical() {
    Case {
        eval: Eval::Cp(-10),
        after: Eval::Cp(-10),
        second: Some(Eval::Cp(-900)),
        ..critical()
    }
    .is(Class::Best);
    Case {
        eval: Eval::Cp(0),
        after: Eval::Cp(0),
        second: Some(Eval::Cp(-900)),
        ..critical()
    }
    .is(Class::Critical);
}

#[test]
fn a_mate_is_not_critical() {
    Case {
        eval: Eval::Mate(3),
        after: Eval::Mate(2),
        second: Some(Eval::Cp(0)),
        ..critical()
    }
    .is(Class::Best);
}

#[test]
fn whoever_was_in_check_made_no_critical_move() {
    Case {
        fen: "4k3/8/8/8/8/8/4P3/R3K2r w - - 0 1",
        played: "e1d2",
        top: "e1d2",
        ..critical()
    }
    .is(Class::Best);
}

#[test]
fn promotion_to_a_queen_is_not_critical() {
    let promotes = |played| Case {
        second: Some(Eval::Cp(-100)),
        ..Case::top("8/P6k/8/8/8/8/8/K7 w - - 0 1", played)
    };
    promotes("a7a8q").is(Class::Best);
    promotes("a7a8n").is(Class::Critical);
}

#[test]
fn taking_what_hangs_is_not_critical() {
    let takes = |fen| Case {
        second: Some(Eval::Cp(-100)),
        ..Case::top(fen, "g2d5")
    };
    takes("4k3/8/8/3n4/8/8/6B1/4K3 w - - 0 1").is(Class::Best);
    takes("4k3/8/4p3/3n4/8/8/6B1/4K3 w - - 0 1").is(Class::Critical);
}

#[test]
fn en_passant_takes_the_pawn_beside() {
    let takes = |fen| Case {
        second: Some(Eval::Cp(-100)),
        ..Case::top(fen, "e5d6")
    };
    takes("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").is(Class::Critical);
    takes("4k3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1").is(Class::Best);
}

/// The move that Legal is known for: the queen is left to the bishop, and whoever takes it is mated.
const LEGAL: &str = "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5";

fn legal() -> Case<'static> {
    Case {
        eval: Eval::Cp(250),
        second: Some(Eval::Cp(100)),
        after: Eval::Cp(250),
        ..Case::top(LEGAL, "f3e5")
    }
}

#[test]
fn leaving_a_queen_for_a_pawn_is_brilliant() {
    let verdict = legal().is(Class::Brilliant);
    assert_eq!(
        verdict.reason,
        Reason::Offer {
            square: shakmaty::Square::D1
        }
    );
}

#[test]
fn brilliant_replaces_critical_and_needs_no_top_move() {
    Case {
        second: Some(Eval::Cp(-300)),
        ..legal()
    }
    .is(Class::Brilliant);
    Case {
        top: "d2d3",
        after: Eval::Cp(248),
        ..legal()
    }
    .is(Class::Brilliant);
    // Excellent is not enough.
    Case {
        top: "d2d3",
        after: Eval::Cp(220),
        ..legal()
    }
    .is(Class::Excellent);
}

#[test]
fn brilliant_moves_are_candidates_too() {
    Case {
        second: Some(Eval::Cp(700)),
        after: Eval::Cp(900),
        ..legal()
    }
    .is(Class::Best);
    Case {
        second: None,
        after: Eval::Cp(700),
        ..legal()
    }
    .is(Class::Best);
    Case {
        after: Eval::Cp(-1),
        ..legal()
    }
    .is(Class::Best);
}

#[test]
fn bringing_a_piece_to_safety_is_not_brilliant() {
    // Two pieces hang, one of them goes: fewer hang than before.
    let fen = "6k1/5ppp/8/2p5/2pN4/3B4/8/4K3 w - - 0 1";
    Case::top(fen, "d3f1").is(Class::Best);
    // With a check it is another matter.
    Case::top(fen, "d3h7").is(Class::Brilliant);
}

#[test]
fn what_hangs_and_may_not_be_taken_is_not_brilliant() {
    // Whoever takes the knight is mated on the back rank.
    let fen = "6k1/5ppp/8/5N2/1r6/8/5PPP/R5K1 w - - 0 1";
    Case::top(fen, "f5h4").is(Class::Best);
    // With air for the king it is an offer, if not a good one.
    let airy = "6k1/5pp1/7p/5N2/1r6/8/5PPP/R5K1 w - - 0 1";
    Case::top(airy, "f5h4").is(Class::Brilliant);
}

#[test]
fn a_piece_that_was_lost_anyway_is_not_brilliant() {
    // The bishop is trapped and goes down taking a pawn.
    let fen = "4k3/8/8/8/8/1P6/bKP5/8 b - - 0 1";
    Case::top(fen, "a2b3").is(Class::Best);
    // All that hangs is trapped.
    Case::top(fen, "e8d8").is(Class::Best);
}

#[test]
fn nothing_hangs_nothing_brilliant() {
    Case::top(START, "e2e4").is(Class::Best);
}

#[test]
fn underpromotion_is_never_brilliant() {
    // The rook hangs, and the pawn becomes a knight with check.
    let fen = "8/P1k5/8/8/3p4/4R3/8/K7 w - - 0 1";
    Case::top(fen, "a7a8n").is(Class::Best);
}

#[test]
fn lichess_knows_three_complaints() {
    let moves = |after| Case {
        top: "e2e4",
        eval: Eval::Cp(0),
        after: Eval::Cp(after),
        theory: true,
        ..Case::top(START, "a2a3")
    };
    for (after, class) in [
        (20, Class::Okay),
        (-60, Class::Inaccuracy),
        (-130, Class::Mistake),
        (-300, Class::Blunder),
    ] {
        for mirror in [false, true] {
            assert_eq!(moves(after).verdict(RuleSet::Lichess, mirror).class, class);
        }
    }
    let disputed = Case {
        after: Eval::Cp(-400),
        ..Case::top(START, "e2e4")
    };
    let verdict = disputed.verdict(RuleSet::Lichess, false);
    assert_eq!(
        (verdict.class, verdict.loss, verdict.accuracy),
        (Class::Best, 0.0, 100.0)
    );
}
