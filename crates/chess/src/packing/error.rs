//! Bytes that are no position.

use thiserror::Error;

use crate::FenError;

/// Why some bytes are no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackingError {
    /// There are fewer bytes than a position has.
    #[error("the bytes end in the middle of a position")]
    TooShort,
    /// There are more.
    #[error("{0} bytes are left over behind the position")]
    TooLong(usize),
    /// A value that stands for nothing.
    #[error("{what} has the value {value}, which stands for nothing")]
    Meaningless {
        /// What it should have said.
        what: &'static str,
        /// What it says.
        value: u8,
    },
    /// Something a position can do without, and that is wrong about it: castling rights without a rook, for one.
    #[error("{0} does not fit the board")]
    Misfit(&'static str),
    /// The board cannot be played on.
    #[error(transparent)]
    Unplayable(#[from] FenError),
}
