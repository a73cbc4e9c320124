//! The games that a server was given, compared with each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use arc_swap::ArcSwapOption;
use axum::response::Response;
use tabiya_app::AppError;
use tabiya_app::analyze::{Analysis, AnalyzeRequest, DbOptions, analyze};

use crate::answer::Answer;
use crate::problem::Problem;
use crate::uploads::Uploads;
use crate::written::Written;

/// From how many games on a sequence is common.
const COMMON: u32 = 2;
/// Players whose repertoires are listed.
const REPERTOIRES: usize = 10;

/// What is known of the games.
#[derive(Debug)]
pub(crate) struct OurGames {
    inputs: Vec<String>,
    /// Written once: all who ask share the bytes.
    present: ArcSwapOption<Result<Written, String>>,
    /// Who compares games of their own at the moment.
    pub(crate) uploads: Arc<Uploads>,
    stop: Arc<AtomicBool>,
}

impl OurGames {
    pub(crate) fn new(inputs: Vec<String>) -> OurGames {
        OurGames {
            inputs,
            present: ArcSwapOption::empty(),
            uploads: Arc::new(Uploads::new()),
            stop: Arc::default(),
        }
    }

    /// Reads the games, if any were given.
    pub(crate) async fn read(&self) {
        if self.inputs.is_empty() {
            return;
        }
        let request = AnalyzeRequest {
            inputs: self.inputs.clone(),
            database: None,
            threads: 1,
            stop: Arc::clone(&self.stop),
        };
        let found = match analyze(&request, None).await {
            Ok(analysis) => {
                // It may take seconds, in which others want to be answered.
                let stop = Arc::clone(&self.stop);
                // Whoever named these games is trusted, and they are written once.
                let written = tokio::task::spawn_blocking(move || written(&analysis, usize::MAX, &stop)).await;
                match written {
                    Ok(Ok(answer)) => {
                        let (body, tag) = answer.parts();
                        Ok(Written::make(body, tag).await)
                    }
                    Ok(Err(error)) => Err(error.to_string()),
                    Err(gone) => Err(gone.to_string()),
                }
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = &found {
            tracing::error!(%reason, "the games could not be compared");
        }
        self.present.store(Some(Arc::new(found)));
    }

    /// Ends the reading, if it is not over.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub(crate) fn present(&self, takes_gzip: bool) -> Result<Response, Problem> {
        if self.inputs.is_empty() {
            return Err(Problem::not_found("no-games", "this server was given no games")
                .hint("start it with --games DIR, or drop PGN files on the page"));
        }
        match self.present.load().as_deref() {
            None => Err(Problem::unavailable("loading", "the games are being read", 2)),
            Some(Ok(written)) => Ok(written.clone().answer(takes_gzip)),
            // Why is in the log: it names files of this machine.
            Some(Err(_)) => {
                Err(Problem::not_found("no-games", "the games cannot be shown").hint("`tabiya analyze` says why"))
            }
        }
    }
}

/// As `db.json`, of so many bytes at the most.
pub(crate) fn written(analysis: &Analysis, most: usize, stop: &AtomicBool) -> Result<Answer, AppError> {
    let options = DbOptions {
        analyzed_at: tabiya_app::analyze::time_text(SystemTime::now()),
        min_games: COMMON,
        repertoires: REPERTOIRES,
    };
    analysis.db_within(&options, most, stop).map(Answer::written)
}
