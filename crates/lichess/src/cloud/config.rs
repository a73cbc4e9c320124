//! Whom to ask, how fast, and when to leave it alone.

use std::{num::NonZeroU32, time::Duration};

use reqwest::Url;

use super::CloudError;
use crate::service::{Address, Streak, Token, period, shown};

/// Where a bare host is expected to answer.
const USUAL_PATH: &str = "/api/cloud-eval";

/// Whom to ask for evaluations, and how fast.
///
/// Everything is impatient: whoever asks has an engine that can answer meanwhile.
#[derive(Clone, Debug)]
pub struct CloudConfig {
    /// The endpoint, such as `https://lichess.org/api/cloud-eval`. A bare host means that path. Parameters in it are kept.
    pub base: Url,
    /// Sent to that host, where there is one.
    pub token: Option<Token>,
    /// Requests per second.
    pub rate: f64,
    /// Requests at a time. As many may be sent at once after a rest.
    pub in_flight: NonZeroU32,
    /// How long to wait for one's turn before it is left to an engine.
    pub patience: Duration,
    /// For the connection to be made.
    pub connect_timeout: Duration,
    /// For the whole answer to be there.
    pub timeout: Duration,
    /// An answer of more bytes than this is not read.
    pub max_answer: usize,
    /// Nobody asks for this long after status 429; twice as long after the second in a row, and so on.
    pub slow_down: Duration,
    /// After so many failures in a row the cloud is left alone.
    pub max_failures: NonZeroU32,
    /// For this long. Then one request tries again; if that fails, twice as long, and so on.
    pub rest: Duration,
    /// No pause is longer, unless the server asks for it.
    pub longest_rest: Duration,
}

impl CloudConfig {
    /// One request at a time and one a second: what the public server lets everyone do.
    #[must_use]
    pub fn new(base: Url) -> CloudConfig {
        CloudConfig {
            base,
            token: None,
            rate: 1.0,
            in_flight: NonZeroU32::MIN,
            patience: Duration::from_secs(1),
            connect_timeout: Duration::from_secs(3),
            timeout: Duration::from_secs(5),
            max_answer: 256 << 10,
            slow_down: Duration::from_secs(60),
            max_failures: NonZeroU32::MIN.saturating_add(2),
            rest: Duration::from_secs(60),
            longest_rest: Duration::from_secs(15 * 60),
        }
    }

    /// The base with all parameters but the position's.
    pub(super) fn endpoint(&self) -> Result<Url, CloudError> {
        let bad = |reason: &str| CloudError::BadBase {
            url: shown(&self.base),
            reason: reason.to_owned(),
        };
        let address = Address(&self.base);
        if let Some(reason) = address.fault() {
            return Err(bad(reason));
        }
        if ["fen", "multiPv", "variant"]
            .iter()
            .any(|name| address.has_parameter(name))
        {
            return Err(bad(
                "it names a position (`fen`, `multiPv` or `variant`); every request names its own",
            ));
        }
        let mut endpoint = self.base.clone();
        endpoint.set_fragment(None);
        if endpoint.path() == "/" {
            endpoint.set_path(USUAL_PATH);
        }
        Ok(endpoint)
    }

    /// The time from one request to the next.
    pub(super) fn period(&self) -> Result<Duration, CloudError> {
        period(self.rate).ok_or(CloudError::BadRate { rate: self.rate })
    }

    /// How long nobody asks after one more failure.
    pub(super) fn pause(&self, slow_down: bool, streak: Streak) -> Duration {
        let asked = match slow_down {
            true => self.doubled(self.slow_down, streak.slow_downs.saturating_sub(1)),
            false => Duration::ZERO,
        };
        let tired = match streak.failures.checked_sub(self.max_failures.get()) {
            Some(beyond) => self.doubled(self.rest, beyond),
            None => Duration::ZERO,
        };
        asked.max(tired)
    }

    fn doubled(&self, pause: Duration, times: u32) -> Duration {
        pause
            .saturating_mul(1 << times.min(20))
            .min(self.longest_rest.max(pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(base: &str) -> CloudConfig {
        CloudConfig::new(Url::parse(base).expect(base))
    }

    #[test]
    fn a_bare_host_has_the_usual_path() {
        let endpoint = |base| config(base).endpoint().expect(base).to_string();
        assert_eq!(endpoint("https://host"), "https://host/api/cloud-eval");
        assert_eq!(endpoint("https://host/eval?x=1#top"), "https://host/eval?x=1");
    }

    #[test]
    fn bases_that_cannot_be_asked() {
        for (base, reason) in [
            ("ftp://host/eval", "http"),
            ("https://me:secret@host/", "password"),
            ("https://host/eval?fen=x", "position"),
            ("https://host/eval?multiPv=3", "position"),
        ] {
            let err = config(base).endpoint().expect_err(base).to_string();
            assert!(err.contains(reason) && !err.contains("secret"), "{err}");
        }
    }

    #[test]
    fn pauses_double() {
        let config = config("https://host");
        let pause = |slow_down, slow_downs, failures| {
            let streak = Streak { slow_downs, failures };
            config.pause(slow_down, streak).as_secs()
        };
        assert_eq!(
            [1, 2, 3, 4, 5, 99].map(|n| pause(false, 0, n)),
            [0, 0, 60, 120, 240, 900]
        );
        assert_eq!([1, 2, 9].map(|n| pause(true, n, n)), [60, 120, 900]);
    }
}
