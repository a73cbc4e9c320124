//! The knowledge base as a graph, as its users make and ask it.

use std::{
    process::Child,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tabiya_store::{KnowledgeGraph, Store};
use tokio::runtime::Runtime;

use crate::{
    crash::signal,
    sandbox::{Sandbox, TABIYA},
    serve::Serving,
    servers,
};

const GAMES: &str = "\
[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 1-0\n\n\
[White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 0-1\n";

/// The one database of the server that tests share, for one test at a time.
pub(crate) struct Graph {
    pub(crate) url: String,
    _turn: MutexGuard<'static, ()>,
}

pub(crate) fn graph() -> Graph {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Graph {
        url: servers::shared("neo4j").to_owned(),
        _turn: turn,
    }
}

fn built() -> Sandbox {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    sandbox
        .tabiya(&["build", "all", "--pgn", "games.pgn", "--db", "a.db", "--min-games", "1"])
        .exits_with(0);
    sandbox
}

#[test]
fn a_copy_is_made_kept_up_and_asked() {
    let graph = graph();
    let sandbox = built();
    let made = sandbox
        .tabiya(&["project", "--db", "a.db", "--to", &graph.url])
        .exits_with(0);
    assert!(
        made.stdout.starts_with("neo4j://neo4j@") && made.stdout.contains("positions/s"),
        "{made}"
    );
    assert!(!format!("{made}").contains("right-password"), "{made}");

    // The environment may name it too; the same again writes nothing.
    let mut again = sandbox.command(TABIYA, &["project", "--db", "a.db", "--format", "json"]);
    again.env("TABIYA_NEO4J", &graph.url);
    let again = sandbox.run(again).exits_with(0).json();
    for kind in [
        "positions",
        "moves",
        "openings",
        "structures",
        "collections",
        "games",
        "analyses",
        "tactics",
    ] {
        assert_eq!(
            (again[kind]["written"].as_u64(), again[kind]["removed"].as_u64()),
            (Some(0), Some(0)),
            "{kind}: {again}"
        );
    }
    assert!(
        again["positions"]["total"].as_u64().is_some_and(|total| total > 3000),
        "{again}"
    );

    let asked = |db: &str| sandbox.tabiya(&["lookup", "1.e4 e5 2.Nf3", "--db", db]).exits_with(0);
    assert_eq!(asked(&graph.url).stdout, asked("a.db").stdout);

    // Neo4j does not say how large it is.
    let looked_at = sandbox.tabiya(&["doctor", "--db", &graph.url]);
    assert!(
        looked_at.stdout.contains("(Neo4j ") && !looked_at.stdout.contains(" MB)"),
        "{looked_at}"
    );

    // And a server answers from it what one answers from the tables.
    let served = |db: &str| {
        let serving = Serving::start_on(&sandbox, db);
        let answer = serving.ask("GET /position?play=e2e4,e7e5,g1f3,b8c6,f1c4");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(serving.interrupt(), 0);
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        body.to_owned()
    };
    let from_the_graph = served(&graph.url);
    assert!(from_the_graph.contains("Italian Game"), "{from_the_graph}");
    assert_eq!(from_the_graph, served("a.db"));

    // What writes is refused, and told where to go.
    for arguments in [
        &["import", "games.pgn", "--db", &graph.url][..],
        &["build", "eco", "--db", &graph.url],
        &["repertoire", "list", "--db", &graph.url],
        &["project", "--db", &graph.url, "--to", &graph.url],
    ] {
        let refused = sandbox.tabiya(arguments).exits_with(2);
        assert!(
            refused.stderr.contains("tabiya project --to"),
            "{arguments:?}: {refused}"
        );
        assert!(!format!("{refused}").contains("right-password"), "{refused}");
    }
}

#[test]
fn what_is_wrong_with_an_address_is_said() {
    let sandbox = built();
    let refused = |to: &str, code: i32, words: &str| {
        let ran = sandbox
            .tabiya(&["project", "--db", "a.db", "--to", to])
            .exits_with(code);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{ran}");
        assert!(!format!("{ran}").contains("secret"), "{ran}");
    };
    let nowhere = sandbox.tabiya(&["project", "--db", "a.db"]).exits_with(2);
    assert!(
        nowhere.stderr.contains("--to neo4j://") && nowhere.stderr.contains("TABIYA_NEO4J"),
        "{nowhere}"
    );
    refused("sqlite://b.db", 2, "its scheme is not neo4j");
    refused("neo4j+s://a:secret@host", 2, "encrypted");
    refused(
        "neo4j://a:secret@127.0.0.1:1",
        3,
        "neo4j://a@127.0.0.1:1: the server cannot be reached",
    );
    let ran = sandbox.tabiya(&["project", "--db", "missing.db", "--to", "neo4j://127.0.0.1:1"]);
    assert!(
        ran.exits_with(3)
            .stderr
            .contains("missing.db: there is no such database")
    );
    let ran = sandbox
        .tabiya(&["serve", "--db", "neo4j://a:secret@127.0.0.1:1"])
        .exits_with(3);
    assert!(
        ran.stderr.contains("cannot be reached") && !ran.stderr.contains("secret"),
        "{ran}"
    );
}

/// What has landed when a run is killed.
#[derive(Debug, Clone, Copy)]
enum Landed {
    Nothing,
    Positions,
    Moves,
}

impl Landed {
    fn is_in(self, graph: &KnowledgeGraph) -> bool {
        match self {
            Landed::Nothing => true,
            Landed::Positions => !graph.nodes.is_empty(),
            Landed::Moves => !graph.edges.is_empty(),
        }
    }
}

/// Looks at a graph again and again.
struct Onlooker {
    store: Store,
    runtime: Runtime,
}

impl Onlooker {
    fn of(url: &str) -> Onlooker {
        let runtime = Runtime::new().expect("a runtime");
        let store = runtime.block_on(Store::connect(url)).expect("a graph");
        Onlooker { store, runtime }
    }

    /// Positions and moves that it has by now. One whose first copy is under way has no index to look up a single one.
    fn look(&self) -> KnowledgeGraph {
        let graph = self.runtime.block_on(self.store.knowledge_graph(None));
        graph.expect("positions and moves")
    }
}

/// A run that does not outlive its test, not even one that was stopped.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Empties the graph, begins a copy, and kills it once that has landed; gives what is there then.
fn killed(sandbox: &Sandbox, empty: &Sandbox, url: &str, landed: Landed) -> KnowledgeGraph {
    // It may do all the rest between two looks.
    for _ in 0..10 {
        empty
            .tabiya(&["project", "-q", "--db", "a.db", "--to", url])
            .exits_with(0);
        let child = sandbox
            .command(TABIYA, &["project", "-q", "--db", "a.db", "--to", url])
            .spawn()
            .expect("the program runs");
        let mut run = Run(child);
        // Connected while it begins: one that was stopped at once would be no run at all.
        let onlooker = Onlooker::of(url);
        while run.0.try_wait().expect("a child").is_none() {
            // It stands still while it is looked at: a machine with much else to do may take longer for a look than for all the rest.
            signal(&run.0, "STOP");
            if landed.is_in(&onlooker.look()) {
                break;
            }
            signal(&run.0, "CONT");
            std::thread::sleep(Duration::from_millis(5));
        }
        // It may have ended before.
        let _ = run.0.kill();
        if run.0.wait().expect("a child").code().is_none() {
            return onlooker.look();
        }
    }
    panic!("{landed:?}: it was never killed before its end");
}

/// Killed at some instants, a run is gone on with: what has landed is not written again, in the end a look at everything says the
/// same as one that was never disturbed, and nothing is left to write.
#[test]
fn killed_runs_are_gone_on_with() {
    let graph = graph();
    let sandbox = built();
    let empty = Sandbox::with("none.pgn", "");
    empty.tabiya(&["import", "none.pgn", "--db", "a.db", "-q"]);
    for landed in [Landed::Nothing, Landed::Positions, Landed::Moves] {
        let there = killed(&sandbox, &empty, &graph.url, landed);
        assert!(landed.is_in(&there), "{landed:?}: what has landed stays");
        let project = || {
            let ran = sandbox.tabiya(&["project", "--db", "a.db", "--to", &graph.url, "--format", "json"]);
            ran.exits_with(0).json()
        };
        let on = project();
        for (kind, there) in [("positions", there.nodes.len()), ("moves", there.edges.len())] {
            let number = |what: &str| on[kind][what].as_u64().expect("a number");
            // A batch that was on its way may have landed since.
            assert!(
                number("written") + there as u64 <= number("total"),
                "{landed:?}: {there} {kind} were there: {on}"
            );
        }
        let rest = project();
        for kind in ["positions", "moves"] {
            assert_eq!(rest[kind]["written"], 0, "{landed:?}: {rest}");
        }
        let rows = |db: &str, name: &str| {
            let arguments = ["export", "--format", "jsonl", "--output", name, "--db", db];
            sandbox.tabiya(&arguments).exits_with(0);
            sandbox.read(&format!("{name}/nodes.jsonl"))
        };
        assert_eq!(rows(&graph.url, "graph"), rows("a.db", "tables"), "{landed:?}");
    }
}
