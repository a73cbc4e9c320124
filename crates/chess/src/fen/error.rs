//! What can be wrong with a FEN.

use shakmaty::PositionErrorKinds;
use thiserror::Error;

/// Why a text is not a position, with the part that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// There is no text.
    #[error("the FEN is empty")]
    Empty,
    /// The board does not parse.
    #[error("the board `{0}` is not eight ranks of eight squares separated by `/`")]
    Board(String),
    /// The side to move does not parse.
    #[error("the side to move must be `w` or `b`, not `{0}`")]
    Turn(String),
    /// The castling rights do not parse.
    #[error("the castling rights must be `-` or letters such as `KQkq`, not `{0}`")]
    Castling(String),
    /// The en-passant square does not parse.
    #[error("the en-passant square must be `-` or a square such as `e3`, not `{0}`")]
    EnPassant(String),
    /// The half-move clock does not parse.
    #[error("the half-move clock must be a number, not `{0}`")]
    Halfmoves(String),
    /// The move number does not parse.
    #[error("the move number must be a number, not `{0}`")]
    Fullmoves(String),
    /// Something follows the six fields.
    #[error("nothing may follow the move number, but there is `{0}`")]
    Trailing(String),
    /// The fields parse, but nobody could play on from here.
    #[error("`{fen}` cannot be played: {}", reasons(.kinds))]
    Unplayable {
        /// The FEN, with single spaces.
        fen: String,
        /// What is wrong, as shakmaty names it.
        kinds: PositionErrorKinds,
    },
}

fn reasons(kinds: &PositionErrorKinds) -> String {
    [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (
            PositionErrorKinds::PAWNS_ON_BACKRANK,
            "a pawn stands on the first or last rank",
        ),
        (
            PositionErrorKinds::OPPOSITE_CHECK,
            "the side that is not to move is in check",
        ),
    ]
    .into_iter()
    .filter_map(|(kind, reason)| kinds.contains(kind).then_some(reason))
    .collect::<Vec<_>>()
    .join(", ")
}
