//! How much was done lately, and the few words a worker leaves about itself with each heartbeat.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

const WINDOW: Duration = Duration::from_secs(60);

/// What a worker says of itself, beside its id and the time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Portrait {
    pub name: String,
    pub concurrency: usize,
    pub done: u64,
    pub units: u64,
    pub rate: f64,
}

impl Portrait {
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Workers of other programs leave other things there.
    pub(crate) fn from_json(text: &str) -> Portrait {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// Units of work within the last minute.
#[derive(Debug)]
pub(crate) struct Rate {
    since: Instant,
    recent: VecDeque<(Instant, u64)>,
}

impl Rate {
    pub(crate) fn starting(now: Instant) -> Rate {
        Rate {
            since: now,
            recent: VecDeque::new(),
        }
    }

    pub(crate) fn add(&mut self, now: Instant, units: u64) {
        self.recent.push_back((now, units));
        self.forget(now);
    }

    pub(crate) fn per_second(&mut self, now: Instant) -> f64 {
        self.forget(now);
        let units: u64 = self.recent.iter().map(|(_, units)| units).sum();
        let span = now.duration_since(self.since).min(WINDOW).as_secs_f64();
        if span > 0.0 { units as f64 / span } else { 0.0 }
    }

    fn forget(&mut self, now: Instant) {
        while self
            .recent
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) > WINDOW)
        {
            self.recent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_minute_counts() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut rate = Rate::starting(start);
        assert_eq!(rate.per_second(start), 0.0);
        rate.add(after(5), 100);
        assert_eq!(rate.per_second(after(10)), 10.0);
        rate.add(after(60), 200);
        assert_eq!(rate.per_second(after(60)), 5.0);
        assert_eq!(rate.per_second(after(100)), 200.0 / 60.0);
    }

    #[test]
    fn portraits_of_others() {
        assert_eq!(Portrait::from_json("TaskFn<send_email>").name, "");
        let mine = Portrait {
            name: "attic".to_owned(),
            rate: 1.5,
            ..Portrait::default()
        };
        assert_eq!(Portrait::from_json(&mine.to_json()).rate, 1.5);
    }
}
