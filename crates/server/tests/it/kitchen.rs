//! A knowledge base of the Italian Game and its neighbours, built by the real phases.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use pgn_import::{Storage as _, Tactic};
use serde_json::Value;
use shakmaty::Chess;
use tabiya_app::build::count::GameFilter;
use tabiya_app::build::{
    EcoRequest, ExpandFrom, ExpandRequest, FacetKinds, MinGames, Steps, eco, expand, structures, transpositions,
};
use tabiya_app::name::NameSources;
use tabiya_chess::{Analysis, EngineLine, Eval, PositionId, SearchLimit, parse_line, to_san, to_uci};
use tabiya_server::{ServeOptions, Server};
use tabiya_store::{BestMove, NodeAnnotation, ProjectOptions, Store, project};
use tower::ServiceExt;

use crate::graph::Graph;

pub(crate) const NAMES: &str = "\
eco,name,pgn
A40,Queen's Pawn,1.d4
B00,King's Pawn,1.e4
C20,King's Pawn Game,1.e4 e5
C25,Vienna Game,1.e4 e5 2.Nc3
C40,King's Knight Opening,1.e4 e5 2.Nf3
C42,Petrov's Defense,1.e4 e5 2.Nf3 Nf6
C44,King's Knight Opening: Normal Variation,1.e4 e5 2.Nf3 Nc6
C46,Three Knights Opening,1.e4 e5 2.Nf3 Nc6 3.Nc3
C47,Four Knights Game,1.e4 e5 2.Nf3 Nc6 3.Nc3 Nf6
C47,Four Knights Game: Italian Variation,1.e4 e5 2.Nf3 Nc6 3.Nc3 Nf6 4.Bc4
C50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4
C50,Italian Game: Giuoco Piano,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5
C51,Italian Game: Evans Gambit,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.b4
C53,Italian Game: Classical Variation,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.c3
C55,Italian Game: Two Knights Defense,1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6
C60,Ruy Lopez,1.e4 e5 2.Nf3 Nc6 3.Bb5
C65,Ruy Lopez: Berlin Defense,1.e4 e5 2.Nf3 Nc6 3.Bb5 Nf6
";

/// Lines and how often they are played, first by White's wins, then draws, then Black's.
const GAMES: [(&str, [usize; 3]); 9] = [
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O", [9, 6, 4]),
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5 d4 exd4", [5, 1, 3]),
    ("e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Na5 Bb5+ c6", [6, 2, 6]),
    ("e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3 Bc5 d3 d6", [3, 3, 2]),
    ("e4 e5 Nf3 Nc6 Nc3 Nf6 Bc4 Bc5 d3 d6", [2, 4, 1]),
    ("e4 e5 Nc3 Nf6 Nf3 Nc6 Bc4 Nxe4 Nxe4 d5", [1, 1, 2]),
    ("e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6", [4, 9, 3]),
    ("e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4", [2, 5, 2]),
    ("d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4 Nf6", [3, 2, 1]),
];

/// What an engine is made to say.
const EVALUATIONS: [(&str, i32, &str); 5] = [
    ("e4", 32, "e5"),
    ("e4 e5 Nf3 Nc6 Bc4", 18, "Nf6"),
    ("e4 e5 Nf3 Nc6 Bc4 Bc5", 12, "c3"),
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 b4", -55, "Bxb4"),
    ("e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5", 5, "exd5"),
];

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    /// Built in SQLite, and copied.
    Neo4j,
}

/// A database of its own, and where it lies.
pub(crate) struct Kitchen {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) database: String,
    /// What servers answer from, where that is another.
    pub(crate) graph: Option<Graph>,
}

impl Kitchen {
    pub(crate) async fn new(kind: Kind) -> Kitchen {
        let kitchen = Kitchen::empty(kind).await;
        kitchen.cook("games", &GAMES).await;
        kitchen.finish().await;
        kitchen.project().await;
        kitchen
    }

    /// Copies what is there by now to the graph, where there is one.
    pub(crate) async fn project(&self) {
        let Some(graph) = &self.graph else { return };
        let store = self.store().await;
        let options = ProjectOptions::default();
        project(&store, &graph.url, &options, &|_, _, _| ())
            .await
            .expect("it is copied");
        store.close().await;
    }

    /// With every name that the program knows.
    pub(crate) async fn of_all_openings() -> Kitchen {
        let kitchen = Kitchen::bare(Kind::Sqlite).await;
        kitchen.enter(NameSources::default()).await;
        kitchen.cook("games", &GAMES).await;
        kitchen.finish().await;
        kitchen
    }

    /// With names and nothing else.
    pub(crate) async fn empty(kind: Kind) -> Kitchen {
        let kitchen = Kitchen::bare(kind).await;
        kitchen.name(NAMES).await;
        kitchen
    }

    /// Enters the names of this table, in place of others.
    pub(crate) async fn name(&self, names: &str) {
        let file = self.directory.path().join("names.csv");
        std::fs::write(&file, names).expect("a writable directory");
        let names = NameSources {
            source: Some(file),
            ..NameSources::default()
        };
        self.enter(names).await;
    }

    async fn bare(kind: Kind) -> Kitchen {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let database = match kind {
            Kind::Sqlite | Kind::Neo4j => format!("sqlite://{}", directory.path().join("tabiya.db").display()),
            Kind::Postgres => tokio::task::spawn_blocking(crate::postgres::new_database)
                .await
                .expect("a database"),
        };
        let graph = match kind {
            Kind::Neo4j => Some(crate::graph::alone().await),
            Kind::Sqlite | Kind::Postgres => None,
        };
        Kitchen {
            directory,
            database,
            graph,
        }
    }

    async fn enter(&self, names: NameSources) {
        let request = EcoRequest {
            database: self.database.clone(),
            names,
            book: None,
        };
        eco(&request, &Steps::default()).await.expect("names are entered");
    }

    /// Counts games as a collection, told apart by year, rating and speed.
    pub(crate) async fn cook(&self, collection: &str, games: &[(&str, [usize; 3])]) {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let mut text = String::new();
        for (line, results) in games {
            for (result, times) in ["1-0", "1/2-1/2", "0-1"].into_iter().zip(results) {
                for time in 0..*times {
                    let year = 1990 + time;
                    let elo = 2300 + 10 * time;
                    text.push_str(&format!(
                        "[Event \"Cup\"]\n[Site \"Hall\"]\n[Date \"{year}.05.17\"]\n[Round \"1\"]\n[White \"White {time} {result}\"]\n\
                         [Black \"Black of {}\"]\n[Result \"{result}\"]\n[WhiteElo \"{elo}\"]\n[BlackElo \"2400\"]\n\
                         [TimeControl \"600+5\"]\n\n{line} {result}\n\n",
                        line.len()
                    ));
                }
            }
        }
        let number = NUMBER.fetch_add(1, Relaxed);
        let file = self.directory.path().join(format!("games-{number}.pgn"));
        std::fs::write(&file, text).expect("a writable directory");
        let request = ExpandRequest {
            database: self.database.clone(),
            from: ExpandFrom::Pgn(vec![file.display().to_string()]),
            collection: collection.to_owned(),
            add: false,
            depth: 15,
            min_games: MinGames::Fixed(1),
            max_nodes: 1_000_000,
            max_ply: None,
            filter: GameFilter::default(),
            facets: "year,rating,speed".parse::<FacetKinds>().expect("facets"),
            threads: 1,
            state: Some(self.directory.path().join("state")),
            stop: std::sync::Arc::default(),
        };
        expand(&request, &Steps::default()).await.expect("games are counted");
    }

    /// Evaluations, structures and transpositions.
    pub(crate) async fn finish(&self) {
        let store = self.store().await;
        let annotations = EVALUATIONS.map(|(line, cp, best)| {
            let position = after(line);
            let m = *parse_line(&format!("{line} {best}"))
                .expect(best)
                .moves()
                .last()
                .expect(best);
            NodeAnnotation {
                node: PositionId::of(&position),
                eval: Eval::Cp(cp).into(),
                depth: 22,
                best_move: Some(BestMove {
                    san: to_san(&position, m),
                    uci: to_uci(&position, m),
                }),
                engine: "Stockfish 17".to_owned(),
            }
        });
        store
            .annotate_nodes(annotations.to_vec())
            .await
            .expect("evaluations are entered");
        store.put_analyses(vec![analysis()]).await.expect("lines are entered");
        store.close().await;
        self.tactics().await;
        structures(&self.database, &Steps::default()).await.expect("structures");
        transpositions(&self.database, &Steps::default())
            .await
            .expect("transpositions");
    }

    async fn tactics(&self) {
        let tactic = |id: u64, fen: &str, line: &[&str], tags: &[&str], source: &str| Tactic {
            id,
            fen: fen.to_owned(),
            pv_uci: line.iter().map(|uci| (*uci).to_owned()).collect(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            source_hint: Some(source.to_owned()),
        };
        let mut store = self.store().await;
        let back_rank = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let fork = "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1";
        let tactics = vec![
            tactic(7, back_rank, &["d1d8"], &["back-rank", "mate-in-1"], "Club night"),
            tactic(u64::MAX - 1, fork, &["b5c7", "e8d7", "c7a8"], &["fork"], "Club night"),
        ];
        store.upsert_tactics(tactics).await.expect("tactics are entered");
        store.close().await;
    }

    pub(crate) async fn store(&self) -> Store {
        Store::connect(&self.database).await.expect("the database opens")
    }

    /// A server that answers from memory.
    pub(crate) async fn server(&self) -> Server {
        let server = self.cold_server(ServeOptions::default()).await;
        server.knowledge().reload().await.expect("a snapshot");
        server
    }

    /// A server that has not loaded anything yet.
    pub(crate) async fn cold_server(&self, options: ServeOptions) -> Server {
        let bind = ([127, 0, 0, 1], 0).into();
        let database = self.graph.as_ref().map_or(&self.database, |graph| &graph.url);
        let server = Server::bind(database, ServeOptions { bind, ..options }).await;
        server.expect("a server")
    }
}

/// What an engine thought of the Italian Game before it said what it would play.
fn analysis() -> (Chess, Analysis) {
    let line = |index, eval, moves: [&str; 3]| EngineLine {
        index,
        eval,
        depth: 22,
        seldepth: None,
        wdl: None,
        moves: moves.map(|uci| uci.parse().expect(uci)).to_vec(),
    };
    let analysis = Analysis {
        engine: "Stockfish 17".to_owned(),
        limit: SearchLimit::depth(22),
        multipv: 2,
        lines: vec![
            line(1, Eval::Cp(18), ["g8f6", "d2d3", "f8c5"]),
            line(2, Eval::Cp(24), ["f8c5", "e1g1", "g8f6"]),
        ],
        nodes: 1_000_000,
        millis: 900,
        hashfull: None,
        tbhits: 0,
    };
    (after("e4 e5 Nf3 Nc6 Bc4"), analysis)
}

pub(crate) fn after(line: &str) -> Chess {
    parse_line(line).expect(line).last()
}

/// A FEN as it is written in an address.
pub(crate) fn address(line: &str) -> String {
    format!("/node/fen/{}", tabiya_chess::epd(&after(line)).replace(' ', "_"))
}

/// Percent signs for everything.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

pub(crate) async fn call(router: &Router, request: Request<Body>) -> Response {
    router.clone().oneshot(request).await.expect("an answer")
}

pub(crate) async fn get(router: &Router, uri: &str) -> Response {
    let uri = uri.replace(' ', "%20");
    call(router, Request::get(uri).body(Body::empty()).expect("a request")).await
}

/// The JSON of an answer, and its status.
pub(crate) async fn read(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a body");
    let value = serde_json::from_slice(&bytes).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&bytes));
    });
    (status, value)
}

pub(crate) async fn json(router: &Router, uri: &str) -> Value {
    let (status, value) = read(get(router, uri).await).await;
    assert_eq!(status, StatusCode::OK, "{uri}: {value}");
    value
}

pub(crate) async fn post(router: &Router, uri: &str, body: &str) -> Response {
    let request = Request::post(uri).header(header::CONTENT_TYPE, "application/json");
    call(router, request.body(Body::from(body.to_owned())).expect("a request")).await
}
