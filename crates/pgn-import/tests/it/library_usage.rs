//! The README's "Library usage" and its minimal example, word for word.

use std::fs;

use pgn_import::{ImportOptions, Importer, InMemoryStore, IngestConfig, read_trees};
use tabiya_chess::tactic_id;

use crate::support::{Outcome, block_on, source_of};

/// As it is printed, but for the path: tests cannot count on the directory they run in.
mod as_printed {
    #![expect(unused_imports, clippy::print_stdout, reason = "printed so")]

    use pgn_import::{Importer, InMemoryStore, IngestConfig, SideFilter, Storage};

    #[tokio::main]
    pub(super) async fn main() -> anyhow::Result<()> {
        let cfg = IngestConfig {
            owner: "user_andy".into(),
            repertoire: Some("Italian + Scandinavian".into()),
            side_filter: SideFilter::White, // root side to move constraint
            max_depth: None,
            accept_variations: true,
            tactic_from_fen: true,
            tactic_from_comments: false,
            dedupe_transpositions: true,
        };

        let mut store = InMemoryStore::default(); // or PostgresStore::connect(dsn).await?
        let mut importer = Importer::new(cfg, &mut store);

        importer
            .ingest_pgn_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minimal.pgn"))
            .await?;
        importer.finalize().await?;

        // Access merged outputs
        let positions = store.dump_positions();
        let edges = store.dump_edges();
        let tactics = store.dump_tactics();

        println!(
            "positions: {}, edges: {}, tactics: {}",
            positions.len(),
            edges.len(),
            tactics.len()
        );
        Ok(())
    }
}

#[test]
fn the_printed_program_runs() {
    as_printed::main().expect("runs");
}

#[test]
fn the_minimal_example_comes_out_as_described() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minimal.pgn");
    let mut store = InMemoryStore::default();
    block_on(async {
        let mut importer = Importer::new(IngestConfig::default(), &mut store);
        importer.ingest_pgn_path(path).await.expect("imported");
        importer.finalize().await.expect("settled");
    });
    let outcome = Outcome::of(&store);
    assert_eq!(
        outcome.sans(),
        ["Bc4", "Bc5", "Nc6", "Nf3", "Nf6", "Nf6", "Nxe5", "c3", "e4", "e5"]
    );
    let [tactic] = outcome.tactics.as_slice() else {
        panic!("{:?}", outcome.tactics)
    };
    let fen = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 4 6";
    assert_eq!(tactic.fen, fen);
    assert_eq!(tactic.pv_uci, ["f3e5", "c6e5", "d2d4", "e5c4", "d4c5"]);
    assert_eq!(tactic.id, tactic_id(fen, &tactic.pv_uci));
    assert_eq!(tactic.source_hint.as_deref(), Some("Tactic"));
    let games = fs::read(path).expect("a file");
    assert_eq!(read_trees(source_of(&games), drop).expect("whole"), 2);
}

/// A plain store knows only the four upserts; a journal ends with the same content.
#[test]
fn plain_and_journalled_stores_end_alike() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/minimal.pgn");
    let config = IngestConfig {
        repertoire: Some("r".to_owned()),
        ..IngestConfig::default()
    };
    let (mut plain, mut journalled) = (InMemoryStore::default(), InMemoryStore::default());
    block_on(async {
        let mut importer = Importer::new(config.clone(), &mut plain);
        importer.ingest_pgn_path(path).await.expect("imported");
        importer.finalize().await.expect("settled");
        let mut importer = Importer::journaled(config, ImportOptions::default(), &mut journalled);
        importer.ingest_pgn_path(path).await.expect("imported");
        importer.finalize().await.expect("settled");
    });
    assert_eq!(Outcome::of(&plain), Outcome::of(&journalled));
}
