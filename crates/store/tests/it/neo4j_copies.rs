//! A copy in Neo4j is what was copied: the first time, after changes, and after it was broken off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pgn_import::Storage;
use shakmaty::Chess;
use tabiya_chess::{Analysis, Outcome, SearchLimit};
use tabiya_store::{KnowledgeGraph, ProjectOptions, ProjectPhase, ProjectReport, Store, StoreError, project};

use crate::book::{
    self, BISHOPS, GAMES, ITALIAN, LINES, after, board, collection, graph as lines, load, masters, openings,
};
use crate::contract::evaluations::{analysis, asking};
use crate::contract::knowledge::everything;
use crate::graph;
use crate::rows::tactic;
use crate::volume::tree;

async fn copy(source: &Store, url: &str) -> ProjectReport {
    project(source, url, &ProjectOptions::default(), &|_, _, _| ())
        .await
        .unwrap()
}

/// Answers about a position of the graph and one that is not in it; some are better, some have more lines.
fn answers() -> Vec<(Chess, Analysis)> {
    let by = |engine, depth, moves: &[&str]| analysis(engine, SearchLimit::depth(depth), depth, moves);
    vec![
        (Chess::default(), by("Stockfish 17", 22, &["e2e4", "d2d4"])),
        (Chess::default(), by("it's `a` cloud ♞", 40, &["e2e4"])),
        (board("a4 h5"), by("Stockfish 17", 18, &["b2b4"])),
    ]
}

/// All that can be read from either.
pub(crate) async fn told(store: &Store) -> Vec<String> {
    let mut told = Vec::new();
    let collections = store.collections().await.unwrap();
    told.push(format!("{collections:?}"));
    told.push(format!("{:?}", store.openings().await.unwrap()));
    told.push(format!("{:?}", store.structures().await.unwrap()));
    told.push(format!("{:?}", store.tactic_themes().await.unwrap()));
    told.push(format!(
        "{:?}",
        store.tactics_wanted(Default::default(), None, 1000).await.unwrap()
    ));
    let names: Vec<Option<&str>> = std::iter::once(None)
        .chain(collections.iter().map(|collection| Some(collection.name.as_str())))
        .collect();
    for name in &names {
        let graph = store.knowledge_graph(*name).await.unwrap();
        for node in &graph.nodes {
            told.push(format!("{name:?} {:?}", store.node(node.id, *name).await.unwrap()));
            if let Some(name) = name {
                told.push(format!("{name} {:?}", store.facets(node.id, name).await.unwrap()));
            }
        }
        told.push(format!("{graph:?}"));
    }
    for opening in openings() {
        told.push(format!("{:?}", store.transpositions_of(opening.id).await.unwrap()));
    }
    let mut questions = Vec::new();
    for position in [Chess::default(), board("a4 h5"), board("e4")] {
        for (depth, lines) in [(1, 1), (1, 2), (30, 1), (41, 1), (18, 0)] {
            questions.push((position.clone(), asking(SearchLimit::depth(depth), lines)));
        }
    }
    told.push(format!("{:?}", store.find_analyses(&questions).await.unwrap()));
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_told_as_the_source_tells_it() {
    let graph = graph::alone().await;
    let mut source = Store::connect("sqlite::memory:").await.unwrap();
    everything(&source).await;
    source
        .upsert_tactics(vec![
            tactic("1", &["a1a2"], &["fork", "mate"], Some("a")),
            tactic("2", &["a1a2"], &[], None),
        ])
        .await
        .unwrap();
    source.put_analyses(answers()).await.unwrap();
    let report = copy(&source, &graph.url).await;
    assert!(report.changed() && !report.stopped);
    assert_eq!((report.analyses.total, report.analyses.written), (3, 3));
    assert_eq!(report.positions.total, report.positions.written);
    let reading = Store::connect(&graph.url).await.unwrap();
    let expected = told(&source).await;
    let found = told(&reading).await;
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }

    // The same again writes nothing, and nobody has to look again.
    let mut watch = reading.watch().await.unwrap();
    let mark = watch.mark().await.unwrap();
    let again = copy(&source, &graph.url).await;
    assert!(!again.changed(), "{again:?}");
    assert_eq!(again.moves.total, report.moves.total);
    assert_eq!(watch.mark().await.unwrap(), mark);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_writes_what_changed_and_removes_what_went() {
    let graph = graph::alone().await;
    let mut source = Store::connect("sqlite::memory:").await.unwrap();
    everything(&source).await;
    source
        .upsert_tactics(vec![tactic("1", &["a1a2"], &["fork"], None)])
        .await
        .unwrap();
    source.put_analyses(answers()).await.unwrap();
    copy(&source, &graph.url).await;
    let reading = Store::connect(&graph.url).await.unwrap();
    let mut watch = reading.watch().await.unwrap();
    let before = watch.mark().await.unwrap();

    // One move fewer in one collection, another opening for one position, another meeting; all else as it was.
    source
        .load_counts(load(collection("masters"), &GAMES[..2]))
        .await
        .unwrap();
    source.set_lineage(vec![(after("e4"), BISHOPS)], vec![]).await.unwrap();
    source.replace_transpositions(Vec::new()).await.unwrap();
    source
        .replace_resolutions(vec![(ITALIAN, after("e4 e5"))])
        .await
        .unwrap();
    let deeper = analysis("Stockfish 17", SearchLimit::depth(22), 24, &["g1f3", "d2d4"]);
    source.put_analyses(vec![(Chess::default(), deeper)]).await.unwrap();
    let report = copy(&source, &graph.url).await;
    assert_eq!((report.analyses.total, report.analyses.written), (3, 1), "{report:?}");
    assert!(report.positions.removed > 0 && report.games.removed > 0, "{report:?}");
    assert!(report.positions.written < report.positions.total, "{report:?}");
    assert!(report.moves.written < report.moves.total, "{report:?}");
    assert_eq!((report.tactics.written, report.openings.written), (0, 0), "{report:?}");
    assert_ne!(watch.mark().await.unwrap(), before);
    assert_eq!(told(&reading).await, told(&source).await);

    // And back.
    source.load_counts(masters()).await.unwrap();
    everything(&source).await;
    copy(&source, &graph.url).await;
    assert_eq!(told(&reading).await, told(&source).await);

    // Another program's database, on the same graph: nothing of the first one is left.
    let other = Store::connect("sqlite::memory:").await.unwrap();
    other.load_openings(&openings()[1..], lines(&LINES[1..])).await.unwrap();
    let club = load(collection("club"), &[("d4 d5", Outcome::Draw, 1999)]);
    other.load_counts(club).await.unwrap();
    let report = copy(&other, &graph.url).await;
    assert_eq!((report.tactics.removed, report.openings.removed), (1, 1), "{report:?}");
    assert_eq!((report.analyses.total, report.analyses.removed), (0, 3), "{report:?}");
    assert_eq!(told(&reading).await, told(&other).await);
}

/// A place where a run says how far it is: what it is at, so many of so many.
type Place = (ProjectPhase, u64, u64);

/// Stops a first copy at a place, gives what the graph has by then, and goes on. What is there is not written again: that is all that
/// going on means, for a run that starts over ends with the same graph.
async fn stop_and_go_on(source: &Store, url: &str, is_there: impl Fn(Place) -> bool + Sync) -> KnowledgeGraph {
    let nothing = Store::connect("sqlite::memory:").await.unwrap();
    copy(&nothing, url).await;
    let stop = Arc::new(AtomicBool::new(false));
    let options = ProjectOptions {
        stop: Arc::clone(&stop),
        ..ProjectOptions::default()
    };
    let watch = |phase, done, total| {
        if is_there((phase, done, total)) {
            stop.store(true, Relaxed);
        }
    };
    let report = project(source, url, &options, &watch).await.unwrap();
    assert!(report.stopped, "{report:?}");
    let reading = Store::connect(url).await.unwrap();
    let landed = reading.knowledge_graph(None).await.unwrap();
    let (positions, moves) = (landed.nodes.len() as u64, landed.edges.len() as u64);

    let rest = copy(source, url).await;
    assert!(!rest.stopped, "{rest:?}");
    assert!(positions > 0, "it was stopped before anything was there");
    assert_eq!(
        (rest.positions.written, rest.moves.written),
        (rest.positions.total - positions, rest.moves.total - moves),
        "{positions} positions and {moves} moves were there: {rest:?}"
    );
    landed
}

/// Stopped in any phase, the next run comes to the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_stopped_is_gone_on_with() {
    let graph = graph::alone().await;
    let source = Store::connect("sqlite::memory:").await.unwrap();
    everything(&source).await;
    let all = source.knowledge_graph(None).await.unwrap();
    for (stopped_in, has_moves) in [
        (ProjectPhase::Positions, false),
        (ProjectPhase::Moves, true),
        (ProjectPhase::Games, true),
        (ProjectPhase::Openings, true),
    ] {
        let is_there = |(phase, done, _): Place| phase == stopped_in && done > 0;
        let landed = stop_and_go_on(&source, &graph.url, is_there).await;
        // So few positions are one batch, which is on its way when the run says so.
        assert_eq!(landed.nodes.len(), all.nodes.len(), "{stopped_in:?}");
        assert_eq!(!landed.edges.is_empty(), has_moves, "{stopped_in:?}");
        let reading = Store::connect(&graph.url).await.unwrap();
        assert_eq!(told(&reading).await, told(&source).await, "{stopped_in:?}");
    }
}

/// Stopped between two batches, a run leaves one part of the positions, or of the moves; the next one writes the other part.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_stopped_between_batches_leaves_the_rest_to_the_next() {
    let graph = graph::alone().await;
    let source = Store::connect("sqlite::memory:").await.unwrap();
    // Three batches of positions.
    source.load_counts(tree(6_000)).await.unwrap();
    let all = source.knowledge_graph(None).await.unwrap();
    for stopped_in in [ProjectPhase::Positions, ProjectPhase::Moves] {
        let is_there = |(phase, done, total): Place| phase == stopped_in && 0 < done && done < total;
        let landed = stop_and_go_on(&source, &graph.url, is_there).await;
        match stopped_in {
            ProjectPhase::Positions => assert!(landed.nodes.len() < all.nodes.len() && landed.edges.is_empty()),
            _ => assert!((1..all.edges.len()).contains(&landed.edges.len())),
        }
        let reading = Store::connect(&graph.url).await.unwrap();
        assert!(reading.knowledge_graph(None).await.unwrap() == all, "{stopped_in:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_later_of_two_runs_goes_on_alone() {
    let graph = graph::alone().await;
    let source = Store::connect("sqlite::memory:").await.unwrap();
    everything(&source).await;
    // In memory there is one connection, which the first run holds.
    let second = Store::connect("sqlite::memory:").await.unwrap();
    everything(&second).await;
    let url = graph.url.clone();
    let begun = AtomicBool::new(false);
    // The first has written positions when the second comes, and does not get to write moves.
    let watch = |_, _, _| {
        if !begun.swap(true, Relaxed) {
            let (url, second) = (url.clone(), second.clone());
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(copy(&second, &url));
            });
        }
    };
    let first = project(&source, &graph.url, &ProjectOptions::default(), &watch).await;
    let error = first.unwrap_err();
    assert!(matches!(error, StoreError::Superseded { .. }), "{error:?}");
    let reading = Store::connect(&graph.url).await.unwrap();
    assert_eq!(told(&reading).await, told(&second).await);
}

/// Texts of any kind go in and come out as they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_are_no_cypher() {
    let graph = graph::alone().await;
    let mut source = Store::connect("sqlite::memory:").await.unwrap();
    source.load_counts(masters()).await.unwrap();
    let strange = "'}) DETACH DELETE n // \" \\ ` $rows ♞\u{7}\n";
    let mut club = load(collection(strange), &[("e4 e5", Outcome::Black, 1990)]);
    club.counts[0].games = vec![book::game(7, strange)];
    club.counts[0].node_games = vec![book::listed("e4", tabiya_store::GameList::Top, 0, 7, "e7e5")];
    source.load_counts(club).await.unwrap();
    source
        .upsert_tactics(vec![tactic(strange, &["a1a2"], &[strange], Some(strange))])
        .await
        .unwrap();
    copy(&source, &graph.url).await;
    let reading = Store::connect(&graph.url).await.unwrap();
    assert_eq!(told(&reading).await, told(&source).await);
    let games = reading.listed_games(after("e4"), Some(strange)).await.unwrap();
    assert_eq!(games.top[0].game.white, strange);
    let error = reading.node(after("e4"), Some("' OR true")).await.unwrap_err();
    assert!(matches!(error, StoreError::NoCollection { .. }), "{error:?}");
}
