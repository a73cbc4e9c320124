//! The numbers of nodes: those along the moves of the knowledge base, whatever else the database has.

use pgn_import::{Position, Storage};
use tabiya_chess::{Outcome, PositionId};
use tabiya_store::{Load, Store};

use crate::book::{after, collection, graph_node, import, load};
use crate::fixture::{Fixture, Kind};

/// The position after three moves each, at which the short line arrives in two.
const LONG: &str = "h3 a6 g3 b6 h4 a5";
const SHORT: &str = "h4 a5 g3 b6";

fn slow() -> Load {
    load(collection("slow"), &[(LONG, Outcome::Draw, 2000)])
}

/// A chapter of a study that begins at a position of the line.
async fn import_root(store: &mut Store) {
    let root = graph_node("h3 a6 g3");
    let position = Position {
        id: root.id.get(),
        fen: format!("{} 0 1", root.epd),
        side_to_move: 'b',
        ply: 0,
    };
    store.upsert_positions(vec![position]).await.unwrap();
}

async fn numbers(store: &Store) -> Vec<(PositionId, u16, u16)> {
    let graph = store.knowledge_graph(None).await.unwrap();
    graph
        .nodes
        .iter()
        .map(|node| (node.id, node.ply, node.halfmove))
        .collect()
}

async fn assert_as_alone(store: &Store, alone: &[(PositionId, u16, u16)]) {
    assert_eq!(numbers(store).await, alone);
    let node = store.node(after(LONG), None).await.unwrap().unwrap();
    assert_eq!((node.ply, node.move_number), (6, 3));
    assert!(node.fen.ends_with(" w KQkq - 0 4"), "{}", node.fen);
}

pub(crate) async fn imports_leave_the_numbers_of_nodes_alone(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(slow()).await.unwrap();
    let alone = numbers(&store).await;
    assert_as_alone(&store, &alone).await;

    for is_first in [true, false] {
        let fixture = Fixture::new(kind).await;
        let mut store = fixture.store();
        if is_first {
            import(&mut store, SHORT).await;
            import_root(&mut store).await;
            store.load_counts(slow()).await.unwrap();
        } else {
            store.load_counts(slow()).await.unwrap();
            import(&mut store, SHORT).await;
            assert_as_alone(&store, &alone).await;
            import_root(&mut store).await;
        }
        assert_as_alone(&store, &alone).await;
        store.load_counts(slow()).await.unwrap();
        assert_as_alone(&store, &alone).await;
    }
}

pub(crate) async fn moves_that_are_gone_leave_no_number_behind(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_counts(slow()).await.unwrap();
    let alone = numbers(&store).await;

    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let games = [(LONG, Outcome::Draw, 2000), (SHORT, Outcome::Draw, 2000)];
    store.load_counts(load(collection("slow"), &games)).await.unwrap();
    let near = store.node(after(LONG), None).await.unwrap().unwrap();
    assert_eq!(near.ply, 4);
    store.load_counts(slow()).await.unwrap();
    assert_as_alone(&store, &alone).await;
}

/// Not even where an import has left everything unsettled, as one that was killed does, or that goes on.
pub(crate) async fn who_looks_does_not_write(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    store.load_counts(slow()).await.unwrap();
    let mut watch = fixture.another().await.watch().await.unwrap();
    let settled = watch.mark().await.unwrap();
    import(&mut store, SHORT).await;
    let before = watch.mark().await.unwrap();
    assert_ne!(before, settled);
    assert!(store.node(after(LONG), None).await.unwrap().is_some());
    assert_eq!(store.collections().await.unwrap().len(), 1);
    store.knowledge_graph(None).await.unwrap();
    store.openings().await.unwrap();
    assert_eq!(watch.mark().await.unwrap(), before);
    store.dump_positions().await.unwrap();
    assert_ne!(watch.mark().await.unwrap(), before);
}
