//! Lines of the archive, written as Lichess writes them and read back.

use proptest::{collection, prelude::*};
use shakmaty::{CastlingMode, Chess, Move, Position, uci::UciMove};
use tabiya_chess::{Eval, PositionId, epd};
use tabiya_lichess::{EvalFilter, fuzzing, parse_eval_line};

/// A position some random moves away from the start, and a random line from there.
fn walk(choices: &[u16], line: usize) -> (Chess, Vec<Move>) {
    let mut pos = Chess::default();
    let mut moves = Vec::new();
    let mut from = pos.clone();
    for (number, choice) in choices.iter().enumerate() {
        let legal = pos.legal_moves();
        let Some(m) = legal.get(usize::from(*choice) % legal.len().max(1)).copied() else {
            break;
        };
        if number + line < choices.len() {
            pos.play_unchecked(m);
            from = pos.clone();
        } else {
            moves.push(m);
            pos.play_unchecked(m);
        }
    }
    (from, moves)
}

fn texts(pos: &Chess, moves: &[Move], mode: CastlingMode) -> Vec<String> {
    let mut now = pos.clone();
    let mut texts = Vec::new();
    for m in moves {
        texts.push(UciMove::from_move(*m, mode).to_string());
        now.play_unchecked(*m);
    }
    texts
}

proptest! {
    #[test]
    fn what_lichess_writes_is_read(
        choices in collection::vec(any::<u16>(), 1..80), cp in -3000..3000_i32, knodes in 0..10_000_000_u64, depth in 1..=99_u8
    ) {
        let (pos, moves) = walk(&choices, 8);
        prop_assume!(!moves.is_empty());
        let line = texts(&pos, &moves, CastlingMode::Chess960).join(" ");
        let json = format!(
            r#"{{"fen":"{}","evals":[{{"pvs":[{{"cp":{cp},"line":"{line}"}}],"knodes":{knodes},"depth":{depth}}}]}}"#,
            epd(&pos)
        );
        let found = parse_eval_line(json.as_bytes(), &EvalFilter::default()).expect(&json).expect("a position");
        prop_assert_eq!(PositionId::of(&found.position), PositionId::of(&pos));
        let analysis = &found.analyses[0];
        prop_assert_eq!((analysis.nodes, analysis.depth()), (knodes * 1000, depth));
        let best = analysis.best().expect("a line");
        prop_assert_eq!(best.eval, Eval::Cp(cp));
        let read: Vec<String> = best.moves.iter().map(ToString::to_string).collect();
        prop_assert_eq!(read, texts(&pos, &moves, CastlingMode::Standard));
    }

    #[test]
    fn any_bytes_are_some_lines(bytes in collection::vec(any::<u8>(), 0..200)) {
        fuzzing::eval_file(&bytes);
    }

    #[test]
    fn any_text_like_a_line_is_read(text in r#"(\{"fen":"(startpos|8/8/8/8/8/8/8/8|x)","evals":\[(\{"pvs":\[(\{"(cp|mate)":-?[0-9]{1,12},"(line|moves)":"(e2e4|e7e5|x| )*"\},?){0,2}\],"depth":[0-9]{1,4}\},?){0,2}\]\}\n?){0,3}"#) {
        fuzzing::eval_file(text.as_bytes());
    }
}
