//! The opening knowledge base: what is found out later, and which phases were done.

use serde_json::json;
use tabiya_store::{BookMove, OpeningLink, Store, StructureBy, StructureLink, StructureRow};
use uuid::Uuid;

use crate::book::{BISHOPS, ITALIAN, KINGS_PAWN, LINES, after, graph, openings};
use crate::fixture::{Fixture, Kind};

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
