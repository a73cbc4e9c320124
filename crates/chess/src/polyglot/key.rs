//! The key of the Polyglot book format.

use shakmaty::{Chess, EnPassantMode, Position, zobrist::Zobrist64};

/// The Polyglot key of a position.
///
/// Polyglot hashes the en-passant file whenever an enemy pawn stands beside the pushed one,
/// whether or not the capture is legal. Our EPD forgets such squares, so compute the key of
/// a position that was *played*, not of one read back from its EPD.
///
/// ```
/// use shakmaty::Chess;
///
/// assert_eq!(tabiya_chess::polyglot_key(&Chess::default()), 0x463b_9618_1691_fc9c);
/// ```
#[must_use]
pub fn polyglot_key(pos: &Chess) -> u64 {
    pos.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_san, resolve};

    fn check(line: &str, key: u64) {
        let mut pos = Chess::default();
        for text in line.split_whitespace() {
            let (san, _, _) = parse_san(text.as_bytes()).expect(text);
            pos.play_unchecked(resolve(&pos, san).expect(text));
        }
        assert_eq!(polyglot_key(&pos), key, "{line}");
    }

    #[test]
    fn agrees_with_the_published_vectors() {
        check("", 0x463b_9618_1691_fc9c);
        check("e4", 0x823c_9b50_fd11_4196);
        check("e4 d5", 0x0756_b944_61c5_0fb0);
        check("e4 d5 e5", 0x662f_afb9_65db_29d4);
        check("e4 d5 e5 f5", 0x22a4_8b5a_8e47_ff78);
        check("e4 d5 e5 f5 Ke2", 0x652a_607c_a3f2_42c1);
        check("e4 d5 e5 f5 Ke2 Kf7", 0x00fd_d303_c946_bdd9);
        check("a4 b5 h4 b4 c4", 0x3c81_23ea_7b06_7637);
        check("a4 b5 h4 b4 c4 bxc3 Ra3", 0x5c3f_9b82_9b27_9560);
    }

    #[test]
    fn an_illegal_en_passant_capture_is_hashed_all_the_same() {
        let pos = |fen| crate::parse_fen(fen).expect(fen).position;
        let with = pos("7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1");
        let without = pos("7k/8/8/K2pP2r/8/8/8/8 w - - 0 1");
        assert_eq!(with, without);
        assert_ne!(polyglot_key(&with), polyglot_key(&without));
    }
}
