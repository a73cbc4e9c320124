//! `tabiya count`: partial counts, for building on more than one machine.

mod summary;

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use clap::Args;
use tabiya_app::build::{
    FacetKinds,
    count::{Counting, DEFAULT_MAX_PLY, DateBound, GameFilter},
    parts::write_part,
};

use crate::{
    args::{Format, Ui},
    configuration::threads,
    dates::date_bound,
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt, logging,
    progress::Display,
    runtime::runtime,
    telling::{Telling, text_path},
    terminal::{Label, say},
};
use summary::Report;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya count --pgn 'shard3/*.pgn.zst' --out parts/3.parquet   on each machine
  tabiya build expand --counts parts/*.parquet                  on one, with all parts

Games that appear twice are recognised within one run: give each machine different games. docs/scale.md says more, and how \
to merge parts in DuckDB or Spark.";

#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// PGN files, directories, globs, or - for standard input; may repeat
    #[arg(long, value_name = "PATH", num_args = 1.., required = true, help_heading = "Input")]
    pgn: Vec<String>,
    /// The table to write: .parquet, or .jsonl for other programs than this one
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: PathBuf,
    /// Count positions up to this many half-moves from the start
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_PLY, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Counting")]
    max_ply: u32,
    /// Tell games apart by these: year, rating, speed
    #[arg(
        long,
        value_name = "LIST",
        default_value = "",
        hide_default_value = true,
        help_heading = "Counting"
    )]
    facets: FacetKinds,
    /// Only games in which both players have at least this rating
    #[arg(long, value_name = "ELO", help_heading = "Counting")]
    min_elo: Option<u16>,
    /// Only games from this year, month or day on
    #[arg(long, value_name = "DATE", value_parser = date_bound, help_heading = "Counting")]
    since: Option<DateBound>,
    /// Only games up to this year, month or day
    #[arg(long, value_name = "DATE", value_parser = date_bound, help_heading = "Counting")]
    until: Option<DateBound>,
    /// Threads that read games [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Counting")]
    threads: Option<NonZeroUsize>,
    /// Print a summary, or the whole report as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    format: Format,
}

pub(crate) fn run(arguments: CountArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let out = text_path(arguments.out);
    let inputs = Inputs::default().named(&arguments.pgn);
    let telling = Telling::new(ui, arguments.format, None, &[("--out", Some(&out))], &inputs)?;
    let counting = Counting {
        filter: GameFilter {
            min_elo: arguments.min_elo,
            since: arguments.since,
            until: arguments.until,
        },
        max_ply: arguments.max_ply,
        threads: threads(arguments.threads).get(),
        stop: Arc::new(AtomicBool::new(false)),
    };
    let runtime = runtime()?;
    let display = (!ui.quiet && arguments.format == Format::Text).then(|| Display::start(&arguments.pgn));
    let watcher = display.as_ref().map(Display::watcher);
    let started = Instant::now();
    {
        // Interrupts are listened to on the runtime's own threads; the counting is done on this one.
        let _inside = runtime.enter();
        interrupt::listen(Arc::clone(&counting.stop));
    }
    let outcome = write_part(&arguments.pgn, &counting, arguments.facets, &out, watcher.as_ref());
    drop(display);
    runtime.shutdown_background();
    let part = match outcome {
        Ok(part) => part,
        Err(error) if error.is_stop() => {
            say(Label::Note, "stopped; nothing was written");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) => return Err(error.into()),
    };
    let report = Report::new(part, started.elapsed());
    telling.tell(&report, || report.text())?;
    Ok(ExitCode::SUCCESS)
}
