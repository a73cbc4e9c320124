//! Where batches wait, on the command line.

use std::time::Duration;

use clap::Args;
use tabiya_app::worker::QueueSettings;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Queue")]
pub(crate) struct QueueArgs {
    /// Where work waits: redis://HOST, postgres://… or a SQLite file [default: the database]
    #[arg(long, value_name = "URL")]
    pub(crate) queue: Option<String>,
    /// Seconds of silence after which a worker's work goes to others; the same for all workers [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    lost_after: Option<u64>,
    /// How often a batch is tried before it is given up [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
}

impl QueueArgs {
    pub(crate) fn settings(self) -> QueueSettings {
        let usual = QueueSettings::default();
        QueueSettings {
            queue: self.queue,
            lost_after: self.lost_after.map_or(usual.lost_after, Duration::from_secs),
            max_attempts: self.max_attempts.unwrap_or(usual.max_attempts),
        }
    }
}
