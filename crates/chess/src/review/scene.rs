//! A board on which either side may move, whoever's turn it is.

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, PositionError, Role, Setup, Square,
};

/// A board with its castling rights. It has no turn: who acts is said with every question.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) board: Board,
    rights: Bitboard,
    mode: CastlingMode,
}

impl Scene {
    pub(super) fn of(position: &Chess) -> Scene {
        Scene {
            board: position.board().clone(),
            rights: position.castles().castling_rights(),
            mode: position.castles().mode(),
        }
    }

    /// The scene after a piece went from one square to another, taking what stood there.
    pub(super) fn after(&self, from: Square, to: Square, promotion: Option<Role>) -> Scene {
        let mut board = self.board.clone();
        let mut rights = self.rights;
        if let Some(piece) = board.remove_piece_at(from) {
            if piece.role == Role::King {
                rights &= !Bitboard::from(piece.color.backrank());
            }
            let role = promotion.unwrap_or(piece.role);
            board.set_piece_at(to, Piece { role, ..piece });
        }
        rights.discard(from);
        rights.discard(to);
        Scene {
            board,
            rights,
            mode: self.mode,
        }
    }

    /// Whether `side` could mate at once if it were its move.
    pub(super) fn has_mate_in_one(&self, side: Color) -> bool {
        let Some(position) = self.with_turn(side) else {
            return false;
        };
        position.legal_moves().iter().any(|m| {
            let mut after = position.clone();
            after.play_unchecked(*m);
            after.is_checkmate()
        })
    }

    /// The position with `side` to move; none where that side could take the king.
    fn with_turn(&self, side: Color) -> Option<Chess> {
        let mut setup = Setup::empty();
        setup.board = self.board.clone();
        setup.castling_rights = self.rights;
        setup.turn = side;
        Chess::from_setup(setup, self.mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_fen;

    fn scene(fen: &str) -> Scene {
        Scene::of(&parse_fen(fen).expect(fen).position)
    }

    #[test]
    fn either_side_may_have_a_mate() {
        let white = scene("6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1");
        assert!(white.has_mate_in_one(Color::White) && !white.has_mate_in_one(Color::Black));
        let black = scene("r5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1");
        assert!(black.has_mate_in_one(Color::Black) && !black.has_mate_in_one(Color::White));
        let guarded = scene("4r1k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
        assert!(!guarded.has_mate_in_one(Color::Black) && !guarded.has_mate_in_one(Color::White));
    }

    #[test]
    fn who_could_take_the_king_has_no_mate() {
        assert!(!scene("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1").has_mate_in_one(Color::White));
    }

    #[test]
    fn castling_rights_go_with_king_and_rook() {
        let castled = scene("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        assert_eq!(castled.after(Square::E1, Square::E2, None).rights.count(), 2);
        assert_eq!(castled.after(Square::H1, Square::H8, None).rights.count(), 2);
        assert_eq!(castled.after(Square::A1, Square::A2, None).rights.count(), 3);
    }
}
