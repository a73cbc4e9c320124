//! Why the cloud has no answer, split where the reaction splits.

use std::time::Duration;

use thiserror::Error;

use crate::service::{Cause, Fault};

/// Why there is no answer. Whatever it is, an engine can answer instead. Messages name the URL; none contains the token.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CloudError {
    /// The URL cannot be asked for evaluations.
    #[error("`{url}` is not a cloud's address: {reason}")]
    BadBase {
        /// As it was given, without a password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The rate is zero, below, or beyond all measure.
    #[error("{rate} is not a number of requests per second")]
    BadRate {
        /// As it was given.
        rate: f64,
    },

    /// The client could not be set up.
    #[error("no HTTP client could be set up")]
    Client(#[source] Cause),

    /// The cloud is left alone for now: it asked for that, it kept failing, or others are before us. As good as a miss.
    #[error("the cloud is left alone for {} s", left.as_secs_f64().ceil())]
    Busy {
        /// For how much longer, as far as is known.
        left: Duration,
    },

    /// The request failed, in a way that passes.
    #[error("{url}: no answer from the cloud")]
    Failed {
        /// What was asked for.
        url: String,
        /// What went wrong.
        #[source]
        source: Fault,
    },

    /// A status of 4xx other than 404 and 429.
    #[error("{url}: the cloud refuses to answer (status {status}){detail}")]
    Refused {
        /// What was asked for.
        url: String,
        status: u16,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// A redirect, which is not followed: the token is for the host that was named.
    #[error("{url}: the cloud has moved to {to} (status {status})")]
    Moved {
        /// What was asked for.
        url: String,
        /// The status, 3xx.
        status: u16,
        /// Where the server points to.
        to: String,
    },

    /// Something answers, but not with an evaluation of this position.
    #[error("{url}: this is not an evaluation of the position")]
    NotAnAnswer {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        #[source]
        source: Cause,
    },
}

impl CloudError {
    /// Whether it was the caller's choice that was wrong, rather than the outside world.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            CloudError::BadBase { .. }
                | CloudError::BadRate { .. }
                | CloudError::Refused { .. }
                | CloudError::Moved { .. }
                | CloudError::NotAnAnswer { .. }
        )
    }

    /// What the user can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            CloudError::BadBase { .. } => "give a URL such as https://lichess.org/api/cloud-eval",
            CloudError::BadRate { .. } => "give a number above 0, such as 1 or 0.5",
            CloudError::Client(_) => "check that the system's certificates are installed (ca-certificates)",
            CloudError::Busy { .. } => "nothing needs to be done: an engine answers meanwhile",
            CloudError::Failed { .. } => "an engine answers meanwhile; the cloud is tried again later",
            CloudError::Refused { status: 401 | 403, .. } => "check the token",
            CloudError::Refused { .. } | CloudError::NotAnAnswer { .. } => {
                "check the URL; Lichess answers under /api/cloud-eval"
            }
            CloudError::Moved { .. } => "if you trust that address with your token, give it instead",
        }
    }
}
