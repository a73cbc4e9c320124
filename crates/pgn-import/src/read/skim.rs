//! Plain movetext at a glance, for whoever wants to get past it.

use shakmaty::{Role, Square, san::San};

use super::lexer::Lexer;

/// A move as far as a glance at its text tells: its piece, its goal, what a pawn becomes.
///
/// The same move may be written with more or less about where it comes from, and has one glimpse all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Glimpse(u32);

impl Glimpse {
    /// Of a move that was read in full.
    pub fn of(san: San) -> Glimpse {
        match san {
            San::Normal {
                role, to, promotion, ..
            } => {
                let promotion = promotion.map_or(0, |role| role as u32);
                Glimpse(Glimpse::plain(role, to).0 | promotion << 16)
            }
            San::Castle(side) => Glimpse(0x100_0000 + side as u32),
            San::Put { .. } | San::Null => Glimpse(0x200_0000),
        }
    }

    fn plain(role: Role, to: Square) -> Glimpse {
        Glimpse(1 + u32::from(to) + ((role as u32) << 8))
    }

    /// A number that tells it from others.
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl Lexer<'_> {
    /// Takes the next move, and numbers and blanks before it, if nothing out of the ordinary stands there. Whatever does
    /// is left for [`next_token`](Lexer::next_token): this never decides where a game ends.
    ///
    /// Eight bytes are looked at as one number, which costs about a third of reading a move.
    #[inline]
    pub(super) fn skim(&mut self) -> Option<Glimpse> {
        if !self.in_plain_moves() {
            return None;
        }
        loop {
            let chunk = self.rest().first_chunk::<8>()?;
            match chunk[0] {
                b' ' | b'.' => self.advance(1),
                b'\n' if chunk[1].is_ascii_alphanumeric() => self.advance(1),
                b'0'..=b'9' => self.advance(move_number(chunk)?),
                _ => {
                    let (seen, len) = plain_move(chunk)?;
                    // The space behind it is passed over too, which saves a turn of the loop.
                    self.advance(len + usize::from(chunk[len] == b' '));
                    return Some(seen);
                }
            }
        }
    }
}

/// The length of `7.`, `23.` or `108.`, with one space where it stands behind.
#[inline]
fn move_number(chunk: &[u8; 8]) -> Option<usize> {
    let len = if chunk[1] == b'.' {
        2
    } else if chunk[2] == b'.' && chunk[1].is_ascii_digit() {
        3
    } else if chunk[3] == b'.' && chunk[2].is_ascii_digit() && chunk[1].is_ascii_digit() {
        4
    } else {
        return None;
    };
    Some(len + usize::from(chunk[len] == b' '))
}

/// A move in the usual spelling with a blank behind it, and its length.
#[inline]
fn plain_move(chunk: &[u8; 8]) -> Option<(Glimpse, usize)> {
    let role = match chunk[0] {
        b'a'..=b'h' => Role::Pawn,
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        b'K' => Role::King,
        _ => return None,
    };
    let len = blank_at(u64::from_le_bytes(*chunk))?;
    let end = len - usize::from(matches!(chunk[len - 1], b'+' | b'#'));
    // What may stand between the piece's letter (or the pawn's file) and the goal.
    let usual = match (role, end) {
        (Role::Pawn, 2) => true,
        (Role::Pawn, 4) => chunk[1] == b'x',
        (Role::Pawn, _) => false,
        (_, 3) => true,
        (_, 4) => is_file(chunk[1]) || is_rank(chunk[1]) || chunk[1] == b'x',
        (_, 5) => (is_file(chunk[1]) || is_rank(chunk[1])) && chunk[2] == b'x',
        _ => false,
    };
    if !usual {
        return None;
    }
    let (file, rank) = (chunk[end - 2], chunk[end - 1]);
    if !is_file(file) || !is_rank(rank) {
        return None;
    }
    let to = Square::new(u32::from(rank - b'1') * 8 + u32::from(file - b'a'));
    Some((Glimpse::plain(role, to), len))
}

fn is_file(byte: u8) -> bool {
    matches!(byte, b'a'..=b'h')
}

fn is_rank(byte: u8) -> bool {
    matches!(byte, b'1'..=b'8')
}

/// Where the first space or newline of eight bytes stands; `None` without one, or if anything but ASCII is before it.
#[inline]
fn blank_at(bytes: u64) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte of 0x20 or less has its high bit set after the subtraction; a borrow can reach only bytes behind it.
    let low = bytes.wrapping_sub(ONES * 0x21) & HIGH;
    let at = low.trailing_zeros() as usize / 8;
    (low != 0 && matches!(bytes.to_le_bytes()[at], b' ' | b'\n')).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tabiya_chess::parse_san;

    use super::*;
    use crate::read::token::Token;

    /// Behind the first move of a game.
    fn lexer(game: &str) -> Lexer<'_> {
        let mut lexer = Lexer::new(game.as_bytes());
        assert!(lexer.begin_game());
        assert!(lexer.next_tag().is_none());
        assert!(matches!(lexer.next_token(), Token::Move(_)), "{game:?}");
        lexer
    }

    /// All moves of the main line, by glimpses where they can be had and in full where they cannot.
    fn moves(text: &str, skim: bool) -> (Vec<Glimpse>, usize) {
        let game = format!("1. d4 {text}");
        let mut lexer = lexer(&game);
        let mut moves = Vec::new();
        let mut skimmed = 0;
        loop {
            if skim && let Some(seen) = lexer.skim() {
                moves.push(seen);
                skimmed += 1;
                continue;
            }
            match lexer.next_token() {
                Token::Move(san) => moves.push(Glimpse::of(san)),
                Token::EndOfGame | Token::OpenComment => return (moves, skimmed),
                _ => {}
            }
        }
    }

    #[test]
    fn plain_moves_are_seen_at_a_glance() {
        let text = "23. Nf3 exd5 24.N1d2\nRxe4+ 25... Qbxd7# Kb1 bxc3 26. Rad1 g8=Q+ O-O 1-0 and more";
        let (seen, skimmed) = moves(text, true);
        assert_eq!(seen, moves(text, false).0);
        assert_eq!((seen.len(), skimmed), (10, 8));
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_left_alone() {
        for text in [
            "{comment} e4 e5",
            "(e4) d4 d5",
            "$1 Nf3 Nf6",
            "1-0 e4 e4",
            "0-1 e4 e4",
            "1/2-1/2 ",
            "* e4 e4 e4",
            "e2e4 e7e5",
            "♘f3 ♞f6",
            "\n\n1. e4",
            "\n[Event \"x\"]",
            "; e4 e5\n",
            "Nf3! Nf6",
            "e4",
        ] {
            assert_eq!(lexer(&format!("1. d4 {text}")).skim(), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_glance_sees_what_reading_sees(text in "([1-9]{0,3}[.]{0,3} ?[NBRQKa-h]{1,2}[a-h1-8x]{0,3}[a-h][1-8][+#=!]?[QN]?[ \n\r]{1,2}|[{}();$*1/0-]| |\n){1,12}") {
            prop_assert_eq!(moves(&text, true).0, moves(&text, false).0);
        }

        #[test]
        fn a_plain_move_is_that_move(bytes in prop::array::uniform8(prop::sample::select(b"NBRQKabcdefgh12345678x+#= \n".to_vec()))) {
            if let Some((seen, len)) = plain_move(&bytes) {
                let (san, _, read) = parse_san(&bytes).expect("a move");
                prop_assert_eq!((seen, len), (Glimpse::of(san), read));
            }
        }
    }
}
