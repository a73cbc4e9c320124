//! The opening knowledge base: questions that a person is asked, and whose answer counts.

use tabiya_chess::Outcome;
use tabiya_store::StructureBy;

use crate::book::{after, collection, load, masters};
use crate::fixture::{Fixture, Kind};

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
