//! Position to FEN.

use shakmaty::{Chess, Color, Position};

use crate::{ascii::AsciiText, identity::write_epd};

/// The full FEN: [`epd`](crate::epd), half-move clock and move number.
#[must_use]
pub fn full_fen(pos: &Chess) -> String {
    let mut fen = String::with_capacity(92);
    write_full_fen(pos, &mut fen);
    fen
}

/// Appends [`full_fen`] to `out`.
pub fn write_full_fen(pos: &Chess, out: &mut String) {
    write_epd(pos, out);
    out.push(' ');
    push_number(pos.halfmoves(), out);
    out.push(' ');
    push_number(pos.fullmoves().get(), out);
}

/// The full FEN of a position so many half-moves behind the initial one, from its [`epd`](crate::epd).
///
/// ```
/// let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
/// assert_eq!(tabiya_chess::fen_at(epd, 0, 1), format!("{epd} 0 1"));
/// ```
#[must_use]
pub fn fen_at(epd: &str, halfmoves: u32, ply: u32) -> String {
    format!("{epd} {halfmoves} {}", ply / 2 + 1)
}

/// Who is to move, by the text of a position: [`epd`](crate::epd) or FEN.
#[must_use]
pub fn turn_of(fen: &str) -> Color {
    Color::from_white(fen.split(' ').nth(1) != Some("b"))
}

/// How many half-moves the position's own counters say have been played:
/// 2 · (move number − 1), one more with Black to move.
#[must_use]
pub fn ply_of(pos: &Chess) -> u32 {
    (pos.fullmoves().get() - 1)
        .saturating_mul(2)
        .saturating_add(pos.turn().fold_wb(0, 1))
}

fn push_number(number: u32, out: &mut String) {
    let mut digits = AsciiText::<10>::new();
    let mut divisor = 1;
    while number / divisor >= 10 {
        divisor *= 10;
    }
    while divisor > 0 {
        digits.push(b'0' + (number / divisor % 10) as u8);
        divisor /= 10;
    }
    out.push_str(digits.as_str());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_fen;

    #[test]
    fn counters_and_turn_come_from_the_text() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K3 b - - 49 60",
            "4k3/8/8/8/8/8/b7/4K3 w - - 3 61",
        ] {
            let position = parse_fen(fen).unwrap().position;
            let epd = crate::epd(&position);
            assert_eq!(fen_at(&epd, position.halfmoves(), ply_of(&position)), fen);
            assert_eq!((turn_of(&epd), turn_of(fen)), (position.turn(), position.turn()));
        }
    }

    #[test]
    fn counters_are_written_as_they_are() {
        for number in [0, 1, 9, 10, 11, 99, 100, 101, 1_000_000, u32::MAX] {
            let mut text = String::new();
            push_number(number, &mut text);
            assert_eq!(text, number.to_string());
        }
        let fen = "4k3/8/8/8/8/8/8/4K3 b - - 49 4294967295";
        assert_eq!(full_fen(&parse_fen(fen).unwrap().position), fen);
    }

    #[test]
    fn ply_counts_half_moves_from_the_initial_position() {
        let ply = |fen: &str| ply_of(&parse_fen(fen).expect(fen).position);
        assert_eq!(ply("startpos"), 0);
        assert_eq!(ply("4k3/8/8/8/8/8/8/4K3 b - - 0 1"), 1);
        assert_eq!(ply("4k3/8/8/8/8/8/8/4K3 w - - 0 2"), 2);
        assert_eq!(ply("4k3/8/8/8/8/8/8/4K3 b - - 0 40"), 79);
        assert_eq!(ply("4k3/8/8/8/8/8/8/4K3 b - - 0 4294967295"), u32::MAX);
    }
}
