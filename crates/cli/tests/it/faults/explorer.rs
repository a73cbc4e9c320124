//! Explorers that lie, and one that knows more moves than there is room for.

use std::{
    fs,
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    build::NAMES,
    crash::finish,
    sandbox::{Ran, Sandbox, TABIYA},
    site::site,
};

/// Answers every request with the same words.
fn liar(words: String) -> String {
    format!("{}/lichess", site(move |_| ("200 OK", words.clone())))
}

/// The first of the lies that are no JSON.
const NO_JSON: usize = 8;

#[test]
fn an_explorer_that_lies_does_no_harm() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    let eco = ["build", "eco", "--source", "names.csv", "--db", "names.db", "-q"];
    sandbox.tabiya(&eco).exits_with(0);
    let most = u64::MAX;
    let half = i64::MAX;
    let played = |uci: &str, san: &str| {
        format!(
            "{{\"uci\":\"{uci}\",\"san\":\"{san}\",\"white\":{half},\"draws\":{half},\"black\":{half},\"averageRating\":2000}}"
        )
    };
    let lies = [
        format!("{{\"white\":{most},\"draws\":{most},\"black\":{most},\"moves\":[]}}"),
        format!(
            "{{\"white\":{half},\"draws\":0,\"black\":0,\"moves\":[{}]}}",
            played("e2e4", "e4")
        ),
        format!(
            "{{\"white\":1,\"draws\":1,\"black\":1,\"moves\":[{0},{0},{1}]}}",
            played("e2e4", "e4"),
            played("d2d4", "e4")
        ),
        "{\"white\":3,\"draws\":0,\"black\":0,\"moves\":[{\"uci\":\"e2e4\",\"san\":\"e4\",\"white\":100,\"draws\":0,\"black\":0}]}"
            .to_owned(),
        format!("{{\"white\":{half},\"draws\":0,\"black\":0,\"moves\":[]}}"),
        "{\"white\":-5,\"draws\":1e300,\"black\":\"x\",\"moves\":[]}".to_owned(),
        "{\"white\":5,\"draws\":5,\"black\":5,\"moves\":null}".to_owned(),
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        "<html>\u{1b}[31mlog in first</html>".to_owned(),
        "{\"white\":1e400,\"draws\":0,\"black\":0,\"moves\":[]}".to_owned(),
        String::new(),
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let shown: String = lie.chars().take(60).collect();
        // What is no JSON may pass, so it is asked for again, with pauses; the first of them is enough.
        let is_asked_again = number >= NO_JSON;
        let explorer = liar(lie);
        let database = format!("lied-to-{number}.db");
        fs::copy(sandbox.path("names.db"), sandbox.path(&database)).expect("a copy");
        #[rustfmt::skip]
        let args = [
            "build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1", "--db", &database,
        ];
        let mut command = sandbox.command(TABIYA, &args);
        let words = fs::File::create(sandbox.path("words")).expect("a file");
        let mut child = command.stdout(Stdio::piped()).stderr(words).spawn().expect("it runs");
        let said = || String::from_utf8_lossy(&fs::read(sandbox.path("words")).expect("its words")).into_owned();
        let begun = Instant::now();
        while child.try_wait().expect("it can be asked").is_none()
            && begun.elapsed() < Duration::from_secs(60)
            && !(is_asked_again && said().contains("waiting"))
        {
            sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let ended = finish(child);
        let ran = Ran {
            stderr: said(),
            ..ended
        };
        assert!(
            !ran.stderr.contains("panicked") && !ran.stderr.contains('\u{1b}'),
            "{shown}: {ran}"
        );
        match is_asked_again {
            true => assert!(ran.code == -1 && ran.stderr.contains("waiting"), "{shown}: {ran}"),
            false => assert!(matches!(ran.code, 0 | 2 | 3), "{shown}: {ran}"),
        }
        let looked = sandbox.tabiya(&["lookup", "1.e4", "--db", &database]).exits_with(0);
        assert!(!looked.stderr.contains("panicked"), "{shown}: {looked}");
        let audited = sandbox.tabiya(&["build", "audit", "--db", &database]);
        assert!(
            matches!(audited.code, 0 | 1) && !audited.stderr.contains("panicked"),
            "{shown}: {audited}"
        );
        // Structures and links were not asked for; counts must be in order all the same.
        for sound in [
            "ok    a move has no more games than the position it is played in",
            "ok    the moves from a position have no more games than it",
            "ok    every position that games reached has games",
        ] {
            assert!(audited.stdout.contains(sound), "{shown}: {audited}");
        }
    }
}

#[test]
fn what_an_explorer_was_caught_at_is_shown() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "-q"])
        .exits_with(0);
    let move_with = "{\"uci\":\"e2e4\",\"san\":\"e4\",\"white\":100,\"draws\":0,\"black\":0}";
    let explorer = liar(format!(
        "{{\"white\":3,\"draws\":0,\"black\":0,\"moves\":[{move_with}]}}"
    ));
    #[rustfmt::skip]
    let args = ["build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1"];
    let ran = sandbox.tabiya(&args).exits_with(0);
    assert!(ran.stdout.contains("with moves that make no sense"), "{ran}");
    let listed = sandbox.tabiya(&["build", "structures", "--review"]).exits_with(0);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -  flagged: \
                 the explorer listed e4 (e2e4): with it the moves have 100 games, and the position has 3";
    assert!(listed.stdout.contains(start), "{listed}");
    let json = sandbox.tabiya(&["build", "structures", "--review", "--format", "json"]);
    assert!(json.stdout.contains("\"reason\":\"flagged\""), "{json}");
    let looked = sandbox
        .tabiya(&["lookup", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"])
        .exits_with(0);
    assert!(looked.stdout.contains("flagged: the explorer listed e4"), "{looked}");
}

#[test]
fn a_crawl_that_is_cut_to_size_says_so() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "-q"])
        .exits_with(0);
    let moves = [("a", 9), ("h", 5), ("b", 3)].map(|(file, games)| {
        format!("{{\"uci\":\"{file}2{file}3\",\"san\":\"{file}3\",\"white\":{games},\"draws\":0,\"black\":0}}")
    });
    let explorer = liar(format!(
        "{{\"white\":17,\"draws\":0,\"black\":0,\"moves\":[{}]}}",
        moves.join(",")
    ));
    #[rustfmt::skip]
    let args = ["build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1"];
    // Ten are named, and there are five of them in which White is to move.
    let ran = sandbox
        .tabiya(&[&args[..], &["--max-nodes", "19"]].concat())
        .exits_with(0);
    let said = "kept             moves with 6 games or more, raised from 1 to keep the graph small enough\n";
    assert!(ran.stdout.contains(said), "{ran}");
    let json = sandbox.tabiya(&[&args[..], &["--max-nodes", "15", "--format", "json"]].concat());
    let json = json.exits_with(0).json();
    assert_eq!((&json["asked_min_games"], &json["min_games"]), (&1.into(), &6.into()));
    let ran = sandbox
        .tabiya(&[&args[..], &["--max-nodes", "20"]].concat())
        .exits_with(2);
    let told = "error: --max-nodes 20: moves with fewer than 6 games are gone from \"games\", to leave 19 positions";
    assert!(ran.stderr.starts_with(told), "{ran}");
}
