//! The files a review reads and writes: which it may touch, and how.

use std::{fs, io, path::Path};

use tabiya_app::{
    AppError,
    review::{LinesFrom, ReviewRequest},
};

use crate::{
    engines::fake,
    study::{Study, many, opinionated, run, try_run},
};

fn request(study: &Study) -> ReviewRequest {
    study.request(&fake(study.dir.path(), "good", &["instant"]))
}

#[cfg(unix)]
#[test]
fn devices_links_and_permissions_stay() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    let study = Study::of(&many());
    let mut request = request(&study);
    request.outputs.json = Some("/dev/null".into());
    request.outputs.pgn = Some(study.path("link.pgn"));
    request.outputs.csv = Some(study.path("table.csv"));
    fs::write(study.path("file.pgn"), "old").expect("writable");
    symlink("file.pgn", study.path("link.pgn")).expect("linked");
    fs::write(study.path("table.csv"), "old").expect("writable");
    fs::set_permissions(study.path("table.csv"), fs::Permissions::from_mode(0o640)).expect("ours");
    // As a killed review leaves it.
    fs::write(study.path(".tabiya-killed.tmp"), "half").expect("writable");
    let outcome = try_run(&request, |_| {
        assert!(!Path::new("/dev/null.journal").exists());
        assert!(study.path("link.pgn.journal").exists());
    });
    assert_eq!(outcome.expect("a review").summary.games, 20);
    let device = fs::symlink_metadata("/dev/null").expect("there");
    assert!(device.file_type().is_char_device());
    let link = fs::symlink_metadata(study.path("link.pgn")).expect("there");
    assert!(link.is_symlink() && study.read("file.pgn").contains("[White "));
    let table = fs::metadata(study.path("table.csv")).expect("there");
    assert_eq!(table.permissions().mode() & 0o777, 0o640);
    assert!(study.read("table.csv").lines().count() > 20);
    let mut left: Vec<String> = fs::read_dir(study.dir.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["file.pgn", "games.pgn", "good", "link.pgn", "table.csv"]);
}

/// As standard output is one that was sent to a file.
#[cfg(unix)]
#[test]
fn an_open_file_is_added_to_and_has_no_journal() {
    use std::os::fd::AsRawFd as _;
    let study = Study::of(&many());
    fs::write(study.path("sent-here"), "before\n").expect("writable");
    let held = fs::File::options().append(true).open(study.path("sent-here"));
    let name = format!("/dev/fd/{}", held.as_ref().expect("a file").as_raw_fd());
    let mut request = request(&study);
    request.outputs.pgn = Some(name.clone().into());
    let outcome = try_run(&request, |_| assert!(!Path::new(&format!("{name}.journal")).exists()));
    assert_eq!(outcome.expect("a review").summary.games, 20);
    let written = study.read("sent-here");
    assert!(
        written.starts_with("before\n") && written.contains("[White "),
        "{written}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let study = Study::of(&many());
    for output in ["json", "csv", "pgn", "record"] {
        let mut request = request(&study);
        let place = match output {
            "json" => &mut request.outputs.json,
            "csv" => &mut request.outputs.csv,
            "pgn" => &mut request.outputs.pgn,
            _ => &mut request.outputs.record,
        };
        *place = Some("/dev/full".into());
        match try_run(&request, |_| {}) {
            Err(AppError::CannotWrite { path, source }) => {
                assert_eq!(
                    (&*path, source.kind()),
                    (Path::new("/dev/full"), io::ErrorKind::StorageFull)
                );
            }
            other => panic!("{output}: {other:?}"),
        }
    }
}

#[test]
fn what_is_no_journal_is_left_alone() {
    let study = Study::of(&many());
    let mut request = request(&study);
    request.outputs.json = Some(study.path("review.json"));
    request.journal = Some(study.path("notes"));
    let long = "x".repeat(100_000);
    for content in [
        "my notes\nof a year\n",
        "my notes",
        "{\"tabiya_review\":\"mine\"}\n",
        "{}",
        &*long,
    ] {
        fs::write(study.path("notes"), content).expect("writable");
        let error = try_run(&request, |_| {}).expect_err("no journal");
        assert!(matches!(&error, AppError::NotAJournal { .. }), "{error}");
        assert!(!error.hints().is_empty());
        assert_eq!(study.read("notes"), content);
    }
    // One that was killed while it wrote its first line is one.
    for content in ["", "{\"tabiya_r", "{\"tabiya_review\":1,\"key\":\"12"] {
        fs::write(study.path("notes"), content).expect("writable");
        run(&request);
        assert!(!study.path("notes").exists(), "{content}");
    }
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    let study = Study::of(&many());
    let both = study.path("both");
    let mut first = request(&study);
    first.outputs.json = Some(both.clone());
    let mut second = first.clone();
    first.outputs.pgn = Some(study.path("./both"));
    // The journal lies beside the first file when nobody says where.
    let mut third = second.clone();
    third.outputs.pgn = Some(study.path("both.journal"));
    second.journal = Some(both.clone());
    for request in [first, second, third] {
        let error = try_run(&request, |_| {}).expect_err("one file");
        assert!(matches!(&error, AppError::OneOutput { .. }), "{error}");
        assert!(!both.exists());
    }
    // Nothing is lost in what keeps nothing.
    #[cfg(unix)]
    {
        let mut request = request(&study);
        request.outputs.json = Some("/dev/null".into());
        request.outputs.pgn = Some("/dev/null".into());
        run(&request);
    }
}

#[test]
fn one_review_at_a_time_has_a_journal() {
    let study = Study::of(&many());
    let mut request = request(&study);
    request.outputs.json = Some(study.path("review.json"));
    let other = request.clone();
    let mut seen = 0;
    let outcome = try_run(&request, |_| {
        seen += 1;
        if seen == 1 {
            let before = study.read("review.json.journal");
            let other = other.clone();
            // On a thread of its own: a runtime does not start in another.
            let refused = std::thread::spawn(move || try_run(&other, |_| {}).expect_err("in use"));
            let refused = refused.join().expect("no panic");
            let named = matches!(&refused, AppError::InUse { path } if path.ends_with("review.json.journal"));
            assert!(named && !refused.hints().is_empty(), "{refused}");
            assert_eq!(study.read("review.json.journal"), before);
        }
        // Nobody misses it.
        let _ = fs::remove_file(study.path("review.json.journal"));
    });
    assert_eq!(outcome.expect("a review").summary.games, 20);
    assert!(study.read("review.json").contains("\"games\""));
    run(&other);
}

#[test]
fn an_input_that_cannot_be_read_does_not_cost_the_journal() {
    let study = Study::of(&many());
    let mut request = request(&study);
    let packed = zstd::encode_all(&b"1. e4 *\n"[..], 3).expect("packed");
    fs::write(study.path("bad.pgn.zst"), &packed[..5]).expect("writable");
    request.inputs.push(study.path("bad.pgn.zst").display().to_string());
    request.outputs.json = Some(study.path("review.json"));
    let mut seen = 0;
    let outcome = try_run(&request, |_| {
        seen += 1;
        assert!(study.path("review.json.journal").exists());
    });
    let outcome = outcome.expect("a review");
    assert_eq!((seen, outcome.errors.len()), (20, 1));
}

#[test]
fn what_was_learned_is_kept_when_the_last_search_fails() {
    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let study = Study::of("1. e4 e5 2. Nf3 *\n");
    // Searched backwards, so this comes last.
    let engine = opinionated(&study, &[("*", "cp 20"), (INITIAL, "crash")]);
    let mut request = study.request(&engine.program);
    if let LinesFrom::Engine { database, .. } = &mut request.lines {
        *database = Some(format!("sqlite://{}", study.path("evals.db").display()));
    }
    let (outcome, _) = run(&request);
    assert_eq!(outcome.failures.len(), 1);
    engine.asked();
    engine.think(&[("*", "cp 20")]);
    let (outcome, games) = run(&request);
    assert_eq!((outcome.failures.len(), games.len()), (0, 1));
    let asked = engine.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].0, INITIAL);
}
