//! When the next request may be sent. One [`Pace`] is shared by all who ask.

use std::{
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep_until},
};

use super::{ExplorerConfig, ExplorerError, Fault, Politeness};

/// A server that asks for more than a day is taken to mean a day.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub(super) struct Pace {
    bucket: DefaultDirectRateLimiter,
    in_flight: Semaphore,
    server: Mutex<Server>,
}

/// How the server has been doing.
#[derive(Debug)]
struct Server {
    /// Nobody asks before this.
    free_at: Instant,
    /// Answers with status 429 since the last good one.
    slow_downs: u32,
    /// Goes up with every pause. Of requests that were in flight together only the first that fails is news.
    pauses: u64,
}

/// The right to send one request.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pauses: u64,
    _permit: Option<SemaphorePermit<'a>>,
}

impl Pace {
    pub(super) fn new(config: &ExplorerConfig) -> Result<Pace, ExplorerError> {
        let quota = Quota::with_period(config.period()?)
            .ok_or(ExplorerError::BadRate { rate: config.rate })?
            .allow_burst(config.in_flight);
        Ok(Pace {
            bucket: RateLimiter::direct(quota),
            in_flight: Semaphore::new(permits(config.in_flight)),
            server: Mutex::new(Server {
                free_at: Instant::now(),
                slow_downs: 0,
                pauses: 0,
            }),
        })
    }

    /// Waits for a place, for the end of the pause and for the rate, in that order.
    pub(super) async fn turn(&self) -> Turn<'_> {
        // Nobody closes the semaphore; without a permit the rate would still hold.
        let permit = self.in_flight.acquire().await.ok();
        loop {
            let free_at = self.server().free_at;
            sleep_until(free_at).await;
            self.bucket.until_ready().await;
            // Others may have run into trouble while we waited.
            let server = self.server();
            if server.free_at <= Instant::now() {
                return Turn {
                    pauses: server.pauses,
                    _permit: permit,
                };
            }
        }
    }

    /// The request of this turn was answered.
    pub(super) fn answered(&self, turn: &Turn<'_>) {
        let mut server = self.server();
        if server.pauses == turn.pauses {
            server.slow_downs = 0;
        }
    }

    /// The request of this turn failed: nobody asks for a while. Tells for how long.
    pub(super) fn failed(&self, turn: &Turn<'_>, fault: &Fault, backoff: Duration, polite: &Politeness) -> Duration {
        let mut server = self.server();
        if server.pauses == turn.pauses {
            server.pauses += 1;
            server.slow_downs += u32::from(matches!(fault, Fault::SlowDown { .. }));
        }
        let repeated = matches!(fault, Fault::SlowDown { .. }) && server.slow_downs >= polite.repeated_429.get();
        let extra = if repeated { polite.long_pause } else { Duration::ZERO };
        let asked = fault.retry_after().unwrap_or_default();
        let pause = backoff.saturating_add(extra).max(asked).min(LONGEST_PAUSE);
        server.free_at = server.free_at.max(Instant::now() + pause);
        pause
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        // Whole values are written, so what a panicking thread left behind is sound.
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn permits(in_flight: NonZeroU32) -> usize {
    (in_flight.get() as usize).min(Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::*;

    const SLOW_DOWN: Fault = Fault::SlowDown { retry_after: None };
    const BROKEN: Fault = Fault::Status {
        status: 500,
        retry_after: None,
    };

    fn pace(in_flight: u32) -> Pace {
        let mut config = ExplorerConfig::new(Url::parse("http://host/masters").expect("a URL"));
        config.rate = 1e6;
        config.in_flight = NonZeroU32::new(in_flight).expect("more than none");
        Pace::new(&config).expect("a sound configuration")
    }

    /// The pause after one failure of a request that was sent just now.
    async fn pause_after(pace: &Pace, fault: &Fault, backoff: u64) -> u64 {
        let turn = pace.turn().await;
        let backoff = Duration::from_secs(backoff);
        pace.failed(&turn, fault, backoff, &Politeness::default()).as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_429_costs_a_minute_more() {
        let pace = pace(1);
        assert_eq!(pause_after(&pace, &SLOW_DOWN, 2).await, 2);
        assert_eq!(pause_after(&pace, &SLOW_DOWN, 4).await, 64);
        assert_eq!(pause_after(&pace, &BROKEN, 8).await, 8);
        assert_eq!(pause_after(&pace, &SLOW_DOWN, 16).await, 76);
        let turn = pace.turn().await;
        pace.answered(&turn);
        drop(turn);
        assert_eq!(pause_after(&pace, &SLOW_DOWN, 2).await, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn requests_in_flight_together_are_told_off_together() {
        let pace = pace(3);
        let turns = [pace.turn().await, pace.turn().await, pace.turn().await];
        let polite = Politeness::default();
        for turn in &turns {
            let pause = pace.failed(turn, &SLOW_DOWN, Duration::from_secs(2), &polite);
            assert_eq!(pause.as_secs(), 2, "three refusals of one burst are one refusal");
        }
        drop(turns);
        assert_eq!(pause_after(&pace, &SLOW_DOWN, 4).await, 64);
    }

    #[tokio::test(start_paused = true)]
    async fn everyone_waits() {
        let pace = pace(2);
        let begun = Instant::now();
        let first = pace.turn().await;
        pace.failed(&first, &BROKEN, Duration::from_secs(30), &Politeness::default());
        let _second = pace.turn().await;
        assert!(begun.elapsed() >= Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn the_server_s_own_wish_is_respected() {
        let pace = pace(1);
        let asks_for = |seconds| Fault::SlowDown {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(pause_after(&pace, &asks_for(30), 2).await, 30);
        assert_eq!(pause_after(&pace, &asks_for(5), 4).await, 64, "and our own minimum too");
        assert_eq!(pause_after(&pace, &asks_for(u64::MAX), 4).await, 24 * 60 * 60);
    }
}
