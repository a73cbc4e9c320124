//! A guard on the rules we build on: the published move counts of the standard positions.

use shakmaty::{CastlingMode, Chess, perft};
use tabiya_chess::parse_fen_with_mode;

fn check(fen: &str, mode: CastlingMode, counts: &[u64]) {
    let pos: Chess = parse_fen_with_mode(fen, mode).expect(fen).position;
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(perft(&pos, depth), *count, "{fen} to depth {depth}");
    }
}

#[test]
fn standard_positions_have_their_published_counts() {
    for (fen, counts) in [
        ("startpos", &[20, 400, 8_902, 197_281][..]),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            &[48, 2_039, 97_862, 4_085_603],
        ),
        (
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
            &[14, 191, 2_812, 43_238, 674_624],
        ),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9_467, 422_333],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            &[44, 1_486, 62_379, 2_103_487],
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2_079, 89_890],
        ),
    ] {
        check(fen, CastlingMode::Standard, counts);
        // The same positions under Chess960's castling rules.
        check(fen, CastlingMode::Chess960, &counts[..3]);
    }
}

#[test]
fn chess960_positions_have_their_published_counts() {
    for (fen, counts) in [
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            [21, 528, 12_189, 326_672],
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            [21, 807, 18_002, 667_366],
        ),
        (
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            [20, 479, 10_471, 273_318],
        ),
    ] {
        check(fen, CastlingMode::Chess960, &counts);
    }
}
