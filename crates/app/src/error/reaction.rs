//! Who can do something about an error.

use pgn_import::ImportError;
use tabiya_counts::CountError;
use tabiya_dataset::table::TableError;
use tabiya_engine::EngineError;

use super::AppError;

/// Who can do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Data was refused because the user asked for strictness.
    DataRejected,
    /// The user's words or files.
    FixInput,
    /// The database, the disk, the network.
    FixWorld,
}

impl AppError {
    /// Who can do something about it.
    pub fn reaction(&self) -> Reaction {
        match self {
            AppError::Input(_)
            | AppError::Ledger { .. }
            | AppError::LedgerOfPipe { .. }
            | AppError::NoGraphFormat { .. }
            | AppError::NoRepertoire { .. }
            | AppError::NoCollection { .. }
            | AppError::Names(_) => Reaction::FixInput,
            AppError::Import { source, .. } => match source {
                ImportError::PgnParse { .. } | ImportError::IllegalMove { .. } => Reaction::DataRejected,
                ImportError::Storage(_) => Reaction::FixWorld,
                // A game of another variant is refused like any other; a missing feature is the user's to change.
                ImportError::Unsupported { .. } => Reaction::DataRejected,
                _ => Reaction::FixInput,
            },
            AppError::Store(error) if error.is_usage() => Reaction::FixInput,
            AppError::Table(TableError::Unsupported { .. } | TableError::NotAFile { .. }) => Reaction::FixInput,
            AppError::Unreadable { .. }
            | AppError::UnreadableJournal { .. }
            | AppError::BadLines { .. }
            | AppError::OneGraph { .. }
            | AppError::NotAJournal { .. }
            | AppError::OneOutput { .. }
            | AppError::GamesCutShort { .. }
            | AppError::CutShort { .. }
            | AppError::CountingCutShort { .. }
            | AppError::CountsMissing { .. }
            | AppError::OtherCountsMissing { .. }
            | AppError::OthersToCount { .. }
            | AppError::BadEvaluations { .. }
            | AppError::EvaluationsCutShort { .. }
            | AppError::OutOfRange(_)
            | AppError::NothingToCount
            | AppError::NoOpenings
            | AppError::NothingToAnalyze { .. }
            | AppError::TooMuchPgn { .. }
            | AppError::BadLine { .. }
            | AppError::NotPlayed { .. }
            | AppError::BadBook { .. }
            | AppError::NoStructure { .. }
            | AppError::BadFen { .. }
            | AppError::NotAsked { .. }
            | AppError::EvaluationNotAsked { .. } => Reaction::FixInput,
            AppError::Explorer(error) if error.is_usage() => Reaction::FixInput,
            AppError::Explorer(_) => Reaction::FixWorld,
            AppError::Cloud(error) if error.is_usage() => Reaction::FixInput,
            AppError::Games(error) if error.is_usage() => Reaction::FixInput,
            AppError::Engine(EngineError::NotAnEngine { .. } | EngineError::BadOption { .. }) => Reaction::FixInput,
            AppError::Queue(error) if error.is_usage() => Reaction::FixInput,
            AppError::Queue(_)
            | AppError::Cloud(_)
            | AppError::Games(_)
            | AppError::Engine(_)
            | AppError::NoEngineLeft { .. }
            | AppError::CountsInUse { .. }
            | AppError::InUse { .. }
            | AppError::OtherCounts { .. }
            | AppError::Interrupted => Reaction::FixWorld,
            AppError::Count(
                CountError::OtherRules { .. } | CountError::NotACount { .. } | CountError::NoFacets { .. },
            ) => Reaction::FixInput,
            AppError::Positions(error) if error.is_usage() => Reaction::FixInput,
            AppError::Archive(error) if error.is_usage() => Reaction::FixInput,
            AppError::Positions(_) | AppError::Archive(_) => Reaction::FixWorld,
            AppError::Export(error) if error.is_usage() => Reaction::FixInput,
            AppError::Export(_) | AppError::CannotWrite { .. } => Reaction::FixWorld,
            AppError::Part(error) if error.is_outside() => Reaction::FixWorld,
            AppError::Part(_) | AppError::NothingCounted { .. } | AppError::NothingFollowed { .. } => {
                Reaction::FixInput
            }
            AppError::Count(_) => Reaction::FixWorld,
            AppError::Store(_) | AppError::Table(_) | AppError::NoDatabase { .. } | AppError::Corrupt(_) => {
                Reaction::FixWorld
            }
        }
    }

    /// Whether it is no failure at all: the work was asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, AppError::Count(CountError::Stopped) | AppError::Interrupted)
    }
}
