//! Partial counts, merged by us and by DuckDB, against counting everything at once.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{Input, Watch, Watcher, fingerprint};
use tabiya_app::{
    AppError,
    build::{
        FacetKinds,
        count::{CountedFile, Counting, GameFilter, count_input},
        parts::{Part, PartError, PartReport, expand_parts, merge_part, write_part},
    },
};
use tabiya_chess::Stats;
use tabiya_counts::{CountError, Extraction, KeptMove, State, extract};
use tempfile::TempDir;

use crate::{
    exports::{python, run},
    rated_games::games,
};

fn counting(max_ply: u32) -> Counting {
    Counting {
        filter: GameFilter::default(),
        max_ply,
        threads: 2,
        stop: Arc::new(AtomicBool::new(false)),
    }
}

fn facets(text: &str) -> FacetKinds {
    text.parse().expect("facets")
}

/// Merges a part as a build does.
fn merge(state: &mut State, part: &Path, facets: FacetKinds) -> Result<CountedFile, AppError> {
    let input = Input::Path(part.to_owned());
    let fingerprint = fingerprint(&input).expect("readable");
    merge_part(state, &input, fingerprint, facets, &AtomicBool::new(false))
}

/// A directory with some files of games.
struct Yard(TempDir);

impl Yard {
    fn new(files: &[(&str, String)]) -> Yard {
        let yard = Yard(tempfile::tempdir().expect("a directory"));
        for (name, text) in files {
            fs::write(yard.path(name), text).expect("writable");
        }
        yard
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn named(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| self.path(name).display().to_string()).collect()
    }

    /// Counts `pgn` into the part `out`.
    fn part(&self, pgn: &[&str], kinds: &str, out: &str) -> PartReport {
        write_part(&self.named(pgn), &counting(30), facets(kinds), &self.path(out), None).expect("a part")
    }

    fn state(&self, name: &str) -> State {
        State::create(&self.path(name), counting(30).rules()).expect("a new state")
    }

    /// The state that the parts of these names are merged into.
    fn merged(&self, name: &str, parts: &[&str], kinds: &str) -> State {
        let mut state = self.state(name);
        for part in parts {
            merge(&mut state, &self.path(part), facets(kinds)).unwrap_or_else(|error| panic!("{part}: {error}"));
        }
        state
    }

    /// What one machine counts by itself.
    fn at_once(&self, name: &str, pgn: &[&str]) -> State {
        let mut state = self.state(name);
        for file in pgn {
            count_input(&mut state, &Input::Path(self.path(file)), &counting(30), None).expect("readable");
        }
        state
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// Everything that was counted, in one order.
fn content(state: &State, kinds: FacetKinds) -> Vec<(u64, Stats, Vec<KeptMove>)> {
    let wanted = Extraction {
        min_games: 1,
        facets: kinds,
        always: &hashbrown::HashMap::new(),
        threads: 1,
        stop: &AtomicBool::new(false),
    };
    let kept = extract(&[state], &wanted).expect("readable").remove(0);
    let positions = kept.positions.iter().map(|position| {
        let mut moves = kept.moves(position).to_vec();
        moves.sort_by_key(|known| (known.by, known.facet));
        (position.key, position.total, moves)
    });
    positions.collect()
}

#[track_caller]
fn same(one: &State, other: &State, kinds: &str) {
    assert_eq!(one.games(), other.games());
    let (one, other) = (content(one, facets(kinds)), content(other, facets(kinds)));
    let first = one.iter().zip(&other).find(|(one, other)| one != other);
    assert!(first.is_none(), "they differ, first here: {first:?}");
    assert_eq!(one.len(), other.len());
    assert!(one.len() > 500, "{} positions are too few to say anything", one.len());
}

fn halves() -> Yard {
    let yard = Yard::new(&[("a.pgn", games(1, 150)), ("b.pgn", games(2, 100))]);
    fs::create_dir(yard.path("parts")).expect("a new directory");
    yard
}

#[test]
fn parts_merged_in_any_order_are_what_one_machine_counts() {
    let yard = halves();
    let whole = yard.at_once("whole", &["a.pgn", "b.pgn"]);
    for kinds in ["", "year,rating,speed", "speed"] {
        let a = yard.part(&["a.pgn"], kinds, "parts/a.parquet");
        let b = yard.part(&["b.pgn"], kinds, "parts/b.parquet");
        assert_eq!(a.counted + b.counted, whole.games());
        assert!(a.left_out.total() > 0 && a.games == a.counted + a.left_out.total());
        assert!(a.positions < a.moves && a.moves <= a.rows);
        let one = yard.merged("one", &["parts/a.parquet", "parts/b.parquet"], kinds);
        let other = yard.merged("other", &["parts/b.parquet", "parts/a.parquet"], kinds);
        for asked in ["", kinds] {
            same(&one, &whole, asked);
            same(&other, &whole, asked);
        }
    }
}

#[test]
fn the_same_games_give_the_same_bytes() {
    let yard = halves();
    yard.part(&["a.pgn", "b.pgn"], "year", "one.parquet");
    let mut alone = counting(30);
    alone.threads = 1;
    let inputs = yard.named(&["a.pgn", "b.pgn"]);
    write_part(&inputs, &alone, facets("year"), &yard.path("other.parquet"), None).expect("a part");
    assert!(fs::read(yard.path("one.parquet")).expect("there") == fs::read(yard.path("other.parquet")).expect("there"));
}

/// The statement for DuckDB, as the documentation gives it.
fn documented_statement() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scale.md");
    let page = fs::read_to_string(page).expect("docs/scale.md");
    let (_, rest) = page.split_once("```sql\nCOPY (").expect("a statement for DuckDB");
    let (statement, _) = rest.split_once("```").expect("its end");
    format!("COPY ({statement}")
}

fn duckdb(yard: &Yard, statement: &str) {
    let script = "import duckdb, sys; duckdb.sql(sys.argv[1])";
    run(&python(), &["-c", script, statement], yard.0.path());
}

#[test]
fn duckdb_merges_parts_by_the_documented_statement() {
    let yard = halves();
    let whole = yard.at_once("whole", &["a.pgn", "b.pgn"]);
    for kinds in ["", "year,rating,speed"] {
        yard.part(&["a.pgn"], kinds, "parts/a.parquet");
        yard.part(&["b.pgn"], kinds, "parts/b.parquet");
        duckdb(&yard, &documented_statement());
        let merged = yard.merged("merged", &["merged.parquet"], kinds);
        same(&merged, &whole, kinds);
        // One row for each row of a part that one machine writes.
        let rows = yard.part(&["a.pgn", "b.pgn"], kinds, "one.parquet").rows;
        duckdb(
            &yard,
            "COPY (SELECT count(*) AS n FROM 'merged.parquet') TO 'rows.csv' (HEADER false)",
        );
        let counted = fs::read_to_string(yard.path("rows.csv")).expect("written");
        assert_eq!(counted.trim(), rows.to_string());
    }
}

#[test]
fn a_file_in_the_default_compression_of_others_is_read() {
    let yard = halves();
    yard.part(&["a.pgn"], "", "parts/a.parquet");
    duckdb(
        &yard,
        "COPY (SELECT * FROM 'parts/a.parquet') TO 'copy.parquet' (FORMAT parquet, COMPRESSION snappy)",
    );
    let copy = yard.merged("copy", &["copy.parquet"], "");
    same(&copy, &yard.at_once("a", &["a.pgn"]), "");
}

#[test]
fn parts_of_different_rules_merged_by_others_are_found() {
    let yard = halves();
    yard.part(&["a.pgn"], "", "parts/a.parquet");
    yard.part(&["b.pgn"], "year", "parts/b.parquet");
    duckdb(&yard, &documented_statement());
    let mut state = yard.state("state");
    let error = merge(&mut state, &yard.path("merged.parquet"), FacetKinds::default()).expect_err("mixed");
    assert!(matches!(error, AppError::Part(PartError::Mixed { .. })), "{error}");
    assert_eq!(state.games(), 0);
}

#[test]
fn what_has_been_counted_is_not_counted_twice() {
    let yard = halves();
    yard.part(&["a.pgn"], "", "a.parquet");
    yard.part(&["b.pgn"], "", "b.parquet");
    yard.part(&["a.pgn", "b.pgn"], "", "both.parquet");
    let mut state = yard.merged("state", &["a.parquet"], "");
    let games = state.games();
    let again = merge(&mut state, &yard.path("a.parquet"), FacetKinds::default()).expect("skipped");
    assert!(again.known && again.games == games);
    // The file behind the part, counted here.
    let pgn = count_input(&mut state, &Input::Path(yard.path("a.pgn")), &counting(30), None).expect("skipped");
    assert!(pgn.known);
    let error = merge(&mut state, &yard.path("both.parquet"), FacetKinds::default()).expect_err("half of it");
    assert!(
        matches!(&error, AppError::Part(PartError::PartlyKnown { known, new, .. })
        if known.len() == 1 && known[0].ends_with("a.pgn") && new[0].ends_with("b.pgn")),
        "{error}"
    );
    assert_eq!(state.games(), games);
    merge(&mut state, &yard.path("b.parquet"), FacetKinds::default()).expect("merged");
    // All files behind it are known now, though not the part itself.
    drop(state);
    let mut state = State::open(&yard.path("state")).expect("readable").expect("there");
    let both = merge(&mut state, &yard.path("both.parquet"), FacetKinds::default()).expect("skipped");
    assert!(both.known);
    assert_eq!(state.sources().len(), 2);
}

#[test]
fn merging_ends_when_it_is_asked_to() {
    let yard = halves();
    yard.part(&["a.pgn"], "", "a.parquet");
    let mut state = yard.state("state");
    let stop = AtomicBool::new(true);
    let input = Input::Path(yard.path("a.parquet"));
    let error = merge_part(&mut state, &input, None, FacetKinds::default(), &stop).expect_err("stopped");
    assert!(matches!(error, AppError::Count(CountError::Stopped)), "{error}");
    assert_eq!((state.games(), state.sources().len()), (0, 0));
    merge(&mut state, &yard.path("a.parquet"), FacetKinds::default()).expect("merged");
    assert_eq!(content(&state, FacetKinds::default()), {
        let expected = yard.at_once("expected", &["a.pgn"]);
        content(&expected, FacetKinds::default())
    });
}

#[test]
fn rules_and_facets_must_fit() {
    let yard = halves();
    yard.part(&["a.pgn"], "year", "a.parquet");
    let merge = |rules: Counting, kinds: &str| {
        let mut state = State::create(&yard.path("state"), rules.rules()).expect("a new state");
        let merged = merge(&mut state, &yard.path("a.parquet"), facets(kinds));
        merged
            .map(|_| state)
            .map_err(|error| error.to_string().replace(&format!("{}/", yard.0.path().display()), ""))
    };
    assert_eq!(
        merge(counting(20), "").map(|_| ()),
        Err("a.parquet was counted to ply 30, and this build asks for games counted to ply 20".to_owned())
    );
    assert_eq!(
        merge(counting(30), "year,speed").map(|_| ()),
        Err("a.parquet cannot tell games apart by year,speed: it was counted by year".to_owned())
    );
    let state = merge(counting(30), "").expect("fewer facets than it has");
    assert!(state.check_facets(facets("year")).is_ok());
    assert!(state.check_facets(facets("speed")).is_err());
}

#[test]
fn a_broken_part_leaves_the_counts_as_they_were() {
    let yard = halves();
    yard.part(&["a.pgn"], "", "a.parquet");
    yard.part(&["b.pgn"], "", "b.parquet");
    let mut state = yard.merged("state", &["a.parquet"], "");
    let before = content(&state, FacetKinds::default());
    let cases = [
        ("* REPLACE ('e2e5' AS uci)", "is not a legal move here"),
        ("* REPLACE (replace(epd, ' -', ' - 0 1') AS epd)", "is written"),
        ("* REPLACE (games + 1 AS games)", "not the sum"),
        ("* REPLACE (7 AS band)", "no rating band 7"),
        ("* REPLACE ('slow' AS speed)", "no speed \"slow\""),
        ("* REPLACE (70000 AS first_year)", "`first_year` cannot be 70000"),
        (
            "* REPLACE (9223372036854775807::UBIGINT AS games, 9223372036854775807::UBIGINT AS white, 0::UBIGINT AS draws, 0::UBIGINT AS black)",
            "more than were ever played",
        ),
        (
            "* REPLACE (9223372036854775807::UBIGINT AS rating_sum)",
            "do not sum up",
        ),
        ("* REPLACE ('text' AS rules)", "`rules`"),
        (
            "* REPLACE (replace(rules, '\"version\":1', '\"version\":9') AS rules)",
            "newer version",
        ),
        (
            "* REPLACE (CAST(games AS DOUBLE) AS games)",
            "its column `games` is DOUBLE",
        ),
        ("* EXCLUDE (rated)", "no column `rated`"),
    ];
    for (columns, message) in cases {
        // The last rows only, so that good ones have been added before.
        let broken = if columns.contains("rules") || columns.contains("EXCLUDE") || columns.contains("CAST") {
            format!("SELECT {columns} FROM 'b.parquet'")
        } else {
            format!("SELECT * FROM 'b.parquet' UNION ALL (SELECT {columns} FROM 'b.parquet' LIMIT 1)")
        };
        duckdb(&yard, &format!("COPY ({broken}) TO 'broken.parquet' (FORMAT parquet)"));
        let error = merge(&mut state, &yard.path("broken.parquet"), FacetKinds::default()).expect_err(columns);
        assert!(error.to_string().contains(message), "{columns}: {error}");
        assert!(!error.hints().is_empty(), "{error}");
        assert!(content(&state, FacetKinds::default()) == before, "{columns}");
    }
    // A disk that is full at the very end.
    fs::create_dir(yard.path("state/manifest.json.new")).expect("a directory in the way");
    let error = merge(&mut state, &yard.path("b.parquet"), FacetKinds::default()).expect_err("no room");
    assert!(error.to_string().contains("manifest.json"), "{error}");
    assert!(content(&state, FacetKinds::default()) == before && state.sources().len() == 1);
    fs::remove_dir(yard.path("state/manifest.json.new")).expect("room again");
    // And what comes next is added to what was there.
    merge(&mut state, &yard.path("b.parquet"), FacetKinds::default()).expect("merged");
    same(&state, &yard.at_once("whole", &["a.pgn", "b.pgn"]), "");
}

#[test]
fn what_is_no_part_is_refused() {
    let yard = halves();
    fs::write(yard.path("text.parquet"), "text").expect("writable");
    duckdb(&yard, "COPY (SELECT 1 AS x) TO 'other.parquet' (FORMAT parquet)");
    for name in ["text.parquet", "other.parquet", "a.pgn"] {
        let error = Part::open(&yard.path(name)).expect_err(name);
        assert!(error.to_string().contains(name) && !error.hints().is_empty(), "{error}");
    }
    let missing = expand_parts(&yard.named(&["none.parquet"])).expect_err("not there");
    assert!(missing.to_string().contains("none.parquet"), "{missing}");
    let empty = expand_parts(&yard.named(&["parts"])).expect_err("an empty directory");
    assert!(empty.to_string().contains("no .parquet file"), "{empty}");
    yard.part(&["a.pgn"], "", "parts/a.parquet");
    yard.part(&["b.pgn"], "", "parts/b.parquet");
    assert_eq!(expand_parts(&yard.named(&["parts"])).expect("two").len(), 2);
    assert_eq!(expand_parts(&yard.named(&["parts/*.parquet"])).expect("two").len(), 2);
}

#[test]
fn a_part_that_is_not_there_is_not_looked_for_on_standard_input() {
    let yard = Yard::new(&[]);
    let missing = expand_parts(&yard.named(&["none.parquet"])).expect_err("not there");
    assert!(missing.hints()[0].contains("tabiya count"), "{:?}", missing.hints());
    let unmatched = expand_parts(&yard.named(&["none*"])).expect_err("not there");
    assert!(unmatched.to_string().ends_with("none*: no file matches"), "{unmatched}");
}

#[test]
fn without_a_counted_game_nothing_is_written() {
    let unfinished = "1. e4 e5 *\n\n".to_owned();
    let yard = Yard::new(&[("none.pgn", String::new()), ("unfinished.pgn", unfinished)]);
    let count = |pgn: &str| {
        write_part(
            &yard.named(&[pgn]),
            &counting(30),
            FacetKinds::default(),
            &yard.path("out.parquet"),
            None,
        )
        .expect_err("no games")
        .to_string()
    };
    let says = |pgn: &str, why: &str| format!("no game of {} was counted: {why}", yard.path(pgn).display());
    assert_eq!(count("none.pgn"), says("none.pgn", "there are none"));
    assert_eq!(count("unfinished.pgn"), says("unfinished.pgn", "1 without a result"));
    assert_eq!(yard.names(), ["none.pgn", "unfinished.pgn"]);
}

#[test]
fn a_stop_leaves_nothing_behind() {
    let yard = halves();
    let counting = counting(30);
    let stop = counting.stop.clone();
    let watcher: Watcher = Arc::new(move |watch| {
        if matches!(watch, Watch::Games(_)) {
            stop.store(true, Relaxed);
        }
    });
    let inputs = yard.named(&["a.pgn"]);
    let out = yard.path("out.parquet");
    let error = write_part(&inputs, &counting, FacetKinds::default(), &out, Some(&watcher)).expect_err("stopped");
    assert!(error.is_stop(), "{error}");
    assert_eq!(yard.names(), ["a.pgn", "b.pgn", "parts"]);
}

#[test]
fn what_killed_runs_left_is_removed() {
    let yard = halves();
    let left = |name: &str| {
        fs::create_dir_all(yard.path(name).join("state")).expect("a directory");
        fs::write(yard.path(name).join("state/departures"), "counts").expect("written");
        fs::File::create(yard.path(name).join("lock")).expect("a lock")
    };
    drop(left(".tabiya-dead.counts"));
    let alive = left(".tabiya-live.counts");
    alive.lock().expect("free");
    fs::create_dir(yard.path(".tabiya-other")).expect("a directory");
    yard.part(&["a.pgn"], "", "out.parquet");
    assert_eq!(
        yard.names(),
        [
            ".tabiya-live.counts",
            ".tabiya-other",
            "a.pgn",
            "b.pgn",
            "out.parquet",
            "parts"
        ]
    );
}
