//! The opening knowledge base as its users build it.

use tabiya_store::Store;

use crate::{
    sandbox::{Sandbox, assert_said},
    stores::Kind,
};

pub(crate) const NAMES: &str = "\
eco,name,pgn
A40,Queen's Pawn Game,1.d4
A45,Indian Defense,1.d4 Nf6
B00,King's Pawn Game,1.e4
C44,King's Knight Opening,1.e4 e5 2.Nf3 Nc6
C50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4
C50,Italian Game: Giuoco Piano,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5
C55,Italian Game: Two Knights Defense,1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6
";

/// Five games that count, one of them twice; one without a result, one that cannot be played.
pub(crate) const GAMES: &str = "\
[White \"A\"]\n[Date \"1999.01.01\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2600\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. d3 Nf6 1-0\n\n\
[White \"B\"]\n[Date \"2001.01.01\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 Bc5 1/2-1/2\n\n\
[White \"B\"]\n[Date \"2001.01.01\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 Bc5 1/2-1/2\n\n\
[White \"C\"]\n\n1. d4 d5 2. c4 dxc4 3. e3 e5 4. Bxc4 exd4 5. exd4 0-1\n\n\
[White \"D\"]\n\n1. e4 e6 2. d4 d5 1-0\n\n\
[White \"E\"]\n\n1. d4 d5 *\n\n\
[White \"F\"]\n\n1. d4 d6 2. Ke5 1-0\n\n\
[White \"G\"]\n\n1. d4 Nf6 2. c4 0-1\n";

/// A sandbox with names and games.
pub(crate) fn ready() -> Sandbox {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", GAMES);
    sandbox
}

/// A sandbox with a knowledge base.
pub(crate) fn built() -> Sandbox {
    let sandbox = ready();
    sandbox
        .tabiya(&["build", "all", "--pgn", "games.pgn", "--source", "names.csv"])
        .exits_with(0);
    sandbox
}

/// All that a build has left, but for the records of how it was done, which name files and runs.
pub(crate) fn knowledge(url: &str) -> Vec<String> {
    let mut lines = everything(url);
    lines.retain(|line| !line.starts_with("phase "));
    lines
}

pub(crate) fn everything(url: &str) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::connect(url).await.expect("the database opens");
        let lines = store.dump_knowledge().await.expect("a dump");
        store.close().await;
        lines
    })
}

/// The same, or a test fails with the first lines that differ.
#[track_caller]
pub(crate) fn assert_same(one: &[String], other: &[String]) {
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        let missing = these.iter().filter(|line| those.binary_search(line).is_err());
        missing.take(5).cloned().collect()
    };
    assert!(
        one == other,
        "only here: {:#?}\nonly there: {:#?}",
        only(one, other),
        only(other, one)
    );
}

#[test]
fn all_phases_in_one_command() {
    let sandbox = ready();
    let args = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv"];
    assert_said!("build_all", sandbox.tabiya(&args));
    let database = sandbox.path("tabiya.db").display().to_string();
    let before = everything(&database);
    assert_said!("build_all_again", sandbox.tabiya(&args));
    assert_same(&everything(&database), &before);
}

#[test]
fn phase_by_phase_is_the_same() {
    let sandbox = built();
    let all = knowledge(&sandbox.path("tabiya.db").display().to_string());
    let phases: [&[&str]; 5] = [
        &["eco", "--source", "names.csv"],
        &["expand", "--pgn", "games.pgn", "--min-games", "1"],
        &["structures"],
        &["transpositions"],
        &["audit"],
    ];
    for phase in phases {
        let ran = sandbox.tabiya(&[&["build"], phase, &["--db", "phases.db", "--format", "json"]].concat());
        assert!(ran.json().is_object() && ran.code == 0, "{phase:?}: {ran}");
    }
    assert_same(&knowledge(&sandbox.path("phases.db").display().to_string()), &all);
}

#[test]
fn a_graph_that_is_cut_to_size_says_so() {
    let sandbox = built();
    sandbox.write("many.pgn", crate::build_crash::games(7, 80));
    let ran = sandbox.tabiya(&[
        "build",
        "expand",
        "--pgn",
        "many.pgn",
        "--min-games",
        "1",
        "--max-nodes",
        "40",
    ]);
    assert_said!("build_cut_to_size", ran);
}

#[test]
fn what_no_rule_knows_is_listed_and_answered() {
    let sandbox = built();
    assert_said!("build_review", sandbox.tabiya(&["build", "structures", "--review"]));
    let fen = "rnbqkb1r/pppppppp/5n2/8/2PP4/8/PP2PPPP/RNBQKBNR b KQkq -";
    let assign = ["build", "structures", "--assign", fen, "hedgehog"];
    assert_said!("build_assign", sandbox.tabiya(&assign));
    assert_said!("build_structures", sandbox.tabiya(&["build", "structures"]));
    let open = sandbox.tabiya(&["build", "structures", "--review"]).exits_with(0);
    assert!(!open.stdout.contains(fen), "{open}");
}

#[test]
fn missing_lines_are_told_in_every_format() {
    let sandbox = built();
    let evans = |year| {
        format!(
            "[White \"W\"]\n[Black \"B\"]\n[Date \"{year}.??.??\"]\n[ECO \"C51\"]\n[Opening \"Evans Gambit\"]\n\n\
             1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 1-0\n\n"
        )
    };
    sandbox.write("corpus.pgn", (1843..1846).map(evans).collect::<String>());
    let validate = |more: &[&str]| {
        let args = ["build", "validate", "--pgn", "corpus.pgn", "--min-count", "3"];
        sandbox.tabiya(&[&args, more].concat())
    };
    assert_said!("build_validate", validate(&[]));
    assert_said!("build_validate_csv", validate(&["--format", "csv"]));
    let ran = validate(&["--format", "json", "--add-stubs"]).exits_with(0);
    assert_eq!(
        (ran.json()["stubs_added"].as_u64(), ran.json()["games"].as_u64()),
        (Some(1), Some(3))
    );
    let ran = validate(&["--format", "json"]).exits_with(0);
    assert_eq!(ran.json()["missing"], serde_json::json!([]));
}

#[test]
fn a_build_leaves_the_same_in_every_store() {
    let sandbox = ready();
    sandbox.write("more.pgn", crate::build_crash::games(9, 60));
    let content = [Kind::Sqlite, Kind::Postgres].map(|kind| {
        let url = kind.new_database(&sandbox, "same");
        for pgn in ["games.pgn", "more.pgn"] {
            #[rustfmt::skip]
            let args = [
                "build", "all", "--pgn", pgn, "--add", "--source", "names.csv", "--facets", "year,rating,speed",
                "--db", &url,
            ];
            sandbox.tabiya(&args).exits_with(0);
        }
        everything(&url)
    });
    assert!(content[0].len() > 1000, "{}", content[0].len());
    assert_same(&content[0], &content[1]);
}

#[test]
fn a_report_that_would_not_be_written_is_refused() {
    let sandbox = built();
    for phase in [&["structures", "--review"][..], &["annotate", "--review"]] {
        let args = [&["build"], phase, &["--report", "r.json"]].concat();
        let ran = sandbox.tabiya(&args).exits_with(2);
        assert!(ran.stderr.contains("--report"), "{ran}");
    }
}

/// An audit that fails says why also to those who want to hear of errors only.
#[test]
fn a_failing_audit_is_no_secret() {
    let sandbox = built();
    let url = format!("sqlite://{}", sandbox.path("tabiya.db").display());
    let quiet = sandbox.tabiya(&["build", "audit", "-q"]).exits_with(0);
    assert_eq!(quiet.to_string(), "exit code: 0\n----- stdout\n----- stderr\n");
    damage(&url);
    let ran = sandbox.tabiya(&["build", "audit", "-q"]).exits_with(1);
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr.starts_with("error: ") && ran.stderr.contains("hint: "),
        "{ran}"
    );
}

/// Changes the graph behind the program's back.
fn damage(url: &str) {
    use sqlx::Connection as _;
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = sqlx::SqliteConnection::connect(url).await.expect("it opens");
        let statement = sqlx::query("UPDATE nodes SET is_branching = 1 - is_branching");
        statement.execute(&mut connection).await.expect("written");
    });
}
