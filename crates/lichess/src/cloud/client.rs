//! Asking once, and only where that does not hold anybody up.

use std::fmt;

use reqwest::Url;
use serde::Deserialize;
use shakmaty::{CastlingMode, Chess, Position as _};
use tabiya_chess::{Analysis, PositionId, full_fen, parse_fen_with_mode};

use super::{CloudConfig, CloudError};
use crate::{
    evaluation::{Searched, analysis},
    service::{Connection, Failure, Fault, Pace, Refusal, shown},
};

/// Lichess keeps no more lines than this, and is not asked for more.
const MOST_LINES: u8 = 5;

/// A Lichess-compatible store of evaluations.
///
/// Calls may overlap. They share the rate, the requests in flight and the pauses.
pub struct CloudEval {
    connection: Connection,
    endpoint: Url,
    pace: Pace,
    config: CloudConfig,
}

/// An evaluation, and of which position.
#[derive(Debug, Deserialize)]
struct Answer<'a> {
    #[serde(default)]
    fen: Option<String>,
    #[serde(flatten, borrow)]
    searched: Searched<'a>,
}

impl CloudEval {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`CloudError::BadBase`] and [`CloudError::BadRate`] name what cannot be used, [`CloudError::Client`] is about the
    /// system.
    pub fn new(config: CloudConfig) -> Result<CloudEval, CloudError> {
        let (endpoint, period) = (config.endpoint()?, config.period()?);
        let timeouts = (config.connect_timeout, config.timeout);
        let connection = Connection::new(&config.base, config.token.clone(), timeouts, config.max_answer);
        Ok(CloudEval {
            connection: connection.map_err(CloudError::Client)?,
            endpoint,
            pace: Pace::new(period, config.in_flight),
            config,
        })
    }

    /// What the cloud knows about `pos`, with up to `multipv` lines; `None` where it knows nothing, or the game is over.
    ///
    /// Asks once. Nothing is asked again and no pause is waited for, because an engine can answer meanwhile.
    ///
    /// # Errors
    ///
    /// [`CloudError::Busy`] at once while the cloud is to be left alone, otherwise what was wrong with the answer.
    pub async fn ask(&self, pos: &Chess, multipv: u8) -> Result<Option<Analysis>, CloudError> {
        if pos.is_game_over() {
            return Ok(None);
        }
        let turn = self.pace.turn_within(self.config.patience).await;
        let turn = turn.map_err(|left| CloudError::Busy { left })?;
        let url = self.question(pos, multipv);
        let failure = match self.connection.get(&url).await {
            Ok(body) => match read(pos, &body) {
                Ok(found) => {
                    self.pace.answered(&turn);
                    return Ok(Some(found));
                }
                Err(source) => {
                    self.pace.refused(&turn, |streak| self.config.pause(false, streak));
                    return Err(CloudError::NotAnAnswer {
                        url: shown(&url),
                        source,
                    });
                }
            },
            Err(failure) => failure,
        };
        match failure {
            Failure::Refused(Refusal::Status { status: 404, .. }) => {
                self.pace.answered(&turn);
                Ok(None)
            }
            Failure::Refused(refusal) => {
                self.pace.refused(&turn, |streak| self.config.pause(false, streak));
                Err(refused(&url, refusal))
            }
            Failure::Passing(fault) => {
                let slow_down = matches!(fault, Fault::SlowDown { .. });
                let pause = |streak| self.config.pause(slow_down, streak);
                let left = self.pace.failed(&turn, &fault, pause);
                tracing::debug!(error = &fault as &dyn std::error::Error, "the cloud did not answer");
                Err(match slow_down {
                    true => CloudError::Busy { left },
                    false => CloudError::Failed {
                        url: shown(&url),
                        source: fault,
                    },
                })
            }
        }
    }

    fn question(&self, pos: &Chess, multipv: u8) -> Url {
        let mut url = self.endpoint.clone();
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("fen", &full_fen(pos));
            query.append_pair("multiPv", &multipv.clamp(1, MOST_LINES).to_string());
            if pos.castles().mode() == CastlingMode::Chess960 {
                query.append_pair("variant", "chess960");
            }
        }
        url
    }
}

pub(crate) fn read(pos: &Chess, body: &[u8]) -> Result<Analysis, Box<dyn std::error::Error + Send + Sync>> {
    let answer: Answer<'_> = serde_json::from_slice(body)?;
    if let Some(fen) = &answer.fen {
        let about = parse_fen_with_mode(fen, pos.castles().mode())?.position;
        if PositionId::of(&about) != PositionId::of(pos) {
            return Err(format!("it is about another position, {fen}").into());
        }
    }
    Ok(analysis(pos, &answer.searched)?)
}

fn refused(url: &Url, refusal: Refusal) -> CloudError {
    let url = shown(url);
    match refusal {
        Refusal::Moved { status, to } => CloudError::Moved { url, status, to },
        Refusal::Status { status, detail } => CloudError::Refused { url, status, detail },
        Refusal::TooLong { .. } => CloudError::NotAnAnswer {
            url,
            source: refusal.into(),
        },
    }
}

impl fmt::Debug for CloudEval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudEval")
            .field("endpoint", &shown(&self.endpoint))
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}
