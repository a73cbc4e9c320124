//! What was wrong with one request.

use std::time::Duration;

use thiserror::Error;

/// Whatever lies beneath, as it was reported.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

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
    pub(crate) const fn retry_after(&self) -> Option<Duration> {
        match self {
            Fault::SlowDown { retry_after } | Fault::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// An answer that would be the same the next time.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// A redirect, which is not followed.
    #[error("it has moved to {to} (status {status})")]
    Moved {
        /// The status, 3xx.
        status: u16,
        /// Where the server points to.
        to: String,
    },
    /// A status of 4xx.
    #[error("status {status}{detail}")]
    Status {
        status: u16,
        /// What the server said, after a colon, or nothing.
        detail: String,
    },
    /// More than anybody wants to read.
    #[error("it has more than {limit} bytes")]
    TooLong {
        /// As much would have been read.
        limit: usize,
    },
}

/// The beginning of what a server said, on one line, to follow a message.
pub(crate) fn detail(body: &str) -> String {
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
}
