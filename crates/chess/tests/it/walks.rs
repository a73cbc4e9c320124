//! Positions to test on: random games from the initial position, from Chess960 starts and from
//! positions full of promotions, pins, checks and en passant.

use shakmaty::{CastlingMode, Chess, Move, MoveList, Position};
use tabiya_chess::parse_fen_with_mode;

const CROWDED: [&str; 10] = [
    // Kiwipete and the other standard positions for move generators.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    // Promotions on both sides, straight and by capture.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    // Many of each piece: SAN needs file, rank or both.
    "6k1/8/N3N3/8/Q3Q2Q/8/R3R1N1/4K2Q w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    // En passant with pins along the rank, the diagonal and the file.
    "8/8/8/K2pP2r/8/8/5b2/7k w - d6 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "4k3/8/4r3/3pP3/8/8/8/4K3 w - d6 0 1",
];

/// Marsaglia's xorshift: tests need to be repeatable, not random.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        dice.roll(2);
        dice
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % sides
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

/// Calls `visit` with every position of a random game of at most `plies` half-moves.
pub(crate) fn walk(seed: u64, plies: usize, mut visit: impl FnMut(&Chess, &mut Dice)) {
    let mut dice = Dice::new(seed);
    let mut pos = start(&mut dice);
    for _ in 0..plies {
        visit(&pos, &mut dice);
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return;
        }
        pos.play_unchecked(choose(&pos, &moves, &mut dice));
    }
}

/// Half the time a move of the rarer kinds, if there is one: a uniform choice would hardly ever
/// castle, take en passant or stand in check.
fn choose(pos: &Chess, moves: &MoveList, dice: &mut Dice) -> Move {
    if dice.roll(2) == 0 {
        let rare = moves
            .iter()
            .copied()
            .filter(|m| m.is_en_passant() || m.is_castle() || m.is_promotion() || stirs(pos, *m))
            .collect::<Vec<_>>();
        if !rare.is_empty() {
            return dice.pick(&rare);
        }
    }
    dice.pick(moves)
}

/// Whether the move gives check or can be answered en passant.
fn stirs(pos: &Chess, m: Move) -> bool {
    let mut after = pos.clone();
    after.play_unchecked(m);
    after.is_check() || after.pseudo_legal_ep_square().is_some()
}

fn start(dice: &mut Dice) -> Chess {
    match dice.roll(3) {
        0 => Chess::default(),
        1 => chess960(dice),
        _ => {
            let fen = dice.pick(&CROWDED);
            let mode = dice.pick(&[CastlingMode::Standard, CastlingMode::Chess960]);
            parse_fen_with_mode(fen, mode).expect(fen).position
        }
    }
}

/// A Chess960 start with few pawns, so that castling comes up early and often.
fn chess960(dice: &mut Dice) -> Chess {
    let mut rank = [b' '; 8];
    let mut free = |rank: &[u8; 8], parity: Option<usize>| -> usize {
        let squares = (0..8)
            .filter(|i| rank[*i] == b' ' && parity.is_none_or(|parity| i % 2 == parity))
            .collect::<Vec<_>>();
        dice.pick(&squares)
    };
    for (piece, parity) in [
        (b'b', Some(0)),
        (b'b', Some(1)),
        (b'q', None),
        (b'n', None),
        (b'n', None),
    ] {
        let square = free(&rank, parity);
        rank[square] = piece;
    }
    let mut rest = *b"rkr";
    for square in &mut rank {
        if *square == b' ' {
            *square = rest[0];
            rest.rotate_left(1);
        }
    }
    // Clear some of the others out of the way.
    for square in &mut rank {
        if matches!(*square, b'b' | b'q' | b'n') && dice.roll(2) == 0 {
            *square = b'1';
        }
    }
    let black = String::from_utf8_lossy(&rank);
    let white = black.to_uppercase();
    let pawns = dice.pick(&["pppppppp", "p1p1p1p1", "1p4p1", "2pp1p2"]);
    let fen = format!("{black}/{pawns}/8/8/8/8/{}/{white} w KQkq - 0 1", pawns.to_uppercase());
    let parsed = parse_fen_with_mode(&fen, CastlingMode::Chess960);
    // A king may face a rook or a queen on an open file; then Black is to move or nobody.
    parsed.map_or_else(|_| Chess::default(), |start| start.position)
}
