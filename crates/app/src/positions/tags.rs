//! What a game's tags say, as far as selection asks.

use pgn_import::Tag;
use tabiya_chess::{Outcome, Speed, lichess_game_id};

/// Ids of games are this long at most.
const LONGEST_ID: usize = 16;

#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    pub(super) white_elo: Option<u16>,
    pub(super) black_elo: Option<u16>,
    pub(super) bot: bool,
    pub(super) rated: bool,
    pub(super) abandoned: bool,
    pub(super) unterminated: bool,
    pub(super) outcome: Option<Outcome>,
    pub(super) has_result: bool,
    pub(super) speed: Speed,
    pub(super) id: String,
    pub(super) fen: String,
}

impl Tags {
    pub(super) fn clear(&mut self) {
        let (mut id, mut fen) = (std::mem::take(&mut self.id), std::mem::take(&mut self.fen));
        id.clear();
        fen.clear();
        *self = Tags {
            id,
            fen,
            ..Tags::default()
        };
    }

    pub(super) fn note(&mut self, tag: &Tag<'_>) {
        let raw = tag.raw().trim_ascii();
        match tag.name {
            b"WhiteElo" => self.white_elo = elo(raw),
            b"BlackElo" => self.black_elo = elo(raw),
            b"WhiteTitle" | b"BlackTitle" => self.bot |= raw == b"BOT",
            b"Event" => self.rated = is_rated(raw),
            b"Termination" => {
                self.abandoned |=
                    raw.eq_ignore_ascii_case(b"abandoned") || raw.eq_ignore_ascii_case(b"rules infraction");
                self.unterminated |= raw.eq_ignore_ascii_case(b"unterminated");
            }
            b"Result" => {
                self.has_result = true;
                self.outcome = Outcome::from_result(raw);
            }
            b"TimeControl" => self.speed = str::from_utf8(raw).map_or(Speed::Unknown, Speed::from_time_control),
            b"Site" | b"GameId" if self.id.is_empty() => {
                if let Some(id) = lichess_id(tag.name == b"GameId", raw) {
                    self.id.push_str(id);
                }
            }
            b"FEN" if self.fen.is_empty() => self.fen.push_str(tag.value().trim()),
            _ => {}
        }
    }

    /// The mean of both players' ratings.
    pub(super) fn elo_avg(&self) -> Option<u16> {
        Some((self.white_elo? + self.black_elo?) / 2)
    }
}

fn elo(raw: &[u8]) -> Option<u16> {
    let text = str::from_utf8(raw).ok()?;
    text.parse().ok().filter(|elo| (1..4096).contains(elo))
}

/// Lichess writes `Rated Blitz game`, `Casual Blitz game`, `Rated Bullet tournament https://…`.
fn is_rated(event: &[u8]) -> bool {
    event.len() >= 5 && event[..5].eq_ignore_ascii_case(b"rated")
}

/// The id behind Lichess's address, or that of a tag of its own.
fn lichess_id(bare: bool, raw: &[u8]) -> Option<&str> {
    let text = str::from_utf8(raw).ok()?;
    if !bare {
        return lichess_game_id(text);
    }
    let fits = !text.is_empty() && text.len() <= LONGEST_ID && text.bytes().all(|b| b.is_ascii_alphanumeric());
    fits.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_lichess_s_own() {
        assert_eq!(lichess_id(false, b"https://lichess.org/j1dkb5dw"), Some("j1dkb5dw"));
        assert_eq!(
            lichess_id(false, b"https://lichess.org/j1dkb5dw/black#3"),
            Some("j1dkb5dw")
        );
        assert_eq!(lichess_id(true, b"j1dkb5dw"), Some("j1dkb5dw"));
        for other in [
            &b"Reykjavik"[..],
            b"https://lichess.org/",
            b"https://lichess.org/study/abcdefgh",
            b"https://lichess.org/broadcast/a-round/abcdefgh",
            b"https://chess.com/game/3",
            b"?",
        ] {
            assert_eq!(lichess_id(false, other), None);
        }
    }

    #[test]
    fn rated_is_what_lichess_calls_so() {
        assert!(is_rated(b"Rated Blitz game") && is_rated(b"rated bullet tournament https://x"));
        assert!(!is_rated(b"Casual Blitz game") && !is_rated(b"") && !is_rated(b"Unrated game"));
    }
}
