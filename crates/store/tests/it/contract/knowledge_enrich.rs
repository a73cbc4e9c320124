//! The opening knowledge base: crawls, stubs, and what is found out later.

use serde_json::json;
use tabiya_chess::{Outcome, Stats};
use tabiya_store::{
    BookMove, Collection, CollectionCounts, CollectionSource, CrawlAnswer, GraphEdge, GraphNode, Load, NodeSource,
    OpeningLink, Store, StructureBy, StructureLink, StructureRow, Stub,
};
use uuid::Uuid;

use crate::book::{
    BISHOPS, ITALIAN, KINGS_PAWN, LINES, after, collection, graph, graph_node, last_move, load, masters, openings,
};
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

pub(crate) async fn enrich(store: &Store) {
    store
        .set_lineage(vec![(after("e4"), KINGS_PAWN), (after("e4 e5"), KINGS_PAWN)], vec![])
        .await
        .unwrap();
    store
        .set_structures(vec![(after("d4 d5 c4"), "IQP".to_owned(), StructureBy::Rule)])
        .await
        .unwrap();
    store
        .replace_resolutions(vec![(ITALIAN, after("e4 e5 Nf3 Nc6 Bc4"))])
        .await
        .unwrap();
    store.replace_relations(vec![(ITALIAN, BISHOPS)]).await.unwrap();
    store
        .replace_transpositions(vec![link(BISHOPS, ITALIAN)])
        .await
        .unwrap();
    store.replace_structures(vec![structure()]).await.unwrap();
    let links = vec![StructureLink {
        structure: "iqp".to_owned(),
        opening: ITALIAN,
        nodes: 3,
        games: 17,
    }];
    store.replace_structure_links(links).await.unwrap();
    store
        .queue_reviews("structure", vec![(after("e4 c5"), "no rule fits".to_owned())])
        .await
        .unwrap();
    store
        .set_book_moves(vec![book_move("e4", "e7e5", 65535), book_move("", "e2e4", 1)])
        .await
        .unwrap();
    store
        .record_phase("count", "corpus 17", &json!({"games": 4}))
        .await
        .unwrap();
}

fn link(a: Uuid, b: Uuid) -> OpeningLink {
    OpeningLink {
        a,
        b,
        nodes: 2,
        games: 9,
        example: after("e4 e5 Nf3 Nc6 Bc4"),
    }
}

fn structure() -> StructureRow {
    StructureRow {
        id: Uuid::from_u128(77),
        slug: "iqp".to_owned(),
        name: "Isolated Queen's Pawn".to_owned(),
        description: "d-pawn without neighbours".to_owned(),
        plans_white: vec!["d4-d5".to_owned(), "Ne5".to_owned()],
        plans_black: vec!["blockade".to_owned()],
    }
}

fn book_move(line: &str, uci: &str, weight: u16) -> BookMove {
    BookMove {
        parent: after(line),
        uci: uci.to_owned(),
        weight,
    }
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
        answer("e4 e5 Bc4", 3, 30, &[]),
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

pub(crate) async fn changes_of_what_was_known_are_logged(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let node = after("e4 e5 Bc4");
    store
        .set_lineage(vec![(node, KINGS_PAWN), (after("h4"), KINGS_PAWN)], vec![])
        .await
        .unwrap();
    store
        .set_structures(vec![(node, "Open".to_owned(), StructureBy::Rule)])
        .await
        .unwrap();
    let first = store.node(node, None).await.unwrap().unwrap();
    assert_eq!(first.created_at, first.updated_at);
    assert_eq!(store.changelog(node).await.unwrap(), []);
    assert_eq!(store.node(after("h4"), None).await.unwrap(), None);

    // The same again is no change, something else is.
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.set_lineage(vec![(node, KINGS_PAWN)], vec![]).await.unwrap();
    store
        .set_structures(vec![(node, "Open".to_owned(), StructureBy::Rule)])
        .await
        .unwrap();
    assert_eq!(store.node(node, None).await.unwrap().unwrap(), first);
    store.set_lineage(vec![(node, BISHOPS)], vec![]).await.unwrap();
    store
        .set_structures(vec![(node, "Closed".to_owned(), StructureBy::Rule)])
        .await
        .unwrap();
    let second = store.node(node, None).await.unwrap().unwrap();
    assert_eq!(second.created_at, first.created_at);
    assert!(second.updated_at > first.updated_at);
    assert_eq!(
        (second.eco_code(), second.variation_name(), second.structure.as_deref()),
        (Some("C23"), Some("Some Variation, with a comma"), Some("Closed"))
    );
    let mut changes: Vec<_> = store
        .changelog(node)
        .await
        .unwrap()
        .into_iter()
        .map(|c| (c.field, c.old_value.unwrap(), c.new_value.unwrap()))
        .collect();
    changes.sort();
    assert_eq!(
        changes,
        [
            ("opening_id".to_owned(), KINGS_PAWN.to_string(), BISHOPS.to_string()),
            ("resulting_structure".to_owned(), "Open".to_owned(), "Closed".to_owned())
        ]
    );
}

/// Whatever becomes of a lineage is in the log, and nobody's is touched who is not named.
pub(crate) async fn what_becomes_of_a_lineage_is_logged(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    let (first, second) = (after("e4"), after("e4 e5"));
    let both = |opening| vec![(first, KINGS_PAWN), (second, opening)];
    store.set_lineage(both(KINGS_PAWN), vec![]).await.unwrap();
    store.set_lineage(vec![(first, KINGS_PAWN)], vec![]).await.unwrap();
    for node in [first, second] {
        assert!(store.node(node, None).await.unwrap().unwrap().opening.is_some());
    }
    store.set_lineage(both(BISHOPS), vec![]).await.unwrap();
    let (fewer, kept): (Vec<_>, Vec<_>) = openings().into_iter().partition(|opening| opening.id == BISHOPS);
    assert_eq!(fewer.len(), 1);
    store.load_openings(&kept, graph(&LINES)).await.unwrap();
    let lost = store.node(second, None).await.unwrap().unwrap();
    assert_eq!(lost.opening, None);
    // Who gets one again has had one before: it is in the log, and moves the time.
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.set_lineage(both(KINGS_PAWN), vec![]).await.unwrap();
    let back = store.node(second, None).await.unwrap().unwrap();
    assert!(back.opening.is_some() && back.updated_at > lost.updated_at, "{back:?}");

    let changes = store.changelog(second).await.unwrap().into_iter();
    let changes: Vec<_> = changes.map(|c| (c.field, c.old_value, c.new_value)).collect();
    let change = |old: Option<Uuid>, new: Option<Uuid>| {
        (
            "opening_id".to_owned(),
            old.map(|id| id.to_string()),
            new.map(|id| id.to_string()),
        )
    };
    assert_eq!(
        changes,
        [
            change(Some(KINGS_PAWN), Some(BISHOPS)),
            change(Some(BISHOPS), None),
            change(None, Some(KINGS_PAWN))
        ]
    );
    assert_eq!(store.changelog(first).await.unwrap(), []);
}

/// Whoever calls has looked at the graph some time ago.
pub(crate) async fn who_lies_below_no_name_any_more_loses_its_opening(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let (named, first, second, third) = (after("e4"), after("d4"), after("d4 d5"), after("d4 d5 c4"));
    let has = async |node| {
        store
            .node(node, None)
            .await
            .unwrap()
            .unwrap()
            .opening
            .map(|name| name.eco)
    };
    let all = |opening| vec![(first, opening), (second, opening), (third, opening)];
    let mut lineage = all(KINGS_PAWN);
    lineage.push((named, KINGS_PAWN));
    store.set_lineage(lineage, vec![]).await.unwrap();

    // From the first, which has one, a way leads to the second, and on to the third. A name is reason enough.
    store.set_lineage(vec![], all(KINGS_PAWN)[1..].to_vec()).await.unwrap();
    store.set_lineage(vec![], vec![(named, KINGS_PAWN)]).await.unwrap();
    for node in [named, first, second, third] {
        assert_eq!(has(node).await.as_deref(), Some("B00"));
        let changes = store.changelog(node).await.unwrap();
        assert!(changes.iter().all(|change| change.field != "opening_id"), "{changes:?}");
    }
    // So it does where the first has got another one since they were seen.
    store
        .set_lineage(vec![(first, BISHOPS)], all(KINGS_PAWN))
        .await
        .unwrap();
    for (node, opening) in [(first, "C23"), (second, "B00"), (third, "B00")] {
        assert_eq!(has(node).await.as_deref(), Some(opening));
    }

    // To these nobody leads any more but each other, and the third is another opening's.
    let seen = vec![(first, BISHOPS), (second, KINGS_PAWN), (third, KINGS_PAWN)];
    store.set_lineage(vec![(third, BISHOPS)], seen).await.unwrap();
    for (node, opening) in [(first, None), (second, None), (third, Some("C23"))] {
        assert_eq!(has(node).await.as_deref(), opening);
    }
    let changes = store.changelog(second).await.unwrap().into_iter();
    let changes: Vec<_> = changes.map(|c| (c.field, c.old_value, c.new_value)).collect();
    assert_eq!(changes, [("opening_id".to_owned(), Some(KINGS_PAWN.to_string()), None)]);
}

/// A person's word is about a position where lines end, and waits while they go on.
pub(crate) async fn an_answer_waits_while_lines_go_on(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let counted = |line: &str| load(collection("masters"), &[(line, Outcome::Draw, 2000)]);
    let node = after("d4 d5");
    let structure = async || store.node(node, None).await.unwrap().unwrap().structure;
    store.load_counts(counted("d4 d5")).await.unwrap();
    store
        .queue_reviews("structure", vec![(node, "no rule fits".to_owned())])
        .await
        .unwrap();
    assert!(store.answer_review(node, "structure", "Closed").await.unwrap());
    assert_eq!(structure().await.as_deref(), Some("Closed"));
    store.load_counts(counted("d4 d5 c4")).await.unwrap();
    store.clear_inner_structures().await.unwrap();
    store.load_counts(counted("d4 d5 c4")).await.unwrap();
    assert_eq!(structure().await, None);
    store.load_counts(counted("d4 d5")).await.unwrap();
    assert_eq!(structure().await.as_deref(), Some("Closed"));

    // Nor is it entered as long as they do, if that is when it comes.
    store.load_counts(counted("d4 d5 c4")).await.unwrap();
    store.clear_inner_structures().await.unwrap();
    assert!(store.answer_review(node, "structure", "Open").await.unwrap());
    assert_eq!(structure().await, None);
    store.load_counts(counted("d4 d5")).await.unwrap();
    assert_eq!(structure().await.as_deref(), Some("Open"));
}

pub(crate) async fn a_rule_leaves_a_persons_answer_alone(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(masters()).await.unwrap();
    let (one, two, three) = (after("e4 c5 Nf3"), after("d4 d5"), after("d4"));
    let ask = || vec![(one, "no rule fits".to_owned()), (two, "no rule fits".to_owned())];
    store.queue_reviews("structure", ask()).await.unwrap();
    store
        .queue_reviews("evaluation", vec![(one, "theory disagrees".to_owned())])
        .await
        .unwrap();
    assert_eq!(store.reviews(true).await.unwrap().len(), 3);
    assert!(store.answer_review(one, "structure", "Maróczy").await.unwrap());
    assert!(!store.answer_review(three, "structure", "IQP").await.unwrap());

    store
        .set_structures(vec![
            (one, "Unknown".to_owned(), StructureBy::Rule),
            (three, "Unknown".to_owned(), StructureBy::Rule),
        ])
        .await
        .unwrap();
    let node = store.node(one, None).await.unwrap().unwrap();
    assert_eq!(
        (node.structure.as_deref(), node.structure_by),
        (Some("Maróczy"), Some(StructureBy::Person))
    );
    let node = store.node(three, None).await.unwrap().unwrap();
    assert_eq!(
        (node.structure.as_deref(), node.structure_by),
        (Some("Unknown"), Some(StructureBy::Rule))
    );

    // Asked again, the answered one is not open; a question that is not asked again is gone; other reasons stay.
    store
        .queue_reviews("structure", vec![(one, "still".to_owned())])
        .await
        .unwrap();
    let open: Vec<_> = store
        .reviews(true)
        .await
        .unwrap()
        .into_iter()
        .map(|r| (r.node, r.reason))
        .collect();
    assert_eq!(open, [(one, "evaluation".to_owned())]);
    let all = store.reviews(false).await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].answer.as_deref(), Some("Maróczy"));
    store.load_counts(masters()).await.unwrap();
    assert_eq!(
        store.node(one, None).await.unwrap().unwrap().structure.as_deref(),
        Some("Maróczy")
    );
}

pub(crate) async fn links_structures_and_books_come_back(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    enrich(&store).await;
    let reading = fixture.reading().await;

    for (asked, other) in [(ITALIAN, BISHOPS), (BISHOPS, ITALIAN)] {
        let found = reading.transpositions_of(asked).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].opening, found[0].nodes, found[0].games), (other, 2, 9));
        assert_eq!(found[0].example, after("e4 e5 Nf3 Nc6 Bc4").into());
    }
    assert_eq!(reading.transpositions_of(KINGS_PAWN).await.unwrap(), []);
    let structures = reading.structures().await.unwrap();
    assert_eq!(structures.len(), 1);
    assert_eq!(structures[0].structure, structure());
    assert_eq!(
        (
            structures[0].arising_from[0].opening,
            structures[0].arising_from[0].games
        ),
        (ITALIAN, 17)
    );
    let mut moves = vec![book_move("e4", "e7e5", 65535), book_move("", "e2e4", 1)];
    moves.sort_by_key(|m| m.parent);
    assert_eq!(store.book_moves().await.unwrap(), moves);
    store.replace_transpositions(Vec::new()).await.unwrap();
    let reading = fixture.reading().await;
    assert_eq!(reading.transpositions_of(ITALIAN).await.unwrap(), []);
}

pub(crate) async fn phases_are_recorded_and_forgotten(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    assert_eq!(store.phase("eco").await.unwrap(), None);
    let figures = json!({"named": 3733, "list": [1, null, "x"]});
    store.record_phase("eco", "fingerprint 1", &figures).await.unwrap();
    store.record_phase("eco", "fingerprint 2", &figures).await.unwrap();
    store.record_phase("count", "", &json!(null)).await.unwrap();
    let phase = store.phase("eco").await.unwrap().unwrap();
    assert_eq!((phase.input.as_str(), &phase.figures), ("fingerprint 2", &figures));
    assert!(phase.done_at.ends_with('Z'), "{}", phase.done_at);
    // Who has begun may say what came of it, unless somebody has begun since.
    assert!(!store.finish_phase("eco", "fingerprint 1", "3", &figures).await.unwrap());
    assert_eq!(store.phase("eco").await.unwrap().unwrap().input, "fingerprint 2");
    assert!(store.finish_phase("eco", "fingerprint 2", "3", &figures).await.unwrap());
    assert_eq!(store.phase("eco").await.unwrap().unwrap().input, "3");
    assert!(!store.finish_phase("nothing", "", "3", &figures).await.unwrap());
    store.forget_phases(&["eco", "nothing"]).await.unwrap();
    assert_eq!(store.phase("eco").await.unwrap(), None);
    assert!(store.phase("count").await.unwrap().is_some());
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
