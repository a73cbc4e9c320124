//! Conditions as bitboards.

use shakmaty::{Bitboard, Board};

use super::token::Token;

/// One side's pawns and bishops.
#[derive(Clone, Copy, Debug)]
pub(in crate::structure) struct Side {
    pub(super) pawns: Bitboard,
    pub(super) bishops: Bitboard,
}

/// All that a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(in crate::structure) struct Pieces {
    pub(super) white: Side,
    pub(super) black: Side,
}

impl Pieces {
    pub(in crate::structure) fn of(board: &Board) -> Pieces {
        let side = |squares| Side {
            pawns: board.pawns() & squares,
            bishops: board.bishops() & squares,
        };
        Pieces {
            white: side(board.white()),
            black: side(board.black()),
        }
    }
}

/// One side's conditions. Most are single squares and empty files, so that two comparisons settle most boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Masks {
    /// A pawn on every one of these.
    all: Bitboard,
    /// A pawn on none of these.
    none: Bitboard,
    /// Of each: a pawn or a bishop on at least one.
    any: Box<[Any]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Any {
    pawns: Bitboard,
    bishops: Bitboard,
}

impl Masks {
    pub(super) fn of(tokens: &[Token]) -> Masks {
        let (mut all, mut none, mut any) = (Bitboard::EMPTY, Bitboard::EMPTY, Vec::new());
        for token in tokens {
            match token {
                Token::NoneOnFiles(_) | Token::NoneOn(_) => none |= token.pawns(),
                Token::OneOf(_) => match (token.pawns(), token.bishops()) {
                    (pawns, Bitboard::EMPTY) if pawns.count() == 1 => all |= pawns,
                    (pawns, bishops) => any.push(Any { pawns, bishops }),
                },
            }
        }
        Masks {
            all,
            none,
            any: any.into(),
        }
    }

    /// The same for the other side of the board.
    pub(super) fn flipped(&self) -> Masks {
        let flip = |any: &Any| Any {
            pawns: any.pawns.flip_vertical(),
            bishops: any.bishops.flip_vertical(),
        };
        Masks {
            all: self.all.flip_vertical(),
            none: self.none.flip_vertical(),
            any: self.any.iter().map(flip).collect(),
        }
    }

    #[inline]
    pub(super) fn hold(&self, side: Side) -> bool {
        side.pawns.is_superset(self.all)
            && side.pawns.is_disjoint(self.none)
            && self
                .any
                .iter()
                .all(|any| side.pawns.intersects(any.pawns) || side.bishops.intersects(any.bishops))
    }
}
