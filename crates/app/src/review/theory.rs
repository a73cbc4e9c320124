//! Which positions have a name.

use std::{collections::HashSet, sync::OnceLock};

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Opening, OpeningTable, PositionId};

/// When a move is theory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theory {
    /// The position behind it has a name.
    #[default]
    Position,
    /// The pieces stand as in a position that has a name, whoever is to move and whatever may still castle.
    Placement,
    /// Never.
    Off,
}

impl Theory {
    pub fn as_str(self) -> &'static str {
        match self {
            Theory::Position => "position",
            Theory::Placement => "placement",
            Theory::Off => "off",
        }
    }

    /// Whether a position is theory.
    pub(super) fn has(self, position: &Chess) -> bool {
        match self {
            Theory::Off => false,
            Theory::Position => opening(position).is_some(),
            Theory::Placement => placements().contains(&placement(position)),
        }
    }
}

impl std::str::FromStr for Theory {
    type Err = String;

    fn from_str(text: &str) -> Result<Theory, String> {
        match text {
            "position" => Ok(Theory::Position),
            "placement" => Ok(Theory::Placement),
            "off" => Ok(Theory::Off),
            _ => Err(format!(
                "`{text}` is no way to tell theory; there are position, placement and off"
            )),
        }
    }
}

/// The opening that names a position.
pub(super) fn opening(position: &Chess) -> Option<&'static Opening> {
    OpeningTable::embedded().name_of(PositionId::of(position))
}

fn placement(position: &Chess) -> String {
    position.board().board_fen().to_string()
}

fn placements() -> &'static HashSet<String> {
    static PLACEMENTS: OnceLock<HashSet<String>> = OnceLock::new();
    PLACEMENTS.get_or_init(|| {
        let named = OpeningTable::embedded().named_positions();
        named.map(|named| placement(named.position)).collect()
    })
}

#[cfg(test)]
mod tests {
    use tabiya_chess::parse_fen;

    use super::*;

    #[test]
    fn placement_is_the_laxer_of_the_two() {
        let position = |fen: &str| parse_fen(fen).expect(fen).position;
        let italian = position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3");
        assert!(Theory::Position.has(&italian) && Theory::Placement.has(&italian) && !Theory::Off.has(&italian));
        let without_rights = position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b - - 3 3");
        assert!(!Theory::Position.has(&without_rights) && Theory::Placement.has(&without_rights));
        assert!(!Theory::Placement.has(&position("4k3/8/8/8/8/8/8/4K3 w - - 0 1")));
    }
}
