//! What the tests share: fixtures, imports into memory, random numbers.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use pgn_import::{
    Counters, Edge, Game, ImportError, ImportOptions, Importer, InMemoryStore, IngestConfig, Policy, Position, Reject,
    RepertoireEdge, Source, Tactic, read_trees,
};
use shakmaty::{Chess, Move, Position as _};

pub(crate) const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

pub(crate) fn fixture_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pgn")
}

/// All fixtures by name.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(fixture_dir())
        .expect("fixtures/pgn")
        .map(|entry| entry.expect("a fixture").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pgn"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a readable fixture"))
        })
        .collect();
    all.sort();
    assert!(all.len() > 80, "fixtures are missing");
    all
}

/// Fixtures that can stand behind one another in one file: UTF-16 is told by the first bytes of a file alone.
pub(crate) fn joinable_fixtures() -> Vec<Vec<u8>> {
    fixtures()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("utf-16"))
        .map(|(_, bytes)| bytes)
        .collect()
}

pub(crate) fn source_of(bytes: &[u8]) -> Source {
    Source::from_reader("memory".to_owned(), Box::new(Cursor::new(bytes.to_vec())), None, 0).expect("a source")
}

/// All games as trees, through the public door.
pub(crate) fn trees(bytes: &[u8]) -> Vec<Game> {
    let mut games = Vec::new();
    let count = read_trees(source_of(bytes), |game| games.push(game)).expect("whole");
    assert_eq!(count, games.len() as u64);
    games
}

/// What a store holds after an import, and what the import said about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    pub(crate) positions: Vec<Position>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) tactics: Vec<Tactic>,
    pub(crate) memberships: Vec<RepertoireEdge>,
    pub(crate) rejects: Vec<Reject>,
    pub(crate) counters: Counters,
}

impl Outcome {
    pub(crate) fn of(store: &InMemoryStore) -> Outcome {
        Outcome {
            positions: store.dump_positions(),
            edges: store.dump_edges(),
            tactics: store.dump_tactics(),
            memberships: store.dump_repertoire_edges(),
            ..Outcome::default()
        }
    }

    /// The moves, as SAN, in no order that means anything.
    pub(crate) fn sans(&self) -> Vec<&str> {
        let mut sans: Vec<_> = self.edges.iter().map(|edge| edge.move_san.as_str()).collect();
        sans.sort_unstable();
        sans
    }

    pub(crate) fn fen_of(&self, id: u64) -> &str {
        &self
            .positions
            .iter()
            .find(|position| position.id == id)
            .expect("a position")
            .fen
    }

    /// The moves that can be played from a position.
    pub(crate) fn moves_from(&self, fen: &str) -> Vec<&str> {
        let id = self
            .positions
            .iter()
            .find(|position| position.fen == fen)
            .expect(fen)
            .id;
        let mut moves: Vec<_> = self
            .edges
            .iter()
            .filter(|edge| edge.parent_id == id)
            .map(|edge| edge.move_uci.as_str())
            .collect();
        moves.sort_unstable();
        moves
    }
}

pub(crate) fn skipping() -> ImportOptions {
    ImportOptions {
        policy: Policy::SkipIllegal,
        threads: 1,
        ..ImportOptions::default()
    }
}

/// Imports files, given as names and contents, one after the other into one store.
pub(crate) fn try_import(
    config: &IngestConfig,
    options: &ImportOptions,
    files: &[(&str, &[u8])],
) -> (Outcome, Option<ImportError>) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = InMemoryStore::default();
    let mut rejects = Vec::new();
    let mut error = None;
    let counters = block_on(async {
        let mut importer = Importer::journaled(config.clone(), options.clone(), &mut store);
        for (name, bytes) in files {
            let path = directory.path().join(name);
            fs::write(&path, bytes).expect("a file");
            match importer.ingest_pgn_path(&path).await {
                Ok(summary) => rejects.extend(summary.rejects),
                Err(e) => error = Some(e),
            }
        }
        importer.finalize().await.expect("settled");
        importer.counters()
    });
    let mut outcome = Outcome {
        rejects,
        counters,
        ..Outcome::of(&store)
    };
    for reject in &mut outcome.rejects {
        reject.source = Path::new(&reject.source)
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
    }
    // How long it took is nobody's business here.
    outcome.counters.parse_ms = 0;
    outcome.counters.merge_ms = 0;
    outcome.counters.persist_ms = 0;
    (outcome, error)
}

pub(crate) fn import(config: &IngestConfig, options: &ImportOptions, files: &[(&str, &[u8])]) -> Outcome {
    let (outcome, error) = try_import(config, options, files);
    assert!(error.is_none(), "{error:?}");
    outcome
}

/// Imports one text by the default rules, passing over what is illegal.
pub(crate) fn import_text(pgn: &str) -> Outcome {
    import(&IngestConfig::default(), &skipping(), &[("test.pgn", pgn.as_bytes())])
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// SplitMix64: small, seeded and the same everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn legal_move(&mut self, position: &Chess) -> Option<Move> {
        let moves = position.legal_moves();
        (!moves.is_empty()).then(|| *self.pick(&moves))
    }
}
