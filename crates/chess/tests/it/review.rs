//! Verdicts know no colour: whatever is said of a move is said of the same move with colours exchanged.

use proptest::prelude::*;
use shakmaty::{Chess, EnPassantMode, FromSetup, Move, Position, Role, Square};
use tabiya_chess::{
    After, Before, Eval, Motif, Reason, RuleSet, Thresholds, classify_move, explain, from_uci, motifs, to_uci,
};

/// A game of random moves, with a liking for captures, so that boards come out on which pieces hang.
fn wander(choices: &[u16]) -> Vec<(Chess, Move)> {
    let mut here = Chess::default();
    let mut path = Vec::new();
    for choice in choices {
        let mut moves: Vec<Move> = here.legal_moves().to_vec();
        if moves.is_empty() {
            break;
        }
        if choice % 3 == 0 && moves.iter().any(|m| m.is_capture()) {
            moves.retain(|m| m.is_capture());
        }
        let m = moves[usize::from(*choice / 3) % moves.len()];
        path.push((here.clone(), m));
        here.play_unchecked(m);
    }
    path
}

fn mirrored(position: &Chess) -> Chess {
    let setup = position.to_setup(EnPassantMode::Legal).into_mirrored();
    Chess::from_setup(setup, position.castles().mode()).expect("a mirrored position is one")
}

fn mirrored_move(position: &Chess, other: &Chess, m: Move) -> Move {
    let uci: String = to_uci(position, m)
        .chars()
        .map(|letter| match letter.to_digit(10) {
            Some(rank) => char::from_digit(9 - rank, 10).expect("a rank"),
            None => letter,
        })
        .collect();
    from_uci(other, &uci).expect("a mirrored move is legal")
}

/// A text about a position as it is about the mirrored one: ranks are turned in squares and in front of them (`N1d2`), and numbers are not.
fn mirrored_text(text: &str) -> String {
    let mut before = ' ';
    let turned = text.chars().map(|letter| {
        let is_rank = matches!(before, 'a'..='h' | 'N' | 'B' | 'R' | 'Q' | 'K');
        before = letter;
        match letter.to_digit(10).filter(|_| is_rank) {
            Some(rank) => char::from_digit(9 - rank, 10).expect("a rank"),
            None => letter,
        }
    });
    turned.collect()
}

/// Without what stands in brackets: evaluations are White's.
fn without_eval(words: String) -> String {
    words
        .split_once(" (")
        .map_or(words.clone(), |(words, _)| words.to_owned())
}

fn eval(number: i32) -> Eval {
    match number {
        -2000..=2000 => Eval::Cp(number),
        number if number > 2000 => Eval::Mate((number - 2000) / 10 + 1),
        number => Eval::Mate((number + 2000) / 10 - 1),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn mirroring_colours_mirrors_the_verdicts(
        choices in prop::collection::vec(any::<u16>(), 1..80),
        numbers in prop::collection::vec(-2200..2200i32, 3),
        top in any::<u16>(),
        has_second in any::<bool>(),
    ) {
        for (position, played) in wander(&choices) {
            let other = mirrored(&position);
            let moves = position.legal_moves();
            // Every other time the played move is the top one, as it mostly is.
            let top = if top % 2 == 0 { played } else { moves[usize::from(top) % moves.len()] };
            let next = position.clone().play(played).expect("legal");
            let other_next = mirrored(&next);
            let [before, second, after] = [numbers[0], numbers[1], numbers[2]].map(eval);
            let (b, a) = (
                Before { position: &position, eval: before, top: Some(top), second: has_second.then_some(second), played },
                After { position: &next, eval: after, theory: false },
            );
            let (mb, ma) = (
                Before {
                    position: &other,
                    eval: before.flip(),
                    top: Some(mirrored_move(&position, &other, top)),
                    second: has_second.then_some(second.flip()),
                    played: mirrored_move(&position, &other, played),
                },
                After { position: &other_next, eval: after.flip(), theory: false },
            );
            for rules in [RuleSet::Wintr, RuleSet::Lichess] {
                let verdict = classify_move(rules, &Thresholds::default(), &b, &a);
                let image = classify_move(rules, &Thresholds::default(), &mb, &ma);
                prop_assert_eq!(verdict.class, image.class);
                prop_assert!((verdict.loss - image.loss).abs() < 1e-9);
                prop_assert!((verdict.accuracy - image.accuracy).abs() < 1e-9);
                prop_assert!((0.0..=1.0).contains(&verdict.loss) && (0.0..=100.0).contains(&verdict.accuracy));
                prop_assert!(top != played || verdict.loss == 0.0);
                let words = without_eval(verdict.reason.in_words(&b, &a));
                prop_assert_eq!(mirrored_text(&words), without_eval(image.reason.in_words(&mb, &ma)));
            }
            let Some(reply) = next.legal_moves().first().copied() else { continue };
            let answer = mirrored_move(&next, &other_next, reply);
            let reason = Reason::by_evaluation(before, after, position.turn());
            let image = Reason::by_evaluation(before.flip(), after.flip(), other.turn());
            let other_top = mirrored_move(&position, &other, top);
            let (one, two) = (explain(&b, &a, &reason, &[top], &[reply]), explain(&mb, &ma, &image, &[other_top], &[answer]));
            prop_assert_eq!((one.material, one.mate), (two.material, two.mate));
            prop_assert_eq!(mirrored_text(&one.text), two.text);
            let told = |motif: &Motif| format!("{} {}", motif.as_str(), motif.square());
            let image: Vec<String> = one.motifs.iter().map(|motif| mirrored_text(&told(motif))).collect();
            prop_assert_eq!(image, two.motifs.iter().map(told).collect::<Vec<_>>());
            prop_assert_eq!(motifs(&next, &[reply]), one.motifs);
        }
    }
}

#[test]
fn values_are_those_of_the_rules() {
    let values = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(tabiya_chess::piece_value);
    assert_eq!(values, [1, 3, 3, 5, 9]);
    assert_eq!(Square::E4.flip_vertical(), Square::E5);
}
