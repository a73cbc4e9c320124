//! What can go wrong with a queue, split where the reaction splits.

use tabiya_address::BadAddress;

/// Whatever lies beneath, as it was reported.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a queue could not do what was asked. Every message names the queue, none contains a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    #[error("`{url}` is not the URL of a queue: {reason}")]
    BadUrl { url: String, reason: String },

    #[error("a queue cannot work like this: {0}")]
    Options(&'static str),

    #[error("{queue}: the queue's server cannot be reached")]
    Unreachable {
        queue: String,
        #[source]
        source: Cause,
    },

    /// A queue in a file has no server.
    #[error("{queue}: the file of the queue cannot be opened")]
    CannotOpen {
        queue: String,
        #[source]
        source: Cause,
    },

    #[error("{queue}: the tables of the queue could not be made")]
    Setup {
        queue: String,
        #[source]
        source: Cause,
    },

    #[error("{queue}: the connection to the queue was lost")]
    ConnectionLost {
        queue: String,
        #[source]
        source: Cause,
    },

    #[error("{queue}: the payload of the job `{key}` cannot be written")]
    Payload {
        queue: String,
        key: String,
        #[source]
        source: Cause,
    },

    #[error("{queue}: the connection given belongs to another kind of database")]
    WrongConnection { queue: String },

    #[error("{queue}: the queue reported an error")]
    Backend {
        queue: String,
        #[source]
        source: Cause,
    },
}

impl From<BadAddress> for QueueError {
    fn from(bad: BadAddress) -> QueueError {
        QueueError::BadUrl {
            url: bad.url,
            reason: bad.reason,
        }
    }
}

impl QueueError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            QueueError::BadUrl { .. } => {
                "use redis://host:6379/0, postgres://user:password@host:5432/database, sqlite://path/to/file.db, or a file \
                 name ending in .db; write special characters in a password as %XX"
            }
            QueueError::Options(_) => "leave the times of the queue at their defaults",
            QueueError::Unreachable { .. } => {
                "check that the server runs, that host and port are right, and user and password if there are any"
            }
            QueueError::CannotOpen { .. } => {
                "check that it is a SQLite database and that you may write to it and its directory, or name another queue"
            }
            QueueError::Setup { .. } => {
                "check that the user may create tables and, on PostgreSQL, the extensions pgcrypto and hstore"
            }
            QueueError::ConnectionLost { .. } => "run the same command again; no job is lost",
            QueueError::Payload { .. } | QueueError::WrongConnection { .. } => {
                "this is a fault in the program; please report it"
            }
            QueueError::Backend { .. } => "the queue's own words are above; no job is lost: run the same command again",
        }
    }

    /// Whether it was the caller's choice that was wrong, rather than the outside world.
    pub fn is_usage(&self) -> bool {
        matches!(self, QueueError::BadUrl { .. } | QueueError::Options(_))
    }

    /// Whether the same call may succeed later without anyone changing anything.
    pub fn is_transient(&self) -> bool {
        matches!(self, QueueError::Unreachable { .. } | QueueError::ConnectionLost { .. })
    }
}
