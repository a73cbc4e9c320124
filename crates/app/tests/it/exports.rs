//! A knowledge base with something of everything, its exports, and the programs of others that read them.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

use shakmaty::{Chess, Color, Position as _};
use tabiya_app::{
    AppError,
    build::{Steps, structures, transpositions},
    export::{ExportFormat, ExportReport, ExportRequest, export},
};
use tabiya_chess::{Eval, PositionId, parse_fen, to_san, to_uci};
use tabiya_store::{BestMove, KnowledgeEdge, KnowledgeGraph, KnowledgeNode, NodeAnnotation};

use crate::workshop::{Workshop, game};

/// Openings of both sides and of every letter; one with commas and quotes, one that a spreadsheet would take for a formula.
pub(crate) const NAMES: &str = "\
eco,name,pgn
A00,Barnes Opening,1.f3
A04,Zukertort Opening,1.Nf3
A40,Queen's Pawn Game,1.d4
B00,King's Pawn Game,1.e4
B01,Scandinavian Defense,1.e4 d5
B20,Sicilian Defense,1.e4 c5
B50,\"Sicilian Defense: Modern, or \"\"Open\"\", Variations\",1.e4 c5 2.Nf3 d6
C20,=1+1: @Patzer,1.e4 e5 2.Qh5
C30,King's Gambit,1.e4 e5 2.f4
C44,King's Knight Opening: Normal Variation,1.e4 e5 2.Nf3 Nc6
C50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4
C50,Italian Game: Giuoco Piano,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5
C55,Italian Game: Two Knights Defense,1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6
C60,Ruy Lopez,1.e4 e5 2.Nf3 Nc6 3.Bb5
D06,Queen's Gambit,1.d4 d5 2.c4
E00,Catalan Opening,1.d4 Nf6 2.c4 e6 3.g3
";

/// A pawn that may not take in passing: it would leave the king to the queen.
pub(crate) const PINNED: &str = "e4 e5 f4 exf4 e5 Qe7 Bd3 d5";
/// The same position, reached without a double step.
pub(crate) const UNPINNED: &str = "e4 e5 f4 exf4 e5 d6 Be2 Qe7 Bd3 d5";

/// Lines with their games: castling to both sides by both, captures in passing that are legal, useless and forbidden, orders
/// of moves that meet, a circle, a promotion, mates.
const LINES: [(&str, [u64; 3]); 18] = [
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 O-O", [6, 3, 2]),
    ("e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d4", [2, 1, 1]),
    ("e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Bc5 O-O", [2, 2, 1]),
    ("e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4", [3, 3, 3]),
    ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4", [4, 4, 3]),
    (
        "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6 O-O-O",
        [5, 1, 5],
    ),
    ("e4 d5 exd5 Qxd5 Nc3 Qa5 d4 Nc6 Nf3 Bg4 Be2 O-O-O", [3, 1, 0]),
    ("e4 d5 e5 f5 exf6 Nxf6", [2, 0, 1]),
    ("e4 d5 e5 f5 Ke2 Kf7", [0, 0, 2]),
    (PINNED, [0, 1, 0]),
    ("e4 e5 f4 exf4 e5 Qe7 Bd3 d5 Qe2 Nc6", [1, 0, 0]),
    ("e4 e5 f4 exf4 e5 d6 Be2 Qe7 Bd3 d5 Qe2", [0, 1, 1]),
    ("e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nc6 bxa8=Q", [1, 0, 0]),
    ("e4 e5 Qh5 Ke7 Qxe5#", [2, 0, 0]),
    ("f3 e5 g4 Qh4#", [0, 0, 2]),
    ("Nf3 Nf6 Ng1 Ng8 e4 e5 Nf3 Nc6 Bc4", [1, 0, 0]),
    ("d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4", [3, 2, 0]),
    ("d4 Nf6 c4 e6 g3 d5 Bg2 Be7 Nf3 O-O", [3, 5, 1]),
];

/// The games, in the order of the lines or the other way round.
pub(crate) fn games(reversed: bool) -> String {
    let mut games = Vec::new();
    for (line, counts) in LINES {
        for (number, result) in counts.into_iter().zip(["1-0", "1/2-1/2", "0-1"]) {
            for _ in 0..number {
                games.push(game(games.len(), "", line, result));
            }
        }
    }
    if reversed {
        games.reverse();
    }
    games.concat()
}

/// The knowledge base: named, counted, evaluated, labelled and linked.
pub(crate) async fn full() -> Workshop {
    built_of(&games(false)).await
}

pub(crate) async fn built_of(games: &str) -> Workshop {
    counted(Workshop::named(NAMES).await, games).await
}

/// The same in a database of a server.
pub(crate) async fn built_in(database: String, games: &str) -> Workshop {
    counted(Workshop::named_in(database, NAMES).await, games).await
}

async fn counted(workshop: Workshop, games: &str) -> Workshop {
    workshop.write("games.pgn", games);
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    enrich(&workshop).await;
    workshop
}

/// Everything but counting.
pub(crate) async fn enrich(workshop: &Workshop) {
    let steps = Steps::default();
    structures(&workshop.database(), &steps).await.expect("labels");
    transpositions(&workshop.database(), &steps).await.expect("links");
    let graph = workshop.graph().await;
    let store = workshop.store().await;
    let annotations = graph.nodes.iter().filter_map(opinion).collect();
    store.annotate_nodes(annotations).await.expect("evaluations");
    store.close().await;
}

/// What an engine might think: always the same of a position, nothing of one in three, and of the end of a game the truth.
fn opinion(node: &KnowledgeNode) -> Option<NodeAnnotation> {
    let position = parse_fen(&node.epd).expect("a position").position;
    let number = u64::from(node.id);
    let mover = !position.turn();
    let eval = match position.legal_moves().first() {
        None => Eval::Checkmate(mover),
        Some(_) if (number + 1) % 3 == 0 => return None,
        Some(_) if number % 7 == 0 => Eval::Mate(if mover == Color::White { -4 } else { 2 }),
        Some(_) => Eval::Cp((number % 401) as i32 - 200),
    };
    let best = position.legal_moves().first().map(|m| BestMove {
        san: to_san(&position, *m),
        uci: to_uci(&position, *m),
    });
    Some(NodeAnnotation {
        node: node.id,
        eval: eval.into(),
        depth: 20,
        best_move: best,
        engine: "a test".to_owned(),
    })
}

/// An export of everything to a place in the workshop.
pub(crate) fn request(workshop: &Workshop, format: ExportFormat, output: &str) -> ExportRequest {
    ExportRequest {
        database: workshop.database(),
        format,
        output: workshop.path(output),
        eco: "ALL".parse().expect("a range"),
        max_depth: None,
        min_games: 0,
        collection: None,
        repertoire: None,
        threads: NonZeroUsize::new(2).expect("not zero"),
        stop: Arc::new(AtomicBool::new(false)),
    }
}

pub(crate) async fn try_export(request: &ExportRequest) -> Result<ExportReport, AppError> {
    export(request, None).await
}

pub(crate) async fn exported(request: &ExportRequest) -> ExportReport {
    let done = try_export(request).await;
    done.unwrap_or_else(|error| panic!("{} to {}: {error}", request.format, request.output.display()))
}

/// Every format with a place for it: directories, and single files where there may be one.
pub(crate) const EVERYWHERE: [(ExportFormat, &str); 8] = [
    (ExportFormat::Json, "json"),
    (ExportFormat::Pgn, "pgn"),
    (ExportFormat::Pgn, "all.pgn"),
    (ExportFormat::Polyglot, "books"),
    (ExportFormat::Polyglot, "all.bin"),
    (ExportFormat::Csv, "nodes.csv"),
    (ExportFormat::Parquet, "parquet"),
    (ExportFormat::Jsonl, "jsonl"),
];

/// All files at a place, hidden ones too, by name.
pub(crate) fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let read = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if path.is_file() {
        return BTreeMap::from([(name(path), read(path))]);
    }
    let Ok(entries) = fs::read_dir(path) else {
        return BTreeMap::new();
    };
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.map(|path| (name(&path), read(&path))).collect()
}

pub(crate) fn json_file(path: &Path) -> serde_json::Value {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The graph of a workshop, for looking at it without what is tested.
pub(crate) struct Known {
    pub(crate) graph: KnowledgeGraph,
    texts: BTreeMap<PositionId, usize>,
}

impl Known {
    pub(crate) async fn of(workshop: &Workshop) -> Known {
        let graph = workshop.graph().await;
        let places = graph.nodes.iter().enumerate();
        let texts = places.map(|(place, node)| (node.id, place)).collect();
        Known { graph, texts }
    }

    pub(crate) fn node(&self, id: PositionId) -> &KnowledgeNode {
        &self.graph.nodes[self.texts[&id]]
    }

    pub(crate) fn edges_from(&self, id: PositionId) -> impl Iterator<Item = &KnowledgeEdge> {
        self.graph.edges.iter().filter(move |edge| edge.parent == id)
    }

    /// The moves of a line in SAN, and all moves of at most so many half-moves behind it; by EPD and UCI.
    pub(crate) fn moves_around(&self, line: &str, max_depth: usize, min_games: u64) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        let mut at = PositionId::of(&Chess::default());
        // A game that goes back to the way does not begin the opening anew.
        let mut way = BTreeSet::new();
        for san in line.split_whitespace() {
            way.insert(at);
            let edge = self.edges_from(at).find(|edge| edge.san == san).expect(san);
            found.insert((self.node(at).epd.clone(), edge.uci.clone()));
            at = edge.child;
        }
        let mut level = BTreeSet::from([at]);
        for _ in 0..max_depth {
            let mut next = BTreeSet::new();
            for parent in &level {
                for edge in self.edges_from(*parent).filter(|edge| edge.stats.games() >= min_games) {
                    found.insert((self.node(*parent).epd.clone(), edge.uci.clone()));
                    if !way.contains(&edge.child) {
                        next.insert(edge.child);
                    }
                }
            }
            level = next;
        }
        found
    }
}

/// A program of somebody else's, with its words.
pub(crate) fn run(program: &Path, args: &[&str], directory: &Path) -> String {
    let install = "it comes with `scripts/setup test`";
    let ran = Command::new(program).args(args).current_dir(directory).output();
    let ran = ran.unwrap_or_else(|error| panic!("{}: {error}; {install}", program.display()));
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(
        ran.status.success(),
        "{} {args:?}: {}\n{out}\n{err}\n{install}",
        program.display(),
        ran.status
    );
    out.into_owned()
}

/// The Python that `scripts/setup test` leaves behind, or another that has what is needed.
pub(crate) fn python() -> PathBuf {
    env::var_os("TABIYA_PYTHON").map_or_else(
        || env::home_dir().expect("a home").join(".cache/tabiya/venv/bin/python3"),
        PathBuf::from,
    )
}

/// Lets one of the readers beside these tests read files, and gives its answer.
pub(crate) fn read_with_python(reader: &str, files: &[&Path]) -> serde_json::Value {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers");
    let mut args = vec![reader];
    args.extend(files.iter().map(|file| file.to_str().expect("UTF-8")));
    let said = run(&python(), &args, &directory);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{reader}: {error}\n{said}"))
}
