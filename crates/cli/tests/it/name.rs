//! What positions and lines are called.

use serde_json::{Value, json};

use crate::{
    crash::finish,
    sandbox::{Ran, Sandbox, TABIYA, assert_said},
};

const ITALIAN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

fn rows(ran: &Ran) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).expect("every line is JSON");
    ran.stdout.lines().map(parse).collect()
}

#[test]
fn lines_and_positions_are_named() {
    let sandbox = Sandbox::new();
    let questions = [
        "name",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 a5 4. a4 h6",
        "d2d4 d7d5 c2c4 e7e6",
        ITALIAN,
        "8/8/8/4k3/8/4K3/8/8 w - - 0 1",
    ];
    assert_said!("name", sandbox.tabiya(&questions));
    assert_eq!(
        std::fs::read_dir(sandbox.directory()).expect("readable").count(),
        0,
        "no database is needed"
    );
}

#[test]
fn machines_get_an_object_for_each_question() {
    let sandbox = Sandbox::new();
    let line = "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.b4";
    let ran = sandbox.tabiya(&["name", "--format", "json", line, "1.e4 h5 2.a4 a5", "startpos"]);
    let rows = rows(&ran.exits_with(0));
    assert_eq!(rows.len(), 3);
    assert_eq!(
        rows[0],
        json!({
            "input": line,
            "eco": "C51",
            "opening_name": "Italian Game",
            "variation_name": "Evans Gambit",
            "aliases": ["Evans gambit", "Evans gambit declined"],
            "ply": 7,
            "matched_fen": "r1bqk1nr/pppp1ppp/2n5/2b1p3/1PB1P3/5N2/P1PP1PPP/RNBQK2R b KQkq - 0 4",
        })
    );
    assert_eq!(rows[1]["ply"], 2, "the Goldsmith is named, what follows is not");
    assert_eq!(
        rows[2],
        json!({
            "input": "startpos", "eco": null, "opening_name": null, "variation_name": null, "aliases": [], "ply": null,
            "matched_fen": null,
        })
    );
}

#[test]
fn a_bad_question_does_not_keep_the_others_from_their_answers() {
    let sandbox = Sandbox::new();
    let input = "1.e4 c5\n\n1.e4 e5 2.Nf6\n8/8 w\nrnbqkbnr/8/8 w - -\n1.d4\n";
    let command = sandbox.command(TABIYA, &["name"]);
    assert_said!("name_bad_questions", sandbox.run_with_input(command, input));
    let command = sandbox.command(TABIYA, &["name", "--format", "json", "-"]);
    let ran = sandbox.run_with_input(command, input).exits_with(2);
    let rows = rows(&ran);
    assert_eq!(rows.len(), 5);
    assert_eq!(
        rows[1],
        json!({"input": "1.e4 e5 2.Nf6", "error": "2.Nf6 is not a legal move (half-move 3)"})
    );
    assert_eq!(rows[4]["opening_name"], "Queen's Pawn Game");
}

#[test]
fn a_question_is_refused_behind_the_answers_before_it() {
    let sandbox = Sandbox::new();
    let both = std::fs::File::create(sandbox.path("both")).expect("a file");
    let status = sandbox
        .command(TABIYA, &["name", "1.e4 c5", "1.e4 e5 2.Nf6", "1.d4"])
        .stdout(both.try_clone().expect("a copy"))
        .stderr(both)
        .status();
    assert_eq!(status.expect("the program runs").code(), Some(2));
    let told = sandbox.read("both");
    let place = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
    assert!(
        place("Sicilian") < place("error: ") && place("error: ") < place("Queen's Pawn"),
        "{told}"
    );
}

#[test]
fn names_of_one_s_own_take_the_place_of_ours() {
    let sandbox = Sandbox::with(
        "mine.csv",
        "name,eco,pgn\n\"My Opening: Best, by test\",B00,1. e4\nMy Reply,B20,1. e4 c5\n",
    );
    sandbox.write(
        "more.tsv",
        "eco\tname\tpgn\nB00\tKingside push\t1. e4\nA40\tOther push\t1. d4\n",
    );
    let asked = |arguments: &[&str]| sandbox.tabiya(&[&["name"], arguments].concat());
    let own = ["--source", "mine.csv", "--aliases", "more.tsv", "1.e4", "1.d4", "1.c4"];
    assert_said!("name_own_table", asked(&own));
    let added = asked(&["--aliases", "more.tsv", "1.e4"]).exits_with(0);
    assert!(
        added.stdout.starts_with("B00  King's Pawn Game (also: ") && added.stdout.contains("Kingside push"),
        "{added}"
    );
}

#[test]
fn a_bad_table_is_refused_with_its_row() {
    let sandbox = Sandbox::with("bad.csv", "eco,name,pgn\nA00,Good,1. a3\nA00,Bad,1. a3 a3\n");
    sandbox.write("names.txt", "eco,name,pgn\n");
    assert_said!("name_bad_table", sandbox.tabiya(&["name", "--source", "bad.csv", "e4"]));
    assert_said!(
        "name_unknown_table",
        sandbox.tabiya(&["name", "--source", "names.txt", "e4"])
    );
    assert_said!(
        "name_missing_table",
        sandbox.tabiya(&["name", "--aliases", "gone.csv", "e4"])
    );
}

/// `yes 1.e4 | tabiya name | head -1` comes to an end.
#[test]
fn nobody_has_to_read_all_answers() {
    use std::{io::Write, process::Stdio};

    let sandbox = Sandbox::new();
    let mut command = sandbox.command(TABIYA, &["name"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let mut questions = child.stdin.take().expect("a pipe");
    let lines = "1.e4\n".repeat(10_000);
    let stopped = (0..1_000).any(|_| questions.write_all(lines.as_bytes()).is_err());
    assert!(stopped, "the program went on reading");
    finish(child).exits_with(0);
}
