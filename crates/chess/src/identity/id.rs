//! Ids of positions, edges and tactics.

use std::fmt;

use shakmaty::Chess;

use super::{epd::epd_text, fnv::Fnv1a, fnv1a};

/// The id of a position: the 64-bit FNV-1a hash of its EPD's bytes.
///
/// Ids are written into databases and exports, so the rule never changes. Test vectors:
///
/// | position | id |
/// |---|---|
/// | the initial position | `e7550032f70614fc` |
/// | after 1.e4 | `2b1fd1b2aadfbfa3` |
/// | after 1.Nf3 d5 2.d4 and after 1.d4 d5 2.Nf3 | `9a2fff3f65a36577` |
/// | after 1.e4 a6 2.e5 d5 (en passant is legal: `… w KQkq d6`) | `53edd8d49594e1d5` |
/// | `7k/8/8/K2pP2r/8/8/8/8 w - d6` (en passant is not: `… w - -`) | `6a4c7c3d090af094` |
///
/// Two positions may share an id; whoever stores them enforces that their EPDs agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId(u64);

impl PositionId {
    /// The id of a position.
    #[must_use]
    pub fn of(pos: &Chess) -> PositionId {
        PositionId(fnv1a(epd_text(pos).as_bytes()))
    }

    /// The id of the position whose EPD is `epd`, taken as it is: only the text that
    /// [`epd`](crate::epd) writes gives the position's id.
    #[must_use]
    pub const fn from_text(epd: &str) -> PositionId {
        PositionId(fnv1a(epd.as_bytes()))
    }

    /// The id as a number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The id's bits as SQL keeps them, where integers are signed.
    #[must_use]
    pub const fn to_i64(self) -> i64 {
        self.0.cast_signed()
    }

    /// The id whose bits SQL kept as `bits`.
    #[must_use]
    pub const fn from_i64(bits: i64) -> PositionId {
        PositionId(bits.cast_unsigned())
    }
}

impl From<u64> for PositionId {
    fn from(id: u64) -> PositionId {
        PositionId(id)
    }
}

impl From<PositionId> for u64 {
    fn from(id: PositionId) -> u64 {
        id.0
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for PositionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The id of the edge that `uci` makes out of `parent`: FNV-1a over the parent's id (8 bytes,
/// little endian), then the UCI text. The initial position's `e2e4` is `ec56429ff815b8ae`.
#[must_use]
pub const fn edge_id(parent: PositionId, uci: &str) -> u64 {
    let mut hash = Fnv1a::new();
    hash.update(&parent.0.to_le_bytes());
    hash.update(uci.as_bytes());
    hash.value()
}

/// The id of a tactic: FNV-1a over the FEN, one zero byte, and the UCI moves of its line
/// joined by single spaces.
#[must_use]
pub fn tactic_id<S: AsRef<str>>(fen: &str, pv_uci: &[S]) -> u64 {
    let mut hash = Fnv1a::new();
    hash.update(fen.as_bytes());
    hash.update(&[0]);
    for (i, uci) in pv_uci.iter().enumerate() {
        if i > 0 {
            hash.update(b" ");
        }
        hash.update(uci.as_ref().as_bytes());
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;

    use super::*;
    use crate::{epd, parse_fen, parse_san, resolve};

    fn after(line: &str) -> Chess {
        let mut pos = Chess::default();
        for text in line.split_whitespace() {
            let (san, _, _) = parse_san(text.as_bytes()).expect(text);
            pos.play_unchecked(resolve(&pos, san).expect(text));
        }
        pos
    }

    fn check(pos: &Chess, text: &str, id: u64) {
        assert_eq!(epd(pos), text);
        assert_eq!(PositionId::of(pos).get(), id, "{text}");
        assert_eq!(PositionId::from_text(text), PositionId::of(pos));
    }

    #[test]
    fn positions_have_their_published_ids() {
        check(
            &after(""),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            0xe755_0032_f706_14fc,
        );
        check(
            &after("e4"),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
            0x2b1f_d1b2_aadf_bfa3,
        );
        for transposition in ["Nf3 d5 d4", "d4 d5 Nf3"] {
            check(
                &after(transposition),
                "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq -",
                0x9a2f_ff3f_65a3_6577,
            );
        }
        check(
            &after("e4 a6 e5 d5"),
            "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6",
            0x53ed_d8d4_9594_e1d5,
        );
        let pinned = parse_fen("7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1").unwrap();
        check(&pinned.position, "7k/8/8/K2pP2r/8/8/8/8 w - -", 0x6a4c_7c3d_090a_f094);
    }

    #[test]
    fn edges_and_tactics_have_their_published_ids() {
        let start = PositionId::of(&Chess::default());
        assert_eq!(edge_id(start, "e2e4"), 0xec56_429f_f815_b8ae);

        let fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5";
        let line = ["f3e5", "c6e5", "d2d4", "e5c4", "d4c5"];
        assert_eq!(tactic_id(fen, &line), 0xf939_6b59_b4e3_ad46);
        assert_eq!(
            tactic_id::<String>("", &[]),
            0xaf63_bd4c_8601_b7df,
            "the zero byte alone"
        );
    }

    #[test]
    fn an_id_survives_sql_and_reads_as_hexadecimal() {
        let id = PositionId::of(&Chess::default());
        assert!(id.to_i64() < 0, "the vector has its top bit set");
        assert_eq!(PositionId::from_i64(id.to_i64()), id);
        assert_eq!(PositionId::from(u64::from(id)), id);
        assert_eq!(id.to_string(), "e7550032f70614fc");
        assert_eq!(PositionId::from(7).to_string(), "0000000000000007");
    }
}
