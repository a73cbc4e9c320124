//! The games that a server was given, compared with each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::SystemTime;

use arc_swap::ArcSwapOption;
use tabiya_app::analyze::{Analysis, AnalyzeRequest, DbOptions, analyze};
use tokio::sync::Semaphore;

use crate::answer::Answer;
use crate::problem::Problem;

/// From how many games on a sequence is common.
const COMMON: u32 = 2;
/// Players whose repertoires are listed.
const REPERTOIRES: usize = 10;

const UNWRITTEN: &str = "they could not be written";

/// What is known of the games.
#[derive(Debug)]
pub(crate) struct OurGames {
    inputs: Vec<String>,
    present: ArcSwapOption<Result<Vec<u8>, String>>,
    /// Who may compare games of their own at the same time.
    pub(crate) uploads: Arc<Semaphore>,
    stop: Arc<AtomicBool>,
}

impl OurGames {
    pub(crate) fn new(inputs: Vec<String>) -> OurGames {
        OurGames {
            inputs,
            present: ArcSwapOption::empty(),
            uploads: Arc::new(Semaphore::new(2)),
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
                let written = tokio::task::spawn_blocking(move || written(&analysis)).await;
                written.map_or_else(
                    |gone| Err(gone.to_string()),
                    |written| written.map_err(|_| UNWRITTEN.to_owned()),
                )
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

    pub(crate) fn present(&self) -> Result<Answer, Problem> {
        if self.inputs.is_empty() {
            return Err(Problem::not_found("no-games", "this server was given no games")
                .hint("start it with --games DIR, or drop PGN files on the page"));
        }
        match self.present.load().as_deref() {
            None => Err(Problem::unavailable("loading", "the games are being read", 2)),
            Some(Ok(json)) => Ok(Answer::written(json.clone())),
            // Why is in the log: it names files of this machine.
            Some(Err(_)) => {
                Err(Problem::not_found("no-games", "the games cannot be shown").hint("`tabiya analyze` says why"))
            }
        }
    }
}

/// As `db.json`.
pub(crate) fn written(analysis: &Analysis) -> Result<Vec<u8>, Problem> {
    let options = DbOptions {
        analyzed_at: tabiya_app::analyze::time_text(SystemTime::now()),
        min_games: COMMON,
        repertoires: REPERTOIRES,
    };
    let mut json = Vec::new();
    let done = analysis.write_db(&options, &AtomicBool::new(false), &mut json);
    done.map_err(|error| {
        tracing::error!(%error, "games could not be written");
        Problem::internal()
    })?;
    Ok(json)
}
