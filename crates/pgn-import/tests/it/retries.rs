//! A second chance in files that were mended, cut and put together since: which game is which, and what a ledger may lose.

use std::{
    collections::HashSet, fs, future::poll_fn, path::PathBuf, pin::pin, sync::atomic::Ordering::Relaxed, thread,
    time::Duration,
};

use pgn_import::{ImportError, ImportOptions, Importer, InMemoryStore, IngestConfig, Policy, Reject};

use crate::support::{block_on, skipping};

/// A file of games, and the ledger of its import.
struct Bench {
    _directory: tempfile::TempDir,
    path: PathBuf,
    ledger: Vec<Reject>,
}

/// What a retry came to.
#[derive(Debug)]
struct Retried {
    /// The ledger after it.
    left: Vec<Reject>,
    games: u64,
    error: Option<ImportError>,
}

/// Leaves those time who read games ahead of the one that waits for them.
async fn unhurried<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        let poll = future.as_mut().poll(context);
        thread::sleep(Duration::from_millis(5));
        poll
    })
    .await
}

impl Bench {
    fn with(games: &str) -> Bench {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.pgn");
        fs::write(&path, games).expect("written");
        let mut store = InMemoryStore::default();
        let ledger = block_on(async {
            let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
            importer.ingest_pgn_path(&path).await.expect("imported").rejects
        });
        Bench {
            _directory: directory,
            path,
            ledger,
        }
    }

    /// Reads the games of the ledger again, in the file as it is by now.
    fn retry_under(&self, games: &str, options: ImportOptions) -> Retried {
        fs::write(&self.path, games).expect("written");
        let mut store = InMemoryStore::default();
        let (summary, error) = block_on(async {
            let mut importer = Importer::journaled(IngestConfig::default(), options, &mut store);
            match unhurried(importer.ingest_rejects(&self.ledger)).await {
                Ok(summary) => (summary, None),
                Err(error) => (importer.take_failed().expect("what was done before"), Some(error)),
            }
        });
        assert_eq!(store.rejects(), summary.rejects, "the store's ledger is the run's");
        // PostgreSQL refuses two rows of one key in one statement.
        let numbers: HashSet<_> = summary.rejects.iter().map(|reject| reject.game_index).collect();
        assert_eq!(numbers.len(), summary.rejects.len(), "{:?}", summary.rejects);
        Retried {
            left: summary.rejects,
            games: summary.counters.pgn_games_total,
            error,
        }
    }
}

fn failing_fast() -> ImportOptions {
    ImportOptions {
        policy: Policy::FailFast,
        ..skipping()
    }
}

#[test]
fn a_game_that_has_moved_and_ends_the_run_stays_in_the_ledger() {
    let broken = "1. e4 e5 2. Ke3 *\n\n1. c4 e5 2. Kc6 *\n";
    let bench = Bench::with(broken);
    let mended = broken.replace("Ke3", "Nf3 Nc6 3. Bb5 a6").replace("Kc6", "Nc3 Kd6");
    for block_bytes in [64, 1 << 20] {
        let options = ImportOptions {
            block_bytes,
            ..failing_fast()
        };
        let retried = bench.retry_under(&mended, options);
        let Some(ImportError::IllegalMove { game_idx: 1, san, .. }) = &retried.error else {
            panic!("{retried:?}")
        };
        assert_eq!((san.as_str(), &retried.left[..]), ("Kd6", &bench.ledger[1..]));
    }
}

/// What reads games is ahead of what writes them.
#[test]
fn a_retry_that_is_stopped_keeps_games_that_have_moved_and_were_not_written() {
    let broken = "1. e4 e5 2. Ke3 *\n\n".repeat(1_000);
    let bench = Bench::with(&broken);
    let options = ImportOptions {
        block_bytes: 64,
        ..skipping()
    };
    options.stop.store(true, Relaxed);
    // The first one has become so long that the others began before its end; none begins where another did.
    let comment = format!("Nf3 {{{}}}", "x".repeat(4_000));
    let mended = broken.replacen("Ke3", &comment, 1).replace("Ke3", "Nf3");
    let retried = bench.retry_under(&mended, options);
    let left: Vec<_> = retried.left.iter().map(|reject| reject.game_index).collect();
    assert!((1..1_000).contains(&retried.games), "{}", retried.games);
    assert_eq!(left, Vec::from_iter(retried.games..1_000));
}
