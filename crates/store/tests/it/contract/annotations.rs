//! What nodes show of it, and annotating while others write.

use shakmaty::Chess;
use tabiya_chess::{Eval, Outcome, PositionId, SearchLimit, StoredEval};
use tabiya_store::{
    BestMove, CollectionCounts, EvaluationCoverage, KnowledgeNode, Load, NodeAnnotation, NodeEvaluation, StructureBy,
};

use super::evaluations::analysis;
use crate::book::{LINES, after, board, collection, graph, load, masters, openings};
use crate::fixture::{Fixture, Kind};
use crate::volume::tree;

fn annotation(node: PositionId, eval: Eval, depth: u8) -> NodeAnnotation {
    NodeAnnotation {
        node,
        eval: eval.into(),
        depth,
        best_move: Some(BestMove {
            san: "Nf3".to_owned(),
            uci: "g1f3".to_owned(),
        }),
        engine: "Stockfish 17".to_owned(),
    }
}

pub(crate) async fn an_evaluation_is_shown_at_its_node(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let mut answer = analysis("Stockfish 17", SearchLimit::depth(22), 22, &["e7e5", "c7c5"]);
    answer.lines[0].eval = Eval::Cp(-60);
    let found = NodeAnnotation::of(&board("e4"), &answer).unwrap();
    let before = store.node(after("e4"), None).await.unwrap().unwrap();
    store
        .annotate_nodes(vec![
            found,
            annotation(after(""), Eval::Cp(-300), 20),
            // Of two the deeper.
            annotation(after("e4 e5"), Eval::Cp(9000), 20),
            annotation(after("e4 e5"), Eval::Cp(0), 19),
            annotation(after("e4 c5"), Eval::Mate(-2), 18),
            annotation(after("h4 h5"), Eval::Cp(0), 18),
        ])
        .await
        .unwrap();

    let written = store;
    let store = fixture.reading().await;
    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert_eq!(
        node.evaluation,
        Some(NodeEvaluation {
            eval: StoredEval { cp: -60, mate: None },
            depth: 22,
            best_move: Some(BestMove {
                san: "e5".to_owned(),
                uci: "e7e5".to_owned()
            }),
            is_dubious: true,
            is_busted: false,
            engine: "Stockfish 17".to_owned(),
        })
    );
    assert_eq!(
        (node.stockfish_eval(), node.mate(), node.stockfish_depth()),
        (Some(-60), None, Some(22))
    );
    assert_eq!(node.best_move().map(|best| best.san.as_str()), Some("e5"));
    assert!(node.is_dubious() && !node.is_busted());
    assert_eq!(node.updated_at, before.updated_at);
    let judged = async |line: &str| {
        let node = store.node(after(line), None).await.unwrap().unwrap();
        (node.stockfish_eval(), node.mate(), node.is_dubious(), node.is_busted())
    };
    // Nobody moved to the initial position; Black moved to the others.
    assert_eq!(judged("").await, (Some(-300), None, false, false));
    assert_eq!(judged("e4 e5").await, (Some(1500), None, true, true));
    assert_eq!(judged("e4 c5").await, (Some(-1000), Some(-2), false, false));
    assert_eq!(judged("d4").await, (None, None, false, false));
    assert_eq!(store.node(after("h4 h5"), None).await.unwrap(), None);
    let seen = store.knowledge_graph(None).await.unwrap();
    let same = seen.nodes.iter().find(|n| n.id == after("e4")).unwrap();
    assert_eq!(same.evaluation, node.evaluation);

    // What no node can have is refused, and nothing is written.
    let mut wrong = annotation(after("d4"), Eval::Cp(0), 1);
    wrong.eval.cp = 1501;
    let refused = written
        .annotate_nodes(vec![annotation(after("d4 d5"), Eval::Cp(0), 1), wrong])
        .await;
    assert!(refused.unwrap_err().to_string().contains("1501"));
    assert_eq!(judged("d4 d5").await, (None, None, false, false));
}

pub(crate) async fn changed_evaluations_are_logged(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let node = after("e4");
    let annotate = async |eval, depth| store.annotate_nodes(vec![annotation(node, eval, depth)]).await.unwrap();
    annotate(Eval::Cp(30), 18).await;
    let first = store.node(node, None).await.unwrap().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    annotate(Eval::Cp(30), 18).await;
    assert_eq!(store.node(node, None).await.unwrap().unwrap(), first);
    assert_eq!(store.changelog(node).await.unwrap(), []);

    annotate(Eval::Mate(-4), 22).await;
    let second = store.node(node, None).await.unwrap().unwrap();
    assert!(second.updated_at > first.updated_at);
    let text = |text: Option<String>| text.unwrap_or("nothing".to_owned());
    let mut changes: Vec<_> = store
        .changelog(node)
        .await
        .unwrap()
        .into_iter()
        .map(|c| format!("{}: {} to {}", c.field, text(c.old_value), text(c.new_value)))
        .collect();
    changes.sort();
    assert_eq!(
        changes,
        [
            "is_busted: false to true",
            "is_dubious: false to true",
            "mate: nothing to -4",
            "stockfish_depth: 18 to 22",
            "stockfish_eval: 30 to -1000",
        ]
    );
}

pub(crate) async fn evaluations_outlive_builds(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let nodes = [after("e4"), after("d4 d5")];
    store
        .annotate_nodes(nodes.iter().map(|node| annotation(*node, Eval::Cp(20), 20)).collect())
        .await
        .unwrap();
    let before = store.dump_knowledge().await.unwrap();
    store.load_counts(masters()).await.unwrap();
    assert_eq!(store.dump_knowledge().await.unwrap(), before);

    // A build without the position, and one with it again.
    store
        .load_counts(load(collection("masters"), &[("c4", Outcome::Draw, 2000)]))
        .await
        .unwrap();
    assert_eq!(store.node(after("e4"), None).await.unwrap(), None);
    assert_eq!(store.evaluation_coverage().await.unwrap().evaluated, 0);
    assert!(
        !store
            .dump_knowledge()
            .await
            .unwrap()
            .iter()
            .any(|line| line.starts_with("node evaluation"))
    );
    store.load_counts(masters()).await.unwrap();
    assert_eq!(store.dump_knowledge().await.unwrap(), before);
}

pub(crate) async fn coverage_tells_kinds_of_nodes_apart(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    assert_eq!(
        store.evaluation_coverage().await.unwrap(),
        EvaluationCoverage::default()
    );
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    store
        .annotate_nodes(vec![annotation(after("e4"), Eval::Cp(20), 20)])
        .await
        .unwrap();

    let seen = store.knowledge_graph(None).await.unwrap();
    let branching = seen.nodes.iter().filter(|node| node.is_branching).count();
    let goes_on = |node: &KnowledgeNode| seen.edges.iter().any(|edge| edge.parent == node.id);
    let terminal = seen.nodes.iter().filter(|node| !goes_on(node)).count();
    assert!(branching > 0 && terminal > 0 && branching + terminal < seen.nodes.len());
    let expected = EvaluationCoverage {
        nodes: seen.nodes.len() as u64,
        evaluated: 1,
        branching: branching as u64,
        branching_evaluated: 1,
        terminal: terminal as u64,
        terminal_evaluated: 0,
    };
    assert_eq!(store.evaluation_coverage().await.unwrap(), expected);
}

pub(crate) async fn single_questions_are_added_and_taken_back(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let (one, two) = (after("e4"), after("d4"));
    let ask = |node, detail: &str| vec![(node, detail.to_owned())];
    store
        .add_reviews("evaluation", ask(one, "far from its neighbours"))
        .await
        .unwrap();
    store
        .add_reviews("evaluation", ask(two, "far from its neighbours"))
        .await
        .unwrap();
    let open = async || {
        let open = store.reviews(true).await.unwrap();
        let mut open: Vec<_> = open.into_iter().map(|r| (r.node == one, r.detail)).collect();
        open.sort();
        open
    };
    let far = || "far from its neighbours".to_owned();
    assert_eq!(open().await, [(false, far()), (true, far())]);
    store.add_reviews("evaluation", ask(one, "farther")).await.unwrap();
    assert_eq!(open().await, [(false, far()), (true, "farther".to_owned())]);
    // Answered, it is neither asked again nor taken back.
    assert!(store.answer_review(one, "evaluation", "fine").await.unwrap());
    store.add_reviews("evaluation", ask(one, "farthest")).await.unwrap();
    store.withdraw_reviews("evaluation", vec![one, two, two]).await.unwrap();
    assert_eq!(open().await, []);
    let all = store.reviews(false).await.unwrap();
    assert_eq!((all.len(), all[0].detail.as_str()), (1, "farther"));
}

/// Builds replace a collection of twenty thousand nodes while others annotate it, name structures, put evaluations and
/// read, each in a handle of its own: nobody fails, and all that was written is there.
pub(crate) async fn annotating_goes_on_while_a_build_writes(kind: Kind) {
    const SIZE: u32 = 20_000;
    let fixture = Fixture::new(kind).await;
    let whole = tree(SIZE);
    fixture.store().load_counts(whole.clone()).await.unwrap();
    let ids: Vec<PositionId> = whole.graph.nodes.iter().map(|node| node.id).collect();

    let builder = fixture.another().await;
    let building = tokio::spawn(async move {
        // A smaller collection beside the whole one, there and away again, and the whole one anew.
        let mut some = CollectionCounts::new(collection("some"));
        some.nodes = whole.counts[0].nodes[..7000].to_vec();
        for _ in 0..2 {
            let load = Load {
                counts: vec![some.clone()],
                ..Load::default()
            };
            builder.load_counts(load).await.unwrap();
            builder.load_counts(whole.clone()).await.unwrap();
        }
    });
    let annotator = fixture.another().await;
    let of_annotator = ids.clone();
    let annotating = tokio::spawn(async move {
        for (ids, depth) in of_annotator.chunks(1000).zip(1..) {
            let rows = ids
                .iter()
                .map(|id| annotation(*id, Eval::Cp(depth.into()), depth))
                .collect();
            annotator.annotate_nodes(rows).await.unwrap();
        }
    });
    let namer = fixture.another().await;
    let of_namer = ids.clone();
    let naming = tokio::spawn(async move {
        for ids in of_namer.chunks(2000) {
            let rows = ids
                .iter()
                .map(|id| (*id, "Open".to_owned(), StructureBy::Rule))
                .collect();
            namer.set_structures(rows).await.unwrap();
        }
    });
    let engine = fixture.another().await;
    let putting = tokio::spawn(async move {
        for depth in 1..20 {
            let answer = analysis("Stockfish 17", SearchLimit::depth(depth), depth, &["e2e4"]);
            engine.put_analyses(vec![(Chess::default(), answer)]).await.unwrap();
            let reader = engine.node(ids[0], None).await.unwrap();
            assert_eq!(reader.unwrap().ply, 0);
        }
    });
    for task in [building, annotating, naming, putting] {
        task.await.unwrap();
    }

    let store = fixture.store();
    let seen = store.knowledge_graph(None).await.unwrap();
    assert_eq!(seen.nodes.len(), SIZE as usize);
    assert!(seen.nodes.iter().all(|node| node.structure.as_deref() == Some("Open")));
    let depths = seen
        .nodes
        .iter()
        .filter_map(|node| node.evaluation.as_ref())
        .map(|e| u32::from(e.depth));
    assert_eq!(depths.sum::<u32>(), (1..=20).sum::<u32>() * 1000);
    let coverage = store.evaluation_coverage().await.unwrap();
    assert_eq!(
        (coverage.evaluated, coverage.branching_evaluated),
        (SIZE.into(), coverage.branching)
    );
    assert_eq!(store.evaluation_counts().await.unwrap().evaluations, 19);
}

/// More tasks than connections wait for one who takes longer than it takes a server to count as lost.
pub(crate) async fn a_crowd_waits_for_a_long_change(kind: Kind) {
    let options = tabiya_store::StoreOptions {
        connect_timeout: std::time::Duration::from_millis(300),
        max_connections: 2,
        ..Default::default()
    };
    let fixture = Fixture::new_with(kind, options).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let builder = fixture.another().await;
    let mut large = tree(40_000);
    large.counts[0].collection = collection("club");
    let building = tokio::spawn(async move { builder.load_counts(large).await.unwrap() });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let crowd: Vec<_> = (0..8u8)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .annotate_nodes(vec![annotation(after("e4"), Eval::Cp(n.into()), n)])
                    .await
                    .unwrap();
                assert!(store.node(after("e4"), None).await.unwrap().is_some());
                store
                    .set_structures(vec![(after("d4"), "Open".to_owned(), StructureBy::Rule)])
                    .await
                    .unwrap();
            })
        })
        .collect();
    for one in crowd {
        one.await.unwrap();
    }
    building.await.unwrap();
    assert_eq!(store.changelog(after("e4")).await.unwrap().len(), 14);
}
