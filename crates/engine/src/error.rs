//! What can go wrong: with an engine as such, which the caller must hear of, and with one search, which the pool
//! tries again.

use std::{io, path::PathBuf, time::Duration};

use thiserror::Error;

/// Why there is no engine to ask.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// What was named does not exist, or is not a program.
    #[error("`{}` is no engine: {reason}", path.display())]
    NotAnEngine {
        /// As it was named.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },

    /// Nothing was named and nothing was found.
    #[error("no engine was found; looked for `stockfish` in {places}")]
    NotFound {
        /// The directories.
        places: String,
    },

    /// The operating system refuses to start it.
    #[error("`{}` cannot be started", path.display())]
    NotStarted {
        /// The program.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },

    /// It was started and does not behave like an engine.
    #[error("`{}` does not speak UCI: {reason}", path.display())]
    NotUci {
        /// The program.
        path: PathBuf,
        /// What it did instead.
        reason: String,
    },

    /// It has no such option, or does not take such a value.
    #[error("`{}` cannot be set up: {reason}", path.display())]
    BadOption {
        /// The program.
        path: PathBuf,
        /// Which option, and what it would take.
        reason: String,
    },

    /// The pool was stopped before the engine was ready.
    #[error("the engine was not waited for")]
    CalledOff,
}

impl EngineError {
    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            EngineError::NotAnEngine { .. } => "name an engine's executable file with --engine or TABIYA_ENGINE",
            EngineError::NotFound { .. } => {
                "install Stockfish (apt-get install, dnf install, zypper install, pacman -S, apk add or brew install stockfish), or name an engine with --engine or TABIYA_ENGINE"
            }
            EngineError::NotStarted { .. } => {
                "check that the file is executable and made for this machine, or name another with --engine or TABIYA_ENGINE"
            }
            EngineError::NotUci { .. } => {
                "start it by hand and type `uci`; it should answer `uciok`. Name another with --engine or TABIYA_ENGINE"
            }
            EngineError::BadOption { .. } => "leave the option out, or give it a value that the engine takes",
            EngineError::CalledOff => "run the command again",
        }
    }
}

/// Why a search brought nothing. The engine is not trusted any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    #[error("the engine ended in the middle of the search ({0})")]
    Died(String),
    /// It was gone before it was asked; what about, does not matter.
    #[error("the engine was gone before the search")]
    Gone,
    #[error("the engine was not ready for the next position within {}", secs(.0))]
    NotReady(Duration),
    #[error("the engine said nothing for {}", secs(.0))]
    Silent(Duration),
    #[error("the engine was not done after {}", secs(.0))]
    Late(Duration),
    #[error("the engine wrote more than {0} bytes without ending the line")]
    LongLine(usize),
    #[error("the engine wrote more than {0} bytes about one position")]
    Flood(u64),
    #[error("the engine wrote nonsense: {0}")]
    Nonsense(String),
    #[error("the engine gave an illegal move: {0}")]
    Illegal(String),
    /// Not the engine's fault: it was not given enough.
    #[error(
        "the engine finished no depth with all {wanted} lines within `{limit}`; give it more to think, or ask for fewer lines"
    )]
    Unfinished { wanted: usize, limit: String },
    /// Not the engine's fault either.
    #[error("the position has castling rights that only Chess960 knows, and the engine does not play that")]
    NoChess960,
    /// Nobody waits for the answer any more. The engine is well.
    #[error("the search was called off")]
    CalledOff,
}

impl Fault {
    /// Whether the engine can be asked again.
    pub(crate) fn leaves_engine_well(&self) -> bool {
        matches!(self, Fault::Unfinished { .. } | Fault::NoChess960 | Fault::CalledOff)
    }

    /// Whether the same would come of asking again. `timed` searches end elsewhere when the machine is less busy.
    pub(crate) fn comes_again(&self, timed: bool) -> bool {
        match self {
            Fault::Unfinished { .. } => !timed,
            Fault::NoChess960 => true,
            _ => false,
        }
    }
}

fn secs(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
