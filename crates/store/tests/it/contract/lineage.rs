//! The opening knowledge base: which opening a position belongs to, and the log of what changes.

use tabiya_store::StructureBy;
use uuid::Uuid;

use crate::book::{BISHOPS, KINGS_PAWN, LINES, after, graph, masters, openings};
use crate::fixture::{Fixture, Kind};

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
