//! Pawns to look at.

use std::fmt::Write as _;

use shakmaty::{Bitboard, Board, File, Rank, Role, Square};

/// The board with its pawns alone: eight lines from the eighth rank down, White's pawns `P`, Black's `p`, the rest `.`.
///
/// ```
/// let board = "4k3/8/8/3p4/3P4/8/8/4K3".parse().expect("a board");
/// assert_eq!(tabiya_chess::pawn_diagram(&board).lines().nth(3), Some("...p...."));
/// ```
#[must_use]
pub fn pawn_diagram(board: &Board) -> String {
    let mut text = String::with_capacity(72);
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let pawn = board
                .piece_at(Square::from_coords(file, rank))
                .filter(|piece| piece.role == Role::Pawn);
            text.push(pawn.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    text
}

/// The pawns on the c-, d- and e-files, White's and Black's, such as `c2 d3 / c6 e6`; `-` for none. Boards of the same
/// skeleton mostly belong to one structure, known or not.
///
/// ```
/// let board = "8/pp3ppp/2p1p3/8/8/3P4/PPP2PPP/8".parse().expect("a board");
/// assert_eq!(tabiya_chess::pawn_skeleton(&board), "c2 d3 / c6 e6");
/// ```
#[must_use]
pub fn pawn_skeleton(board: &Board) -> String {
    let mut text = String::with_capacity(24);
    write_center(board.pawns() & board.white(), &mut text);
    text.push_str(" / ");
    write_center(board.pawns() & board.black(), &mut text);
    text
}

fn write_center(pawns: Bitboard, text: &mut String) {
    let mut separator = "";
    for file in [File::C, File::D, File::E] {
        for square in pawns & Bitboard::from_file(file) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{separator}{square}");
            separator = " ";
        }
    }
    if separator.is_empty() {
        text.push('-');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        fen.parse().expect(fen)
    }

    #[test]
    fn a_diagram_shows_pawns_alone() {
        let text = pawn_diagram(&board("rnbqkb1r/pp2pppp/2p2n2/3p4/2PP4/5N2/PP2PPPP/RNBQKB1R"));
        let expected = "........\npp..pppp\n..p.....\n...p....\n..PP....\n........\nPP..PPPP\n........\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_skeleton_goes_by_file_and_rank() {
        assert_eq!(pawn_skeleton(&Board::new()), "c2 d2 e2 / c7 d7 e7");
        assert_eq!(pawn_skeleton(&board("8/2p5/3p4/8/8/2P5/2P5/8")), "c2 c3 / c7 d6",);
        assert_eq!(pawn_skeleton(&board("8/pp6/8/8/4P3/8/8/8")), "e4 / -");
        assert_eq!(pawn_skeleton(&Board::empty()), "- / -");
    }
}
