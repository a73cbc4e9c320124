//! What can go wrong with an explorer, split where the reaction splits.

use thiserror::Error;

use crate::service::{Cause, Fault, Refusal};

/// Why there is no answer. Messages name the URL; none contains the token.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExplorerError {
    /// The URL cannot be asked for positions.
    #[error("`{url}` is not an explorer's address: {reason}")]
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

    /// Status 401.
    #[error("{url}: the server wants a valid token (status 401){detail}")]
    Unauthorized {
        /// What was asked for.
        url: String,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// Status 403.
    #[error("{url}: the server refuses to answer us (status 403){detail}")]
    Forbidden {
        /// What was asked for.
        url: String,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// Status 404.
    #[error("{url}: there is no explorer here (status 404){detail}")]
    NotFound {
        /// What was asked for.
        url: String,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// Status 410.
    #[error("{url}: there is no explorer here any more (status 410){detail}")]
    Gone {
        /// What was asked for.
        url: String,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// A redirect, which is not followed: the token is for the host that was named.
    #[error("{url}: the explorer has moved to {to} (status {status})")]
    Moved {
        /// What was asked for.
        url: String,
        /// The status, 3xx.
        status: u16,
        /// Where the server points to.
        to: String,
    },

    /// Any other status of 4xx.
    #[error("{url}: the server does not understand the request (status {status}){detail}")]
    BadRequest {
        /// What was asked for.
        url: String,
        status: u16,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// Something answers, but not an explorer: asking again would bring the same.
    #[error("{url}: this is not an explorer's answer")]
    NotAnAnswer {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        #[source]
        source: Cause,
    },

    /// Every try failed.
    #[error("{url}: given up after {tries} tries")]
    Exhausted {
        /// What was asked for.
        url: String,
        /// How often.
        tries: u32,
        /// What was wrong the last time.
        #[source]
        last: Fault,
    },

    /// The caller asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl ExplorerError {
    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            ExplorerError::BadBase { .. } => {
                "give a URL such as https://host/masters or https://host/lichess?speeds=blitz"
            }
            ExplorerError::BadRate { .. } => "give a number above 0, such as 1 or 0.5",
            ExplorerError::Client(_) => "check that the system's certificates are installed (ca-certificates)",
            ExplorerError::Unauthorized { .. } => {
                "everything answered so far is kept; run the same command again with a valid token to go on"
            }
            ExplorerError::Forbidden { .. } => {
                "everything answered so far is kept; check that the token may use the explorer, and run again to go on"
            }
            ExplorerError::NotFound { .. } | ExplorerError::Gone { .. } | ExplorerError::NotAnAnswer { .. } => {
                "check the URL; explorers usually answer under /masters or /lichess"
            }
            ExplorerError::Moved { .. } => "if you trust that address with your token, give it instead",
            ExplorerError::BadRequest { .. } => "check the parameters in the URL",
            ExplorerError::Exhausted { .. } => {
                "everything answered so far is kept; run the same command again later, or with a lower rate, to go on"
            }
            ExplorerError::Cancelled => "everything answered so far is kept; run the same command again to go on",
        }
    }

    /// Whether it was the caller's choice that was wrong, rather than the outside world.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            ExplorerError::BadBase { .. }
                | ExplorerError::BadRate { .. }
                | ExplorerError::NotFound { .. }
                | ExplorerError::Gone { .. }
                | ExplorerError::Moved { .. }
                | ExplorerError::BadRequest { .. }
                | ExplorerError::NotAnAnswer { .. }
        )
    }
}

impl ExplorerError {
    /// What a refusal means when an explorer was asked.
    pub(super) fn refused(url: String, refusal: Refusal) -> ExplorerError {
        match refusal {
            Refusal::Moved { status, to } => ExplorerError::Moved { url, status, to },
            Refusal::Status { status: 401, detail } => ExplorerError::Unauthorized { url, detail },
            Refusal::Status { status: 403, detail } => ExplorerError::Forbidden { url, detail },
            Refusal::Status { status: 404, detail } => ExplorerError::NotFound { url, detail },
            Refusal::Status { status: 410, detail } => ExplorerError::Gone { url, detail },
            Refusal::Status { status, detail } => ExplorerError::BadRequest { url, status, detail },
            Refusal::TooLong { .. } => ExplorerError::NotAnAnswer {
                url,
                source: refusal.into(),
            },
        }
    }
}
