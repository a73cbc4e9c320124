//! The opening knowledge base: what explorers answered, and what they were caught at.

use tabiya_chess::Stats;
use tabiya_store::{
    Collection, CollectionCounts, CollectionSource, CrawlAnswer, GraphEdge, GraphNode, Load, NodeSource, Store,
};

use crate::book::{LINES, after, collection, graph, graph_node, last_move, openings};
use crate::fixture::{Fixture, Kind};

fn explorer() -> Collection {
    Collection {
        source: CollectionSource::Explorer,
        ..collection("lichess")
    }
}

fn answer(line: &str, depth: u16, games: u64, moves: &[(&str, u64)]) -> CrawlAnswer {
    let edges = moves
        .iter()
        .map(|(san, games)| {
            let whole = format!("{line} {san}");
            (last_move(&whole), graph_node(&whole), white_wins(*games))
        })
        .collect::<Vec<(GraphEdge, GraphNode, Stats)>>();
    CrawlAnswer {
        node: graph_node(line),
        depth,
        stats: white_wins(games),
        edges,
        flagged: None,
    }
}

fn white_wins(games: u64) -> Stats {
    Stats {
        white: games,
        ..Stats::default()
    }
}

pub(crate) async fn crawl(store: &Store) {
    let mut first = answer("e4 e5", 0, 100, &[("Nf3", 60), ("Bc4", 30)]);
    first.flagged = Some("the explorer offered e1e8".to_owned());
    store.commit_answer(&explorer(), first).await.unwrap();
    store
        .commit_answer(&explorer(), answer("e4 e5 Nf3", 1, 61, &[("Nc6", 40)]))
        .await
        .unwrap();
    store
        .commit_answer(&explorer(), answer("e4 e5 Nf3 Nc6", 2, 40, &[("Bc4", 21)]))
        .await
        .unwrap();
    store
        .commit_answer(&explorer(), answer("e4 e5 Bc4", 1, 30, &[("Nc6", 15)]))
        .await
        .unwrap();
    store
        .commit_answer(&explorer(), answer("e4 e5 Bc4 Nc6", 2, 15, &[("Nf3", 9)]))
        .await
        .unwrap();
}

pub(crate) async fn answers_of_an_explorer_are_kept_one_by_one(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    assert_eq!(store.crawled("lichess").await.unwrap(), []);
    crawl(&store).await;

    let crawled = store.crawled("lichess").await.unwrap();
    assert_eq!(crawled.len(), 5);
    assert!(crawled.is_sorted_by_key(|c| c.node.id));
    let first = crawled.iter().find(|c| c.node.id == after("e4 e5")).unwrap();
    assert_eq!(
        (&first.node, first.depth, first.stats),
        (&graph_node("e4 e5"), 0, white_wins(100))
    );
    let moves: Vec<_> = first
        .edges
        .iter()
        .map(|e| (e.uci.as_str(), e.child, e.stats.games()))
        .collect();
    assert_eq!(
        moves,
        [("f1c4", after("e4 e5 Bc4"), 30), ("g1f3", after("e4 e5 Nf3"), 60)]
    );

    // A position nobody asked about has the games of all moves that lead to it, in whatever order they came.
    let leaf = store.node(after("e4 e5 Nf3 Nc6 Bc4"), None).await.unwrap().unwrap();
    assert_eq!((leaf.game_count(), leaf.source), (30, NodeSource::Openings));
    let flagged = store.node(after("e4 e5"), None).await.unwrap().unwrap();
    assert_eq!(flagged.flagged.as_deref(), Some("the explorer offered e1e8"));
    assert_eq!((flagged.source, flagged.is_branching), (NodeSource::Openings, true));
    let questions = store.reviews(true).await.unwrap();
    assert_eq!(
        (questions[0].reason.as_str(), questions[0].epd.as_str()),
        ("flagged", graph_node("e4 e5").epd.as_str())
    );
    // What somebody has answered is not asked in other words.
    let asked = after("e4 e5");
    assert!(store.answer_review(asked, "flagged", "it castles").await.unwrap());
    let mut other = answer("e4 e5", 0, 100, &[("Nf3", 60), ("Bc4", 30)]);
    other.flagged = Some("the explorer offered e1e7".to_owned());
    store.commit_answer(&explorer(), other).await.unwrap();
    let all = store.reviews(false).await.unwrap();
    let question = all.iter().find(|one| one.reason == "flagged").unwrap();
    assert_eq!(question.detail, "the explorer offered e1e8");
    assert_eq!(question.answer.as_deref(), Some("it castles"));

    // A later answer takes the place of the first, and what only that one knew goes.
    store
        .commit_answer(&explorer(), answer("e4 e5", 0, 120, &[("Nf3", 70), ("d4", 10)]))
        .await
        .unwrap();
    assert!(
        store
            .node(after("e4 e5 d4"), None)
            .await
            .unwrap()
            .is_some_and(|n| n.source == NodeSource::Explorer)
    );
    store
        .commit_answer(&explorer(), answer("e4 e5", 0, 120, &[("Nf3", 70)]))
        .await
        .unwrap();
    assert_eq!(store.node(after("e4 e5 d4"), None).await.unwrap(), None);
    let again = store.node(after("e4 e5"), Some("lichess")).await.unwrap().unwrap();
    assert_eq!((again.game_count(), again.flagged), (120, None));
}

/// Whatever lies below a higher threshold goes, as if nobody had ever asked for it.
pub(crate) async fn answers_can_be_cut_to_those_with_more_games(kind: Kind) {
    let raised = Collection {
        min_games: 20,
        ..explorer()
    };
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    crawl(&store).await;
    let mut caught = answer("e4 e5 Bc4 Nc6", 2, 15, &[("Nf3", 9), ("d3", 6)]);
    caught.flagged = Some("the explorer offered e1e8".to_owned());
    store.commit_answer(&explorer(), caught).await.unwrap();
    let kept = vec![
        (after("e4 e5"), 0),
        (after("e4 e5 Nf3"), 1),
        (after("e4 e5 Nf3 Nc6"), 2),
        (after("e4 e5 Bc4"), 3),
    ];
    store.keep_answers(&raised, kept.clone()).await.unwrap();
    let cut = store.dump_knowledge().await.unwrap();

    let other = Fixture::new(kind).await;
    let asked = other.store();
    asked.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let mut first = answer("e4 e5", 0, 100, &[("Nf3", 60), ("Bc4", 30)]);
    first.flagged = Some("the explorer offered e1e8".to_owned());
    let answers = [
        first,
        answer("e4 e5 Nf3", 1, 61, &[("Nc6", 40)]),
        answer("e4 e5 Nf3 Nc6", 2, 40, &[("Bc4", 21)]),
        // Fewer games than the others need, but it is on a named line.
        answer("e4 e5 Bc4", 3, 30, &[("Nc6", 15)]),
    ];
    for answer in answers {
        asked.commit_answer(&raised, answer).await.unwrap();
    }
    assert_eq!(cut, asked.dump_knowledge().await.unwrap());
    assert_eq!(
        store.reviews(true).await.unwrap().len(),
        1,
        "the flag that was cut is gone"
    );
    assert_eq!(store.node(after("e4 e5 Bc4 Nc6 d3"), None).await.unwrap(), None);
    // A position with two ways of which one is left has the games of that one.
    let leaf = store.node(after("e4 e5 Nf3 Nc6 Bc4"), None).await.unwrap().unwrap();
    assert_eq!(leaf.game_count(), 21);

    store.keep_answers(&raised, kept.clone()).await.unwrap();
    assert_eq!(
        store.dump_knowledge().await.unwrap(),
        cut,
        "the same again changes nothing"
    );

    // Where another explorer was asked too, it may have been that one that was caught.
    let other = Collection {
        name: "other".to_owned(),
        ..explorer()
    };
    store
        .commit_answer(&raised, answer("e4 e5 Bc4 Nc6", 2, 15, &[]))
        .await
        .unwrap();
    let mut caught = answer("e4 e5 Bc4 Nc6", 2, 15, &[]);
    caught.flagged = Some("the explorer offered e1e7".to_owned());
    store.commit_answer(&other, caught).await.unwrap();
    store.keep_answers(&raised, kept).await.unwrap();
    let node = store.node(after("e4 e5 Bc4 Nc6"), None).await.unwrap().unwrap();
    assert_eq!(node.flagged.as_deref(), Some("the explorer offered e1e7"));
    assert_eq!(store.reviews(true).await.unwrap().len(), 2);
}

/// What an explorer was caught at goes with its answers.
pub(crate) async fn flags_go_with_the_answers_they_are_about(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    crawl(&store).await;
    assert_eq!(store.reviews(true).await.unwrap().len(), 1);
    let nothing = |collection| Load {
        counts: vec![CollectionCounts::new(collection)],
        ..Load::default()
    };
    // Another one's, who was asked there too, does not go with them.
    let other = Collection {
        name: "other".to_owned(),
        ..explorer()
    };
    let mut caught = answer("e4 e5", 0, 50, &[("Nf3", 30)]);
    caught.flagged = Some("the explorer offered e1e7".to_owned());
    store.commit_answer(&other, caught).await.unwrap();
    store.load_counts(nothing(explorer())).await.unwrap();
    let node = store.node(after("e4 e5"), None).await.unwrap().unwrap();
    assert_eq!(node.flagged.as_deref(), Some("the explorer offered e1e7"));
    assert_eq!(store.reviews(true).await.unwrap().len(), 1);
    store.load_counts(nothing(other)).await.unwrap();
    assert_eq!(store.crawled("lichess").await.unwrap(), []);
    assert_eq!(store.reviews(true).await.unwrap(), []);
    let node = store.node(after("e4 e5"), None).await.unwrap().unwrap();
    assert_eq!((node.flagged, node.stats.games()), (None, 0));
}

/// In whatever order they are asked.
pub(crate) async fn an_explorer_does_not_clear_what_another_was_caught_at(kind: Kind) {
    for is_caught_first in [true, false] {
        let fixture = Fixture::new(kind).await;
        let store = fixture.store();
        store.load_openings(&openings(), graph(&LINES)).await.unwrap();
        let mut caught = answer("e4 e5", 0, 50, &[("Nf3", 30)]);
        caught.flagged = Some("the explorer offered e1e7".to_owned());
        let honest = Collection {
            name: "honest".to_owned(),
            ..explorer()
        };
        let clean = answer("e4 e5", 0, 50, &[("Nf3", 30)]);
        if is_caught_first {
            store.commit_answer(&explorer(), caught).await.unwrap();
            store.commit_answer(&honest, clean).await.unwrap();
        } else {
            store.commit_answer(&honest, clean).await.unwrap();
            store.commit_answer(&explorer(), caught).await.unwrap();
        }
        let node = store.node(after("e4 e5"), None).await.unwrap().unwrap();
        assert_eq!(node.flagged.as_deref(), Some("the explorer offered e1e7"));
        assert_eq!(store.reviews(true).await.unwrap().len(), 1);
    }
}
