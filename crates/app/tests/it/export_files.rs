//! What holds for exports of every format: the same bytes for the same database, whole or not at all, and what was asked for.

use std::{
    fs,
    num::NonZeroUsize,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use tabiya_app::{
    AppError,
    export::{ExportError, ExportEvent, ExportFormat, ExportReport, ExportRequest, ExportWatcher, export},
};

use crate::{
    exports::{
        EVERYWHERE, built_in, built_of, contents, enrich, exported, full, games, json_file, request, try_export,
    },
    postgres,
    workshop::{Workshop, game},
};

#[tokio::test]
async fn the_same_database_gives_the_same_bytes() {
    let (workshop, other) = (full().await, built_of(&games(true)).await);
    let server = tokio::task::spawn_blocking(postgres::new_database).await;
    let served = built_in(server.expect("a database"), &games(true)).await;
    for (format, output) in EVERYWHERE {
        let mut first = request(&workshop, format, output);
        first.threads = NonZeroUsize::MIN;
        let report = exported(&first).await;
        let expected = contents(&workshop.path(output));
        let bytes: usize = expected.values().map(Vec::len).sum();
        assert!(report.entries > 50 && bytes > 1000, "{format} {output}: {report:?}");

        // Over itself, on more threads, to a place that is called otherwise; and by databases to which the games came in
        // another order, one of them on a server.
        let mut again = request(&workshop, format, output);
        again.threads = NonZeroUsize::new(4).expect("not zero");
        assert_eq!(exported(&again).await, report, "{format} {output}");
        assert!(contents(&workshop.path(output)) == expected, "{format} {output}");
        let another = format!("elsewhere/{output}");
        for workshop in [&workshop, &other, &served] {
            exported(&request(workshop, format, &another)).await;
            assert!(contents(&workshop.path(&another)) == expected, "{format} {output}");
        }
    }
}

/// A watcher that wishes to stop at the event of that number, and says how many there were.
fn impatient(request: &ExportRequest, at: usize) -> (ExportWatcher, Arc<AtomicUsize>) {
    let (stop, seen) = (Arc::clone(&request.stop), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&seen);
    let watcher: ExportWatcher = Arc::new(move |_: ExportEvent<'_>| {
        if counter.fetch_add(1, Relaxed) == at {
            stop.store(true, Relaxed);
        }
    });
    (watcher, seen)
}

#[tokio::test]
async fn an_interrupted_export_leaves_the_old_files() {
    let workshop = full().await;
    for (format, output) in EVERYWHERE {
        exported(&request(&workshop, format, output)).await;
    }
    let before: Vec<_> = EVERYWHERE.map(|(_, output)| contents(&workshop.path(output))).into();
    // From now on every export would be another.
    workshop.write("more.pgn", &game(900, "", "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4", "1-0"));
    let mut more = workshop.request(&["more.pgn"]);
    more.add = true;
    workshop.expand(&more).await;
    enrich(&workshop).await;

    for ((format, output), before) in EVERYWHERE.into_iter().zip(&before) {
        let mut stops = 0;
        for at in 0.. {
            let request = request(&workshop, format, output);
            let (watcher, events) = impatient(&request, at);
            let outcome = export(&request, Some(watcher)).await;
            match outcome {
                Err(AppError::Interrupted) => stops += 1,
                // Whoever wishes to stop when the last file is in its place is too late.
                Ok(_) => {
                    assert!(
                        events.load(Relaxed) <= at + 1,
                        "{format} {output}: nobody listened at {at}"
                    );
                    break;
                }
                Err(error) => panic!("{format} {output}: {error}"),
            }
            assert!(contents(&workshop.path(output)) == *before, "{format} {output} at {at}");
            let new = format!("new-{at}-{output}");
            let elsewhere = ExportRequest {
                output: workshop.path(&new),
                ..request.clone()
            };
            elsewhere.stop.store(false, Relaxed);
            let (watcher, _) = impatient(&elsewhere, at);
            let outcome = export(&elsewhere, Some(watcher)).await;
            assert!(matches!(outcome, Err(AppError::Interrupted)), "{format} {output}");
            assert!(!workshop.path(&new).exists(), "{new} was begun and is left behind");
        }
        // While it loads, when it knows what to write, and behind each file that is not the last.
        assert!(stops >= 2, "{format} {output}: {stops}");
        exported(&request(&workshop, format, output)).await;
        assert!(
            contents(&workshop.path(output)) != *before,
            "{format} {output}: nothing is new"
        );
    }
}

#[tokio::test]
async fn the_index_says_what_there_is() {
    let workshop = full().await;
    for (format, output) in EVERYWHERE {
        let report = exported(&request(&workshop, format, output)).await;
        let files = contents(&workshop.path(output));
        let listed: Vec<&str> = report.files.iter().map(|file| file.file.as_str()).collect();
        assert!(listed.is_sorted() || !format_by_opening(format), "{listed:?}");
        assert!(report.files.iter().all(|file| file.entries > 0), "{report:?}");
        for file in &report.files {
            assert_eq!(files[&file.file].len() as u64, file.bytes, "{format} {}", file.file);
        }
        assert_eq!(report.bytes, report.files.iter().map(|file| file.bytes).sum::<u64>());
        assert_eq!(
            report.entries,
            report.files.iter().map(|file| file.entries).sum::<u64>()
        );
        if workshop.path(output).is_file() {
            assert_eq!((files.len(), listed), (1, vec![output]));
            continue;
        }
        assert_eq!(files.len(), listed.len() + 1, "and the index: {:?}", files.keys());
        let index = json_file(&workshop.path(output).join("index.json"));
        assert_eq!(index["tabiya_export"], 1);
        assert_eq!(index["format"], format.as_str());
        assert_eq!(
            index["files"],
            serde_json::to_value(&report.files).expect("plain values")
        );
        if format_by_opening(format) {
            let italian = report
                .files
                .iter()
                .find(|file| file.id.as_deref() == Some("italian-game"));
            let italian = italian.expect("an opening");
            assert_eq!(italian.file, format!("italian-game.{}", format.extension()));
            assert_eq!(
                (italian.eco.as_deref(), italian.color.as_deref()),
                (Some("C50"), Some("white"))
            );
            assert_eq!(italian.name.as_deref(), Some("Italian Game"));
            let sicilian = report
                .files
                .iter()
                .find(|file| file.id.as_deref() == Some("sicilian-defense"));
            assert_eq!(sicilian.expect("an opening").color.as_deref(), Some("black"));
        }
    }
}

fn format_by_opening(format: ExportFormat) -> bool {
    matches!(format, ExportFormat::Json | ExportFormat::Pgn | ExportFormat::Polyglot)
}

/// One knowledge base for all that only look at it.
async fn shared() -> &'static Workshop {
    static SHARED: OnceLock<Workshop> = OnceLock::new();
    static MAKING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let _alone = MAKING.lock().await;
    match SHARED.get() {
        Some(workshop) => workshop,
        None => {
            let made = full().await;
            SHARED.get_or_init(|| made)
        }
    }
}

async fn with(output: String, format: ExportFormat, change: impl FnOnce(&mut ExportRequest)) -> ExportReport {
    let mut request = request(shared().await, format, &output);
    change(&mut request);
    exported(&request).await
}

fn ids(report: &ExportReport) -> Vec<&str> {
    report.files.iter().filter_map(|file| file.id.as_deref()).collect()
}

#[tokio::test]
async fn a_range_of_codes_chooses_openings() {
    use ExportFormat::{Csv, Json, Jsonl, Parquet, Pgn, Polyglot};
    for format in [Json, Pgn, Polyglot] {
        let one = with(format!("c50-{format}"), format, |request| {
            request.eco = "C50".parse().expect("a code");
        });
        assert_eq!(ids(&one.await), ["italian-game"], "{format}");
        // A family is there as soon as one of its openings is.
        let few = with(format!("few-{format}"), format, |request| {
            request.eco = "C55-D99".parse().expect("a range");
        });
        assert_eq!(
            ids(&few.await),
            ["italian-game", "queens-gambit", "ruy-lopez"],
            "{format}"
        );
    }
    let all = with("all.csv".to_owned(), Csv, |_| ()).await;
    let some = with("some.csv".to_owned(), Csv, |request| {
        request.eco = "C50-C55".parse().expect("a range")
    })
    .await;
    assert!(0 < some.entries && some.entries < all.entries, "{some:?} {all:?}");
    let table = fs::read_to_string(shared().await.path("some.csv")).expect("a table");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let eco = rows
        .headers()
        .expect("a header")
        .iter()
        .position(|name| name == "eco_code");
    let codes = rows
        .records()
        .map(|row| row.expect("a row")[eco.expect("a column")].to_owned());
    assert!(codes.into_iter().all(|code| ["C50", "C55"].contains(&code.as_str())));
    for format in [Parquet, Jsonl] {
        let some = with(format!("some-{format}"), format, |request| {
            request.eco = "C50-C55".parse().expect("a range");
        });
        let openings = some
            .await
            .files
            .into_iter()
            .find(|file| file.file.starts_with("openings"));
        assert_eq!(openings.expect("a table").entries, 3, "{format}");
    }
}

#[tokio::test]
async fn depth_and_games_limit_what_is_written() {
    for (format, output) in EVERYWHERE {
        let mut last = 0;
        for depth in [1, 3, 6, 30] {
            let report = with(format!("deep-{depth}-{output}"), format, |request| {
                request.max_depth = Some(depth)
            });
            let entries = report.await.entries;
            assert!(
                entries > last,
                "{format} {output}: {entries} entries at depth {depth}, {last} before"
            );
            last = entries;
        }
        for games in [1, 2, 5] {
            let report = with(format!("played-{games}-{output}"), format, |request| {
                request.max_depth = Some(30);
                request.min_games = games;
            });
            let entries = report.await.entries;
            let fewer = if games == 1 { entries <= last } else { entries < last };
            assert!(
                fewer && entries > 0,
                "{format} {output}: {entries} entries from {games} games on, {last} before"
            );
            last = entries;
        }
    }
}

#[tokio::test]
async fn a_collection_speaks_for_itself() {
    let workshop = full().await;
    workshop.write("club.pgn", &game(1, "", "e4 e5 Nf3 Nc6 Bc4 h6", "0-1"));
    let mut club = workshop.request(&["club.pgn"]);
    club.collection = "club".to_owned();
    workshop.expand(&club).await;
    let mut request = request(&workshop, ExportFormat::Json, "club");
    request.collection = Some("club".to_owned());
    exported(&request).await;
    let italian = json_file(&workshop.path("club/italian-game.json"));
    let mut at = &italian["moves"][0];
    for san in ["e4", "e5", "Nf3", "Nc6", "Bc4"] {
        assert_eq!((&at["san"], &at["game_count"]), (&san.into(), &1.into()), "{at}");
        if san != "Bc4" {
            at = &at["children"][0];
        }
    }
    assert_eq!(
        at["engineResponses"][0], "h6",
        "the only one with games comes first: {at}"
    );
    assert_eq!(at["responseWeights"][0], 1);
    assert_eq!(json_file(&workshop.path("club/index.json"))["collection"], "club");
}

#[tokio::test]
async fn nothing_is_an_error_that_says_what_there_is() {
    let workshop = full().await;
    for (format, output) in EVERYWHERE {
        let mut request = request(&workshop, format, output);
        request.eco = "A99".parse().expect("a code");
        let error = try_export(&request).await.expect_err("nothing");
        assert!(
            matches!(error, AppError::Export(ExportError::Nothing { .. })),
            "{format}: {error}"
        );
        assert!(error.to_string().contains("A99"), "{format}: {error}");
        assert!(
            error.hints().concat().contains("from A00 to E00"),
            "{format}: {:?}",
            error.hints()
        );
        assert!(!workshop.path(output).exists(), "{format}: {output} is left behind");
    }
    // There are such positions, but none so near to the first.
    for (format, output) in [(ExportFormat::Csv, "nodes.csv"), (ExportFormat::Parquet, "tables")] {
        let mut request = request(&workshop, format, output);
        request.eco = "C50".parse().expect("a code");
        request.max_depth = Some(1);
        let error = try_export(&request).await.expect_err("nothing");
        assert!(error.to_string().contains("too much was asked"), "{format}: {error}");
        assert!(error.hints().concat().contains("--max-depth"), "{format}");
        // And here the other limits are not to blame.
        request.eco = "A99".parse().expect("a code");
        request.min_games = 1;
        let error = try_export(&request).await.expect_err("nothing");
        assert!(error.to_string().contains("A99"), "{format}: {error}");
    }
}

#[tokio::test]
async fn without_openings_there_is_nothing_to_export() {
    let workshop = Workshop::new();
    workshop.store().await.close().await;
    for (format, output) in EVERYWHERE {
        let error = try_export(&request(&workshop, format, output))
            .await
            .expect_err("nothing");
        assert!(matches!(error, AppError::NoOpenings), "{format}: {error}");
        assert!(!workshop.path(output).exists(), "{format}: {output} is left behind");
    }
}

#[tokio::test]
async fn places_that_cannot_be_written_are_found_at_once() {
    let workshop = full().await;
    workshop.write("file", "mine");
    fs::create_dir(workshop.path("directory.csv")).expect("a directory");
    for (format, output) in EVERYWHERE {
        let below_a_file = request(&workshop, format, &format!("file/{output}"));
        // Nothing is read for it: there is no such database.
        let below_a_file = ExportRequest {
            database: "sqlite://nowhere/none.db".to_owned(),
            ..below_a_file
        };
        let error = try_export(&below_a_file).await.expect_err("no directory");
        assert!(
            matches!(error, AppError::Export(ExportError::Io { .. })),
            "{format}: {error}"
        );
        assert!(
            error.hints().concat().contains("a directory is needed"),
            "{format}: {:?}",
            error.hints()
        );
    }
    let table = request(&workshop, ExportFormat::Csv, "directory.csv");
    let error = try_export(&table).await.expect_err("a directory");
    assert!(
        matches!(error, AppError::Export(ExportError::IsADirectory(_))),
        "{error}"
    );
    for format in [ExportFormat::Json, ExportFormat::Parquet] {
        let error = try_export(&request(&workshop, format, "file"))
            .await
            .expect_err("a file");
        assert!(
            matches!(error, AppError::Export(ExportError::NotADirectory(_))),
            "{error}"
        );
    }
    let one = request(&workshop, ExportFormat::Json, "one.json");
    let error = try_export(&one).await.expect_err("many openings");
    assert!(
        matches!(error, AppError::Export(ExportError::OneFile { .. })),
        "{error}"
    );
    assert!(!workshop.path("one.json").exists());
    for (format, name) in [
        (ExportFormat::Csv, "nodes.parquet"),
        (ExportFormat::Pgn, "games.json"),
        (ExportFormat::Parquet, "tables.csv"),
    ] {
        let error = try_export(&request(&workshop, format, name)).await.expect_err(name);
        assert!(
            matches!(error, AppError::Export(ExportError::OtherEnding(_))),
            "{error}"
        );
        assert!(!workshop.path(name).exists());
    }
    assert_eq!(fs::read_to_string(workshop.path("file")).expect("there"), "mine");
}
