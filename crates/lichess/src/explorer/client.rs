//! Asking until there is an answer, or a reason to stop.

use std::{fmt, sync::Arc};

use reqwest::Url;
use shakmaty::Chess;
use tabiya_chess::full_fen;
use tokio_util::sync::CancellationToken;

use super::{ExplorerConfig, ExplorerError, Politeness, Wait, WaitReason};
use crate::{
    ExplorerAnswer,
    service::{Connection, Failure, Fault, Pace, shown},
};

/// A Lichess-compatible opening explorer.
///
/// Calls may overlap. They share the rate, the requests in flight and the pauses.
pub struct Explorer {
    connection: Connection,
    endpoint: Url,
    in_flight: usize,
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
        let (endpoint, period) = (config.endpoint()?, config.period()?);
        let connection = Connection::new(
            &config.base,
            config.token,
            (config.connect_timeout, config.timeout),
            config.max_answer,
        );
        Ok(Explorer {
            connection: connection.map_err(ExplorerError::Client)?,
            endpoint,
            in_flight: config.in_flight.get() as usize,
            pace: Pace::new(period, config.in_flight),
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
            let fault = match self.ask(&url, pos).await {
                Ok(answer) => {
                    self.pace.answered(&turn);
                    return Ok(answer);
                }
                Err(Ended::Lasting(err)) => return Err(err),
                Err(Ended::Passing(fault)) => fault,
            };
            // The last fault makes a pause too: others who ask are to keep it.
            let backoff = backoffs.next();
            let duration = self.pace.failed(&turn, &fault, |streak| {
                let backoff = backoff.unwrap_or(self.politeness.max_backoff);
                self.politeness.pause(&fault, streak, backoff)
            });
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

    /// Asks once.
    async fn ask(&self, url: &Url, pos: &Chess) -> Result<ExplorerAnswer, Ended> {
        let body = self.connection.get(url).await.map_err(|failure| match failure {
            Failure::Passing(fault) => Ended::Passing(fault),
            Failure::Refused(refusal) => Ended::Lasting(ExplorerError::refused(shown(url), refusal)),
        })?;
        ExplorerAnswer::from_json(pos, &body).map_err(|err| match err.is_data() {
            true => Ended::Lasting(ExplorerError::NotAnAnswer {
                url: shown(url),
                source: err.into(),
            }),
            false => Ended::Passing(Fault::BrokenJson(err.into())),
        })
    }
}

/// Why one request brought no answer.
enum Ended {
    /// It may go better next time.
    Passing(Fault),
    /// It will not.
    Lasting(ExplorerError),
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explorer")
            .field("endpoint", &shown(&self.endpoint))
            .field("connection", &self.connection)
            .field("in_flight", &self.in_flight)
            .field("politeness", &self.politeness)
            .finish_non_exhaustive()
    }
}
