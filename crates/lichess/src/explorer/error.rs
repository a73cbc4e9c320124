//! What can go wrong with an explorer, split where the reaction splits.

use std::time::Duration;

use reqwest::Url;
use thiserror::Error;

/// Whatever lies beneath, as it was reported.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

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
        /// The status.
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

/// What was wrong with one request, of the kind that passes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// Status 429.
    #[error("the server asked us to slow down (status 429)")]
    SlowDown {
        /// For how long, where the server says it.
        retry_after: Option<Duration>,
    },
    /// Status 5xx, or 408.
    #[error("the server is in trouble (status {status})")]
    Status {
        /// The status.
        status: u16,
        /// For how long, where the server says it.
        retry_after: Option<Duration>,
    },
    /// Too slow.
    #[error("the server did not answer in time")]
    TimedOut,
    /// No connection.
    #[error("the server cannot be reached")]
    Unreachable(#[source] Cause),
    /// The connection ended before the answer did.
    #[error("the answer broke off")]
    BrokenOff(#[source] Cause),
    /// The answer is there and cannot be read.
    #[error("the answer is not valid JSON")]
    BrokenJson(#[source] Cause),
}

impl Fault {
    pub(super) const fn retry_after(&self) -> Option<Duration> {
        match self {
            Fault::SlowDown { retry_after } | Fault::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// The URL as it may be printed.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if url.password().is_some() || !url.username().is_empty() {
        // Both fail only for URLs that cannot have a user or password, and this one has.
        let _ = url.set_password(None);
        let _ = url.set_username("…");
    }
    url.to_string()
}

/// The beginning of what a server said, on one line, to follow a message.
pub(super) fn detail(body: &str) -> String {
    let words = body.split(|ch: char| ch.is_whitespace() || ch.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        _ if line.is_empty() => String::new(),
        Some((end, _)) => format!(": {} …", &line[..end]),
        None => format!(": {line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_short_and_on_one_line() {
        assert_eq!(detail(""), "");
        assert_eq!(detail(" \r\n\u{1b} "), "");
        assert_eq!(
            detail("{\"error\":\r\n\u{1b}[31m\"No such token\"}"),
            ": {\"error\": [31m\"No such token\"}"
        );
        assert_eq!(detail(&"é".repeat(1000)), format!(": {} …", "é".repeat(300)));
    }

    #[test]
    fn urls_are_shown_without_passwords() {
        let url = Url::parse("http://me:secret@host/masters?fen=x").expect("a URL");
        assert_eq!(shown(&url), "http://%E2%80%A6@host/masters?fen=x");
    }
}
