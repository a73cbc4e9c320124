//! The opening knowledge base: what a load replaces, and what it leaves as it was.

use pgn_import::Journal;
use tabiya_chess::{Outcome, Stats};
use tabiya_store::{Identity, Load, NodeSource, StoreError, StoreOptions, Stub};

use crate::book::{GAMES, KINGS_PAWN, LINES, after, collection, graph, import, load, masters, openings};
use crate::fixture::{Fixture, Kind};
use crate::rows::{Line, at, job};

pub(crate) async fn a_collection_is_replaced_whole(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let names_only = store.dump_knowledge().await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let first = store.dump_knowledge().await.unwrap();
    assert_ne!(first, names_only);
    store.load_counts(masters()).await.unwrap();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    assert_eq!(store.dump_knowledge().await.unwrap(), first);

    // Without the Sicilian game 1.e4 has one answer left, and the queen's pawn is gone altogether.
    store
        .queue_reviews(
            "structure",
            vec![(after("d4"), "?".to_owned()), (after("d4 d5 c4"), "?".to_owned())],
        )
        .await
        .unwrap();
    assert!(
        store
            .answer_review(after("d4 d5 c4"), "structure", "Closed")
            .await
            .unwrap()
    );
    store
        .load_counts(load(collection("masters"), &GAMES[..2]))
        .await
        .unwrap();
    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert_eq!(
        (
            node.game_count(),
            node.is_branching,
            node.children.len(),
            node.top_games.len()
        ),
        (2, false, 1, 0)
    );
    let changes = store.changelog(after("e4")).await.unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|c| (c.field.as_str(), c.old_value.as_deref(), c.new_value.as_deref()))
        .collect();
    let (yes, no) = (Some("true"), Some("false"));
    assert_eq!(
        changes,
        [("is_branching_node", no, yes), ("is_branching_node", yes, no)]
    );
    assert_eq!(store.node(after("d4"), None).await.unwrap(), None);
    // Open questions go with the node; the answer waits for its return.
    let left: Vec<_> = store
        .reviews(false)
        .await
        .unwrap()
        .into_iter()
        .map(|r| r.node)
        .collect();
    assert_eq!(left, [after("d4 d5 c4")]);
    store.load_counts(masters()).await.unwrap();
    let node = store.node(after("d4 d5 c4"), None).await.unwrap().unwrap();
    assert_eq!(node.structure.as_deref(), Some("Closed"));

    // Counts gone, names stay.
    store
        .load_counts(Load {
            counts: vec![tabiya_store::CollectionCounts::new(collection("masters"))],
            ..Load::default()
        })
        .await
        .unwrap();
    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert_eq!((node.source, node.stats), (NodeSource::Openings, Stats::default()));
    assert_eq!(store.knowledge_graph(None).await.unwrap().nodes.len(), 8);
}

/// What is known of a node stays when one load moves it from a collection to another.
pub(crate) async fn a_node_may_move_between_collections(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let (old, new) = (("a4 a5", Outcome::Draw, 2000), ("h4 h5", Outcome::Draw, 2000));
    let both = |first: &[_], second: &[_]| {
        let (mut one, two) = (load(collection("one"), first), load(collection("two"), second));
        one.graph = graph(&["a4 a5", "h4 h5"]);
        one.counts.extend(two.counts);
        one
    };
    store.load_counts(both(&[old], &[new])).await.unwrap();
    store
        .set_lineage(vec![(after("a4"), KINGS_PAWN)], vec![])
        .await
        .unwrap();
    let reading = fixture.reading().await;
    let before = reading.node(after("a4"), None).await.unwrap().unwrap();
    assert!(before.opening.is_some());
    store.load_counts(both(&[new], &[old])).await.unwrap();
    let reading = fixture.reading().await;
    assert_eq!(reading.node(after("a4"), None).await.unwrap().unwrap(), before);
    assert_eq!(reading.node(after("a4"), Some("one")).await.unwrap(), None);
    assert_eq!(store.changelog(after("")).await.unwrap().len(), 1);
}

pub(crate) async fn stubs_outlive_builds(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let stub = |count| Stub {
        line: graph(&["d4 Nf6 c4 g6"]),
        node: after("d4 Nf6 c4 g6"),
        count,
    };
    store.add_stubs(vec![stub(12)]).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let reading = fixture.reading().await;
    let node = reading.node(after("d4 Nf6 c4 g6"), None).await.unwrap().unwrap();
    assert_eq!(
        (node.source, node.stub_count, node.game_count()),
        (NodeSource::Validation, 12, 0)
    );
    let on_the_way = reading.node(after("d4"), None).await.unwrap().unwrap();
    assert_eq!(
        (on_the_way.source, on_the_way.stub_count, on_the_way.is_branching),
        (NodeSource::Corpus, 0, true)
    );
    assert_eq!(reading.node(after("d4 Nf6"), Some("masters")).await.unwrap(), None);
    store.add_stubs(vec![stub(15), stub(15)]).await.unwrap();
    let reading = fixture.reading().await;
    assert_eq!(
        reading
            .node(after("d4 Nf6 c4 g6"), None)
            .await
            .unwrap()
            .unwrap()
            .stub_count,
        15
    );
}

/// The source of a node does not tell which build came first.
pub(crate) async fn the_order_of_builds_does_not_show(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let expected = store.dump_knowledge().await.unwrap();
    let another = Fixture::new(kind).await;
    let store = another.store();
    store.load_counts(masters()).await.unwrap();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    assert_eq!(store.dump_knowledge().await.unwrap(), expected);
}

/// Two ways to one position, one of them a repertoire's and shorter: positions' plies and clocks follow all edges, while the line
/// without games stays out.
pub(crate) async fn repertoires_share_the_graph_and_stay_out(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    // By 1.e3 and 2.e4 the position of 1.e4 e6 arises two plies late.
    store
        .load_counts(load(collection("slow"), &[("e3 e6 e4 d5", Outcome::Draw, 2000)]))
        .await
        .unwrap();
    let late = store.node(after("e4 e6 a3 a6 a4"), None).await.unwrap();
    assert_eq!(late, None);
    let slow = store.node(after("e3 e6 e4"), None).await.unwrap().unwrap();
    assert!(slow.fen.ends_with(" 0 2") && slow.ply == 3, "{}", slow.fen);

    import(&mut store, "e4 e6 d4").await;
    assert_eq!(store.node(after("e4"), None).await.unwrap(), None);
    assert_eq!(store.knowledge_graph(None).await.unwrap().nodes.len(), 5);

    // A load that meets stored edges leaves everything settled.
    store
        .load_counts(load(
            collection("more"),
            &[
                ("e3 e6 e4 d5 d4", Outcome::Draw, 2000),
                ("e3 e6 d3 d5 d4", Outcome::Draw, 2000),
            ],
        ))
        .await
        .unwrap();
    let before = store.dump_positions().await.unwrap();
    let whole = Fixture::new(kind).await;
    let mut together = whole.store();
    let all = graph(&["e3 e6 e4 d5 d4", "e3 e6 d3 d5 d4", "e4 e6 d4"]);
    together
        .load_counts(Load {
            graph: all,
            counts: Vec::new(),
        })
        .await
        .unwrap();
    together.settle().await.unwrap();
    assert_eq!(together.dump_positions().await.unwrap(), before);
}

pub(crate) async fn a_literal_tree_has_no_knowledge_base(kind: Kind) {
    let options = StoreOptions {
        identity: Some(Identity::FullFen),
        ..StoreOptions::default()
    };
    let fixture = Fixture::new_with(kind, options).await;
    let store = fixture.store();
    let error = store.load_counts(masters()).await.unwrap_err();
    assert!(matches!(error, StoreError::IdentityMismatch { .. }), "{error:?}");
    let error = store.knowledge_graph(None).await.unwrap_err();
    assert!(matches!(error, StoreError::IdentityMismatch { .. }), "{error:?}");
}

/// Rows that refuse to go in take the whole load with them.
pub(crate) async fn a_load_that_fails_leaves_nothing(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let dump = store.dump_knowledge().await.unwrap();
    let positions = store.dump_positions().await.unwrap();
    let mut twice = masters();
    let again = twice.counts[0].nodes[0];
    twice.counts[0].nodes.push(again);
    store.load_counts(twice).await.unwrap_err();
    let mut wrong = masters();
    wrong.graph.nodes[0].epd = "8/8/8/8/8/8/8/8 w - -".to_owned();
    let error = store.load_counts(wrong).await.unwrap_err();
    assert!(matches!(error, StoreError::Malformed { .. }), "{error:?}");
    assert_eq!(store.dump_knowledge().await.unwrap(), dump);
    assert_eq!(store.dump_positions().await.unwrap(), positions);
    // The handle still works, for imports too.
    let batch = Line::from_start(&[0, 1, 2]).batch(None);
    store.commit(&job("a"), batch, &at(1)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
}
