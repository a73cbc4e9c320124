//! A knowledge base of real size: how long it takes, and that it comes back whole. `TABIYA_SOAK` makes it large.

use std::time::Instant;

use tabiya_chess::{PositionId, Stats};
use tabiya_store::{CollectionCounts, Graph, GraphEdge, GraphNode, Load};

use crate::book::collection;
use crate::fixture::{Fixture, Kind};
use crate::rows::key;

/// A tree of numbered positions, each with three continuations until there are enough.
pub(crate) fn tree(size: u32) -> Load {
    let mut graph = Graph::default();
    let mut counts = CollectionCounts::new(collection("masters"));
    let mut plies = vec![0u16];
    for n in 0..size {
        let epd = key(n);
        let id = PositionId::from_text(&epd);
        if n > 0 {
            let parent = (n - 1) / 3;
            plies.push(plies[parent as usize] + 1);
            graph.edges.push(GraphEdge {
                parent: PositionId::from_text(&key(parent)),
                child: id,
                uci: format!("m{n}"),
                san: format!("N{n}"),
            });
            counts
                .edges
                .push((PositionId::from_text(&key(parent)), format!("m{n}"), stats(n)));
        }
        let ply = plies[n as usize];
        graph.nodes.push(GraphNode {
            id,
            epd,
            ply,
            halfmove: ply,
        });
        counts.nodes.push((id, stats(n)));
    }
    Load {
        graph,
        counts: vec![counts],
    }
}

fn stats(n: u32) -> Stats {
    Stats {
        white: n.into(),
        first_year: 1990,
        last_year: 2020,
        ..Stats::default()
    }
}

async fn load_and_read(kind: Kind) {
    let size = if std::env::var_os("TABIYA_SOAK").is_some() {
        860_000
    } else {
        6_000
    };
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let load = tree(size);
    let mut took = Vec::new();
    let start = Instant::now();
    store.load_counts(load.clone()).await.unwrap();
    took.push(("load", start.elapsed()));
    let dump = match size {
        ..10_000 => Some(store.dump_knowledge().await.unwrap()),
        _ => None,
    };
    let start = Instant::now();
    let graph = store.knowledge_graph(None).await.unwrap();
    took.push(("read", start.elapsed()));
    assert_eq!(
        (graph.nodes.len(), graph.edges.len()),
        (size as usize, size as usize - 1)
    );
    assert!(graph.nodes.iter().all(|n| n.epd == key(n.stats.white as u32)));
    assert_eq!(graph.nodes.iter().filter(|n| n.is_branching).count(), size as usize / 3);
    let start = Instant::now();
    store.load_counts(load).await.unwrap();
    took.push(("load again", start.elapsed()));
    if let Some(dump) = dump {
        assert!(store.dump_knowledge().await.unwrap() == dump);
    }
    let start = Instant::now();
    let lineage = graph.nodes.iter().map(|n| (n.id, uuid::Uuid::from_u128(1))).collect();
    store.set_lineage(lineage).await.unwrap();
    took.push(("lineage", start.elapsed()));
    #[expect(clippy::print_stdout, reason = "shown by `make soak`")]
    {
        println!("{kind:?}, {size} nodes: {took:.2?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_sqlite() {
    load_and_read(Kind::SqliteFile).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_postgres() {
    load_and_read(Kind::Postgres).await;
}
