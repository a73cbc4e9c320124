//! Taking the knowledge base away: trees for an app and books for engines, of all openings.

use std::{
    fs,
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tabiya_app::export::{ExportEvent, ExportFormat, ExportReport, ExportRequest, ExportWatcher, export};
use tabiya_chess::PolyglotBook;
use tokio::runtime::Runtime;

use crate::{
    clock::{Cost, timed},
    corpus::Corpus,
    expanding::build,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

/// Few, so that there are many nodes.
const MIN_GAMES: u64 = 2;
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("not zero");
const TURNS: usize = 3;
const LEAST_NODES: f64 = 100_000.0;
const LEAST_ENTRIES: f64 = 1_000_000.0;

/// Exports of everything, by the wall clock. Reading the database is shown apart from what comes after it: it is the same for
/// all formats, and one book is written sooner than the graph is read.
pub(crate) fn exports(corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let runtime = Runtime::new()?;
    let database = setting.dir.join("export.db");
    runtime.block_on(build(&[&corpus.packed], &database, MIN_GAMES))?;
    report.heading(&format!("Exports of all openings on two threads: {}", corpus.name));
    let mut table = Table::new(&[
        "",
        "entries",
        "MB",
        "reading s",
        "writing s",
        "entries/s, writing",
        "entries/s, all",
        "others' load",
    ]);
    let mut floors = Vec::new();
    for (format, output, name, noun, least) in [
        (
            ExportFormat::Json,
            "openings",
            "JSON, one file an opening",
            "nodes",
            Some(LEAST_NODES),
        ),
        (
            ExportFormat::Polyglot,
            "book.bin",
            "Polyglot, one book",
            "entries",
            Some(LEAST_ENTRIES),
        ),
        (
            ExportFormat::Polyglot,
            "books",
            "Polyglot, one book an opening",
            "entries",
            None,
        ),
        (ExportFormat::Pgn, "pgn", "PGN, one file an opening", "moves", None),
        (ExportFormat::Csv, "nodes.csv", "CSV", "rows", None),
        (ExportFormat::Parquet, "tables", "Parquet", "rows", None),
    ] {
        let request = request(&database, format, &setting.dir.join(output));
        let best = best_of(&runtime, &request)?;
        check(&request, &best.report)?;
        let entries = best.report.entries as f64;
        let whole = best.cost.wall;
        let writing = whole.saturating_sub(best.reading);
        table.row(vec![
            name.to_owned(),
            best.report.entries.to_string(),
            format!("{:.1}", best.report.bytes as f64 / 1e6),
            format!("{:.3}", best.reading.as_secs_f64()),
            format!("{:.3}", writing.as_secs_f64()),
            format!("{:.0}", entries / writing.as_secs_f64()),
            format!("{:.0}", entries / whole.as_secs_f64()),
            format!("{:.0} %", best.cost.others * 100.0),
        ]);
        floors.extend(least.map(|least| Floor {
            what: format!("{name}: {noun} written a second"),
            measured: entries / writing.as_secs_f64(),
            bound: Bound::AtLeast(least),
            unit: "",
            others: Some(best.cost.others),
        }));
    }
    report.table(&table);
    for floor in floors {
        report.floor(floor);
    }
    Ok(())
}

fn request(database: &Path, format: ExportFormat, output: &Path) -> ExportRequest {
    ExportRequest {
        database: database.display().to_string(),
        format,
        output: output.to_owned(),
        eco: Default::default(),
        max_depth: None,
        min_games: 0,
        collection: None,
        repertoire: None,
        threads: THREADS,
        stop: Arc::default(),
    }
}

struct Exported {
    report: ExportReport,
    cost: Cost,
    /// Until there was something to write.
    reading: Duration,
}

/// The fastest of some turns, each of which writes the same.
fn best_of(runtime: &Runtime, request: &ExportRequest) -> Result<Exported> {
    let mut best: Option<Exported> = None;
    for _ in 0..TURNS {
        let read: Arc<Mutex<Option<Instant>>> = Arc::default();
        let told = Arc::clone(&read);
        let watcher: ExportWatcher = Arc::new(move |event: ExportEvent<'_>| {
            if let ExportEvent::Writing { .. } = event {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        });
        let begun = Instant::now();
        let (report, cost) = timed(|| runtime.block_on(export(request, Some(watcher))));
        let report = report?;
        let read = read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .context("nothing was written")?;
        let turn = Exported {
            report,
            cost,
            reading: read.duration_since(begun),
        };
        best = match best {
            Some(best) => {
                ensure!(best.report == turn.report, "exported something else than before");
                Some(if turn.cost.wall < best.cost.wall { turn } else { best })
            }
            None => Some(turn),
        };
    }
    best.context("no turns")
}

/// Counts again what was written, in the files.
fn check(request: &ExportRequest, report: &ExportReport) -> Result<()> {
    let mut found = 0;
    for file in &report.files {
        let path = match request.output.is_dir() {
            true => request.output.join(&file.file),
            false => request.output.clone(),
        };
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        found += match request.format {
            ExportFormat::Json => memchr::memmem::find_iter(&bytes, b"{\"san\":").count(),
            ExportFormat::Polyglot => {
                let book = PolyglotBook::from_bytes(&bytes)?;
                ensure!(book.was_sorted(), "{} is not sorted", path.display());
                book.len()
            }
            // Rows and moves are counted by others, in tests.
            _ => file.entries as usize,
        };
    }
    ensure!(
        found as u64 == report.entries && found > 0,
        "{}: {found} entries where {} were told",
        request.format,
        report.entries
    );
    Ok(())
}
