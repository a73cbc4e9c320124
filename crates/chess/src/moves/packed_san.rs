//! A move with all that its SAN says, in four bytes.

use std::fmt;

use shakmaty::{Chess, Move, Role, Square};

use super::{
    resolve::from_square,
    write_san::{Mark, SanText, in_check, mark_of, origin},
};

/// A move and how SAN writes it, in four bytes: enough to keep millions of games in memory and to write them without
/// playing them again.
///
/// Two moves out of one position are equal exactly where they are the same move.
///
/// ```
/// use shakmaty::{Chess, Position};
/// use tabiya_chess::{PackedSan, from_uci};
///
/// let mut pos = Chess::default();
/// let m = from_uci(&pos, "g1f3")?;
/// let packed = PackedSan::of(&pos, m);
/// assert_eq!(packed.to_move(&pos), Some(m));
/// pos.play_unchecked(m);
/// assert_eq!(packed.marked(&pos).to_string(), "Nf3");
/// # Ok::<_, tabiya_chess::UciError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedSan(u32);

const TO: u32 = 6;
const PROMOTION: u32 = 12;
const ROLE: u32 = 15;
const CAPTURE: u32 = 1 << 18;
const FILE: u32 = 1 << 19;
const RANK: u32 = 1 << 20;
const CASTLE: u32 = 1 << 21;
const CHECK: u32 = 1 << 22;
const MATE: u32 = 1 << 23;

const ROLES: [Role; 8] = [
    Role::Pawn,
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
    Role::King,
];

impl PackedSan {
    /// The legal move `m`, not yet with its check mark.
    #[inline]
    #[must_use]
    pub fn of(before: &Chess, m: Move) -> PackedSan {
        let bits = |from: Square, to: Square, role: Role| from as u32 | (to as u32) << TO | (role as u32) << ROLE;
        PackedSan(match m {
            Move::Normal {
                role: Role::Pawn,
                from,
                capture,
                to,
                promotion,
            } => {
                let taking = if capture.is_some() { CAPTURE | FILE } else { 0 };
                bits(from, to, Role::Pawn) | taking | promotion.map_or(0, |role| (role as u32) << PROMOTION)
            }
            Move::Normal {
                role,
                from,
                capture,
                to,
                ..
            } => {
                let (file, rank) = origin(before, role, from, to);
                bits(from, to, role)
                    | if capture.is_some() { CAPTURE } else { 0 }
                    | if file { FILE } else { 0 }
                    | if rank { RANK } else { 0 }
            }
            Move::EnPassant { from, to } => bits(from, to, Role::Pawn) | CAPTURE | FILE,
            Move::Castle { king, rook } => bits(king, rook, Role::King) | CASTLE,
            // There are no drops in chess.
            Move::Put { role, to } => bits(to, to, role),
        })
    }

    /// The same with its check mark; `after` is the position behind the move.
    #[inline]
    #[must_use]
    pub fn marked(self, after: &Chess) -> PackedSan {
        match mark_of(after) {
            None => self,
            Some(Mark::Check) => PackedSan(self.0 | CHECK),
            Some(Mark::Mate) => PackedSan(self.0 | MATE),
        }
    }

    /// The same with the mark of a check, whether it is mate or not. Behind a mate no move follows, so whoever reads a game asks
    /// once, behind its last move, instead of behind every check.
    #[inline]
    #[must_use]
    pub fn with_check(self, after: &Chess) -> PackedSan {
        PackedSan(if in_check(after) { self.0 | CHECK } else { self.0 })
    }

    /// Whether it is marked as a check.
    #[inline]
    #[must_use]
    pub const fn is_check(self) -> bool {
        self.0 & CHECK != 0
    }

    /// The same with the mark of a mate.
    #[must_use]
    pub const fn with_mate(self) -> PackedSan {
        PackedSan(self.0 & !CHECK | MATE)
    }

    /// The move it stands for in `pos`, if that is legal there.
    #[must_use]
    pub fn to_move(self, pos: &Chess) -> Option<Move> {
        let promotion = match (self.0 >> PROMOTION) & 7 {
            0 => None,
            role => Some(ROLES[role as usize]),
        };
        from_square(pos, self.from(), self.to(), promotion).ok()
    }

    /// Appends the SAN.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.text().as_bytes());
    }

    const fn from(self) -> Square {
        Square::new(self.0 & 63)
    }

    const fn to(self) -> Square {
        Square::new((self.0 >> TO) & 63)
    }

    #[inline]
    pub(super) fn text(self) -> SanText {
        let has = |bit: u32| self.0 & bit != 0;
        let mut text = SanText::new();
        let (from, to) = (self.from(), self.to());
        if has(CASTLE) {
            let castling: &[u8] = if from < to { b"O-O" } else { b"O-O-O" };
            castling.iter().for_each(|byte| text.push(*byte));
        } else {
            let role = ROLES[((self.0 >> ROLE) & 7) as usize];
            text.push_if(role != Role::Pawn, role.upper_char() as u8);
            text.push_if(has(FILE), b'a' + from.file() as u8);
            text.push_if(has(RANK), b'1' + from.rank() as u8);
            text.push_if(has(CAPTURE), b'x');
            text.push_square(to);
            if let promotion @ 1.. = (self.0 >> PROMOTION) & 7 {
                text.push(b'=');
                text.push(ROLES[promotion as usize].upper_char() as u8);
            }
        }
        if has(CHECK | MATE) {
            text.push(if has(MATE) { b'#' } else { b'+' });
        }
        text
    }
}

impl fmt::Display for PackedSan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}
