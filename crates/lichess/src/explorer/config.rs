//! Whom to ask, how fast, and how to behave when it does not go well.

use std::{num::NonZeroU32, time::Duration};

use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::Url;

use super::ExplorerError;
use crate::service::{Address, Fault, Streak, Token, period, shown};

/// Whom to ask, and how fast.
#[derive(Clone, Debug)]
pub struct ExplorerConfig {
    /// The endpoint, such as `https://host/masters`. Parameters in it (`since`, `ratings`, …) are kept, and those for
    /// the length of the lists take precedence over the fields below.
    pub base: Url,
    /// Sent to that host, where there is one.
    pub token: Option<Token>,
    /// Requests per second.
    pub rate: f64,
    /// Requests at a time. As many may be sent at once after a rest.
    pub in_flight: NonZeroU32,
    /// For the connection to be made.
    pub connect_timeout: Duration,
    /// For the whole answer to be there.
    pub timeout: Duration,
    /// Moves to list. No position has more than the default of 218.
    pub moves: u32,
    /// Games of strong players to list.
    pub top_games: u32,
    /// Recent games to list.
    pub recent_games: u32,
    /// An answer of more bytes than this is not read.
    pub max_answer: usize,
    /// What to do when a request fails.
    pub politeness: Politeness,
}

impl ExplorerConfig {
    /// One request at a time and one a second: what the public server lets everyone do.
    #[must_use]
    pub fn new(base: Url) -> ExplorerConfig {
        ExplorerConfig {
            base,
            token: None,
            rate: 1.0,
            in_flight: NonZeroU32::MIN,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            moves: 218,
            top_games: 0,
            recent_games: 0,
            max_answer: 4 << 20,
            politeness: Politeness::default(),
        }
    }

    /// The base with all parameters but the position.
    pub(super) fn endpoint(&self) -> Result<Url, ExplorerError> {
        let bad = |reason: &str| ExplorerError::BadBase {
            url: shown(&self.base),
            reason: reason.to_owned(),
        };
        let base = &self.base;
        let address = Address(base);
        if let Some(reason) = address.fault() {
            return Err(bad(reason));
        }
        let given = |name: &str| address.has_parameter(name);
        if given("fen") || given("play") {
            return Err(bad(
                "it names a position (`fen` or `play`); every request names its own",
            ));
        }
        let lengths = [
            ("moves", self.moves),
            ("topGames", self.top_games),
            ("recentGames", self.recent_games),
        ];
        let mut endpoint = base.clone();
        endpoint.set_fragment(None);
        for (name, length) in lengths.into_iter().filter(|(name, _)| !given(name)) {
            endpoint.query_pairs_mut().append_pair(name, &length.to_string());
        }
        Ok(endpoint)
    }

    /// The time from one request to the next.
    pub(super) fn period(&self) -> Result<Duration, ExplorerError> {
        period(self.rate).ok_or(ExplorerError::BadRate { rate: self.rate })
    }
}

/// How long to leave a server alone that did not answer, or asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Politeness {
    /// The pause after the first failure.
    pub first_backoff: Duration,
    /// Every further pause is this much longer.
    pub factor: f32,
    /// No backoff is longer, jitter and long pause aside.
    pub max_backoff: Duration,
    /// Up to as much again is added to every backoff, at random, so that clients that failed together do not come back
    /// together.
    pub jitter: bool,
    /// Added to the backoff when the server keeps asking us to slow down.
    pub long_pause: Duration,
    /// "Keeps asking" is this many answers with status 429, without a good one in between.
    pub repeated_429: NonZeroU32,
    /// Requests for one position before it is given up.
    pub max_tries: NonZeroU32,
}

impl Default for Politeness {
    fn default() -> Politeness {
        Politeness {
            first_backoff: Duration::from_secs(2),
            factor: 2.0,
            max_backoff: Duration::from_secs(300),
            jitter: true,
            long_pause: Duration::from_secs(60),
            repeated_429: NonZeroU32::MIN.saturating_add(1),
            max_tries: NonZeroU32::MIN.saturating_add(9),
        }
    }
}

impl Politeness {
    /// How long nobody asks after a fault.
    pub(crate) fn pause(&self, fault: &Fault, streak: Streak, backoff: Duration) -> Duration {
        let repeated = matches!(fault, Fault::SlowDown { .. }) && streak.slow_downs >= self.repeated_429.get();
        let extra = if repeated { self.long_pause } else { Duration::ZERO };
        backoff.saturating_add(extra)
    }

    /// The pauses between the tries for one position.
    pub(crate) fn backoffs(&self) -> impl Iterator<Item = Duration> + Send + use<> {
        let builder = ExponentialBuilder::default()
            .with_min_delay(self.first_backoff)
            .with_factor(self.factor)
            .with_max_delay(self.max_backoff)
            .with_max_times(self.max_tries.get() as usize - 1);
        if self.jitter { builder.with_jitter() } else { builder }.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(base: &str) -> ExplorerConfig {
        ExplorerConfig::new(Url::parse(base).expect(base))
    }

    #[test]
    fn defaults() {
        let config = config("http://host/masters");
        assert_eq!((config.rate, config.in_flight.get()), (1.0, 1));
        assert_eq!((config.connect_timeout.as_secs(), config.timeout.as_secs()), (10, 60));
        assert_eq!((config.moves, config.top_games, config.recent_games), (218, 0, 0));
        let polite = config.politeness;
        assert_eq!((polite.first_backoff.as_secs(), polite.factor), (2, 2.0));
        assert_eq!((polite.max_backoff.as_secs(), polite.jitter), (300, true));
        assert_eq!((polite.long_pause.as_secs(), polite.repeated_429.get()), (60, 2));
        assert_eq!(polite.max_tries.get(), 10);
    }

    #[test]
    fn backoffs_grow_from_two_seconds() {
        let steady = Politeness {
            jitter: false,
            ..Politeness::default()
        };
        let seconds: Vec<u64> = steady.backoffs().map(|pause| pause.as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 64, 128, 256, 300]);

        let jittered: Vec<Duration> = Politeness::default().backoffs().collect();
        assert_eq!(jittered.len(), seconds.len());
        for (with, without) in jittered.iter().zip(steady.backoffs()) {
            assert!((without..=without * 2).contains(with), "{with:?} for {without:?}");
        }
    }

    #[test]
    fn parameters_of_the_base_are_kept() {
        let endpoint = |base| config(base).endpoint().expect(base).to_string();
        assert_eq!(
            endpoint("http://host/lichess?speeds=blitz,rapid&moves=12#top"),
            "http://host/lichess?speeds=blitz,rapid&moves=12&topGames=0&recentGames=0"
        );
        assert_eq!(
            endpoint("https://host:8080/masters"),
            "https://host:8080/masters?moves=218&topGames=0&recentGames=0"
        );
    }

    #[test]
    fn bases_that_cannot_be_asked() {
        for (base, reason) in [
            ("ftp://host/masters", "http"),
            ("mailto:someone@host", "http"),
            ("http://me:secret@host/masters", "password"),
            ("http://host/masters?fen=x", "position"),
            ("http://host/masters?play=e2e4", "position"),
        ] {
            let err = config(base).endpoint().expect_err(base).to_string();
            assert!(err.contains(reason) && !err.contains("secret"), "{err}");
        }
    }

    #[test]
    fn rates_are_numbers_above_zero() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e12] {
            let config = ExplorerConfig {
                rate,
                ..config("http://host/masters")
            };
            assert!(config.period().is_err(), "{rate}");
        }
        assert_eq!(config("http://host/").period().ok(), Some(Duration::from_secs(1)));
    }
}
