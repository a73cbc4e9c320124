//! The form in which things lie in tables: ids as their bits, FENs as a key and two counters.

use std::borrow::Cow;

use pgn_import::{Position, Reject, RejectOutcome};
use tabiya_chess::{fen_at, fnv1a, turn_of};

use crate::Identity;

/// A hash as SQL can hold it.
pub(crate) fn bits(id: u64) -> i64 {
    id.cast_signed()
}

/// The hash that was stored as these bits.
pub(crate) fn id(bits: i64) -> u64 {
    bits.cast_unsigned()
}

/// The stored ids after `after`, as closed ranges in the order of u64: SQL sorts the upper half of them first.
pub(crate) fn ranges_after(after: Option<u64>) -> Vec<(i64, i64)> {
    const HALF: u64 = 1 << 63;
    let first = match after {
        None => 0,
        Some(u64::MAX) => return Vec::new(),
        Some(id) => id + 1,
    };
    if first < HALF {
        vec![(bits(first), i64::MAX), (i64::MIN, -1)]
    } else {
        vec![(bits(first), -1)]
    }
}

/// PostgreSQL cannot hold a NUL in a text, and a PGN may well contain one.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

pub(crate) fn clean_owned(text: String) -> String {
    match clean(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cleaned) => cleaned,
    }
}

/// A position as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PositionRow {
    pub id: i64,
    pub key: String,
    pub ply: u32,
    pub halfmove: u32,
}

impl PositionRow {
    pub(crate) fn new(position: Position, identity: Identity) -> Result<PositionRow, String> {
        let Position { id, mut fen, ply, .. } = position;
        // PostgreSQL's integers end here.
        if i32::try_from(ply).is_err() {
            return Err(format!("position `{fen}` lies {ply} half-moves deep"));
        }
        let Some((key_end, _)) = fen
            .match_indices(' ')
            .nth(3)
            .or_else(|| (fen.matches(' ').count() == 3).then_some((fen.len(), "")))
        else {
            return Err(format!("position {id:#018x} has no FEN but `{fen}`"));
        };
        let halfmove = match fen[key_end..].split(' ').nth(1) {
            None => 0,
            Some(text) => text
                .parse::<u16>()
                .map_err(|_| format!("the FEN `{fen}` has no halfmove clock"))?,
        };
        if identity == Identity::Position {
            fen.truncate(key_end);
        }
        if fnv1a(fen.as_bytes()) != id {
            return Err(format!("position {id:#018x} is not under the hash of `{fen}`"));
        }
        Ok(PositionRow {
            id: bits(id),
            key: fen,
            ply,
            halfmove: halfmove.into(),
        })
    }

    pub(crate) fn into_position(self, identity: Identity) -> Position {
        Position {
            id: id(self.id),
            side_to_move: side_to_move(&self.key),
            ply: self.ply,
            fen: fen(self.key, self.ply, self.halfmove, identity),
        }
    }

    /// Whether this path to the position is to be kept rather than the other: the shorter one, then the one with
    /// the smaller FEN text. (At one ply the texts differ in the halfmove clock alone, and that is text too: 10 is
    /// before 9.)
    pub(crate) fn outranks(&self, ply: u32, halfmove: u32) -> bool {
        self.ply < ply
            || (self.ply == ply && self.halfmove != halfmove && self.halfmove.to_string() < halfmove.to_string())
    }
}

/// The full FEN of a stored position.
pub(crate) fn fen(key: String, ply: u32, halfmove: u32, identity: Identity) -> String {
    match identity {
        Identity::Position => fen_at(&key, halfmove, ply),
        Identity::FullFen => key,
    }
}

fn side_to_move(key: &str) -> char {
    turn_of(key).char()
}

pub(crate) fn outcome_text(outcome: RejectOutcome) -> &'static str {
    match outcome {
        RejectOutcome::Rejected => "rejected",
        RejectOutcome::Truncated => "truncated",
    }
}

pub(crate) fn outcome(text: &str) -> RejectOutcome {
    match text {
        "truncated" => RejectOutcome::Truncated,
        _ => RejectOutcome::Rejected,
    }
}

pub(crate) fn clean_reject(reject: Reject) -> Reject {
    Reject {
        source: clean_owned(reject.source),
        san: clean_owned(reject.san),
        fen: clean_owned(reject.fen),
        reason: clean_owned(reject.reason),
        ..reject
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str, ply: u32) -> Position {
        position_under(fen, fen, ply)
    }

    fn position_under(key: &str, fen: &str, ply: u32) -> Position {
        Position {
            id: fnv1a(key.as_bytes()),
            fen: fen.to_owned(),
            side_to_move: side_to_move(fen),
            ply,
        }
    }

    #[test]
    fn fens_come_back() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        let epd = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -";
        for (identity, key) in [(Identity::Position, epd), (Identity::FullFen, fen)] {
            let position = position_under(key, fen, 3);
            let row = PositionRow::new(position.clone(), identity).unwrap();
            assert_eq!(row.key, key);
            assert_eq!(row.halfmove, 1);
            assert_eq!(row.into_position(identity), position);
        }
        assert!(PositionRow::new(position(fen, 3), Identity::Position).is_err());
    }

    #[test]
    fn fens_without_counters_are_taken_and_others_are_not() {
        let row = PositionRow::new(position("8/8/8/8/8/8/8/8 w - -", 0), Identity::Position);
        assert_eq!(row.unwrap().key, "8/8/8/8/8/8/8/8 w - -");
        assert!(PositionRow::new(position("8/8/8/8/8/8/8/8 w -", 0), Identity::Position).is_err());
        assert!(PositionRow::new(position("", 0), Identity::FullFen).is_err());
        assert!(PositionRow::new(position("8/8 w - - x 1", 0), Identity::Position).is_err());
    }

    #[test]
    fn ranges_are_in_the_order_of_u64() {
        assert_eq!(ranges_after(None), [(0, i64::MAX), (i64::MIN, -1)]);
        assert_eq!(ranges_after(Some(7)), [(8, i64::MAX), (i64::MIN, -1)]);
        assert_eq!(ranges_after(Some(u64::MAX >> 1)), [(i64::MIN, -1)]);
        assert_eq!(ranges_after(Some(u64::MAX - 1)), [(-1, -1)]);
        assert_eq!(ranges_after(Some(u64::MAX)), []);
    }

    #[test]
    fn equal_plies_are_told_apart_by_text() {
        let row = |ply, halfmove| PositionRow {
            id: 0,
            key: String::new(),
            ply,
            halfmove,
        };
        assert!(row(3, 9).outranks(4, 0));
        assert!(row(3, 10).outranks(3, 9));
        assert!(!row(3, 9).outranks(3, 10));
        assert!(!row(3, 9).outranks(3, 9));
    }
}
