//! Asking until there is an answer, or a reason to stop.

use std::{fmt, sync::Arc};

use reqwest::{Client, Url};
use shakmaty::Chess;
use tabiya_chess::full_fen;
use tokio_util::sync::CancellationToken;

use super::{
    ExplorerConfig, ExplorerError, Politeness, Token, Wait, WaitReason,
    error::shown,
    fetch::{self, Failure},
    pace::Pace,
};
use crate::ExplorerAnswer;

/// A Lichess-compatible opening explorer.
///
/// Calls may overlap. They share the rate, the requests in flight and the pauses.
pub struct Explorer {
    client: Client,
    endpoint: Url,
    token: Option<Token>,
    in_flight: usize,
    max_answer: usize,
    politeness: Politeness,
    pace: Pace,
    stop: CancellationToken,
    on_wait: Arc<dyn Fn(&Wait) + Send + Sync>,
}

impl Explorer {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ExplorerError::BadBase`] and [`ExplorerError::BadRate`] name what cannot be used, [`ExplorerError::Client`] is
    /// about the system.
    pub fn new(config: ExplorerConfig) -> Result<Explorer, ExplorerError> {
        let endpoint = config.endpoint()?;
        if config.token.is_some() && endpoint.scheme() == "http" && !config.is_loopback() {
            tracing::warn!(
                url = shown(&config.base),
                "the token is sent over an unencrypted connection"
            );
        }
        Ok(Explorer {
            client: fetch::client(&config)?,
            endpoint,
            in_flight: config.in_flight.get() as usize,
            max_answer: config.max_answer,
            pace: Pace::new(&config)?,
            token: config.token,
            politeness: config.politeness,
            stop: CancellationToken::new(),
            on_wait: Arc::new(|wait| tracing::warn!("{wait}")),
        })
    }

    /// Stops asking when `stop` is cancelled: a request that was sent is waited for, a pause is not.
    #[must_use]
    pub fn stopped_by(self, stop: CancellationToken) -> Explorer {
        Explorer { stop, ..self }
    }

    /// Tells `tell` of every pause, in place of the log.
    #[must_use]
    pub fn on_wait(self, tell: impl Fn(&Wait) + Send + Sync + 'static) -> Explorer {
        Explorer {
            on_wait: Arc::new(tell),
            ..self
        }
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// How many requests may be under way at a time.
    #[must_use]
    pub const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// What the explorer says about `pos`.
    ///
    /// # Errors
    ///
    /// At once where asking again would not help; [`ExplorerError::Exhausted`] where it has not helped often enough.
    pub async fn position(&self, pos: &Chess) -> Result<ExplorerAnswer, ExplorerError> {
        let mut url = self.endpoint.clone();
        url.query_pairs_mut().append_pair("fen", &full_fen(pos));

        let mut backoffs = self.politeness.backoffs();
        let mut tries = 0;
        loop {
            let turn = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(ExplorerError::Cancelled),
                turn = self.pace.turn() => turn,
            };
            tries += 1;
            let fetched = fetch::fetch(&self.client, &url, self.token.as_ref(), pos, self.max_answer).await;
            let fault = match fetched {
                Ok(answer) => {
                    self.pace.answered(&turn);
                    return Ok(answer);
                }
                Err(Failure::Lasting(err)) => return Err(err),
                Err(Failure::Passing(fault)) => fault,
            };
            // The last fault makes a pause too: others who ask are to keep it.
            let backoff = backoffs.next();
            let duration = self.pace.failed(
                &turn,
                &fault,
                backoff.unwrap_or(self.politeness.max_backoff),
                &self.politeness,
            );
            if backoff.is_none() {
                return Err(ExplorerError::Exhausted {
                    url: shown(&url),
                    tries,
                    last: fault,
                });
            }
            tracing::debug!(error = &fault as &dyn std::error::Error, tries, "a request failed");
            (self.on_wait)(&Wait {
                duration,
                reason: WaitReason::from(&fault),
                tries,
            });
        }
    }
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explorer")
            .field("endpoint", &shown(&self.endpoint))
            .field("token", &self.token)
            .field("in_flight", &self.in_flight)
            .field("politeness", &self.politeness)
            .finish_non_exhaustive()
    }
}
