//! How long naming a structure takes: `cargo run --release -p tabiya-chess --example structure_speed`.

use std::{hint::black_box, time::Instant};

use shakmaty::{Board, Chess, Position};
use tabiya_chess::classify;

/// One position that the first row names, one that the last names, and one that none does, after all have been tried.
const BOARDS: [(&str, Option<usize>); 3] = [
    ("rnbqkbnr/ppp2ppp/8/8/2BP4/8/PP3PPP/RNBQK1NR", Some(1)),
    ("rnb1k1nr/pp3ppp/4p3/2b5/2B5/4P3/PP3PPP/RNBK2NR", Some(43)),
    ("8/ppp2ppp/3p4/3P4/4P3/8/PP3PPP/8", None),
];

const ROUNDS: u32 = 2_000_000;

fn main() {
    for (fen, row) in BOARDS {
        let board: Board = fen.parse().expect("a board");
        assert_eq!(classify(&board).map(|found| found.row), row, "{fen}");
        report(row, &[board]);
    }
    let boards = positions_of_random_games();
    let known = boards.iter().filter(|board| classify(board).is_some()).count();
    assert!(known > boards.len() / 4, "the games are played out");
    report(None, &boards);
}

fn report(row: Option<usize>, boards: &[Board]) {
    let start = Instant::now();
    let rounds = ROUNDS as usize / boards.len();
    for _ in 0..rounds {
        for board in boards {
            black_box(classify(black_box(board)));
        }
    }
    let each = start.elapsed().as_nanos() as f64 / (rounds * boards.len()) as f64;
    let what = match (row, boards.len()) {
        (Some(row), _) => format!("row {row}"),
        (None, 1) => "unknown".to_owned(),
        (None, many) => format!("{many} positions of random games"),
    };
    #[expect(clippy::print_stdout, reason = "a report is what this is run for")]
    {
        println!("{what}: {each:.0} ns");
    }
}

fn positions_of_random_games() -> Vec<Board> {
    let mut boards = Vec::new();
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..50 {
        let mut position = Chess::default();
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            position.play_unchecked(moves[(dice >> 20) as usize % moves.len()]);
            boards.push(position.board().clone());
        }
    }
    boards
}
