//! Why games and positions are not taken, and how many of each.

use std::{collections::BTreeMap, ops::AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

macro_rules! reasons {
    ($(#[$doc:meta])* $name:ident, $tally:ident: $($variant:ident = $key:literal, $words:literal;)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($variant),*
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The reason as a key of reports.
            pub fn key(self) -> &'static str {
                match self {
                    $($name::$variant => $key),*
                }
            }

            /// The reason in words, to follow a number.
            pub fn words(self) -> &'static str {
                match self {
                    $($name::$variant => $words),*
                }
            }
        }

        /// How often each reason applied.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $tally([u64; $name::ALL.len()]);

        impl Default for $tally {
            fn default() -> $tally {
                $tally([0; $name::ALL.len()])
            }
        }

        impl $tally {
            pub(super) fn add(&mut self, reason: $name, number: u64) {
                self.0[reason as usize] += number;
            }

            pub fn get(&self, reason: $name) -> u64 {
                self.0[reason as usize]
            }

            pub fn total(&self) -> u64 {
                self.0.iter().sum()
            }

            /// Each reason that applied, with its number.
            pub fn reasons(&self) -> impl Iterator<Item = ($name, u64)> + '_ {
                $name::ALL.iter().copied().zip(self.0).filter(|(_, number)| *number > 0)
            }
        }

        impl AddAssign for $tally {
            fn add_assign(&mut self, other: $tally) {
                for (one, other) in self.0.iter_mut().zip(other.0) {
                    *one += other;
                }
            }
        }

        impl Serialize for $tally {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map($name::ALL.iter().map(|reason| (reason.key(), self.get(*reason))))
            }
        }

        impl<'de> Deserialize<'de> for $tally {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$tally, D::Error> {
                let mut tally = $tally::default();
                for (key, number) in BTreeMap::<String, u64>::deserialize(deserializer)? {
                    let reason = $name::ALL.iter().find(|reason| reason.key() == key);
                    let reason = reason.ok_or_else(|| D::Error::custom(format!("`{key}` is no reason")))?;
                    tally.add(*reason, number);
                }
                Ok(tally)
            }
        }
    };
}

reasons! {
    /// Why a game is left out.
    GameReason, GamesLeftOut:
    Broken = "broken", "with a move that cannot be played";
    OtherVariant = "other_variant", "of another variant";
    OtherStart = "other_start", "from another start";
    BadCastling = "bad_castling", "with castling rights that do not fit the start";
    Bot = "bot", "with a bot";
    Rating = "rating", "outside of the ratings asked for";
    Unrated = "unrated", "that are not rated";
    Speed = "speed", "at another speed";
    Abandoned = "abandoned", "abandoned, or decided off the board";
    NoResult = "no_result", "without a result";
    TooShort = "too_short", "too short";
    ResultContradictsBoard = "result_contradicts_board", "whose result contradicts the last position";
    NoneEligible = "none_eligible", "without an eligible position";
}

reasons! {
    /// Why a position is passed over.
    PositionReason, PositionsPassedOver:
    Opening = "opening", "too early";
    NearEnd = "near_end", "too near the end";
    Evaluated = "evaluated", "evaluated in the game already";
    NotEvaluated = "not_evaluated", "not evaluated in the game";
    FewPieces = "few_pieces", "with too few pieces";
    GameOver = "game_over", "in which nobody can win any more";
    InCheck = "in_check", "in check";
    NotQuiet = "not_quiet", "whose best move takes or promotes";
    NotDrawn = "not_drawn", "eligible, and not drawn";
    Duplicate = "duplicate", "seen before in this run";
    KnownElsewhere = "known_elsewhere", "known from other files";
    OutsideBands = "outside_bands", "outside of all rating bands";
    BandFull = "band_full", "of a rating band that is full";
    OtherShard = "other_shard", "of other shards";
    ResultContradictsScore = "result_contradicts_score", "whose score the result contradicts";
    EngineGaveUp = "engine_gave_up", "that no engine could answer";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up_and_come_back_from_their_json() {
        let mut one = GamesLeftOut::default();
        one.add(GameReason::Bot, 2);
        let mut other = GamesLeftOut::default();
        other.add(GameReason::Bot, 1);
        other.add(GameReason::TooShort, 4);
        one += other;
        assert_eq!((one.get(GameReason::Bot), one.total()), (3, 7));
        let json = serde_json::to_string(&one).expect("plain values");
        assert!(
            json.contains("\"too_short\":4") && json.contains("\"broken\":0"),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<GamesLeftOut>(&json).expect("its own"), one);
        assert!(serde_json::from_str::<GamesLeftOut>("{\"weather\":1}").is_err());
        assert_eq!(one.reasons().count(), 2);
    }
}
