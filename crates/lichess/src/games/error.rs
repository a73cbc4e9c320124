//! Why there are no games, split where the reaction splits.

use thiserror::Error;

use crate::service::{Cause, Fault, Refusal};

/// Why games did not come. Messages name the URL; none contains the token.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GamesError {
    /// The URL cannot be asked for games.
    #[error("`{url}` is not a site's address: {reason}")]
    BadBase {
        /// As it was given, without a password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The client could not be set up.
    #[error("no HTTP client could be set up")]
    Client(#[source] Cause),

    /// Status 404 or 410.
    #[error("{url}: there is no such player")]
    NoSuchPlayer {
        /// What was asked for.
        url: String,
    },

    /// Another status of 4xx.
    #[error("{url}: the site refuses to answer (status {status}){detail}")]
    Refused {
        /// What was asked for.
        url: String,
        status: u16,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },

    /// A redirect, which is not followed: the token is for the host that was named.
    #[error("{url}: the site has moved to {to} (status {status})")]
    Moved {
        /// What was asked for.
        url: String,
        /// The status, 3xx.
        status: u16,
        /// Where the server points to.
        to: String,
    },

    /// Something answers, but not as such a site does.
    #[error("{url}: this is not an answer about games")]
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

impl GamesError {
    /// What a refusal means when a site was asked for games.
    pub(super) fn refused(url: String, refusal: Refusal) -> GamesError {
        match refusal {
            Refusal::Moved { status, to } => GamesError::Moved { url, status, to },
            Refusal::Status { status: 404 | 410, .. } => GamesError::NoSuchPlayer { url },
            Refusal::Status { status, detail } => GamesError::Refused { url, status, detail },
            Refusal::TooLong { .. } => GamesError::NotAnAnswer {
                url,
                source: refusal.into(),
            },
        }
    }

    /// Whether it was the caller's choice that was wrong, rather than the outside world.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        !matches!(
            self,
            GamesError::Client(_) | GamesError::Exhausted { .. } | GamesError::Cancelled
        )
    }

    /// What the user can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            GamesError::BadBase { .. } => "give a URL such as https://lichess.org or https://api.chess.com",
            GamesError::Client(_) => "check that the system's certificates are installed (ca-certificates)",
            GamesError::NoSuchPlayer { .. } => "check the name, and the site before the colon",
            GamesError::Refused { status: 401 | 403, .. } => "check the token",
            GamesError::Refused { .. } | GamesError::NotAnAnswer { .. } => "check the URL",
            GamesError::Moved { .. } => "if you trust that address with your token, give it instead",
            GamesError::Exhausted { .. } | GamesError::Cancelled => {
                "every game so far is kept; run the same command again to go on"
            }
        }
    }
}
