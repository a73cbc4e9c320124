//! The position that a written game begins at, with the tags that say so to whoever reads it.

use pgn_import::{Start, StartKind};
use shakmaty::{CastlingMode, Position as _};
use tabiya_chess::{FenError, parse_fen_by_rights};

/// Where a game begins.
#[derive(Debug)]
pub(crate) struct SetUp {
    pub(crate) start: Start,
    /// None for the initial position, which needs no saying.
    pub(crate) tags: Vec<(&'static str, String)>,
}

impl SetUp {
    /// A position as a store has it: its FEN says of what chess it is.
    pub(crate) fn of(fen: &str) -> Result<SetUp, FenError> {
        let begin = parse_fen_by_rights(fen)?;
        let mut tags = Vec::new();
        let kind = if begin.is_initial() {
            StartKind::Initial
        } else {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", fen.to_owned()));
            match begin.position.castles().mode() {
                CastlingMode::Standard => StartKind::Fen,
                CastlingMode::Chess960 => {
                    // Without it other programs drop the rights, and then castling is no legal move.
                    tags.push(("Variant", "Chess960".to_owned()));
                    StartKind::Chess960
                }
            }
        };
        Ok(SetUp {
            start: Start {
                position: begin.position,
                kind,
                setup_missing: false,
            },
            tags,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unusual_is_said() {
        let check = |fen: &str, kind: StartKind, tags: &[&str]| {
            let set_up = SetUp::of(fen).expect(fen);
            let told: Vec<&str> = set_up.tags.iter().map(|(name, _)| *name).collect();
            assert_eq!((set_up.start.kind, told.as_slice()), (kind, tags), "{fen}");
        };
        check("startpos", StartKind::Initial, &[]);
        check("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", StartKind::Fen, &["SetUp", "FEN"]);
        check(
            "4k3/8/8/8/8/8/8/1R1K2R1 w KQ - 0 1",
            StartKind::Chess960,
            &["SetUp", "FEN", "Variant"],
        );
        check("4k3/8/8/8/8/8/8/1R1K2R1 w - - 0 1", StartKind::Fen, &["SetUp", "FEN"]);
    }
}
