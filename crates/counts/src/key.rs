//! A 64-bit key that follows a game move by move.

use shakmaty::{Chess, Color, EnPassantMode, Move, Piece, Position as _, Role, Square};

/// Tells positions apart while they are counted: the same board, side to move, castling rights and en-passant square
/// (where a capture is legal) have the same key. Following a move costs a handful of table look-ups, where the id that
/// the rest of the house uses costs a hash over text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionKey {
    pieces: u64,
}

impl PositionKey {
    /// Of any position, from nothing.
    pub fn of(pos: &Chess) -> PositionKey {
        let pieces = pos
            .board()
            .iter()
            .fold(0, |key, (square, piece)| key ^ at(piece, square));
        PositionKey { pieces }
    }

    /// Follows a legal move of `color`.
    #[inline]
    pub fn play(&mut self, color: Color, m: Move) {
        let own = |role| Piece { color, role };
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                self.pieces ^= at(own(role), from) ^ at(own(promotion.unwrap_or(role)), to);
                if let Some(captured) = capture {
                    self.pieces ^= at(captured.of(!color), to);
                }
            }
            Move::EnPassant { from, to } => {
                let taken = Square::from_coords(to.file(), from.rank());
                self.pieces ^= at(own(Role::Pawn), from) ^ at(own(Role::Pawn), to) ^ at(Role::Pawn.of(!color), taken);
            }
            Move::Castle { king, rook } => {
                let side = shakmaty::CastlingSide::from_king_side(king < rook);
                self.pieces ^= at(own(Role::King), king)
                    ^ at(own(Role::King), side.king_to(color))
                    ^ at(own(Role::Rook), rook)
                    ^ at(own(Role::Rook), side.rook_to(color));
            }
            Move::Put { role, to } => self.pieces ^= at(own(role), to),
        }
    }

    /// The key's value in `pos`, the position it has followed to.
    #[inline]
    pub fn value(self, pos: &Chess) -> u64 {
        let rights = pos.castles().castling_rights();
        let mut key = self.pieces ^ mix(u64::from(rights) ^ RIGHTS);
        if pos.turn() == Color::Black {
            key ^= BLACK;
        }
        if let Some(square) = pos.ep_square(EnPassantMode::Legal) {
            key ^= mix(EN_PASSANT ^ u64::from(u32::from(square)));
        }
        key
    }
}

const RIGHTS: u64 = 0x6a09_e667_f3bc_c908;
const BLACK: u64 = 0xbb67_ae85_84ca_a73b;
const EN_PASSANT: u64 = 0x3c6e_f372_fe94_f82b;

/// A random number for each piece on each square. Spilled counts are kept on disk by these keys, so they never change.
static PIECES: [u64; 12 * 64] = {
    let mut table = [0; 12 * 64];
    let mut i = 0;
    while i < table.len() {
        table[i] = mix(0x1f83_d9ab_fb41_bd6b ^ i as u64);
        i += 1;
    }
    table
};

#[inline]
fn at(piece: Piece, square: Square) -> u64 {
    let kind = (piece.role as usize - 1) * 2 + piece.color as usize;
    PIECES[kind * 64 + square as usize]
}

/// The finaliser of SplitMix64 with its step.
const fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Plays random games with all kinds of moves.
    fn random_games(seed: u64, games: usize, mut each: impl FnMut(&Chess, Move, &Chess)) {
        let mut random = seed;
        for _ in 0..games {
            let mut pos = Chess::default();
            for _ in 0..120 {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                random = mix(random);
                let m = moves[(random % moves.len() as u64) as usize];
                let before = pos.clone();
                pos.play_unchecked(m);
                each(&before, m, &pos);
            }
        }
    }

    #[test]
    fn following_a_move_gives_what_looking_anew_gives() {
        random_games(7, 400, |before, m, after| {
            let mut key = PositionKey::of(before);
            key.play(before.turn(), m);
            assert_eq!(key, PositionKey::of(after), "{before:?} {m:?}");
        });
    }

    #[test]
    fn keys_differ_exactly_where_the_texts_of_positions_do() {
        let mut texts = HashMap::new();
        let mut keys = HashMap::new();
        random_games(11, 400, |_, _, pos| {
            let (key, text) = (PositionKey::of(pos).value(pos), tabiya_chess::epd(pos));
            assert_eq!(texts.entry(key).or_insert_with(|| text.clone()), &text);
            assert_eq!(keys.entry(text).or_insert(key), &key);
        });
    }

    #[test]
    fn the_initial_position_keeps_its_key() {
        let pos = Chess::default();
        assert_eq!(PositionKey::of(&pos).value(&pos), INITIAL);
    }

    const INITIAL: u64 = 16_738_728_690_062_177_333;
}
