//! Simple motifs in what refutes a move, found on the board alone.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square, attacks};

use super::{
    brilliant::captured_on,
    pieces::{as_seen_by, defenders, direct_attackers, piece_value},
    safety::is_safe,
    scene::Scene,
    threats::is_trapped,
};

/// What a refutation lives on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Motif {
    /// A piece can simply be taken.
    HangingPiece(Square),
    /// A piece is attacked and has nowhere to go.
    TrappedPiece(Square),
    /// One piece, standing here, attacks two.
    Fork(Square),
    /// A piece that steps aside lets another attack what stands here.
    DiscoveredAttack(Square),
    /// The piece on this square stands before something dearer.
    Pin(Square),
    /// The king is mated behind its own pieces.
    BackRank(Square),
}

impl Motif {
    /// The name in small letters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Motif::HangingPiece(_) => "hanging piece",
            Motif::TrappedPiece(_) => "trapped piece",
            Motif::Fork(_) => "fork",
            Motif::DiscoveredAttack(_) => "discovered attack",
            Motif::Pin(_) => "pin",
            Motif::BackRank(_) => "back rank",
        }
    }

    /// The square it is about.
    #[must_use]
    pub const fn square(self) -> Square {
        match self {
            Motif::HangingPiece(square)
            | Motif::TrappedPiece(square)
            | Motif::Fork(square)
            | Motif::DiscoveredAttack(square)
            | Motif::Pin(square)
            | Motif::BackRank(square) => square,
        }
    }
}

/// The motifs of a line that punishes whoever is not to move in `position`, each kind at most once.
#[must_use]
pub fn motifs(position: &Chess, line: &[Move]) -> Vec<Motif> {
    let Some(reply) = line.first().copied().filter(|m| position.is_legal(*m)) else {
        return Vec::new();
    };
    let mut after = position.clone();
    after.play_unchecked(reply);
    let pinned = pin(position, reply, &after);
    let pinned_on = pinned.map(Motif::square);
    let found = [
        hanging(position, reply),
        // What is pinned has nowhere to go either.
        trapped(position, reply, &after).filter(|motif| Some(motif.square()) != pinned_on),
        fork(reply, &after),
        discovered(position, reply, &after),
        pinned,
        back_rank(position, line),
    ];
    found.into_iter().flatten().collect()
}

/// The reply takes a piece that was not safe.
fn hanging(position: &Chess, reply: Move) -> Option<Motif> {
    let square = captured_on(reply)?;
    let board = position.board();
    let is_piece = board.role_at(square).is_some_and(|role| role != Role::Pawn);
    (is_piece && !is_safe(board, square, None)).then_some(Motif::HangingPiece(square))
}

/// The reply takes a piece that could not have got away, or attacks one that cannot any more.
fn trapped(position: &Chess, reply: Move, after: &Chess) -> Option<Motif> {
    let victim = after.turn();
    let before = Scene::of(position);
    if let Some(square) = captured_on(reply)
        && before.board.role_at(square).is_some_and(|role| role != Role::Pawn)
        && is_trapped(&before, square)
    {
        return Some(Motif::TrappedPiece(square));
    }
    // A check keeps everything else where it is, which is no trap.
    if after.is_check() {
        return None;
    }
    let now = Scene::of(after);
    let attacked = now.board.attacks_from(reply.to()) & pieces_of(&now.board, victim);
    as_seen_by(victim, attacked)
        .find(|square| is_trapped(&now, *square) && !is_trapped(&before, *square))
        .map(Motif::TrappedPiece)
}

/// The piece that moved attacks two that are dearer than it is or that nobody defends, and may stay.
fn fork(reply: Move, after: &Chess) -> Option<Motif> {
    let (board, victim) = (after.board(), after.turn());
    let square = reply.to();
    let own = board.role_at(square).map(piece_value)?;
    if own == u32::MAX || !is_safe(board, square, reply.capture()) {
        return None;
    }
    let targets = board.attacks_from(square) & (pieces_of(board, victim) | (board.kings() & board.by_color(victim)));
    let is_won = |target: &Square| {
        let role = board.role_at(*target);
        role.is_some_and(|role| role == Role::King || piece_value(role) > own) || defenders(board, *target).is_empty()
    };
    (targets.into_iter().filter(is_won).count() >= 2).then_some(Motif::Fork(square))
}

/// A line of the mover's is opened by the reply, onto the king, something dearer, or something that nobody defends.
fn discovered(position: &Chess, reply: Move, after: &Chess) -> Option<Motif> {
    if reply.is_castle() {
        return None;
    }
    let victim = after.turn();
    let (was, board) = (position.board(), after.board());
    let from = reply.from()?;
    let sliders = board.by_color(!victim) & board.sliders();
    for slider in as_seen_by(victim, sliders).filter(|square| *square != reply.to()) {
        // Only a line through the square that was left can have been opened.
        if !was.attacks_from(slider).contains(from) {
            continue;
        }
        let opened = board.attacks_from(slider) & !was.attacks_from(slider);
        let own = board.role_at(slider).map_or(0, piece_value);
        let targets = opened & (pieces_of(board, victim) | (board.kings() & board.by_color(victim)));
        for target in as_seen_by(victim, targets) {
            let role = board.role_at(target);
            let dear = role.is_some_and(|role| role == Role::King || piece_value(role) > own);
            if target != reply.to() && (dear || defenders(board, target).is_empty()) {
                return Some(Motif::DiscoveredAttack(target));
            }
        }
    }
    None
}

/// The reply pins a piece, or takes what a pinned piece seemed to defend.
fn pin(position: &Chess, reply: Move, after: &Chess) -> Option<Motif> {
    let (board, victim) = (after.board(), after.turn());
    let square = reply.to();
    if board.sliders().contains(square) {
        let own = board.role_at(square).map_or(0, piece_value);
        for front in as_seen_by(victim, board.attacks_from(square) & pieces_of(board, victim)) {
            let piece = board.piece_at(square)?;
            let through = attacks::attacks(square, piece, board.occupied().without(front));
            let behind = through & !board.attacks_from(square) & board.by_color(victim);
            let pinned = behind
                .into_iter()
                .any(|square| value_of(board, square) > value_of(board, front).max(own));
            if pinned {
                return Some(Motif::Pin(front));
            }
        }
    }
    let taken = captured_on(reply)?;
    let was = position.board();
    // It stands there, looks at the square, and may not go.
    let seeming = was.attacks_to(taken, victim, was.occupied());
    let able = direct_attackers(board, taken, victim);
    let stuck = as_seen_by(victim, seeming).find(|from| {
        let is_piece = !matches!(was.role_at(*from), None | Some(Role::King));
        is_piece && *from != taken && !able.iter().any(|attack| attack.from == *from)
    });
    // Taken en passant, nobody stands there to be taken back; a check that must be met is no pin either.
    stuck
        .filter(|_| board.piece_at(taken).is_some() && !after.is_check())
        .map(Motif::Pin)
}

/// The line ends in a mate by rook or queen along the rank on which the king began.
fn back_rank(position: &Chess, line: &[Move]) -> Option<Motif> {
    let mut here = position.clone();
    for m in line {
        if !here.is_legal(*m) {
            return None;
        }
        here.play_unchecked(*m);
        if !here.is_checkmate() {
            continue;
        }
        let victim = here.turn();
        let king = here.board().king_of(victim)?;
        let home = victim.backrank();
        let by = here.board().role_at(m.to())?;
        let along = m.to().rank() == home && matches!(by, Role::Rook | Role::Queen);
        let shut_in = attacks::king_attacks(king) & here.board().by_color(victim) & !Bitboard::from(home);
        return (along && king.rank() == home && shut_in.any()).then_some(Motif::BackRank(king));
    }
    None
}

/// Knights, bishops, rooks and queens.
fn pieces_of(board: &Board, side: Color) -> Bitboard {
    board.by_color(side) & !board.pawns() & !board.kings()
}

fn value_of(board: &Board, square: Square) -> u32 {
    board.role_at(square).map_or(0, piece_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_uci, parse_fen};

    /// The motifs of a line, as it stands and with colours exchanged.
    #[track_caller]
    fn check(fen: &str, line: &str, expected: &[&str]) {
        let upright = parse_fen(fen).expect(fen).position;
        let mirrored_fen = {
            let setup = upright.to_setup(shakmaty::EnPassantMode::Legal).into_mirrored();
            shakmaty::fen::Fen::try_from_setup(setup)
                .expect("a position")
                .to_string()
        };
        for mirror in [false, true] {
            let text = if mirror { mirrored_fen.as_str() } else { fen };
            let position = parse_fen(text).expect(text).position;
            let mut here = position.clone();
            let moves: Vec<Move> = line
                .split_whitespace()
                .map(|uci| {
                    let m = from_uci(&here, &if mirror { flipped(uci) } else { uci.to_owned() }).expect(uci);
                    here.play_unchecked(m);
                    m
                })
                .collect();
            let found: Vec<String> = motifs(&position, &moves)
                .into_iter()
                .map(|motif| {
                    let square = motif.square();
                    let square = if mirror { square.flip_vertical() } else { square };
                    format!("{} {square}", motif.as_str())
                })
                .collect();
            assert_eq!(found, expected, "{text}");
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

    #[test]
    fn hanging_pieces() {
        check("4k3/8/8/2p5/3N4/8/8/4K3 b - - 0 1", "c5d4", &["hanging piece d4"]);
        check("4k3/8/5n2/3N4/2P5/8/8/4K3 b - - 0 1", "f6d5", &[]);
        check("4k3/8/8/2p5/3P4/8/8/4K3 b - - 0 1", "c5d4", &[]);
    }

    #[test]
    fn forks() {
        check("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7", &["fork c7"]);
        check("r3k3/3r4/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7", &[]);
        check("4k3/8/8/8/2r1r3/8/3P4/7K w - - 0 1", "d2d3", &["fork d3"]);
    }

    #[test]
    fn pins() {
        check("4k3/8/2n5/8/8/8/8/4KB2 w - - 0 1", "f1b5", &["pin c6"]);
        check("8/4q1k1/8/8/5n2/8/8/2B1K3 w - - 0 1", "c1e3", &[]);
        // The knight on d7 is pinned and does not defend e5.
        check(
            "3k4/3n4/8/4b3/8/5N2/8/3RK3 w - - 0 1",
            "f3e5",
            &["hanging piece e5", "pin d7"],
        );
    }

    #[test]
    fn discovered_attacks() {
        check("3qk3/8/8/8/3B4/8/8/3RK3 w - - 0 1", "d4f6", &["discovered attack d8"]);
        check("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "e4c5", &["discovered attack e8"]);
        check("4k3/8/8/8/4N3/8/8/5K1R w - - 0 1", "e4c5", &[]);
    }

    #[test]
    fn back_ranks() {
        check("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8", &["back rank g8"]);
        check("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", &[]);
    }

    #[test]
    fn trapped_pieces() {
        check("4k3/8/8/8/8/8/bPP5/2K5 w - - 0 1", "b2b3", &[]);
        check("4k3/8/8/8/8/1P6/b1P5/2K5 w - - 0 1", "c1b2", &["trapped piece a2"]);
    }

    #[test]
    fn a_line_that_cannot_be_played_has_none() {
        let position = Chess::default();
        assert!(motifs(&position, &[]).is_empty());
        let elsewhere = parse_fen("4k3/8/8/2p5/3N4/8/8/4K3 b - - 0 1").expect("a FEN").position;
        let m = from_uci(&elsewhere, "c5d4").expect("a move");
        assert!(motifs(&position, &[m]).is_empty());
    }
}
