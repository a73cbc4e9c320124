//! Where a game starts: the initial position, a FEN, a Chess960 set-up.

use shakmaty::{CastlingMode, Chess};
use tabiya_chess::{parse_fen, parse_fen_with_mode};

use super::tag::Tag;

/// What the tags say about a game's first position, gathered while they are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartTags {
    fens: Vec<String>,
    setup: Option<bool>,
    variant: Option<String>,
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
        Start { position: Chess::default(), kind: StartKind::Initial, setup_missing: false }
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
    pub(crate) fn note(&mut self, tag: &Tag<'_>) {
        // The roster's names are told apart by their length: this runs for every tag of every game.
        match tag.name.len() {
            3 if tag.name.eq_ignore_ascii_case(b"FEN") => {
                self.fens.push(tag.value().trim().to_owned());
            }
            5 if tag.name.eq_ignore_ascii_case(b"SetUp") => self.setup = Some(tag.raw() == b"1"),
            7 if tag.name.eq_ignore_ascii_case(b"Variant") => {
                self.variant = Some(tag.value().trim().to_lowercase());
            }
            _ => {}
        }
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
            Some(other) => return Err(StartError::Variant(other.to_owned())),
        };
        if self.fens.is_empty() {
            if self.setup == Some(true) {
                return Err(StartError::SetUpWithoutFen);
            }
            let kind = if chess960 { StartKind::Chess960 } else { StartKind::Initial };
            return Ok(Start { position: Chess::default(), kind, setup_missing: false });
        }
        let mut first_error = None;
        for fen in &self.fens {
            match start_from_fen(fen, chess960) {
                Ok((position, kind)) => {
                    return Ok(Start { position, kind, setup_missing: self.setup.is_none() });
                }
                Err(why) => {
                    first_error.get_or_insert(why);
                }
            }
        }
        Err(StartError::InvalidFen(first_error.unwrap_or_default()))
    }
}

fn start_from_fen(fen: &str, chess960: bool) -> Result<(Chess, StartKind), String> {
    // Set-ups of shuffled pieces come without a Variant tag too. Only read as Chess960 does their castling work.
    if chess960 || is_shuffled_setup(fen) {
        let start = parse_fen_with_mode(fen, CastlingMode::Chess960).map_err(|why| why.to_string())?;
        return Ok((start.position, StartKind::Chess960));
    }
    let start = parse_fen(fen).map_err(|why| why.to_string())?;
    let kind = if start.is_initial() { StartKind::Initial } else { StartKind::Fen };
    // The initial position's counters are 0 and 1, whatever the tag says.
    let position = if start.is_initial() { Chess::default() } else { start.position };
    Ok((position, kind))
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
