//! Where a game starts: the initial position, a FEN, a Chess960 set-up.

use shakmaty::{CastlingMode, Chess, Position as _};
use tabiya_chess::{parse_fen, parse_fen_with_mode};

use super::tag::Tag;

/// What the tags say about a game's first position, gathered while they are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartTags {
    fens: Vec<String>,
    setup: Option<bool>,
    variant: Option<String>,
    /// Where the first FEN, the SetUp and the Variant tag stand.
    fen_at: usize,
    setup_at: usize,
    variant_at: usize,
}

/// A game's first position.
#[derive(Debug, Clone)]
pub struct Start {
    pub position: Chess,
    pub kind: StartKind,
    /// A FEN tag stood without its `SetUp` tag.
    pub setup_missing: bool,
}

impl Start {
    /// The initial position.
    pub fn initial() -> Start {
        Start {
            position: Chess::default(),
            kind: StartKind::Initial,
            setup_missing: false,
        }
    }
}

/// How a game's first position came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartKind {
    /// The initial position, whether a FEN tag says so or not.
    Initial,
    /// A position given by a FEN tag.
    Fen,
    /// A Chess960 game, from whatever position.
    Chess960,
}

/// Why a game has no first position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("tag SetUp is \"1\" but there is no FEN tag")]
    SetUpWithoutFen,
    #[error("invalid FEN tag: {0}")]
    InvalidFen(String),
    #[error("variant {0:?} is not standard chess or Chess960")]
    Variant(String),
}

impl StartTags {
    pub(crate) fn note(&mut self, tag: &Tag<'_>, at: usize) {
        // The roster's names are told apart by their length: this runs for every tag of every game.
        match tag.name.len() {
            3 if tag.name.eq_ignore_ascii_case(b"FEN") => {
                if self.fens.is_empty() {
                    self.fen_at = at;
                }
                self.fens.push(tag.value().trim().to_owned());
            }
            5 if tag.name.eq_ignore_ascii_case(b"SetUp") => {
                self.setup = Some(tag.value().trim() == "1");
                self.setup_at = at;
            }
            7 if tag.name.eq_ignore_ascii_case(b"Variant") => {
                self.variant = Some(tag.value().trim().to_lowercase());
                self.variant_at = at;
            }
            _ => {}
        }
    }

    /// Where the tag stands that is to blame, and its value, or how that begins.
    pub(crate) fn culprit(&self, why: &StartError) -> (usize, &str) {
        let (at, value) = match why {
            StartError::InvalidFen(_) => (self.fen_at, self.fens.first().map_or("", String::as_str)),
            StartError::SetUpWithoutFen => (self.setup_at, "1"),
            StartError::Variant(_) => (self.variant_at, self.variant.as_deref().unwrap_or_default()),
        };
        (at, &value[..value.floor_char_boundary(LONGEST_CULPRIT)])
    }

    pub(crate) fn clear(&mut self) {
        self.fens.clear();
        self.setup = None;
        self.variant = None;
    }

    pub(crate) fn start(&self) -> Result<Start, StartError> {
        if self.fens.is_empty() && self.variant.is_none() && self.setup != Some(true) {
            return Ok(Start::initial());
        }
        let chess960 = match self.variant.as_deref() {
            None => false,
            Some("" | "standard" | "chess" | "normal" | "classical" | "from position" | "illegal") => false,
            Some(name) if name.replace([' ', '-'], "").starts_with("fischer") => true,
            Some("chess960" | "chess 960" | "chess-960" | "freestyle" | "freestyle chess") => true,
            Some(other) => return Err(StartError::Variant(bounded(other.to_owned(), LONGEST_CULPRIT))),
        };
        if self.fens.is_empty() {
            if self.setup == Some(true) {
                return Err(StartError::SetUpWithoutFen);
            }
            let kind = if chess960 {
                StartKind::Chess960
            } else {
                StartKind::Initial
            };
            return Ok(Start {
                position: Chess::default(),
                kind,
                setup_missing: false,
            });
        }
        let mut first_error = None;
        for fen in &self.fens {
            match start_from_fen(fen, chess960) {
                Ok((position, kind)) => {
                    return Ok(Start {
                        position,
                        kind,
                        setup_missing: self.setup.is_none(),
                    });
                }
                Err(why) => {
                    first_error.get_or_insert(why);
                }
            }
        }
        Err(StartError::InvalidFen(bounded(
            first_error.unwrap_or_default(),
            LONGEST_REASON,
        )))
    }
}

/// So much of a tag that is to blame is repeated: any FEN is shorter, and a value may be as long as a file.
const LONGEST_CULPRIT: usize = 120;
/// So much of what is said of it, which repeats it too.
const LONGEST_REASON: usize = 300;

fn bounded(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// More moves than any game has had; a FEN that claims more is not about one, and its counters would not fit a store.
const MOST_MOVES: u32 = 1_000_000;

fn start_from_fen(fen: &str, chess960: bool) -> Result<(Chess, StartKind), String> {
    let (position, kind) = start_of_any_length(fen, chess960)?;
    if position.fullmoves().get() > MOST_MOVES || position.halfmoves() > MOST_MOVES {
        return Err(format!("`{fen}` claims more moves than a game can have"));
    }
    Ok((position, kind))
}

fn start_of_any_length(fen: &str, chess960: bool) -> Result<(Chess, StartKind), String> {
    // Set-ups of shuffled pieces come without a Variant tag too. Only read as Chess960 does their castling work.
    if chess960 || is_shuffled_setup(fen) {
        let start = parse_fen_with_mode(fen, CastlingMode::Chess960).map_err(|why| why.to_string())?;
        // The usual array's positions are those of standard chess, so its castling is written as there.
        let position = if start.is_initial() {
            Chess::default()
        } else {
            start.position
        };
        return Ok((position, StartKind::Chess960));
    }
    let start = parse_fen(fen).map_err(|why| why.to_string())?;
    // Rights that standard chess knows nothing of, but Chess960 does, are kept. Only a game of Chess960 writes them by
    // the rooks' files; elsewhere they are a composer's, and the position is like any other.
    if start.ignored.castling_rights
        && let Ok(shuffled) = parse_fen_with_mode(fen, CastlingMode::Chess960)
        && !shuffled.ignored.castling_rights
    {
        let kind = if names_rook_files(fen) {
            StartKind::Chess960
        } else {
            StartKind::Fen
        };
        return Ok((shuffled.position, kind));
    }
    let kind = if start.is_initial() {
        StartKind::Initial
    } else {
        StartKind::Fen
    };
    // The initial position's counters are 0 and 1, whatever the tag says.
    let position = if start.is_initial() {
        Chess::default()
    } else {
        start.position
    };
    Ok((position, kind))
}

/// Whether the castling field holds letters such as `Hb` instead of `KQkq`.
fn names_rook_files(fen: &str) -> bool {
    let castling = fen
        .split([' ', '_'])
        .filter(|field| !field.is_empty())
        .nth(2)
        .unwrap_or_default();
    castling.bytes().any(|b| matches!(b, b'A'..=b'H' | b'a'..=b'h'))
}

/// All pieces on the back ranks, all pawns before them, castling rights, and not the usual order.
fn is_shuffled_setup(fen: &str) -> bool {
    let mut fields = fen.split([' ', '_']);
    let (Some(board), Some(_), Some(castling)) = (fields.next(), fields.next(), fields.next()) else {
        return false;
    };
    let mut ranks = board.split('/');
    let (Some(black), Some(pawns)) = (ranks.next(), ranks.next()) else {
        return false;
    };
    castling != "-"
        && pawns == "pppppppp"
        && black.len() == 8
        && black.bytes().all(|b| b"kqrbn".contains(&b))
        && black != "rnbqkbnr"
        && ranks.eq(["8", "8", "8", "8", "PPPPPPPP", black.to_ascii_uppercase().as_str()])
}

#[cfg(test)]
mod tests {
    use tabiya_chess::full_fen;

    use super::*;
    use crate::read::tag;

    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    const SHUFFLED: &str = "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1";

    fn start(tags: &[(&str, &str)]) -> Result<Start, StartError> {
        let mut noted = StartTags::default();
        for (at, (name, value)) in tags.iter().enumerate() {
            let text = format!("[{name} \"{value}\"]");
            noted.note(&tag::parse(text.as_bytes()).expect("a tag").0, at);
        }
        noted.start()
    }

    fn check(tags: &[(&str, &str)], kind: StartKind, fen: &str) {
        let start = start(tags).expect("a start");
        assert_eq!(
            (start.kind, full_fen(&start.position)),
            (kind, fen.to_owned()),
            "{tags:?}"
        );
    }

    #[test]
    fn positions_by_tags() {
        let initial = full_fen(&Chess::default());
        check(&[], StartKind::Initial, &initial);
        check(&[("SetUp", "0")], StartKind::Initial, &initial);
        check(&[("FEN", &initial)], StartKind::Initial, &initial);
        check(
            &[("FEN", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7 9")],
            StartKind::Initial,
            &initial,
        );
        check(&[("fen", FEN), ("setup", "1")], StartKind::Fen, FEN);
        check(&[("FEN", "bad"), ("FEN", FEN), ("FEN", SHUFFLED)], StartKind::Fen, FEN);
        check(&[("FEN", FEN), ("Variant", "From Position")], StartKind::Fen, FEN);
        check(&[("FEN", FEN), ("Variant", "")], StartKind::Fen, FEN);
    }

    #[test]
    fn chess960_is_told_by_its_tag_or_by_the_array() {
        let initial = full_fen(&Chess::default());
        for name in [
            "Chess960",
            "chess 960",
            "Fischerandom",
            "Fischer Random",
            "fischer-random chess",
            "Freestyle",
        ] {
            check(&[("Variant", name)], StartKind::Chess960, &initial);
            check(&[("Variant", name), ("FEN", SHUFFLED)], StartKind::Chess960, SHUFFLED);
        }
        check(&[("FEN", SHUFFLED)], StartKind::Chess960, SHUFFLED);
        check(
            &[("FEN", "r6k/8/8/8/8/8/8/1R3KR1 w GB - 0 1")],
            StartKind::Chess960,
            "r6k/8/8/8/8/8/8/1R3KR1 w KQ - 0 1",
        );
        // Letters that fit standard chess, or that nothing fits, are no sign of it.
        check(
            &[("FEN", "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1")],
            StartKind::Fen,
            "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        );
        check(
            &[("FEN", "6k1/8/8/8/8/8/8/R4RK1 w KQkq - 0 1")],
            StartKind::Fen,
            "6k1/8/8/8/8/8/8/R4RK1 w - - 0 1",
        );
        check(
            &[("FEN", "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w - - 0 1")],
            StartKind::Fen,
            "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w - - 0 1",
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(start(&[("SetUp", "1")]).expect_err("bad"), StartError::SetUpWithoutFen);
        assert!(
            matches!(start(&[("FEN", "bad"), ("FEN", "worse")]), Err(StartError::InvalidFen(why)) if why.contains("`bad`"))
        );
        assert_eq!(
            start(&[("Variant", "Atomic")]).expect_err("bad"),
            StartError::Variant("atomic".to_owned())
        );
        let mut noted = StartTags::default();
        let fen = b"[FEN \"bad\"]";
        noted.note(&tag::parse(fen).expect("a tag").0, 7);
        noted.note(&tag::parse(b"[SetUp \"1\"]").expect("a tag").0, 19);
        let why = noted.start().expect_err("bad");
        assert_eq!(noted.culprit(&why), (7, "bad"));
        noted.clear();
        assert!(noted.start().is_ok());
    }
}
