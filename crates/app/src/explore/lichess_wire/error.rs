//! Why a question has no answer.

use crate::{AppError, Reaction};

/// Why the explorer cannot answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A parameter that cannot be.
    #[error("{name}={value}: {reason}")]
    Parameter {
        name: &'static str,
        value: String,
        reason: String,
    },

    /// A filter on a database that was built without what it asks for.
    #[error(
        "{name} asks for some of the games, and those of the collection {collection:?} are not told apart by {facet}"
    )]
    NotToldApart {
        name: &'static str,
        facet: &'static str,
        collection: String,
    },

    #[error(transparent)]
    App(#[from] AppError),
}

impl AskError {
    pub(super) fn parameter(name: &'static str, value: &str, reason: impl ToString) -> AskError {
        AskError::Parameter {
            name,
            // Long enough for any that was meant.
            value: value.chars().take(100).collect(),
            reason: reason.to_string(),
        }
    }

    /// Whether another question would help.
    pub fn is_usage(&self) -> bool {
        match self {
            AskError::Parameter { .. } | AskError::NotToldApart { .. } => true,
            AskError::App(error) => error.reaction() == Reaction::FixInput,
        }
    }

    /// Ways out, in words.
    pub fn hints(&self) -> Vec<String> {
        match self {
            AskError::Parameter { .. } => Vec::new(),
            AskError::NotToldApart { name, facet, .. } => vec![format!(
                "leave out {name}, or build the collection with `--facets {facet}` (all: `--facets year,rating,speed`)"
            )],
            AskError::App(error) => error.hints(),
        }
    }
}
