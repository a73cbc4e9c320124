use pgn_import::{Batch, Journal};
use tabiya_store::Store;

use crate::book::{after, masters};
use crate::fixture::{Fixture, Kind, content};
use crate::oracle;
use crate::rows::{Line, Random, at, job, join, membership, random_lines, tactic};

fn batches() -> (Vec<Line>, Vec<Batch>) {
    let mut random = Random::new(5);
    let lines: Vec<Line> = (0..40).flat_map(|_| random_lines(&mut random)).collect();
    let batches = lines
        .chunks(5)
        .enumerate()
        .map(|(i, lines)| {
            let hint = format!("hint {}", random.below(100));
            let mut batch = join(lines.iter().map(|line| line.batch(Some(&hint))));
            batch.repertoire_edges = lines
                .iter()
                .flat_map(|line| line.nodes.windows(2))
                .map(|pair| membership("andy", "all", pair[0], pair[1]))
                .collect();
            batch.tactics = vec![tactic(
                "8/8 w - - 0 1",
                &["a1a2"],
                &[&format!("tag{}", i % 7)],
                Some(&hint),
            )];
            batch
        })
        .collect();
    (lines, batches)
}

/// Overlapping batches from several writers, each in its own order, settling now and then.
pub(crate) async fn many_writers_are_as_one(kind: Kind) {
    let (lines, batches) = batches();
    let alone = Fixture::new(kind).await;
    let mut store = alone.store();
    for batch in &batches {
        store.commit(&job("a"), batch.clone(), &at(1)).await.unwrap();
    }
    let expected = content(&store).await;
    assert_eq!(expected.positions, oracle::settled(&lines));

    let shared = Fixture::new(kind).await;
    let mut writers = Vec::new();
    for writer in 0..4 {
        let mut store = shared.another().await;
        let mut batches = batches.clone();
        writers.push(tokio::spawn(async move {
            let mut random = Random::new(writer + 70);
            random.shuffle(&mut batches);
            let mut inserted = 0;
            for batch in batches {
                let job = job(&format!("writer {writer}"));
                inserted += store.commit(&job, batch, &at(1)).await.unwrap().edges;
                if random.below(4) == 0 {
                    store.settle().await.unwrap();
                }
            }
            inserted
        }));
    }
    let mut inserted = 0;
    for writer in writers {
        inserted += writer.await.unwrap();
    }
    assert_eq!(content(&shared.store()).await, expected);
    // Each row was new to exactly one of them.
    assert_eq!(inserted, expected.edges.len() as u64);
}

pub(crate) async fn many_may_create_one_database(kind: Kind) {
    let fixture = match kind {
        Kind::Postgres => crate::server::new_database().await,
        _ => {
            let directory = tempfile::TempDir::new().unwrap();
            format!("sqlite://{}", directory.keep().join("new.db").display())
        }
    };
    let openers: Vec<_> = (0..6)
        .map(|n| {
            let url = fixture.clone();
            tokio::spawn(async move {
                let mut store = Store::connect(&url).await.unwrap();
                let line = Line::from_start(&[0, n]);
                store.commit(&job("a"), line.batch(None), &at(1)).await.unwrap();
                store.close().await;
            })
        })
        .collect();
    for opener in openers {
        opener.await.unwrap();
    }
    let store = Store::connect(&fixture).await.unwrap();
    assert_eq!(store.counts().await.unwrap().edges, 6);
    store.close().await;
    if let Some(file) = fixture.strip_prefix("sqlite://") {
        std::fs::remove_dir_all(std::path::Path::new(file).parent().unwrap()).unwrap();
    }
}

/// The futures of a store may be spawned.
pub(crate) async fn calls_may_be_spawned(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let counting = tokio::spawn(async move {
        store.load_counts(masters()).await?;
        store.set_structures(Vec::new()).await?;
        store.node(after("e4"), None).await
    });
    assert_eq!(counting.await.unwrap().unwrap().unwrap().game_count(), 3);
}
