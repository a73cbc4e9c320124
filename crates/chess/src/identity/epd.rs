//! The text of a position: four-field EPD.

use shakmaty::{Bitboard, Board, Chess, Color, Position, Role};

use crate::ascii::AsciiText;

/// 64 pieces, 7 slashes, ` w `, `KQkq`, a space and a square are 81 bytes.
pub(crate) type EpdText = AsciiText<81>;

const LETTERS: [(Role, u8); 6] = [
    (Role::Pawn, b'P'),
    (Role::Knight, b'N'),
    (Role::Bishop, b'B'),
    (Role::Rook, b'R'),
    (Role::Queen, b'Q'),
    (Role::King, b'K'),
];

/// For every byte, the eight bytes that are 0xff where its bit is set.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut row = 0;
    while row < 256 {
        let mut file = 0;
        while file < 8 {
            if row >> file & 1 == 1 {
                table[row] |= 0xff << (8 * file);
            }
            file += 1;
        }
        row += 1;
    }
    table
};

/// The text that identifies a position: board, side to move, castling rights, and the
/// en-passant square only where an en-passant capture is legal.
///
/// ```
/// use shakmaty::Chess;
///
/// assert_eq!(
///     tabiya_chess::epd(&Chess::default()),
///     "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
/// );
/// ```
#[must_use]
pub fn epd(pos: &Chess) -> String {
    epd_text(pos).as_str().to_owned()
}

/// Appends [`epd`] to `out`.
pub fn write_epd(pos: &Chess, out: &mut String) {
    out.push_str(epd_text(pos).as_str());
}

/// The same bytes as shakmaty's `Epd`, written by hand because every counted position and
/// every id goes through here: shakmaty clones a `Setup` and asks each square for its piece.
pub(crate) fn epd_text(pos: &Chess) -> EpdText {
    let mut text = EpdText::new();
    push_board(pos.board(), &mut text);
    text.push(b' ');
    text.push(pos.turn().fold_wb(b'w', b'b'));
    text.push(b' ');
    push_castling(pos.board(), pos.castles().castling_rights(), &mut text);
    text.push(b' ');
    match pos.legal_ep_square() {
        Some(square) => text.push_square(square),
        None => text.push(b'-'),
    }
    text
}

/// The board, a rank at a time: all eight letters at once, then the occupied squares with the
/// gaps between them. Asking each square for its piece costs a branch per kind of piece.
fn push_board(board: &Board, text: &mut EpdText) {
    let rows = |squares: Bitboard| squares.0.to_le_bytes();
    let occupied = rows(board.occupied());
    let black = rows(board.black());
    let roles = LETTERS.map(|(role, letter)| (rows(board.by_role(role)), repeat(letter)));

    for rank in (0..8).rev() {
        let spread = |rows: &[u8; 8]| SPREAD[usize::from(rows[rank])];
        let letters = roles
            .iter()
            .fold(spread(&black) & repeat(LOWER_CASE), |letters, (rows, letter)| {
                letters | spread(rows) & letter
            });

        let mut row = occupied[rank];
        let mut next = 0;
        while row != 0 {
            let file = row.trailing_zeros() as u8;
            text.push_if(file > next, b'0' + (file - next));
            text.push((letters >> (8 * file)) as u8);
            next = file + 1;
            row &= row - 1;
        }
        text.push_if(next < 8, b'0' + (8 - next));
        text.push_if(rank > 0, b'/');
    }
}

/// The bit that makes an ASCII letter small.
const LOWER_CASE: u8 = 0x20;

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// X-FEN: `K` or `Q` for the outermost rook on its side of the king, the rook's file otherwise.
fn push_castling(board: &Board, rights: Bitboard, text: &mut EpdText) {
    if rights.is_empty() {
        return text.push(b'-');
    }
    if rights == Bitboard::CORNERS && board.kings() == Board::new().kings() {
        // No rook can stand outside a corner, so this is KQkq in standard chess and Chess960.
        return b"KQkq".iter().for_each(|letter| text.push(*letter));
    }
    for color in Color::ALL {
        let king = board.king_of(color);
        let rooks = board.by_piece(color.rook()) & color.backrank();
        for rook in (rights & color.backrank()).into_iter().rev() {
            let letter = if Some(rook) == rooks.first() && king.is_some_and(|king| rook < king) {
                b'Q'
            } else if Some(rook) == rooks.last() && king.is_some_and(|king| king < rook) {
                b'K'
            } else {
                b'A' + rook.file() as u8
            };
            text.push(color.fold_wb(letter, letter.to_ascii_lowercase()));
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, EnPassantMode, fen::Epd};

    use super::*;
    use crate::parse_fen_with_mode;

    fn check(fen: &str, mode: CastlingMode, expected: &str) {
        let pos = parse_fen_with_mode(fen, mode).expect(fen).position;
        assert_eq!(epd(&pos), expected);
        assert_eq!(Epd::from_position(&pos, EnPassantMode::Legal).to_string(), expected);
        let mut line = String::from("x ");
        write_epd(&pos, &mut line);
        assert_eq!(line, format!("x {expected}"));
    }

    #[test]
    fn en_passant_is_named_only_where_the_capture_is_legal() {
        let standard = CastlingMode::Standard;
        check(
            "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            standard,
            "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6",
        );
        // Nobody stands beside the pawn.
        check(
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            standard,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
        );
        // Both pawns would leave the fifth rank and bare the king.
        check(
            "7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
            standard,
            "7k/8/8/K2pP2r/8/8/8/8 w - -",
        );
    }

    #[test]
    fn castling_rights_are_written_as_x_fen() {
        let chess960 = CastlingMode::Chess960;
        check(
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            chess960,
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq -",
        );
        // The right belongs to the inner rook, so K would name the wrong one.
        check(
            "4k3/8/8/8/8/8/8/4K1RR w G - 0 1",
            chess960,
            "4k3/8/8/8/8/8/8/4K1RR w G -",
        );
        check(
            "rr2k3/8/8/8/8/8/8/4K3 b b - 0 1",
            chess960,
            "rr2k3/8/8/8/8/8/8/4K3 b b -",
        );
        check(
            "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1",
            CastlingMode::Standard,
            "r3k2r/8/8/8/8/8/8/R3K2R w Kq -",
        );
    }
}
