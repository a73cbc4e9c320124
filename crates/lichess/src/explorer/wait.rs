//! Saying why nothing happens for a while.

use std::{fmt, time::Duration};

use crate::Fault;

/// A pause that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub duration: Duration,
    /// Why.
    pub reason: WaitReason,
    /// The try that failed, from 1.
    pub tries: u32,
}

/// Why a pause is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// Status 429.
    SlowDown,
    /// Status 5xx, or 408.
    Status(u16),
    /// The answer did not come in time.
    TimedOut,
    /// No connection could be made.
    Unreachable,
    /// The answer ended too early, or could not be read.
    BrokenAnswer,
}

impl From<&Fault> for WaitReason {
    fn from(fault: &Fault) -> WaitReason {
        match fault {
            Fault::SlowDown { .. } => WaitReason::SlowDown,
            Fault::Status { status, .. } => WaitReason::Status(*status),
            Fault::TimedOut => WaitReason::TimedOut,
            Fault::Unreachable(_) => WaitReason::Unreachable,
            Fault::BrokenOff(_) | Fault::BrokenJson(_) => WaitReason::BrokenAnswer,
        }
    }
}

/// As in "waiting 64 s: the server asked us to slow down".
impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded up, a pause of little more than two seconds would be told as three.
        write!(f, "waiting {} s: ", self.duration.as_secs_f64().round().max(1.0))?;
        match self.reason {
            WaitReason::SlowDown => f.write_str("the server asked us to slow down"),
            WaitReason::Status(status) => write!(f, "the server is in trouble (status {status})"),
            WaitReason::TimedOut => f.write_str("the server did not answer in time"),
            WaitReason::Unreachable => f.write_str("the server cannot be reached"),
            WaitReason::BrokenAnswer => f.write_str("the answer was broken"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_sentence() {
        let wait = |millis, reason| {
            let duration = Duration::from_millis(millis);
            Wait {
                duration,
                reason,
                tries: 1,
            }
            .to_string()
        };
        assert_eq!(
            wait(63_600, WaitReason::SlowDown),
            "waiting 64 s: the server asked us to slow down"
        );
        assert_eq!(
            wait(2_000, WaitReason::Status(502)),
            "waiting 2 s: the server is in trouble (status 502)"
        );
        assert_eq!(
            wait(2_100, WaitReason::TimedOut),
            "waiting 2 s: the server did not answer in time"
        );
        assert_eq!(
            wait(200, WaitReason::Unreachable),
            "waiting 1 s: the server cannot be reached"
        );
    }
}
