//! A knowledge base of real size: how long it takes, and that it comes back whole. `TABIYA_SOAK` makes it large.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use shakmaty::{Chess, Position};
use tabiya_chess::{Analysis, Eval, PositionId, Question, SearchLimit, Stats};
use tabiya_store::{CollectionCounts, Graph, GraphEdge, GraphNode, Load, NodeAnnotation};

use crate::book::collection;
use crate::contract::evaluations::analysis;
use crate::fixture::{Fixture, Kind};
use crate::rows::{Random, key};

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
    store.set_lineage(lineage, vec![]).await.unwrap();
    took.push(("lineage", start.elapsed()));
    let start = Instant::now();
    let evaluations = graph.nodes.iter().filter(|n| n.is_branching).map(|n| NodeAnnotation {
        node: n.id,
        eval: Eval::Cp(-20).into(),
        depth: 20,
        best_move: None,
        engine: "Stockfish 17".to_owned(),
    });
    store.annotate_nodes(evaluations.collect()).await.unwrap();
    took.push(("annotate", start.elapsed()));
    let start = Instant::now();
    let coverage = store.evaluation_coverage().await.unwrap();
    took.push(("coverage", start.elapsed()));
    assert_eq!(
        (coverage.branching_evaluated, coverage.branching, coverage.evaluated),
        (u64::from(size / 3), u64::from(size / 3), u64::from(size / 3))
    );
    #[expect(clippy::print_stdout, reason = "shown by `make soak`")]
    {
        println!("{kind:?}, {size} nodes: {took:.2?}");
    }
}

/// Positions of games in which everybody moves at random, each with an answer of ten moves.
fn answers(size: usize) -> Vec<(Chess, Analysis)> {
    let mut random = Random::new(11);
    let mut seen = HashSet::new();
    let mut answers = Vec::with_capacity(size);
    let mut board = Chess::default();
    while answers.len() < size {
        let moves = board.legal_moves();
        if moves.is_empty() || board.fullmoves().get() > 60 {
            board = Chess::default();
            continue;
        }
        let next = moves[random.below(u32::try_from(moves.len()).unwrap()) as usize];
        if board.fullmoves().get() > 3 && seen.insert(PositionId::of(&board)) {
            let mut answer = analysis("lichess cloud", SearchLimit::depth(30), 30, &["e2e4"]);
            answer.lines[0].moves = vec![answer.lines[0].moves[0]; 10];
            answer.nodes = answers.len() as u64;
            answers.push((board.clone(), answer));
        }
        board.play_unchecked(next);
    }
    answers
}

async fn put_and_find(kind: Kind) {
    let size = if std::env::var_os("TABIYA_SOAK").is_some() {
        400_000
    } else {
        8_000
    };
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let answers = answers(size);
    let mut took = Vec::new();
    for what in ["put", "put again"] {
        let mut spent = Duration::ZERO;
        for batch in answers.chunks(10_000) {
            let batch = batch.to_vec();
            let start = Instant::now();
            store.put_analyses(batch).await.unwrap();
            spent += start.elapsed();
        }
        took.push((what, spent));
    }
    let question = Question {
        limit: SearchLimit::depth(20),
        multipv: 1,
        engine: None,
    };
    let asked: Vec<_> = answers
        .iter()
        .map(|(board, _)| (board.clone(), question.clone()))
        .collect();
    let start = Instant::now();
    let found = store.find_analyses(&asked).await.unwrap();
    took.push(("find", start.elapsed()));
    assert!(
        found
            .iter()
            .zip(&answers)
            .all(|(found, (_, put))| found.as_ref() == Some(put))
    );
    assert_eq!(store.evaluation_counts().await.unwrap().positions, size as u64);
    #[expect(clippy::print_stdout, reason = "shown by `make soak`")]
    {
        println!("{kind:?}, {size} evaluations: {took:.2?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_evaluations_sqlite() {
    put_and_find(Kind::SqliteFile).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_evaluations_postgres() {
    put_and_find(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_sqlite() {
    load_and_read(Kind::SqliteFile).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_postgres() {
    load_and_read(Kind::Postgres).await;
}
