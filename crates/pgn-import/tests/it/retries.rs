//! A second chance in files that were mended, cut and put together since: which game is which, and what a ledger may lose.

use std::{
    collections::HashSet, fs, future::poll_fn, path::PathBuf, pin::pin, sync::atomic::Ordering::Relaxed, thread,
    time::Duration,
};

use pgn_import::{ImportError, ImportOptions, Importer, InMemoryStore, IngestConfig, Policy, Reject};

use crate::support::{INITIAL, Outcome, block_on, skipping};

/// A file of games, and the ledger of its import.
struct Bench {
    _directory: tempfile::TempDir,
    path: PathBuf,
    options: ImportOptions,
    ledger: Vec<Reject>,
}

/// What a retry came to.
#[derive(Debug)]
struct Retried {
    /// The ledger after it.
    left: Vec<Reject>,
    games: u64,
    sans: Vec<String>,
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
        Bench::under(games, skipping())
    }

    fn under(games: &str, options: ImportOptions) -> Bench {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.pgn");
        fs::write(&path, games).expect("written");
        let mut store = InMemoryStore::default();
        let ledger = block_on(async {
            let mut importer = Importer::journaled(IngestConfig::default(), options.clone(), &mut store);
            importer.ingest_pgn_path(&path).await.expect("imported").rejects
        });
        Bench {
            _directory: directory,
            path,
            options,
            ledger,
        }
    }

    /// Reads the games of the ledger again, in the file as it is by now.
    fn retry(&self, games: &str) -> Retried {
        self.retry_under(games, self.options.clone())
    }

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
        let sans = Outcome::of(&store).sans().into_iter().map(str::to_owned).collect();
        Retried {
            left: summary.rejects,
            games: summary.counters.pgn_games_total,
            sans,
            error,
        }
    }
}

fn numbers_and_sans(rejects: &[Reject]) -> Vec<(u64, &str)> {
    rejects
        .iter()
        .map(|reject| (reject.game_index, reject.san.as_str()))
        .collect()
}

/// Games of one opening all come through the position in which one of them broke off.
#[test]
fn a_game_is_not_taken_for_another_of_its_opening() {
    let game = |white: &str, moves: &str| format!("[White \"{white}\"]\n\n1. e4 e5 2. {moves} *\n\n");
    let last = game("Christina", "Nf3 Nc6");
    let bench = Bench::with(&format!("{}{}{last}", game("A", "d4 exd4"), game("Bob", "Ke3")));
    assert_eq!(numbers_and_sans(&bench.ledger), [(1, "Ke3")]);
    // The first is gone, so the number is that of the one behind the one that was mended.
    let retried = bench.retry(&format!("{}{last}", game("Bob", "Bc4")));
    assert_eq!(retried.left, bench.ledger);
    assert!(retried.sans.is_empty(), "{retried:?}");
}

/// A second fault in the same position says nothing of the first.
#[test]
fn a_game_that_moved_is_found_where_it_breaks_off_once_more() {
    let bench = Bench::with("1. d4 d5 *\n\n1. e4 e5 (1... Ke6) (1... Kd6) *\n");
    assert_eq!(numbers_and_sans(&bench.ledger), [(1, "Ke6")]);
    let retried = bench.retry("1. d4 d5 2. c4 *\n\n1. e4 e5 (1... c5) (1... Kd6) *\n");
    assert_eq!(numbers_and_sans(&retried.left), [(1, "Kd6")], "{retried:?}");
}

/// Every ordinary game comes through the initial position.
#[test]
fn a_game_that_broke_off_at_its_first_move_is_not_taken_for_another() {
    let bench = Bench::with("1. d4 d5 *\n\n1. Ke2 e5 *\n\n1. c4 *\n");
    assert_eq!(
        (bench.ledger.len(), bench.ledger[0].fen.as_str()),
        (1, INITIAL),
        "{:?}",
        bench.ledger
    );
    let retried = bench.retry("1. Ke2 e5 *\n\n1. c4 *\n");
    assert_eq!(retried.left, bench.ledger);
    assert!(retried.sans.is_empty(), "{retried:?}");
}

#[test]
fn a_bad_game_is_not_taken_for_its_bad_neighbour() {
    let neighbours = "1. e4 e5 2. Ke3 *\n\n1. c4 e5 2. Kc6 *\n";
    let bench = Bench::with(&format!("1. d4 d5 *\n\n{neighbours}"));
    assert_eq!(bench.ledger.len(), 2);
    assert_eq!(bench.retry(neighbours).left, bench.ledger);
    // Nor one that breaks off in the same position.
    let neighbours = "1. e4 e5 2. Ke3 *\n\n1. e4 e5 2. Kd3 *\n";
    let bench = Bench::with(&format!("1. d4 d5 *\n\n{neighbours}"));
    assert_eq!(bench.retry(neighbours).left, bench.ledger);
}

/// Games of one length stand where others stood, once they have moved.
#[test]
fn a_game_is_not_taken_for_the_one_that_stood_in_its_place() {
    let good = "1. d4 d5 2. Nf3 *\n\n";
    let bad = "1. e4 e5 2. Ke3 *\n\n1. c4 e5 2. Kc6 *\n\n";
    let bench = Bench::with(&format!("{good}{good}{bad}"));
    let longer = format!("1. d4 d5 2. Nf3 {{{}}} *\n\n", "x".repeat(3 * good.len() - 22));
    assert_eq!(bench.ledger[1].byte_offset, longer.len() as u64);
    let retried = bench.retry(&format!("{longer}{bad}"));
    assert_eq!(retried.left, bench.ledger);
}

#[test]
fn a_game_that_stands_where_it_stood_behind_more_games_is_found() {
    let bench = Bench::with("1. d4 d5 2. Nf3 *\n\n1. e4 e5 2. Ke3 *\n\n");
    let retried = bench.retry("1. d4 *\n\n1. Nf3 *\n\n1. e4 e5 2. Nf3 *\n\n");
    assert_eq!((retried.left, retried.sans.join(" ")), (vec![], "Nf3 e4 e5".to_owned()));
    let retried = bench.retry("1. d4 *\n\n1. Nf3 *\n\n1. e4 e5 2. Ke3 *\n\n");
    assert_eq!(numbers_and_sans(&retried.left), [(2, "Ke3")]);
}

/// Games of a variant stand together, and are all refused for the same words in no position at all.
#[test]
fn games_that_are_refused_alike_are_not_taken_for_each_other() {
    let neighbours =
        "[White \"A\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[White \"Bb\"]\n[Variant \"Atomic\"]\n\n1. d4 *\n";
    let bench = Bench::with(&format!("[White \"C\"]\n\n1. c4 *\n\n{neighbours}"));
    assert_eq!(numbers_and_sans(&bench.ledger), [(1, "atomic"), (2, "atomic")]);
    assert_eq!(bench.retry(neighbours).left, bench.ledger);
}

#[test]
fn a_game_that_has_moved_and_breaks_off_as_before_is_told_from_where_it_stands() {
    let broken = "1. e4 e5 2. Ke3 *\n\n1. Ke2 *\n\n[Variant \"Atomic\"]\n\n1. d4 *\n";
    let bench = Bench::with(broken);
    let mended = broken.replace("Ke3", "Nf3 Nc6");
    let left = bench.retry(&mended).left;
    assert_eq!(numbers_and_sans(&left), [(1, "Ke2"), (2, "atomic")]);
    for reject in left {
        assert_eq!(
            reject.byte_offset,
            bench.ledger[reject.game_index as usize].byte_offset + 4
        );
    }
}

#[test]
fn a_game_that_was_cut_where_it_broke_off_is_found() {
    let broken = "1. e4 e5 2. Ke3 *\n\n1. c4 e5 2. Kc6 Nc6 *\n";
    let bench = Bench::with(broken);
    let retried = bench.retry("1. e4 e5 *\n\n1. c4 e5 *\n");
    assert_eq!(
        (retried.left.as_slice(), retried.sans.join(" ")),
        (&[][..], "c4 e4 e5 e5".to_owned())
    );
}

/// What begins from a position of its own is told by it, and puzzles break off at their first moves.
#[test]
fn a_puzzle_that_has_moved_is_told_by_its_position() {
    let broken = "1. e4 e5 2. Ke3 *\n\n[FEN \"6k1/5ppp/8/8/8/8/1r3PPP/3RR1K1 w - - 0 1\"]\n\n1. Rd9# *\n";
    let bench = Bench::with(broken);
    let mended = broken.replace("Ke3", "Nf3 Nc6");
    assert_eq!(bench.retry(&mended.replace("Rd9#", "Rd8#")).left, []);
    let other = mended.replace("3RR1K1", "R3R1K1").replace("Rd9#", "Ra8#");
    assert_eq!(bench.retry(&other).left, bench.ledger[1..]);
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

/// Ledgers are put together from several.
#[test]
fn a_ledger_that_names_a_game_twice_is_taken_by_its_last_word() {
    let broken = "1. e4 e5 2. Ke3 *\n\n1. c4 e5 2. Kc6 *\n";
    let mut bench = Bench::with(broken);
    let longer = broken.replace("Ke3", "Nf3 Nc6 3. Ke3");
    let later = bench.retry(&longer).left;
    assert_eq!(later.len(), 2, "{later:?}");
    bench.ledger.extend(later.clone());
    assert_eq!(bench.retry(&longer).left, later);
    // And where nothing is found.
    assert_eq!(bench.retry("").left, later);
}

/// Whoever mends one game may hand in its line alone.
#[test]
fn a_ledger_of_some_games_costs_the_store_no_others() {
    let broken = "1. e4 e5 2. Ke3 *\n\n1. d4 Kd6 *\n\n1. c4 e5 2. Kc6 *\n";
    let bench = Bench::with(broken);
    let ledger = &bench.ledger;
    assert_eq!(numbers_and_sans(ledger), [(0, "Ke3"), (1, "Kd6"), (2, "Kc6")]);
    let mut store = InMemoryStore::default();
    block_on(async {
        let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
        importer.ingest_pgn_path(&bench.path).await.expect("imported");
    });
    let mut left_by = |some: &[Reject], games: &str| {
        fs::write(&bench.path, games).expect("written");
        block_on(async {
            let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
            importer.ingest_rejects(some).await.expect("retried");
        });
        let mut left = store.rejects().to_vec();
        left.sort_by_key(|reject| reject.game_index);
        left
    };
    // As bad as before, gone, and mended.
    assert_eq!(left_by(&ledger[1..2], broken), *ledger);
    assert_eq!(left_by(&ledger[1..], ""), *ledger);
    let mended = broken.replace("Kd6", "Nf6");
    assert_eq!(left_by(&ledger[1..2], &mended), [ledger[0].clone(), ledger[2].clone()]);
    assert_eq!(left_by(&ledger[..1], &mended.replace("Ke3", "Nf3")), ledger[2..]);
}

/// A ledger has one line for each game, whatever became of it.
#[test]
fn a_puzzle_with_more_variations_than_are_kept_stays_in_the_ledger_once() {
    let moves = ["Kh2 (h4) ", "Kh8 (h6) ", "Kg1 (g4) ", "Kg8 (g6) "];
    let game: String = moves.iter().cycle().take(2_000).copied().collect();
    let file = |first: &str, game: &str| {
        format!("1. e4 e5 2. {first} *\n\n[FEN \"6k1/5ppp/8/8/8/7P/5PP1/6K1 w - - 0 1\"]\n\n{game} *\n")
    };
    let options = ImportOptions {
        tactic_variations: true,
        ..skipping()
    };
    let is_about_variations = |reject: &Reject| reject.reason.starts_with("variations of it were left out");
    // Mended, it has too many.
    let bench = Bench::under(&file("Ke3", &game.replacen("Kh8", "Kh9", 1)), options.clone());
    assert_eq!(numbers_and_sans(&bench.ledger), [(0, "Ke3"), (1, "Kh9")]);
    let left = bench.retry(&file("Nf3 Nc6", &game)).left;
    assert_eq!(numbers_and_sans(&left), [(1, "")]);
    assert!(is_about_variations(&left[0]), "{left:?}");
    // It had too many from the beginning.
    let bench = Bench::under(&file("Ke3", &game), options);
    assert_eq!(numbers_and_sans(&bench.ledger), [(0, "Ke3"), (1, "")]);
    for first in ["Nf3", "Nf3 Nc6"] {
        let left = bench.retry(&file(first, &game)).left;
        assert_eq!(left, bench.ledger[1..]);
    }
}
