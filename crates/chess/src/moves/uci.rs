//! UCI, the notation of ids, stores and engines.

use shakmaty::{Chess, Move, Position, uci::UciMove};
use thiserror::Error;

use super::resolve::from_square;
use crate::ascii::AsciiText;

/// Why a UCI text is not a move here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UciError {
    /// The text is not a move in any position.
    #[error("`{0}` is not a move in UCI notation")]
    Syntax(String),
    /// The move is not legal in this position.
    #[error("`{0}` is not a legal move here")]
    Illegal(String),
}

/// The move in UCI notation. Castling is the king's own move (`e1g1`) in standard chess and
/// the king taking its rook (`e1h1`) in a Chess960 position.
#[must_use]
pub fn to_uci(pos: &Chess, m: Move) -> String {
    uci_text(pos, m).as_str().to_owned()
}

/// Appends [`to_uci`] to `out`.
pub fn write_uci(pos: &Chess, m: Move, out: &mut String) {
    out.push_str(uci_text(pos, m).as_str());
}

fn uci_text(pos: &Chess, m: Move) -> AsciiText<5> {
    let mut text = AsciiText::new();
    match UciMove::from_move(m, pos.castles().mode()) {
        UciMove::Normal { from, to, promotion } => {
            text.push_square(from);
            text.push_square(to);
            if let Some(role) = promotion {
                text.push(role.char() as u8);
            }
        }
        UciMove::Put { role, to } => {
            text.push(role.upper_char() as u8);
            text.push(b'@');
            text.push_square(to);
        }
        UciMove::Null => b"0000".iter().for_each(|zero| text.push(*zero)),
    }
    text
}

/// The legal move that `text` means in `pos`. Castling is read in both its forms, whatever
/// the position's mode.
///
/// # Errors
///
/// [`UciError`] if `text` is no move, or not a legal one here; the null move `0000` never is.
pub fn from_uci(pos: &Chess, text: &str) -> Result<Move, UciError> {
    let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| UciError::Syntax(text.to_owned()))?;
    let illegal = || UciError::Illegal(text.to_owned());
    match uci {
        UciMove::Normal { from, to, promotion } => from_square(pos, from, to, promotion).map_err(|_| illegal()),
        UciMove::Put { .. } | UciMove::Null => Err(illegal()),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::parse_fen_with_mode;

    fn check(fen: &str, mode: CastlingMode, text: &str, expected: &str) {
        let pos = parse_fen_with_mode(fen, mode).expect(fen).position;
        let m = from_uci(&pos, text).expect(text);
        assert_eq!(to_uci(&pos, m), expected);
        let mut line = String::from("moves ");
        write_uci(&pos, m, &mut line);
        assert_eq!(line, format!("moves {expected}"));
    }

    #[test]
    fn castling_is_written_by_the_position_s_mode() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for text in ["e1g1", "e1h1"] {
            check(fen, CastlingMode::Standard, text, "e1g1");
            check(fen, CastlingMode::Chess960, text, "e1h1");
        }
    }

    #[test]
    fn promotions_are_lower_case() {
        let fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        check(fen, CastlingMode::Standard, "a7a8q", "a7a8q");
        check(fen, CastlingMode::Standard, "a7a8N", "a7a8n");
    }

    #[test]
    fn errors_name_the_text() {
        let pos = Chess::default();
        let error = |text| from_uci(&pos, text).unwrap_err().to_string();
        assert_eq!(error("e4"), "`e4` is not a move in UCI notation");
        assert_eq!(error("e2e5"), "`e2e5` is not a legal move here");
        assert_eq!(error("0000"), "`0000` is not a legal move here");
        assert_eq!(error("P@e4"), "`P@e4` is not a legal move here");
    }
}
