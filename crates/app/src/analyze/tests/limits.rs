//! What is taken from strangers, and what is written for them.

use std::{io, sync::atomic::AtomicBool};

use super::{LIMITS, analysed, options, read};
use crate::{AppError, analyze::UploadLimits};

#[test]
fn uploads_are_limited_and_bombs_do_not_go_off() {
    let refused = |pgn: Vec<u8>, bytes, games| {
        let limits = UploadLimits { bytes, games, ..LIMITS };
        read("up.pgn", pgn, limits, 1).expect_err("too much").to_string()
    };
    assert_eq!(refused(b"1. e4 * 1. d4 *".to_vec(), 5, 10), "up.pgn: more than 5 bytes");
    let two = b"[A \"x\"]\n\n1. e4 *\n\n[A \"x\"]\n\n1. d4 *\n".to_vec();
    assert_eq!(refused(two, 100, 1), "up.pgn: more than 1 games");
    // What is left out counts as well: two bytes of it take a hundred in memory.
    assert_eq!(
        refused("* ".repeat(10_000).into_bytes(), 1 << 20, 5_000),
        "up.pgn: more than 5000 games"
    );
    let bomb = zstd::encode_all([b' '; 1 << 16].as_slice(), 3).expect("memory");
    assert_eq!(refused(bomb, 1 << 15, 1), "up.pgn: more than 32768 bytes");
    let nothing = refused(b"  \n".to_vec(), 100, 1);
    assert_eq!(
        nothing,
        "no game of up.pgn could be analysed: up.pgn: there are no games in it"
    );
}

/// A knight goes out and back, so many times.
fn shuffle(plies: usize) -> String {
    ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "]
        .into_iter()
        .cycle()
        .take(plies)
        .collect()
}

#[test]
fn a_game_of_more_moves_than_are_taken_is_left_out() {
    let game = |plies| format!("[White \"x\"]\n\n{}*\n\n", shuffle(plies));
    let pgn = [game(1_000), game(1_001), game(50_000), game(3)].concat();
    let analysis = read("up.pgn", pgn.into_bytes(), LIMITS, 1).expect("games");
    assert_eq!((analysis.game_count(), analysis.move_count()), (2, 1_003));
    let reasons: Vec<_> = analysis.left_out().iter().map(|left| left.reason.as_str()).collect();
    assert_eq!(reasons, ["it has more than 1000 half-moves"; 2]);
}

/// Every place that games share is listed with the moves that lead there: twice the moves are four times the text.
#[test]
fn what_is_written_for_strangers_has_a_limit() {
    let pgn = format!("[White \"x\"]\n\n{}*\n\n", shuffle(1_000)).repeat(2);
    let analysis = read("up.pgn", pgn.into_bytes(), LIMITS, 1).expect("games");
    let stop = AtomicBool::new(false);
    let whole = analysis.db_within(&options(2), usize::MAX, &stop).expect("room");
    assert!(whole.len() > 3 << 20, "{}", whole.len());
    let same = analysis.db_within(&options(2), whole.len(), &stop).expect("room");
    assert!(whole == same);
    for most in [0, 1, 1 << 10, 1 << 20, whole.len() - 1] {
        let error = analysis.db_within(&options(2), most, &stop).expect_err("no room");
        let expected = format!("up.pgn: more than {most} bytes are to be said about them");
        assert_eq!(error.to_string(), expected);
    }
    let stopped = analysis.db_within(&options(2), usize::MAX, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(AppError::Interrupted)));
}

/// Threads make a few pieces ahead of the one that is written: none of them may be large.
#[test]
fn long_paths_are_written_in_small_pieces() {
    struct Pieces(Vec<usize>);
    impl io::Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let limits = UploadLimits { plies: 3_000, ..LIMITS };
    let game = |last: &str| format!("[White \"x\"]\n[Black \"y\"]\n\n{}{last} *\n\n", shuffle(2_999));
    let pgn = [game("Ng8"), game("Ng8"), game("Nd5")].concat();
    let analysis = read("up.pgn", pgn.into_bytes(), limits, 1).expect("games");
    let mut pieces = Pieces(Vec::new());
    let stop = AtomicBool::new(false);
    analysis.write_db(&options(2), &stop, &mut pieces).expect("memory");
    let (all, largest) = (pieces.0.iter().sum::<usize>(), pieces.0.iter().max());
    assert!(all > 20 << 20, "{all}");
    assert!(largest < Some(&(2 << 20)), "{largest:?} of {all}");
}

#[test]
fn writing_stops_when_it_is_asked_to() {
    let analysis = analysed(&["1. e4 *"]);
    let error = analysis
        .write_db(&options(2), &AtomicBool::new(true), &mut Vec::new())
        .expect_err("stopped");
    assert_eq!(error.to_string(), "interrupted");
}
