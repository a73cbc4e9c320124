//! When the next request may be sent. One [`Pace`] is shared by all who ask.

use std::{
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep_until, timeout},
};

use super::{Fault, LONGEST_PAUSE};

#[derive(Debug)]
pub(crate) struct Pace {
    bucket: DefaultDirectRateLimiter,
    in_flight: Semaphore,
    server: Mutex<Server>,
}

/// How the server has been doing.
#[derive(Debug)]
struct Server {
    /// Nobody asks before this.
    free_at: Instant,
    streak: Streak,
    /// Goes up with every pause. Of requests that were in flight together only the first that fails is news.
    pauses: u64,
}

/// What has gone wrong since the last good answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streak {
    /// Answers with status 429.
    pub(crate) slow_downs: u32,
    /// Requests without an answer, whatever the reason.
    pub(crate) failures: u32,
}

/// The right to send one request.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pauses: u64,
    _permit: Option<SemaphorePermit<'a>>,
}

impl Pace {
    /// One request in `period`, and so many at a time or at once after a rest.
    pub(crate) fn new(period: Duration, in_flight: NonZeroU32) -> Pace {
        // Only a period of nothing makes no quota; `period` gives none such.
        let quota = Quota::with_period(period).unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN));
        Pace {
            bucket: RateLimiter::direct(quota.allow_burst(in_flight)),
            in_flight: Semaphore::new(permits(in_flight)),
            server: Mutex::new(Server {
                free_at: Instant::now(),
                streak: Streak::default(),
                pauses: 0,
            }),
        }
    }

    /// Waits for a place, for the end of the pause and for the rate, in that order.
    pub(crate) async fn turn(&self) -> Turn<'_> {
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

    /// A turn, if there is one within `patience`. Where there is none: how long to leave the server alone.
    ///
    /// For those who can do something else meanwhile. No pause is waited for, however short.
    pub(crate) async fn turn_within(&self, patience: Duration) -> Result<Turn<'_>, Duration> {
        let paused = || {
            let server = self.server();
            let left = server.free_at.saturating_duration_since(Instant::now());
            if left.is_zero() { Ok(server.pauses) } else { Err(left) }
        };
        paused()?;
        let place = async {
            let permit = self.in_flight.acquire().await.ok();
            self.bucket.until_ready().await;
            permit
        };
        let permit = timeout(patience, place).await.map_err(|_| patience)?;
        // Others may have run into trouble while we waited.
        Ok(Turn {
            pauses: paused()?,
            _permit: permit,
        })
    }

    /// The request of this turn was answered.
    pub(crate) fn answered(&self, turn: &Turn<'_>) {
        let mut server = self.server();
        if server.pauses == turn.pauses {
            server.streak = Streak::default();
        }
    }

    /// The request of this turn failed: nobody asks for as long as `pause` says, or the server wishes. Tells how long.
    pub(crate) fn failed(&self, turn: &Turn<'_>, fault: &Fault, pause: impl FnOnce(Streak) -> Duration) -> Duration {
        let slow_down = matches!(fault, Fault::SlowDown { .. });
        self.trouble(turn, slow_down, fault.retry_after(), pause)
    }

    /// As [`failed`](Self::failed), for an answer that is of no use.
    pub(crate) fn refused(&self, turn: &Turn<'_>, pause: impl FnOnce(Streak) -> Duration) -> Duration {
        self.trouble(turn, false, None, pause)
    }

    fn trouble(
        &self,
        turn: &Turn<'_>,
        slow_down: bool,
        asked: Option<Duration>,
        pause: impl FnOnce(Streak) -> Duration,
    ) -> Duration {
        let mut server = self.server();
        if server.pauses == turn.pauses {
            server.pauses += 1;
            server.streak.failures += 1;
            server.streak.slow_downs += u32::from(slow_down);
        }
        let pause = pause(server.streak).max(asked.unwrap_or_default()).min(LONGEST_PAUSE);
        server.free_at = server.free_at.max(Instant::now() + pause);
        pause
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        // Whole values are written, so what a panicking thread left behind is sound.
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time from one request to the next at so many a second; nothing where that is no rate.
pub(crate) fn period(rate: f64) -> Option<Duration> {
    let period = Duration::try_from_secs_f64(1.0 / rate).ok();
    period.filter(|period| !period.is_zero())
}

fn permits(in_flight: NonZeroU32) -> usize {
    (in_flight.get() as usize).min(Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Politeness;

    const SLOW_DOWN: Fault = Fault::SlowDown { retry_after: None };
    const BROKEN: Fault = Fault::Status {
        status: 500,
        retry_after: None,
    };

    fn pace(in_flight: u32) -> Pace {
        let in_flight = NonZeroU32::new(in_flight).expect("more than none");
        Pace::new(Duration::from_micros(1), in_flight)
    }

    fn failed(pace: &Pace, turn: &Turn<'_>, fault: &Fault, backoff: u64) -> Duration {
        let backoff = Duration::from_secs(backoff);
        pace.failed(turn, fault, |streak| {
            Politeness::default().pause(fault, streak, backoff)
        })
    }

    /// The pause after one failure of a request that was sent just now.
    async fn pause_after(pace: &Pace, fault: &Fault, backoff: u64) -> u64 {
        let turn = pace.turn().await;
        failed(pace, &turn, fault, backoff).as_secs()
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
        for turn in &turns {
            let pause = failed(&pace, turn, &SLOW_DOWN, 2);
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
        failed(&pace, &first, &BROKEN, 30);
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

    #[tokio::test(start_paused = true)]
    async fn who_has_something_else_to_do_does_not_wait() {
        let pace = pace(2);
        let first = pace.turn().await;
        failed(&pace, &first, &BROKEN, 30);
        let begun = Instant::now();
        let refused = pace.turn_within(Duration::from_secs(5)).await.expect_err("a pause");
        assert_eq!((refused.as_secs(), begun.elapsed().as_secs()), (30, 0));
        tokio::time::advance(Duration::from_secs(31)).await;
        let second = pace.turn_within(Duration::ZERO).await.expect("the pause is over");
        // Both places are taken now.
        let refused = pace.turn_within(Duration::from_secs(5)).await.expect_err("no place");
        assert_eq!(refused.as_secs(), 5);
        drop((first, second));
    }

    #[test]
    fn rates_are_numbers_above_zero() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e12] {
            assert_eq!(period(rate), None, "{rate}");
        }
        assert_eq!(period(2.0), Some(Duration::from_millis(500)));
    }
}
