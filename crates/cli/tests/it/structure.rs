//! Positions in, pawn structures out.

use crate::{
    crash::finish,
    sandbox::{Ran, Sandbox, TABIYA, assert_said},
};

const ISOLANI: &str = "rnbqkbnr/ppp2ppp/8/8/2BP4/8/PP3PPP/RNBQK1NR b KQkq - 0 5";
const BLACKS_ISOLANI: &str = "4k3/8/8/3p4/8/8/8/4K3";
const UNKNOWN: &str = "8/ppp2ppp/3p4/3P4/4P3/8/PP3PPP/8";

fn ask(args: &[&str], input: &str) -> Ran {
    let sandbox = Sandbox::new();
    let command = sandbox.command(TABIYA, &[&["structure"], args].concat());
    sandbox.run_with_input(command, input)
}

fn slugs(ran: &Ran) -> Vec<String> {
    let slug = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("every line is JSON");
        row["slug"].as_str().expect("a slug").to_owned()
    };
    ran.stdout.lines().map(slug).collect()
}

#[test]
fn structures_are_named_for_people() {
    assert_said!("structure_text", ask(&[ISOLANI, BLACKS_ISOLANI, UNKNOWN], ""));
}

#[test]
fn structures_are_named_for_programs() {
    let ran = ask(&["--format", "json", ISOLANI, BLACKS_ISOLANI, UNKNOWN], "").exits_with(0);
    let rows: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect();
    assert_eq!(
        rows,
        [
            serde_json::json!({
                "fen": ISOLANI, "structure": "Isolated Queen's Pawn", "slug": "isolated-queens-pawn",
                "row": 1, "rule": "d4 -ce / -d ~", "side": "white",
            }),
            serde_json::json!({
                "fen": BLACKS_ISOLANI, "structure": "Isolated Queen's Pawn", "slug": "isolated-queens-pawn",
                "row": 1, "rule": "d4 -ce / -d ~", "side": "black",
            }),
            serde_json::json!({
                "fen": UNKNOWN, "structure": "Unknown", "slug": "unknown", "row": null, "rule": null, "side": null,
            }),
        ]
    );
}

#[test]
fn every_form_of_a_position_is_taken() {
    let forms = [
        ISOLANI.to_owned(),
        ISOLANI.replace(' ', "_"),
        ISOLANI.split(' ').take(4).collect::<Vec<_>>().join(" "),
        ISOLANI.split(' ').take(4).collect::<Vec<_>>().join(" ") + " bm Nf6; id \"5\";",
        ISOLANI.split(' ').next().expect("a board").to_owned(),
        "8/8/8/8/3P4/8/8/8".to_owned(),
    ];
    let arguments: Vec<&str> = forms.iter().map(String::as_str).collect();
    let expected = vec!["isolated-queens-pawn"; forms.len()];
    let named = ask(&[&["--format", "json"], &arguments[..]].concat(), "").exits_with(0);
    assert_eq!(slugs(&named), expected);
    for input in [forms.join("\n"), format!("\u{feff}{}\r\n", forms.join("\r\n\r\n"))] {
        for arguments in [&["--format", "json"][..], &["--format", "json", "-"]] {
            assert_eq!(slugs(&ask(arguments, &input).exits_with(0)), expected);
        }
    }
}

#[test]
fn a_fen_without_quotes_is_one_position() {
    let split: Vec<&str> = ISOLANI.split(' ').chain(["8/8/8/8/8/8/8/8"]).collect();
    let ran = ask(&[&["--format", "json"], &split[..]].concat(), "").exits_with(0);
    assert_eq!(slugs(&ran), ["isolated-queens-pawn", "open-center"]);
}

#[test]
fn a_bad_position_is_named_and_the_others_are_answered() {
    let input = format!("{BLACKS_ISOLANI}\n\nhello\n8/8/8/8/8/8/8/8 x\n{BLACKS_ISOLANI}\n");
    let ran = ask(&["--format", "json"], &input).exits_with(2);
    assert_eq!(slugs(&ran), ["isolated-queens-pawn"; 2]);
    assert_said!("structure_bad_lines", ran);
    assert_said!("structure_bad_argument", ask(&["1.e4 e6", BLACKS_ISOLANI], ""));
}

#[test]
fn nothing_in_gives_nothing_out() {
    let ran = ask(&[], "").exits_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn bytes_that_are_no_text_are_a_bad_position() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(TABIYA, &["structure"]);
    let ran = sandbox.run_with_input(command, b"\xff\xfe\n".to_vec()).exits_with(2);
    assert!(ran.stderr.starts_with("error: line 1: "), "{ran}");
}

/// One that asks line by line waits for each answer before it goes on.
#[test]
fn a_question_is_answered_before_the_next_is_read() {
    use std::{
        io::{BufRead, BufReader, Write},
        process::Stdio,
    };

    let sandbox = Sandbox::new();
    let mut command = sandbox.command(TABIYA, &["structure", "--format", "json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut questions = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..3 {
        writeln!(questions, "{UNKNOWN}").expect("the program reads");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("the program answers");
        assert!(answer.contains("\"unknown\""), "{answer}");
    }
    drop(questions);
    finish(child).exits_with(0);
}

/// `yes FEN | tabiya structure | head -1` comes to an end.
#[test]
fn it_stops_when_nobody_reads_on() {
    use std::{io::Write, process::Stdio};

    let sandbox = Sandbox::new();
    let mut command = sandbox.command(TABIYA, &["structure"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let mut questions = child.stdin.take().expect("a pipe");
    let lines = format!("{UNKNOWN}\n").repeat(1000);
    let stopped = (0..10_000).any(|_| questions.write_all(lines.as_bytes()).is_err());
    assert!(stopped, "the program went on reading");
    finish(child).exits_with(0);
}

#[test]
fn all_structures_are_listed() {
    let text = ask(&["--list"], "").exits_with(0).stdout;
    let first = text.split("\n\n").next().expect("a structure");
    assert_said!("structure_list_first", first);
    assert_eq!(text.split("\n\n").count(), 36);
    assert!(
        text.lines()
            .all(|line| line.starts_with("  Rule ") || line.chars().count() <= 96)
    );

    let json = ask(&["--list", "--format", "json"], "").exits_with(0);
    let slugs = slugs(&json);
    assert_eq!(slugs.len(), 36);
    assert_eq!(
        (slugs[0].as_str(), slugs[35].as_str()),
        ("isolated-queens-pawn", "open-center")
    );
    let row: serde_json::Value = serde_json::from_str(json.stdout.lines().next().expect("a row")).expect("JSON");
    let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 8, "{keys:?}");
    assert_eq!(row["structure_id"], "00e9c7a2-efe8-8b8f-9d2e-f9d6cadf1acd");
    assert_eq!(row["rules"], serde_json::json!([{"row": 1, "rule": "d4 -ce / -d ~"}]));
    assert!(
        row["typical_plans_white"]
            .as_array()
            .is_some_and(|plans| plans.len() >= 2)
    );

    ask(&["--list", ISOLANI], "").exits_with(2);
}
