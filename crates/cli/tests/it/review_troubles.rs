//! Games that cannot be reviewed: told, and nothing is made up. And a review that is cut short.

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    crash::finish,
    engines::Opinionated,
    review::famous,
    sandbox::{Sandbox, TABIYA, assert_said},
};

#[test]
fn what_cannot_be_reviewed_is_said() {
    let sandbox = famous();
    sandbox.write("empty.pgn", "");
    sandbox.write("garbage.pgn", "\u{1}\u{2} nothing of chess \u{3}");
    sandbox.write("illegal.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke4 *\n");
    sandbox.write("nothing.jsonl", "");
    sandbox.write("rubbish.jsonl", "{\"fen\": 1}\n");
    fs::create_dir(sandbox.path("directory")).expect("a directory");
    let review = |name: &str, lines: &str| sandbox.tabiya(&["review", name, "--lines", lines]);
    let lines = "famous.lines.jsonl";
    assert_said!("review_empty", review("empty.pgn", lines).exits_with(2));
    assert_said!("review_garbage", review("garbage.pgn", lines).exits_with(2));
    assert_said!("review_illegal", review("illegal.pgn", lines).exits_with(2));
    assert_said!("review_missing", review("missing.pgn", lines).exits_with(2));
    assert_said!("review_directory", review("directory", lines).exits_with(2));
    assert_said!("review_no_lines", review("famous.pgn", "nothing.jsonl").exits_with(2));
    assert_said!(
        "review_rubbish_lines",
        review("famous.pgn", "rubbish.jsonl").exits_with(2)
    );
    assert_said!(
        "review_missing_lines",
        review("famous.pgn", "missing.jsonl").exits_with(2)
    );
    let no_engine = sandbox.tabiya(&["review", "famous.pgn", "--engine", "no-such-engine"]);
    assert_said!("review_no_engine", no_engine.exits_with(2));
    let both = sandbox.tabiya(&["review", "famous.pgn", "--nodes", "5", "--depth", "5"]);
    assert!(both.exits_with(2).stderr.contains("cannot be used with"));
}

/// A kilobyte of what a stranger's file may hold: results, brackets and quotes among it, so that a reader finds games there.
fn noise() -> Vec<u8> {
    let words = [
        "*",
        "1-0",
        "[x \"",
        "]",
        "{",
        "}",
        "\u{1}\u{7f}",
        "zQ+/9",
        "lorem",
        "\n\n",
        "0-1",
        "ß%",
    ];
    let mut random = 20_261_116_u32;
    let mut noise = Vec::new();
    while noise.len() < 1_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.extend_from_slice(words[(random >> 16) as usize % words.len()].as_bytes());
        noise.push(if random & 0x80_0000 == 0 { b' ' } else { b'\n' });
    }
    noise
}

#[test]
fn rubbish_is_no_game() {
    let sandbox = famous();
    sandbox.write("noise.pgn", noise());
    sandbox.write("result.pgn", "*\n");
    let review = |args: &[&str]| sandbox.tabiya(&[&["review", "--lines", "famous.lines.jsonl"], args].concat());
    for name in ["noise.pgn", "result.pgn"] {
        let ran = review(&[name]).exits_with(2);
        assert_eq!(ran.stdout, "", "{ran}");
        let error = format!("error: there are no games in {name}\n");
        assert!(ran.stderr.contains(&error), "{ran}");
        let quiet = review(&[name, "-q"]).exits_with(2);
        assert!(quiet.stderr.starts_with(&error), "{quiet}");
    }
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. a3 a6 2. a4 *\n\n";
    sandbox.write(
        "mixed.pgn",
        [game.as_bytes(), &noise(), b"\n\n", game.as_bytes()].concat(),
    );
    assert_said!("review_mixed", review(&["mixed.pgn", "noise.pgn"]).exits_with(0));
}

#[test]
fn a_chapter_of_text_alone_is_a_game_without_moves() {
    let sandbox = famous();
    let chapter = "[Event \"Study: chapter 2\"]\n[Site \"https://lichess.org/study/a/b\"]\n[Result \"*\"]\n\n\
                   { A chapter of text alone } *\n";
    let pgn = sandbox.read("famous.pgn");
    let game = pgn.split("\n\n[").next().expect("a game");
    sandbox.write("study.pgn", format!("{game}\n\n{chapter}"));
    let ran = sandbox.tabiya(&[
        "review",
        "study.pgn",
        "--lines",
        "famous.lines.jsonl",
        "--pgn",
        "out.pgn",
        "--format",
        "json",
    ]);
    let report = ran.exits_with(0).json();
    assert_eq!(report["failures"], serde_json::json!([]));
    assert_eq!(report["games"][1]["moves"], serde_json::json!([]));
    let written = sandbox.read("out.pgn");
    let kept = &written[written.rfind("[Event ").expect("a chapter")..];
    assert!(
        kept.contains("chapter 2") && kept.ends_with("{ A chapter of text alone } *\n"),
        "{written}"
    );
    sandbox.write("chapter.pgn", chapter);
    let alone = sandbox.tabiya(&["review", "chapter.pgn", "--lines", "famous.lines.jsonl"]);
    let alone = alone.exits_with(0);
    assert!(
        alone.stdout.contains("no moves to judge") && alone.stderr.is_empty(),
        "{alone}"
    );
}

#[test]
fn a_game_without_lines_is_not_judged() {
    let sandbox = famous();
    sandbox.write("other.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. a3 a6 2. a4 *\n");
    let args = ["review", "other.pgn", "--lines", "famous.lines.jsonl"];
    assert_said!("review_too_little_known", sandbox.tabiya(&args).exits_with(0));
    sandbox.write("none.pgn", "[White \"A\"]\n[Black \"B\"]\n\n*\n");
    let args = ["review", "none.pgn", "--lines", "famous.lines.jsonl"];
    assert_said!("review_no_moves", sandbox.tabiya(&args).exits_with(0));
}

#[test]
fn json_is_json_where_nothing_could_be_reviewed() {
    let sandbox = Sandbox::with("illegal.pgn", "1. e4 e5 2. Ke4 *\n");
    sandbox.write("empty.pgn", "");
    let line = r#"{"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "source": "x", "lines": [{"depth": 1, "index": 1, "cp": 9, "moves": ["e2e4"]}]}"#;
    sandbox.write("lines.jsonl", line);
    for file in ["illegal.pgn", "empty.pgn"] {
        let ran = sandbox.tabiya(&["review", file, "--lines", "lines.jsonl", "--format", "json"]);
        assert_eq!(ran.code, 2, "{ran}");
        let document = ran.json();
        assert_eq!(document["games"], serde_json::json!([]), "{ran}");
        assert_eq!(document["summary"]["games"], 0, "{ran}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_review_goes_on() {
    let sandbox = famous();
    let engine = Opinionated::new(sandbox.directory(), &[("*", "slow 20")]);
    let program = engine.program.display().to_string();
    let args = [
        "review",
        "famous.pgn",
        "--engine",
        &program,
        "--workers",
        "1",
        "--report",
        "review.json",
    ];
    let running = sandbox
        .command(TABIYA, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let journal = sandbox.path("review.json.journal");
    let begun = Instant::now();
    // A game is in it.
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing was reviewed");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(killed.expect("kill").success());
    finish(running).exits_with(130);
    assert!(journal.exists() && !sandbox.path("review.json").exists());
    engine.think(&[("*", "cp 0")]);
    // What is no text in a place that nobody reads is found when the journal is gone through again.
    let whole = fs::read(&journal).expect("a journal");
    let game = b"\n{\"reviewed\":{";
    let at = whole.windows(game.len()).position(|bytes| bytes == game);
    let (before, behind) = whole.split_at(at.expect("a game") + game.len());
    fs::write(&journal, [before, b"\"x\":\"\xff\",", behind].concat()).expect("writable");
    let ran = sandbox.tabiya(&args).exits_with(2);
    assert!(
        ran.stderr
            .contains("error: cannot read the journal review.json.journal\n"),
        "{ran}"
    );
    assert!(ran.stderr.contains("remove it, and the review begins anew"), "{ran}");
    fs::write(&journal, whole).expect("writable");
    let ran = sandbox.tabiya(&args).exits_with(0);
    assert!(ran.stderr.contains("note: going on behind "), "{ran}");
    let report: Value = serde_json::from_str(&sandbox.read("review.json")).expect("JSON");
    assert_eq!(report["games"].as_array().map(Vec::len), Some(9));
    assert!(!journal.exists());
}
