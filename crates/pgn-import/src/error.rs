//! How an import can fail.

use std::io;

use crate::{
    read::{FaultKind, GameFault, StartError},
    source::{CutShort, InputError},
};

/// Why an import ended early. What was committed before is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    #[error("PGN parse error at game {game_idx}: {msg}")]
    PgnParse { game_idx: usize, msg: String },

    #[error("Illegal SAN `{san}` at ply {ply} (game {game_idx}) from FEN `{fen}`")]
    IllegalMove {
        game_idx: usize,
        ply: u32,
        san: String,
        fen: String,
    },

    #[error("Unsupported PGN feature: {msg}")]
    Unsupported { msg: String },

    #[error("Storage error: {0}")]
    Storage(#[from] anyhow::Error),

    #[error("{name}: {source}")]
    Io { name: String, source: io::Error },
}

impl ImportError {
    /// The error that a game's first fault amounts to under fail-fast.
    pub(crate) fn of_fault(game_idx: u64, fault: &GameFault) -> ImportError {
        let game_idx = usize::try_from(game_idx).unwrap_or(usize::MAX);
        match &fault.kind {
            FaultKind::Start(StartError::Variant(_)) => ImportError::Unsupported {
                msg: format!("{} (game {game_idx}, byte {})", fault.kind, fault.offset),
            },
            FaultKind::IllegalMove | FaultKind::AmbiguousMove | FaultKind::NotAMove | FaultKind::NullMoveInCheck => {
                ImportError::IllegalMove {
                    game_idx,
                    ply: fault.ply,
                    san: fault.token.clone(),
                    fen: fault.fen.clone().unwrap_or_default(),
                }
            }
            FaultKind::Start(_)
            | FaultKind::OpenComment
            | FaultKind::NullMove
            | FaultKind::NotAGame
            | FaultKind::TooDeep
            | FaultKind::TooManyVariations => ImportError::PgnParse {
                game_idx,
                msg: format!("{} (byte {})", fault.kind, fault.offset),
            },
        }
    }

    pub(crate) fn cut_short(name: &str, games: u64, cut: CutShort) -> ImportError {
        let kind = cut.source.kind();
        let msg = format!("{cut} and {games} whole games: {}", cut.source);
        ImportError::Io {
            name: name.to_owned(),
            source: io::Error::new(kind, msg),
        }
    }
}

impl From<InputError> for ImportError {
    fn from(error: InputError) -> ImportError {
        match error {
            InputError::Io { name, source } => ImportError::Io { name, source },
            other => ImportError::Io {
                name: "input".to_owned(),
                source: io::Error::new(io::ErrorKind::NotFound, other),
            },
        }
    }
}
