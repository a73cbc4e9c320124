//! Prints every edge of a PGN file as `EPD<tab>UCI`.
use std::collections::HashMap;

use pgn_import::{ImportOptions, Importer, InMemoryStore, IngestConfig, Policy};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut store = InMemoryStore::default();
    let options = ImportOptions {
        policy: Policy::SkipIllegal,
        include_fen_in_trie: true,
        ..Default::default()
    };
    let mut importer = Importer::journaled(IngestConfig::default(), options, &mut store);
    for path in std::env::args().skip(1) {
        let s = importer.ingest_pgn_path(path).await?;
        #[expect(clippy::print_stderr, reason = "an example")]
        {
            eprintln!("{:?}", s.counters);
            for r in s.rejects {
                eprintln!("{}", serde_json::to_string(&r)?);
            }
        }
    }
    importer.finalize().await?;
    let positions: HashMap<u64, String> = store.dump_positions().into_iter().map(|p| (p.id, p.fen)).collect();
    for edge in store.dump_edges() {
        #[expect(clippy::print_stdout, reason = "an example")]
        {
            println!("{}\t{}", positions[&edge.parent_id], edge.move_uci);
        }
    }
    Ok(())
}
