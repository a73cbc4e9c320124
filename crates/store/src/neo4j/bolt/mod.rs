//! Bolt, the protocol of Neo4j: as much of it as whole statements with parameters need.
//!
//! Versions 5.0 and 4.1 to 4.4 are spoken, which all of Neo4j 5 understands. What is sent in one go is one
//! transaction, whole or not at all.

mod connection;
mod pack;
mod statement;
mod unpack;

pub(super) use connection::{Access, Connection};
pub(crate) use connection::{Address, Credentials};
pub(super) use pack::Packer;
pub(super) use statement::Statement;
pub(super) use unpack::Row;
#[cfg(test)]
pub(super) use unpack::{Value, read};

/// Why the server did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum BoltError {
    #[error("{0}")]
    Connect(std::io::Error),

    #[error("no answer within {0} s")]
    Silent(u64),

    #[error("the connection broke: {0}")]
    Broken(std::io::Error),

    /// Not Bolt, or none of its versions that are spoken here.
    #[error("{0}")]
    Foreign(&'static str),

    /// What the server says; the code tells the reason apart.
    #[error("{message} ({code})")]
    Refused { code: String, message: String },

    #[error("the answer is unreadable: {0}")]
    Unreadable(String),
}

impl BoltError {
    /// Whether the server may have said nothing because it was gone.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self, BoltError::Broken(_) | BoltError::Silent(_))
    }
}
