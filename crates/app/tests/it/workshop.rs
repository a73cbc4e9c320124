//! A directory with a database, and the phases of a build done to it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use shakmaty::Chess;
use tabiya_app::{
    AppError,
    build::{
        EcoReport, EcoRequest, ExpandFrom, ExpandReport, ExpandRequest, FacetKinds, MinGames, Steps, count::GameFilter,
        eco, expand,
    },
    explore::{Catalogue, Snapshot},
    name::NameSources,
};
use tabiya_chess::{PositionId, Stats};
use tabiya_store::{KnowledgeGraph, NodeView, Store};

use crate::book::after;

/// Ten names, each of a position of its own. The only other position on the way is the initial one.
pub(crate) const TEN_NAMES: &str = "\
eco,name,pgn
A40,Queen's Pawn,1.d4
A45,Indian Defense,1.d4 Nf6
B00,King's Pawn,1.e4
C20,King's Pawn Game,1.e4 e5
C40,King's Knight Opening,1.e4 e5 2.Nf3
C44,King's Knight Opening: Normal Variation,1.e4 e5 2.Nf3 Nc6
C50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4
C50,Italian Game: Giuoco Piano,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5
C55,Italian Game: Two Knights Defense,1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6
C60,Ruy Lopez,1.e4 e5 2.Nf3 Nc6 3.Bb5
";

pub(crate) struct Workshop {
    directory: tempfile::TempDir,
    names: NameSources,
    /// In place of a file in the directory.
    elsewhere: Option<String>,
}

impl Workshop {
    /// Without any names but the program's own.
    pub(crate) fn new() -> Workshop {
        Workshop {
            directory: tempfile::tempdir().expect("a temporary directory"),
            names: NameSources::default(),
            elsewhere: None,
        }
    }

    /// With a table of names that has been entered.
    pub(crate) async fn named(table: &str) -> Workshop {
        Workshop::new().with_names(table).await
    }

    /// The same in a database that is not in the directory.
    pub(crate) async fn named_in(database: String, table: &str) -> Workshop {
        let mut workshop = Workshop::new();
        workshop.elsewhere = Some(database);
        workshop.with_names(table).await
    }

    async fn with_names(mut self, table: &str) -> Workshop {
        let workshop = &mut self;
        workshop.write("names.csv", table);
        workshop.names.source = Some(workshop.path("names.csv"));
        workshop.eco().await;
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a writable directory");
    }

    pub(crate) fn database(&self) -> String {
        if let Some(database) = &self.elsewhere {
            return database.clone();
        }
        format!("sqlite://{}", self.path("tabiya.db").display())
    }

    pub(crate) fn eco_request(&self) -> EcoRequest {
        EcoRequest {
            database: self.database(),
            names: self.names.clone(),
            book: None,
        }
    }

    pub(crate) async fn eco(&self) -> EcoReport {
        eco(&self.eco_request(), &Steps::default())
            .await
            .expect("names are entered")
    }

    /// Everything in these files, to depth 15.
    pub(crate) fn request(&self, files: &[&str]) -> ExpandRequest {
        let files = files.iter().map(|name| self.path(name).display().to_string());
        ExpandRequest {
            database: self.database(),
            from: ExpandFrom::Pgn(files.collect()),
            collection: "games".to_owned(),
            add: false,
            depth: 15,
            min_games: MinGames::Fixed(1),
            max_nodes: 1_000_000,
            max_ply: None,
            filter: GameFilter::default(),
            facets: FacetKinds::default(),
            threads: 2,
            state: None,
            stop: std::sync::Arc::default(),
        }
    }

    pub(crate) async fn expand(&self, request: &ExpandRequest) -> ExpandReport {
        self.try_expand(request).await.expect("games are counted")
    }

    pub(crate) async fn try_expand(&self, request: &ExpandRequest) -> Result<ExpandReport, AppError> {
        expand(request, &Steps::default()).await
    }

    pub(crate) async fn store(&self) -> Store {
        Store::connect(&self.database()).await.expect("the database opens")
    }

    /// All of it in memory, as those have it who look at it.
    pub(crate) async fn snapshot(&self) -> Snapshot {
        let store = self.store().await;
        let catalogue = Catalogue::load(&store).await.expect("a catalogue");
        Snapshot::under(catalogue.into(), &store).await.expect("a snapshot")
    }

    pub(crate) async fn graph(&self) -> KnowledgeGraph {
        self.store().await.knowledge_graph(None).await.expect("a graph")
    }

    /// The node behind a line in SAN.
    pub(crate) async fn node(&self, line: &str) -> Option<NodeView> {
        let id = PositionId::of(&after(line));
        self.store().await.node(id, None).await.expect("a readable node")
    }

    /// Everything but the records of what was done how: they name files and runs.
    pub(crate) async fn dump(&self) -> Vec<String> {
        let mut lines = self.store().await.dump_knowledge().await.expect("a dump");
        lines.retain(|line| !line.starts_with("phase "));
        lines
    }
}

/// Games by EPD, and by EPD and UCI.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) nodes: BTreeMap<String, Stats>,
    pub(crate) edges: BTreeMap<(String, String), Stats>,
}

impl Sums {
    /// Of all positions and moves that have games.
    pub(crate) fn of(graph: &KnowledgeGraph) -> Sums {
        let texts: BTreeMap<PositionId, &str> = graph.nodes.iter().map(|node| (node.id, node.epd.as_str())).collect();
        let played = graph.edges.iter().filter(|edge| edge.stats.games() > 0);
        let reached = graph.nodes.iter().filter(|node| node.stats.games() > 0);
        Sums {
            nodes: reached.map(|node| (node.epd.clone(), node.stats)).collect(),
            edges: played
                .map(|edge| ((texts[&edge.parent].to_owned(), edge.uci.clone()), edge.stats))
                .collect(),
        }
    }
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

/// The EPD behind a line in SAN.
pub(crate) fn epd_after(line: &str) -> String {
    let position: Chess = after(line);
    tabiya_chess::epd(&position)
}

/// One game, numbered so that no two are the same.
pub(crate) fn game(number: usize, tags: &str, line: &str, result: &str) -> String {
    let mut text = format!("[White \"W{number}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n{tags}\n");
    for (ply, san) in line.split_whitespace().enumerate() {
        if ply % 2 == 0 {
            text.push_str(&format!("{}. ", ply / 2 + 1));
        }
        text.push_str(&format!("{san} "));
    }
    format!("{text}{result}\n\n")
}
