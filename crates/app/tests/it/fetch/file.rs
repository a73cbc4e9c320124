//! The file that games are added to, and the note beside it: what a kill has cut, and what somebody else wrote.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use tabiya_app::{AppError, fetch::Site};

use super::{game, lichess, numbers, request, run};
use crate::server::{Reply, Server};

#[tokio::test]
async fn a_game_that_was_cut_by_a_kill_is_written_anew() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    let request = request(&server, Site::Lichess, &output);
    run(&request).await.expect("games");
    let whole = std::fs::read_to_string(&output).expect("a file");
    let cut = whole.rfind("{ number 3").expect("the last game");
    std::fs::write(&output, &whole[..cut]).expect("a file");
    // It had not been noted either.
    let note = dir.path().join("ann.pgn.fetch.json");
    std::fs::write(&note, "{\"version\":1,\"fetched\":[]}").expect("a file");
    let report = run(&request).await.expect("games");
    assert_eq!((report.new, report.known), (1, 2));
    assert_eq!(numbers(&output), [1, 2, 3]);
}

/// Wherever a kill has cut the last game: in its tags, in its moves, before the blank line.
#[tokio::test]
async fn no_stump_stays_and_none_is_glued_to_the_next_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    let request = request(&server, Site::Lichess, &output);
    run(&request).await.expect("games");
    let whole = std::fs::read_to_string(&output).expect("a file");
    let last = whole.rfind("[Event").expect("the last game");
    let note = dir.path().join("ann.pgn.fetch.json");
    for cut in last..whole.len() {
        std::fs::write(&output, &whole[..cut]).expect("a file");
        std::fs::write(&note, "{\"version\":1,\"fetched\":[]}").expect("a file");
        run(&request).await.expect("games");
        let again = std::fs::read_to_string(&output).expect("a file");
        // A game that lacks nothing but the blank line is there.
        let is_there = cut >= whole.trim_end().len();
        let expected = if is_there { &whole[..cut] } else { whole.as_str() };
        assert_eq!(again, expected, "cut at {:?}", &whole[last..cut]);
    }
}

#[tokio::test]
async fn a_stranger_s_unfinished_game_is_never_cut() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let mine = format!(
        "{}[Event \"mine\"]\n[Site \"https://lichess.org/mine\"]\n\n1. d4 d5 2. c4",
        game(Site::Lichess, 1)
    );
    std::fs::write(&output, &mine).expect("a file");
    let newest = Arc::new(AtomicUsize::new(1));
    let there = Arc::clone(&newest);
    let server = Server::start(move |request| Reply::Ok(lichess(request, there.load(SeqCst) as u32))).await;
    let request = request(&server, Site::Lichess, &output);
    // Nothing new, twice: a note is there by now, and still nothing of ours.
    for _ in 0..2 {
        run(&request).await.expect("games");
        assert_eq!(std::fs::read_to_string(&output).expect("a file"), mine);
    }
    newest.store(2, SeqCst);
    for _ in 0..2 {
        run(&request).await.expect("games");
        let text = std::fs::read_to_string(&output).expect("a file");
        assert_eq!(text, format!("{mine}\n\n{}\n\n", game(Site::Lichess, 2).trim_end()));
    }
}

#[tokio::test]
async fn what_a_stranger_wrote_stays() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let mine = "[Site \"https://lichess.org/mine\"]\n\n1. d4 d5 2. c4";
    std::fs::write(&output, mine).expect("a file");
    let server = Server::start(|request| Reply::Ok(lichess(request, 1))).await;
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let text = std::fs::read_to_string(&output).expect("a file");
    assert!(text.starts_with(&format!("{mine}\n\n[Event \"x\"]")), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_added_to() {
    let dir = tempfile::tempdir().expect("a directory");
    let pipe = dir.path().join("pipe.pgn");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let server = Server::start(|request| Reply::Ok(lichess(request, 1))).await;
    for output in [&*pipe, Path::new("/dev/null"), Path::new("-")] {
        let error = run(&request(&server, Site::Lichess, output))
            .await
            .expect_err("no file");
        assert!(matches!(&error, AppError::OutOfRange(_)), "{error}");
        assert!(error.to_string().contains("has to be a file"), "{error}");
    }
    assert!(server.requests().is_empty() && !Path::new("-").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_note_is_a_file_like_any_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let mode = |name: &str| {
        let meta = std::fs::metadata(dir.path().join(name)).expect("there");
        meta.permissions().mode()
    };
    assert_eq!(mode("ann.pgn.fetch.json"), mode("ann.pgn"));
    // It may lie elsewhere.
    std::fs::rename(dir.path().join("ann.pgn.fetch.json"), dir.path().join("note")).expect("moved");
    std::os::unix::fs::symlink("note", dir.path().join("ann.pgn.fetch.json")).expect("a link");
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let link = std::fs::symlink_metadata(dir.path().join("ann.pgn.fetch.json")).expect("there");
    assert!(link.is_symlink());
}
