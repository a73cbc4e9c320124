//! What any bytes must satisfy; the fuzz target calls this.

use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;

use super::{LineSource, RecordedLines, Reviewed, Reviewer, Rules};

/// Games of few positions, so that lines meet them: one that goes on, one that ends in mate.
const GAMES: [&str; 2] = ["1. e4 e5 2. Nf3 *", "1. f3 e5 2. g4 Qh4# 0-1"];

/// Any text is a file of recorded lines or refused. What is accepted judges games, with numbers within their bounds, and
/// the lines that were used say the same again.
///
/// # Panics
///
/// If not.
pub fn recorded_lines(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    for game in GAMES {
        let Ok(lines) = RecordedLines::read(text) else { return };
        let reviewed = review(game, lines);
        let review = &reviewed.review;
        for one in &review.moves {
            assert!(
                one.accuracy.is_none_or(|percent| (0.0..=100.0).contains(&percent)),
                "{one:?}"
            );
            assert!(one.point_loss.is_none_or(|loss| (0.0..=1.0).contains(&loss)), "{one:?}");
            assert_eq!(one.classification.is_some(), one.reason.is_some(), "{one:?}");
        }
        let mut used = String::new();
        for position in &reviewed.used {
            used += &serde_json::to_string(position).expect("plain values");
            used.push('\n');
        }
        let again = self::review(game, RecordedLines::read(&used).expect("written here"));
        assert_eq!(again.review, *review, "by the lines that were used:\n{used}");
        assert_eq!(again.pgn, reviewed.pgn);
    }
}

fn review(game: &str, lines: RecordedLines) -> Reviewed {
    let reviewer = Reviewer {
        rules: Rules::default(),
        lines: LineSource::Recorded(lines),
        record: true,
    };
    let never = AtomicBool::new(false);
    let reviewed = reviewer.review_text(game, &|_| {}, &never).now_or_never();
    reviewed
        .expect("nobody has to be waited for")
        .expect("a game that can be reviewed")
}
