//! How long engines would take.

use std::{sync::atomic::AtomicBool, time::Duration};

use serde::{Deserialize, Serialize};
use tabiya_chess::SearchLimit;
use tabiya_engine::{Answer, NotDone, Pool, Search};

use super::{Planned, batch::Batch};
use crate::{AppError, interrupt};

/// Positions that are searched for each limit.
const SAMPLES: usize = 3;

/// How long each of them may take. A search that is cut off makes the estimate a lower bound.
const LONGEST_SAMPLE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Estimate {
    pub engine: String,
    pub planned: Planned,
    pub workers: u64,
    pub limits: Vec<LimitEstimate>,
    /// With all workers, in all.
    pub seconds: f64,
    /// Whether a sample was cut off, so that it may take far longer.
    pub at_least: bool,
}

/// What a few searches with one limit took.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LimitEstimate {
    pub limit: String,
    pub positions: u64,
    pub samples: u64,
    pub seconds_each: f64,
}

pub(super) async fn measure(
    pool: &Pool,
    planned: Planned,
    batches: &[Batch],
    workers: usize,
    stop: &AtomicBool,
) -> Result<Estimate, AppError> {
    let mut limits = Vec::new();
    let (mut seconds, mut at_least) = (0.0, false);
    for (limit, positions) in &planned.by_limit {
        let mut took = Vec::new();
        for sample in samples(batches, limit)? {
            let answer = interrupt::unless_asked(stop, pool.analyse(sample)).await;
            match answer.ok_or(AppError::Interrupted)? {
                Answer::Done(analysis) => {
                    let millis = Duration::from_millis(analysis.millis);
                    at_least |= millis >= LONGEST_SAMPLE;
                    took.push(millis.as_secs_f64());
                }
                // It may take any time at all.
                Answer::Quarantined { .. } => at_least = true,
                Answer::NotDone(NotDone::Stopped) => return Err(AppError::Interrupted),
                Answer::NotDone(NotDone::NoEngine(reason)) => return Err(AppError::NoEngineLeft { reason }),
            }
        }
        let each = took.iter().sum::<f64>() / took.len().max(1) as f64;
        // No position is shared by two.
        seconds += each * *positions as f64 / (workers as f64).min(*positions as f64);
        limits.push(LimitEstimate {
            limit: limit.clone(),
            positions: *positions,
            samples: took.len() as u64,
            seconds_each: each,
        });
    }
    Ok(Estimate {
        engine: pool.engine().name.clone(),
        planned,
        workers: workers as u64,
        limits,
        seconds,
        at_least,
    })
}

/// Positions with a limit from the beginning, the middle and the end of what is planned, cut off after a while.
fn samples(batches: &[Batch], limit: &str) -> Result<Vec<Search>, AppError> {
    let mut searches = Vec::new();
    for batch in batches {
        for (asked, position) in batch.understand()?.into_iter().zip(&batch.positions) {
            if position.limit == limit {
                searches.push((asked, batch.multipv));
            }
        }
    }
    let step = (searches.len() / SAMPLES).max(1);
    let some = searches.into_iter().step_by(step).take(SAMPLES);
    Ok(some
        .map(|(asked, multipv)| Search {
            position: asked.position,
            limit: SearchLimit {
                millis: Some(
                    asked
                        .limit
                        .millis
                        .unwrap_or(u32::MAX)
                        .min(LONGEST_SAMPLE.as_millis() as u32),
                ),
                ..asked.limit
            },
            multipv,
        })
        .collect())
}
