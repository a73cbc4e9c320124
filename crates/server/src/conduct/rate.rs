//! So many requests a second for each client.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{Quota, RateLimiter};

use crate::problem::Problem;

type Limiter = RateLimiter<IpAddr, governor::state::keyed::HashMapStateStore<IpAddr>, DefaultClock>;

/// After so many requests, clients are forgotten that have not asked lately.
const SWEEP: u32 = 10_000;

pub(crate) struct RateLimit {
    limiter: Limiter,
    clock: DefaultClock,
    since_sweep: AtomicU32,
}

impl RateLimit {
    pub(crate) fn new(per_second: NonZeroU32) -> RateLimit {
        RateLimit {
            limiter: RateLimiter::hashmap(Quota::per_second(per_second)),
            clock: DefaultClock::default(),
            since_sweep: AtomicU32::new(0),
        }
    }

    pub(super) fn admit(&self, client: Option<IpAddr>) -> Result<(), Problem> {
        if self.since_sweep.fetch_add(1, Relaxed) == SWEEP {
            self.since_sweep.store(0, Relaxed);
            self.limiter.retain_recent();
        }
        let client = client.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        self.limiter.check_key(&client).map_err(|early| {
            let wait = early.wait_time_from(self.clock.now());
            Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many-requests",
                "you ask more often than this server allows",
            )
            .hint("wait as long as Retry-After says")
            .retry_after(u32::try_from(wait.as_secs()).unwrap_or(60) + 1)
        })
    }
}

impl std::fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RateLimit").finish_non_exhaustive()
    }
}
