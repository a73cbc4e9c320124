//! The command line wins over the environment, that over a file, and that over the default.

use crate::sandbox::{PGN_IMPORT, Ran, Sandbox, TABIYA, assert_said};

const GAME: &str = "1. e4 e5 2. Nf3 *\n";

/// Runs with variables set, and gives the report.
fn report(sandbox: &Sandbox, program: &str, args: &[&str], variables: &[(&str, &str)]) -> serde_json::Value {
    let ran = run(sandbox, program, args, variables);
    assert_eq!(ran.code, 0, "{ran}");
    ran.json()
}

fn run(sandbox: &Sandbox, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(program, args);
    command.args(["--format", "json"]).envs(variables.iter().copied());
    sandbox.run(command)
}

#[test]
fn each_layer_wins_over_the_one_below() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let input = ["import", "game.pgn"];
    assert_eq!(report(&sandbox, TABIYA, &input, &[])["owner"], "me");
    sandbox.write("tabiya.toml", "[import]\nowner = \"file\"\nmax_depth = 1\n");
    let from_file = report(&sandbox, TABIYA, &input, &[]);
    assert_eq!(from_file["owner"], "file");
    assert_eq!(
        from_file["counters"]["edges_deduped"], 1,
        "the file's depth holds as well"
    );
    let variables = [
        ("TABIYA_IMPORT__OWNER", "environment"),
        ("TABIYA_IMPORT__MAX_DEPTH", "2"),
    ];
    let from_environment = report(&sandbox, TABIYA, &input, &variables);
    assert_eq!(from_environment["owner"], "environment");
    assert_eq!(from_environment["counters"]["edges_deduped"], 2);
    let flags = ["import", "game.pgn", "--owner", "flag", "--max-depth", "3"];
    let from_flags = report(&sandbox, TABIYA, &flags, &variables);
    assert_eq!(from_flags["owner"], "flag");
    assert_eq!(from_flags["counters"]["edges_deduped"], 3);
}

#[test]
fn what_is_common_to_games_may_be_said_in_each_layer() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let input = ["analyze", "game.pgn"];
    let min_games =
        |args: &[&str], variables: &[(&str, &str)]| report(&sandbox, TABIYA, args, variables)["min_games"].clone();
    assert_eq!(min_games(&input, &[]), 2);
    // The database of every verb is none to compare with unless the section says so.
    sandbox.write("tabiya.toml", "db = \"missing.db\"\n[analyze]\nmin_games = 3\n");
    assert_eq!(min_games(&input, &[]), 3);
    let variables = [("TABIYA_ANALYZE__MIN_GAMES", "4")];
    assert_eq!(min_games(&input, &variables), 4);
    assert_eq!(min_games(&["analyze", "game.pgn", "--min-games", "5"], &variables), 5);
    sandbox.write("own.toml", "[analyze]\nmin_games = 1\n");
    assert_said!(
        "analyze_too_few",
        sandbox.tabiya(&["analyze", "game.pgn", "--config", "own.toml"])
    );
    sandbox.write("own.toml", "[analyze]\ndb = \"missing.db\"\n");
    let compared = sandbox.tabiya(&["analyze", "game.pgn", "--config", "own.toml"]);
    assert!(compared.exits_with(3).stderr.contains("missing.db"));
}

#[test]
fn each_layer_may_name_the_database() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let input = ["import", "game.pgn"];
    assert_eq!(report(&sandbox, TABIYA, &input, &[])["database"], "tabiya.db");
    sandbox.write("tabiya.toml", "db = \"file.db\"\n");
    assert_eq!(report(&sandbox, TABIYA, &input, &[])["database"], "file.db");
    sandbox.write(
        "tabiya.toml",
        "db = \"file.db\"\n[import.persistence]\ndsn = \"verb.db\"\n",
    );
    assert_eq!(report(&sandbox, TABIYA, &input, &[])["database"], "verb.db");
    let variable = [("TABIYA_DB", "environment.db")];
    assert_eq!(
        report(&sandbox, TABIYA, &input, &variable)["database"],
        "environment.db"
    );
    let flags = ["import", "game.pgn", "--db", "flag.db"];
    assert_eq!(report(&sandbox, TABIYA, &flags, &variable)["database"], "flag.db");
    let flags = ["import", "game.pgn", "--dsn", "sqlite://flag.db"];
    assert_eq!(
        report(&sandbox, TABIYA, &flags, &variable)["database"],
        "sqlite://flag.db"
    );
}

#[test]
fn a_flag_turns_back_on_what_a_file_turned_off() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 (1... c5) *\n");
    sandbox.write("flat.toml", "accept_variations = false\n");
    let flags = ["--config", "flat.toml", "--input", "game.pgn"];
    let edges = |report: serde_json::Value| report["counters"]["edges_inserted"].clone();
    assert_eq!(edges(report(&sandbox, PGN_IMPORT, &flags, &[])), 2);
    let flags = ["--config", "flat.toml", "--input", "game.pgn", "--accept-variations"];
    assert_eq!(edges(report(&sandbox, PGN_IMPORT, &flags, &[])), 3);
    let flags = ["--input", "game.pgn", "--accept-variations", "--no-accept-variations"];
    assert_eq!(
        edges(report(&sandbox, PGN_IMPORT, &flags, &[])),
        2,
        "of a pair the last one counts"
    );
}

#[test]
fn pgn_import_persists_only_when_told_to() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    assert_said!(
        "persist_without_database",
        sandbox.pgn_import(&["--input", "game.pgn", "--persist"])
    );
    assert_said!(
        "database_without_persist",
        sandbox.pgn_import(&["--input", "game.pgn", "--dsn", "sqlite://x.db"])
    );
    assert!(!sandbox.path("x.db").exists());
    let variable = [("TABIYA_DB", "environment.db")];
    let with_variable = report(&sandbox, PGN_IMPORT, &["--input", "game.pgn"], &variable);
    assert_eq!(with_variable["database"], serde_json::Value::Null);
    let persisted = report(&sandbox, PGN_IMPORT, &["--input", "game.pgn", "--persist"], &variable);
    assert_eq!(persisted["database"], "environment.db");
}

#[test]
fn a_file_may_be_flat_or_in_sections_for_both_programs() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.write("flat.toml", "owner = \"flat\"\ninput = [\"game.pgn\"]\n");
    sandbox.write(
        "sections.toml",
        "[import]\nowner = \"section\"\ninput = [\"game.pgn\"]\n",
    );
    for (file, owner) in [("flat.toml", "flat"), ("sections.toml", "section")] {
        assert_eq!(report(&sandbox, PGN_IMPORT, &["--config", file], &[])["owner"], owner);
        assert_eq!(
            report(&sandbox, TABIYA, &["import", "--config", file], &[])["owner"],
            owner
        );
    }
}

#[test]
fn a_flat_file_may_name_the_database() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.write("own.toml", "db = \"own.db\"\nowner = \"flat\"\n");
    let import = ["import", "game.pgn", "--config", "own.toml"];
    let imported = report(&sandbox, TABIYA, &import, &[]);
    assert_eq!(
        (&imported["owner"], &imported["database"]),
        (&"flat".into(), &"own.db".into())
    );
    sandbox.write("only.toml", "db = \"only.db\"\n");
    let import = ["import", "game.pgn", "--config", "only.toml"];
    assert_eq!(report(&sandbox, TABIYA, &import, &[])["database"], "only.db");
    sandbox
        .tabiya(&["repertoire", "list", "--config", "only.toml"])
        .exits_with(0);
    // `analyze` has a key of that name, and compares with what it names.
    for keys in ["db = \"missing.db\"\nmin_games = 3\n", "db = \"missing.db\"\n"] {
        sandbox.write("analyze.toml", keys);
        let ran = sandbox
            .tabiya(&["analyze", "game.pgn", "--config", "analyze.toml"])
            .exits_with(3);
        assert!(ran.stderr.contains("missing.db"), "{ran}");
    }
    sandbox.write("typo.toml", "db = \"own.db\"\nownr = \"flat\"\n");
    for verb in [&["import", "game.pgn"][..], &["repertoire", "list"]] {
        let ran = sandbox
            .tabiya(&[verb, &["--config", "typo.toml"]].concat())
            .exits_with(2);
        assert!(ran.stderr.contains("ownr"), "{ran}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name_and_place() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let with = |content: &str| {
        sandbox.write("c.toml", content);
        sandbox.pgn_import(&["--config", "c.toml", "--input", "game.pgn"])
    };
    assert_said!("unknown_key", with("max_dept = 3\n"));
    assert_said!("unknown_key_in_section", with("[output]\nedgs = \"x.jsonl\"\n"));
    assert_said!(
        "unknown_section",
        with("[import]\nowner = \"x\"\n[imports]\nowner = \"y\"\n")
    );
    assert_said!("wrong_type", with("max_depth = \"deep\"\n"));
    assert_said!("wrong_side", with("side = \"green\"\n"));
    assert_said!("not_toml", with("owner = [\n"));
    let gone = sandbox
        .pgn_import(&["--config", "gone.toml", "--input", "game.pgn"])
        .exits_with(2);
    assert!(gone.stderr.contains("gone.toml"), "{gone}");
    let typo = run(
        &sandbox,
        PGN_IMPORT,
        &["--input", "game.pgn"],
        &[("TABIYA_IMPORT__OWNR", "x")],
    );
    assert_said!("unknown_variable", typo);
}

#[test]
fn options_that_would_be_passed_over_are_refused() {
    let sandbox = Sandbox::new();
    #[rustfmt::skip]
    let commands: [(&[&str], &str); 5] = [
        (&["build", "annotate", "--enqueue", "--cloud", "http://127.0.0.1:1"], "--cloud"),
        (&["build", "annotate", "--enqueue", "--accept", "startpos"], "--accept"),
        (&["build", "annotate", "--enqueue", "--keep", "startpos"], "--keep"),
        (&["positions", "--enqueue", "--month", "2024-01", "-o", "p.parquet", "--report", "r.json"], "--report"),
        (&["positions", "--work", "-o", "out", "--report", "r.json"], "--report"),
    ];
    for (command, option) in commands {
        let ran = sandbox.tabiya(command).exits_with(2);
        assert!(
            ran.stderr.contains("cannot be used with") && ran.stderr.contains(option),
            "{command:?}: {ran}"
        );
    }
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    for bad in [
        ["--threads", "0"],
        ["--max-depth", "-1"],
        ["--side", "green"],
        ["--format", "xml"],
    ] {
        let ran = sandbox.tabiya(&["import", "game.pgn", bad[0], bad[1]]).exits_with(2);
        assert!(ran.stderr.contains(bad[1]), "{ran}");
    }
}

#[test]
fn every_phase_of_a_build_has_the_database_of_its_section() {
    let sandbox = Sandbox::with("game.pgn", "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 1-0\n");
    sandbox.write(
        "tabiya.toml",
        "[build]\nmin_games = 1\n[build.persistence]\ndsn = \"own.db\"\n[annotate.persistence]\ndsn = \"own.db\"\n",
    );
    for phase in [
        &["eco"][..],
        &["expand", "--pgn", "game.pgn"],
        &["structures"],
        &["structures", "--review"],
        &["annotate", "--review"],
        &["transpositions"],
        &["validate", "--pgn", "game.pgn"],
        &["audit"],
    ] {
        let ran = sandbox.tabiya(&[&["build"], phase, &["-q"]].concat()).exits_with(0);
        assert_eq!(ran.stderr, "", "{phase:?}");
    }
    assert!(sandbox.path("own.db").exists());
    assert!(!sandbox.path("tabiya.db").exists(), "nothing is anywhere else");
    // What the queue of that database has to say, too.
    sandbox.tabiya(&["workers", "-q"]).exits_with(0);
    assert!(!sandbox.path("tabiya.db").exists());
}

#[test]
fn numbers_and_lists_may_be_said_in_the_environment() {
    let sandbox = Sandbox::with("games.pgn", crate::blitz_games::games(1, 3));
    let variables = [
        ("TABIYA_POSITIONS__WORKERS", "2"),
        ("TABIYA_POSITIONS__HASH", "8"),
        ("TABIYA_POSITIONS__NO_ENGINE", "true"),
        ("TABIYA_POSITIONS__VARIANTS", "standard, chess960"),
    ];
    let mut command = sandbox.command(
        TABIYA,
        &["positions", "--input", "games.pgn", "-o", "p.jsonl", "--report", "-"],
    );
    command.envs(variables);
    let report = sandbox.run(command).exits_with(0).json();
    assert_eq!(
        report["configuration"]["rules"]["variants"],
        serde_json::json!(["standard", "chess960"])
    );
    let mut command = sandbox.command(
        TABIYA,
        &[
            "positions",
            "--input",
            "games.pgn",
            "--no-engine",
            "-o",
            "r.jsonl",
            "--report",
            "-",
        ],
    );
    command.env("TABIYA_POSITIONS__VARIANTS", "standard,");
    let report = sandbox.run(command).exits_with(0).json();
    assert_eq!(
        report["configuration"]["rules"]["variants"],
        serde_json::json!(["standard"])
    );
    let mut command = sandbox.command(TABIYA, &["positions", "--input", "games.pgn", "-o", "q.jsonl"]);
    command.env("TABIYA_POSITIONS__WORKERS", "many");
    let ran = sandbox.run(command).exits_with(2);
    assert!(ran.stderr.contains("many") && ran.stderr.contains("hint: "), "{ran}");
}

#[test]
fn an_engine_may_be_named_for_all_who_evaluate() {
    let sandbox = Sandbox::new();
    sandbox.write("tabiya.toml", "[annotate]\nengine = \"of-the-file\"\n");
    sandbox.tabiya(&["build", "eco", "-q"]).exits_with(0);
    for (verb, code) in [(&["doctor"][..], 3), (&["worker", "--until-empty"], 2)] {
        let ran = sandbox.tabiya(verb).exits_with(code);
        assert!(ran.to_string().contains("of-the-file"), "{ran}");
    }
}
