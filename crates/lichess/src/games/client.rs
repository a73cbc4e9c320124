//! Asking for games, one request at a time.

use std::{fmt, future::Future, sync::Arc, time::Duration};

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use super::GamesError;
use crate::{
    Politeness, Wait, WaitReason,
    service::{Address, Connection, Failure, Fault, Streak, Token, shown},
};

/// Games as they are written.
pub(super) const PGN: &str = "application/x-chess-pgn";

/// Whom to ask.
#[derive(Clone, Debug)]
pub struct GamesConfig {
    /// The site, such as `https://lichess.org`.
    pub base: Url,
    /// Sent to that host, where there is one.
    pub token: Option<Token>,
    /// For the connection to be made.
    pub connect_timeout: Duration,
    /// An answer may take as long as it wants, but not be silent for longer than this.
    pub silence: Duration,
    /// What to do when a request fails.
    pub politeness: Politeness,
}

impl GamesConfig {
    /// Patient, as the sites' rules ask for.
    #[must_use]
    pub fn new(base: Url) -> GamesConfig {
        GamesConfig {
            base,
            token: None,
            connect_timeout: Duration::from_secs(10),
            silence: Duration::from_secs(90),
            politeness: Politeness::default(),
        }
    }
}

/// What clients of all sites share.
pub(super) struct Client {
    pub(super) connection: Connection,
    base: Url,
    politeness: Politeness,
    stop: CancellationToken,
    on_wait: Arc<dyn Fn(&Wait) + Send + Sync>,
}

/// A month of a busy player has some tens of megabytes.
const LONGEST: usize = 512 << 20;

impl Client {
    pub(super) fn new(config: GamesConfig) -> Result<Client, GamesError> {
        let bad = |reason: &str| GamesError::BadBase {
            url: shown(&config.base),
            reason: reason.to_owned(),
        };
        if let Some(reason) = Address(&config.base).fault() {
            return Err(bad(reason));
        }
        if config.base.query().is_some() {
            return Err(bad("it has parameters; name the site alone"));
        }
        let timeouts = (config.connect_timeout, config.silence);
        let connection = Connection::patient(&config.base, config.token, timeouts, LONGEST);
        Ok(Client {
            connection: connection.map_err(GamesError::Client)?,
            base: config.base,
            politeness: config.politeness,
            stop: CancellationToken::new(),
            on_wait: Arc::new(|wait| tracing::warn!("{wait}")),
        })
    }

    pub(super) fn stopped_by(self, stop: CancellationToken) -> Client {
        Client { stop, ..self }
    }

    pub(super) fn on_wait(self, tell: impl Fn(&Wait) + Send + Sync + 'static) -> Client {
        Client {
            on_wait: Arc::new(tell),
            ..self
        }
    }

    /// The address of something on the site.
    pub(super) fn address(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        // It fails only for URLs without a host, and this one has one.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    /// Asks until there is an answer or a reason to stop. `ask` says with its failure whether it brought something all the
    /// same: then all tries are there again.
    pub(super) async fn persist<T, F>(&self, mut ask: impl FnMut() -> (Url, F)) -> Result<T, GamesError>
    where
        F: Future<Output = Result<T, (Failure, Progress)>>,
    {
        let mut backoffs = self.politeness.backoffs();
        let mut streak = Streak::default();
        let mut tries = 0;
        loop {
            let (url, asking) = ask();
            tries += 1;
            let answer = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(GamesError::Cancelled),
                answer = asking => answer,
            };
            let (failure, progress) = match answer {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let fault = match failure {
                Failure::Passing(fault) => fault,
                Failure::Refused(refusal) => return Err(GamesError::refused(shown(&url), refusal)),
            };
            if progress == Progress::Some {
                (backoffs, streak, tries) = (self.politeness.backoffs(), Streak::default(), 1);
            }
            let Some(backoff) = backoffs.next() else {
                return Err(GamesError::Exhausted {
                    url: shown(&url),
                    tries,
                    last: fault,
                });
            };
            self.pause(&fault, &mut streak, backoff, tries).await?;
        }
    }

    async fn pause(&self, fault: &Fault, streak: &mut Streak, backoff: Duration, tries: u32) -> Result<(), GamesError> {
        streak.failures += 1;
        let is_refusal = matches!(fault, Fault::SlowDown { .. });
        streak.slow_downs += u32::from(is_refusal);
        let mut duration = self.politeness.pause(fault, *streak, backoff);
        if is_refusal {
            // The sites ask for a whole minute after the first refusal already.
            duration = duration.max(self.politeness.long_pause);
        }
        duration = duration.max(fault.retry_after().unwrap_or_default());
        (self.on_wait)(&Wait {
            duration,
            reason: WaitReason::from(fault),
            tries,
        });
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(GamesError::Cancelled),
            () = tokio::time::sleep(duration) => Ok(()),
        }
    }
}

/// Whether a request that failed has brought something before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    None,
    Some,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &shown(&self.base))
            .field("connection", &self.connection)
            .field("politeness", &self.politeness)
            .finish_non_exhaustive()
    }
}
