//! A run that is interrupted, continued, and ends as one that never was.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use pgn_import::{
    Batch, Checkpoint, Edge, ImportError, ImportJob, ImportOptions, Importer, InMemoryStore, IngestConfig,
    IngestSummary, Inserted, Journal, Policy, Position, Reject, RepertoireEdge, Storage, Tactic, Watch,
};

use crate::support::{Outcome, block_on, joinable_fixtures, skipping};

/// A store with a journal that outlives its importers, and that dies at a commit of one's choice.
#[derive(Default)]
struct Mortal {
    store: InMemoryStore,
    journal: Vec<(ImportJob, Checkpoint)>,
    commits: usize,
    dies_at: Option<usize>,
    /// Whether the commit it dies at goes through before the news of it is lost.
    dies_after: bool,
    /// The tactics of the largest batch.
    most_tactics: usize,
}

#[async_trait::async_trait]
impl Storage for Mortal {
    async fn upsert_positions(&mut self, batch: Vec<Position>) -> anyhow::Result<()> {
        self.store.upsert_positions(batch).await
    }

    async fn upsert_edges(&mut self, batch: Vec<Edge>) -> anyhow::Result<()> {
        self.store.upsert_edges(batch).await
    }

    async fn upsert_repertoire_edges(&mut self, batch: Vec<RepertoireEdge>) -> anyhow::Result<()> {
        self.store.upsert_repertoire_edges(batch).await
    }

    async fn upsert_tactics(&mut self, batch: Vec<Tactic>) -> anyhow::Result<()> {
        self.store.upsert_tactics(batch).await
    }
}

#[async_trait::async_trait]
impl Journal for Mortal {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        Ok(self
            .journal
            .iter()
            .rev()
            .find(|(known, _)| known == job)
            .map(|(_, checkpoint)| checkpoint.clone()))
    }

    async fn commit(&mut self, job: &ImportJob, batch: Batch, at: &Checkpoint) -> anyhow::Result<Inserted> {
        self.commits += 1;
        self.most_tactics = self.most_tactics.max(batch.tactics.len());
        let dies = self.dies_at == Some(self.commits);
        if dies && !self.dies_after {
            anyhow::bail!("killed before commit {}", self.commits);
        }
        let inserted = self.store.commit(job, batch, at).await?;
        self.journal.push((job.clone(), at.clone()));
        anyhow::ensure!(!dies, "killed behind commit {}", self.commits);
        Ok(inserted)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        self.store.settle().await
    }
}

struct File {
    _directory: tempfile::TempDir,
    path: PathBuf,
}

fn file(bytes: &[u8]) -> File {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("games.pgn");
    fs::write(&path, bytes).expect("written");
    File {
        _directory: directory,
        path,
    }
}

fn options() -> ImportOptions {
    ImportOptions {
        block_bytes: 400,
        threads: 2,
        tactic_variations: true,
        ..skipping()
    }
}

fn run(store: &mut Mortal, file: &File, options: &ImportOptions) -> Result<IngestSummary, ImportError> {
    block_on(async {
        let mut importer = Importer::journaled(IngestConfig::default(), options.clone(), store);
        let summary = importer.ingest_pgn_path(&file.path).await?;
        importer.finalize().await?;
        Ok(summary)
    })
}

/// Content and ledger: what must be the same however often a run was interrupted.
fn content(store: &InMemoryStore) -> (Outcome, Vec<Reject>) {
    (Outcome::of(store), store.rejects().to_vec())
}

#[test]
fn a_run_killed_at_any_commit_goes_on_to_the_same_end() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let file = file(&bytes);
    let mut whole = Mortal::default();
    let summary = run(&mut whole, &file, &options()).expect("whole");
    assert!(whole.commits > 8, "{}", whole.commits);
    assert_eq!(summary.bytes, bytes.len() as u64);
    for dies_at in 1..=whole.commits {
        for dies_after in [false, true] {
            let mut store = Mortal {
                dies_at: Some(dies_at),
                dies_after,
                ..Mortal::default()
            };
            let error = run(&mut store, &file, &options()).expect_err("killed");
            assert!(matches!(error, ImportError::Storage(_)), "{error:?}");
            let again = run(&mut store, &file, &options()).expect("continued");
            let done = store.journal.last().expect("a journal");
            assert!(done.1.done, "dies at {dies_at}");
            let (found, ledger) = content(&store.store);
            let (expected, whole_ledger) = content(&whole.store);
            assert_eq!(found, expected, "dies at {dies_at}, after: {dies_after}");
            // Killed behind its very last commit it is done, and done again: then the ledger is written again too.
            if dies_at < whole.commits || !dies_after {
                assert_eq!(ledger, whole_ledger, "dies at {dies_at}, after: {dies_after}");
            }
            assert_eq!(
                again.counters.pgn_games_total, summary.counters.pgn_games_total,
                "dies at {dies_at}"
            );
            assert_eq!(
                again.counters.pgn_games_failed, summary.counters.pgn_games_failed,
                "dies at {dies_at}"
            );
            let resumed = if dies_after {
                dies_at < whole.commits
            } else {
                dies_at > 1
            };
            assert_eq!(
                again.resumed_at.is_some(),
                resumed,
                "dies at {dies_at}, after: {dies_after}"
            );
        }
    }
}

#[test]
fn a_run_killed_again_and_again_still_ends() {
    let file = file(&joinable_fixtures().join(&b"\n\n"[..]));
    let mut whole = Mortal::default();
    run(&mut whole, &file, &options()).expect("whole");
    let mut store = Mortal::default();
    for _ in 0..100 {
        store.dies_at = Some(store.commits + 2);
        if run(&mut store, &file, &options()).is_ok() {
            break;
        }
    }
    assert_eq!(content(&store.store), content(&whole.store));
}

#[test]
fn packed_files_are_continued_too() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let packed = file(&zstd::encode_all(&*bytes, 3).expect("packed"));
    let mut whole = Mortal::default();
    run(&mut whole, &packed, &options()).expect("whole");
    let mut store = Mortal {
        dies_at: Some(4),
        ..Mortal::default()
    };
    run(&mut store, &packed, &options()).expect_err("killed");
    assert!(
        run(&mut store, &packed, &options())
            .expect("continued")
            .resumed_at
            .is_some()
    );
    assert_eq!(content(&store.store), content(&whole.store));
}

#[test]
fn other_content_other_rules_or_no_resumption_begin_anew() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let killed = |file: &File| {
        let mut store = Mortal {
            dies_at: Some(4),
            ..Mortal::default()
        };
        run(&mut store, file, &options()).expect_err("killed");
        store
    };
    let mut same = file(&bytes);
    let resumed = |store: &mut Mortal, file: &File, options: &ImportOptions| {
        run(store, file, options).expect("continued").resumed_at.is_some()
    };
    assert!(resumed(&mut killed(&same), &same, &options()));
    // How fast it goes decides nothing about what is stored.
    assert!(resumed(
        &mut killed(&same),
        &same,
        &ImportOptions {
            threads: 1,
            block_bytes: 999,
            ..options()
        }
    ));
    assert!(!resumed(
        &mut killed(&same),
        &same,
        &ImportOptions {
            include_fen_in_trie: true,
            ..options()
        }
    ));
    assert!(!resumed(
        &mut killed(&same),
        &same,
        &ImportOptions {
            resume: false,
            ..options()
        }
    ));
    let mut store = killed(&same);
    fs::write(&same.path, [&bytes[..], b"\n1. e4 *\n"].concat()).expect("written");
    assert!(!resumed(&mut store, &same, &options()));
    // A run that came to its end is not continued but done again, which changes nothing.
    let before = content(&store.store).0;
    assert!(!resumed(&mut store, &same, &options()));
    assert_eq!(content(&store.store).0, before);
    same.path.clear();
}

#[test]
fn a_fail_fast_run_meets_its_bad_game_again() {
    let good = "[Event \"Good\"]\n\n1. e4 e5 2. Nf3 *\n\n".repeat(40);
    let file = file(format!("{good}[Event \"Bad\"]\n\n1. e4 e5 2. Ke3 *\n\n{good}").as_bytes());
    let fail_fast = ImportOptions {
        policy: Policy::FailFast,
        ..options()
    };
    let mut store = Mortal::default();
    for _ in 0..3 {
        let error = run(&mut store, &file, &fail_fast).expect_err("bad");
        assert!(
            matches!(
                error,
                ImportError::IllegalMove {
                    game_idx: 40,
                    ply: 2,
                    ..
                }
            ),
            "{error:?}"
        );
        let (_, checkpoint) = store.journal.last().expect("a journal");
        assert_eq!(
            (checkpoint.offset, checkpoint.games, checkpoint.done),
            (good.len() as u64, 40, false)
        );
    }
}

#[test]
fn a_run_that_is_stopped_says_so_and_is_continued() {
    let file = file(&joinable_fixtures().join(&b"\n\n"[..]));
    let mut whole = Mortal::default();
    run(&mut whole, &file, &options()).expect("whole");
    let options = options();
    let mut store = Mortal::default();
    let stop = options.stop.clone();
    let summary = block_on(async {
        let watcher = Arc::new(move |watch: Watch<'_>| {
            if let Watch::Games(games) = watch {
                stop.store(games > 20, Relaxed);
            }
        });
        let mut importer =
            Importer::journaled(IngestConfig::default(), options.clone(), &mut store).watched_by(watcher);
        importer.ingest_pgn_path(&file.path).await.expect("stopped, not failed")
    });
    assert!(summary.interrupted);
    assert!(!store.journal.last().expect("a journal").1.done);
    options.stop.store(false, Relaxed);
    let again = run(&mut store, &file, &options).expect("continued");
    assert!(again.resumed_at.is_some() && !again.interrupted);
    assert_eq!(content(&store.store), content(&whole.store));
}

#[test]
fn a_file_of_tactics_is_not_held_whole() {
    let tactic = "[FEN \"6k1/5ppp/8/8/8/8/1r3PPP/3RR1K1 w - - 0 1\"]\n\n1. h3 h6 2. Re8+ Kh7 *\n\n";
    let file = file(tactic.repeat(50_000).as_bytes());
    let mut store = Mortal::default();
    run(&mut store, &file, &skipping()).expect("whole");
    assert!(store.commits > 2, "{}", store.commits);
    assert!(store.most_tactics < 40_000, "{}", store.most_tactics);
}

/// Packed, seventy megabytes of games of which nothing can be kept are some kilobytes.
#[test]
fn games_that_are_all_rejected_are_done_with_now_and_then() {
    let game = format!("[Event \"x\"]\n\n1. Ke4 {{{}}} 1-0\n\n", "x".repeat(1 << 20));
    let mut packer = zstd::Encoder::new(Vec::new(), 1).expect("a packer");
    for _ in 0..70 {
        std::io::Write::write_all(&mut packer, game.as_bytes()).expect("memory");
    }
    let file = file(&packer.finish().expect("packed"));
    let mut store = Mortal::default();
    run(&mut store, &file, &skipping()).expect("whole");
    let games: Vec<u64> = store.journal.iter().map(|(_, checkpoint)| checkpoint.games).collect();
    assert!(games.len() > 1 && games[0] < 70, "{games:?}");
}
