//! A move in two bytes.

use shakmaty::{Chess, Move, Position as _, Role, Square};

/// Where from, where to (for castling, the rook's square) and what a pawn becomes; 0 is no move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedMove(u16);

const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];

impl PackedMove {
    /// The game was not followed beyond this position.
    pub const NONE: PackedMove = PackedMove(0);

    #[inline]
    pub fn of(m: Move) -> PackedMove {
        // One look at the kind of move: this runs for every half-move of every game.
        let (from, to, promotion) = match m {
            Move::Normal {
                from, to, promotion, ..
            } => (from, to, promotion),
            Move::EnPassant { from, to } => (from, to, None),
            Move::Castle { king, rook } => (king, rook, None),
            Move::Put { to, .. } => (to, to, None),
        };
        let promotion = promotion.map_or(0, |role| role as u16 - Role::Pawn as u16);
        PackedMove(from as u16 | (to as u16) << 6 | promotion << 12)
    }

    /// The legal move it stands for in `pos`.
    pub fn unpack(self, pos: &Chess) -> Option<Move> {
        self.retrace(pos).filter(|m| pos.is_legal(*m))
    }

    /// The move it stands for in the position it was played in. Whether it is legal is not asked, for it was.
    #[inline]
    pub fn retrace(self, pos: &Chess) -> Option<Move> {
        let (from, to) = (
            Square::new(u32::from(self.0 & 63)),
            Square::new(u32::from(self.0 >> 6 & 63)),
        );
        let promotion = *PROMOTIONS.get(usize::from(self.0 >> 12))?;
        Some(match pos.board().role_at(from)? {
            Role::King if pos.us().contains(to) => Move::Castle { king: from, rook: to },
            Role::Pawn if from.file() != to.file() && pos.board().piece_at(to).is_none() => {
                Move::EnPassant { from, to }
            }
            role => Move::Normal {
                role,
                from,
                capture: pos.board().role_at(to),
                to,
                promotion,
            },
        })
    }

    /// Its two bytes.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of these two bytes, whatever it may be.
    #[inline]
    pub const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_comes_back() {
        let texts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        ];
        for text in texts {
            let pos = tabiya_chess::parse_fen(text).expect("a position").position;
            for m in pos.legal_moves() {
                let packed = PackedMove::of(m);
                assert_ne!(packed, PackedMove::NONE);
                assert_eq!(packed.unpack(&pos), Some(m));
                assert_eq!(packed.retrace(&pos), Some(m));
                assert_eq!(PackedMove::from_bits(packed.bits()), packed);
            }
        }
    }

    #[test]
    fn nonsense_is_no_move() {
        let pos = Chess::default();
        for bits in 0..=u16::MAX {
            if let Some(m) = PackedMove::from_bits(bits).unpack(&pos) {
                assert!(pos.legal_moves().contains(&m));
            }
        }
    }
}
