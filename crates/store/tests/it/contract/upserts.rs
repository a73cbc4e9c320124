use pgn_import::{Batch, Edge, Journal, Position, Storage};
use tabiya_store::{Identity, StoreError, StoreOptions};

use crate::fixture::{Fixture, Kind, content};
use crate::rows::{Line, at, edge, hash, job, join, membership, node_id, position, tactic};

fn error(error: &anyhow::Error) -> &StoreError {
    error.downcast_ref().unwrap_or_else(|| panic!("{error:?}"))
}

pub(crate) async fn what_is_written_is_read_back(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let line = Line::from_start(&[0, 1, 2, 3]);
    let mut batch = line.batch(Some("Study"));
    batch.tactics = vec![tactic("8/8 w - - 0 1", &["a1a2", "b1b2"], &["fork"], None)];
    batch.repertoire_edges = vec![membership("andy", "Italian", 0, 1)];
    store.upsert_positions(batch.positions.clone()).await.unwrap();
    store.upsert_edges(batch.edges.clone()).await.unwrap();
    store
        .upsert_repertoire_edges(batch.repertoire_edges.clone())
        .await
        .unwrap();
    store.upsert_tactics(batch.tactics.clone()).await.unwrap();

    let read = content(&store).await;
    batch.positions.sort_by_key(|p| p.id);
    batch.edges.sort_by_key(|e| e.id);
    assert_eq!(read.positions, batch.positions);
    assert_eq!(read.edges, batch.edges);
    assert_eq!(read.repertoire_edges, batch.repertoire_edges);
    assert_eq!(read.tactics, batch.tactics);
}

pub(crate) async fn the_same_again_changes_nothing(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let mut batch = join([
        Line::from_start(&[0, 1, 2, 3, 4]).batch(Some("a")),
        Line::from_start(&[0, 4, 5, 1]).batch(Some("b")),
    ]);
    batch.repertoire_edges = vec![membership("andy", "x", 0, 1), membership("andy", "x", 1, 2)];
    batch.tactics = vec![tactic("8/8 w - - 0 1", &["a1a2"], &["pin"], None)];
    let job = job("a.pgn");
    let first = store.commit(&job, batch.clone(), &at(10)).await.unwrap();
    assert_eq!(
        (first.positions, first.edges, first.repertoire_edges, first.tactics),
        (6, 7, 2, 1)
    );
    let before = content(&store).await;
    for _ in 0..2 {
        let again = store.commit(&job, batch.clone(), &at(10)).await.unwrap();
        assert_eq!(again, pgn_import::Inserted::default());
        assert_eq!(content(&store).await, before);
    }
}

pub(crate) async fn rows_may_come_in_any_order_of_kinds(kind: Kind) {
    let lines = [Line::from_start(&[0, 1, 2, 3, 4]), Line::from_start(&[0, 4, 2])];
    let batch = join(lines.iter().map(|line| line.batch(None)));
    let mut contents = Vec::new();
    for edges_first in [false, true] {
        let fixture = Fixture::new(kind).await;
        let mut store = fixture.store();
        if edges_first {
            store.upsert_edges(batch.edges.clone()).await.unwrap();
            store.settle().await.unwrap();
            store.upsert_positions(batch.positions.clone()).await.unwrap();
        } else {
            store.upsert_positions(batch.positions.clone()).await.unwrap();
            store.settle().await.unwrap();
            store.upsert_edges(batch.edges.clone()).await.unwrap();
        }
        contents.push(content(&store).await);
    }
    assert_eq!(contents[0], contents[1]);
    assert_eq!(contents[0].positions, crate::oracle::settled(&lines));
}

pub(crate) async fn a_batch_may_name_a_thing_twice(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let batch = Batch {
        positions: vec![position(1, 7, 3), position(1, 5, 2), position(1, 5, 10)],
        edges: vec![edge(1, 2, Some("b")), edge(1, 2, None), edge(1, 2, Some("a"))],
        repertoire_edges: vec![membership("o", "k", 1, 2), membership("o", "k", 1, 2)],
        tactics: vec![
            tactic("8/8 w - - 0 1", &["a1a2"], &["pin", "fork", "pin"], None),
            tactic("8/8 w - - 0 1", &["a1a2"], &["mate"], Some("x")),
        ],
        ..Batch::default()
    };
    let inserted = store.commit(&job("a"), batch, &at(1)).await.unwrap();
    assert_eq!(
        (
            inserted.positions,
            inserted.edges,
            inserted.repertoire_edges,
            inserted.tactics
        ),
        (1, 1, 1, 1)
    );
    let read = content(&store).await;
    // Of two clocks at one ply the smaller text: 10 is before 2.
    assert_eq!(read.positions, [position(1, 5, 10)]);
    assert_eq!(read.edges, [edge(1, 2, Some("a"))]);
    assert_eq!(read.tactics[0].tags, ["fork", "mate", "pin"]);
    assert_eq!(read.tactics[0].source_hint.as_deref(), Some("x"));
}

pub(crate) async fn the_smaller_hint_and_all_tags_stay(kind: Kind) {
    let hints = [Some("Zürich"), None, Some("Aachen"), Some("Zagreb")];
    for turn in 0..hints.len() {
        let fixture = Fixture::new(kind).await;
        let mut store = fixture.store();
        for i in 0..hints.len() {
            let hint = hints[(turn + i) % hints.len()];
            store.upsert_edges(vec![edge(0, 1, hint)]).await.unwrap();
            let tag = ["pin", "Ärger", "fork", "Zwischenzug"][(turn + i) % 4];
            store
                .upsert_tactics(vec![tactic("8/8 w - - 0 1", &["a1a2"], &[tag], hint)])
                .await
                .unwrap();
        }
        let read = content(&store).await;
        assert_eq!(read.edges, [edge(0, 1, Some("Aachen"))]);
        // By bytes, not by a language's rules.
        assert_eq!(read.tactics[0].tags, ["Zwischenzug", "fork", "pin", "Ärger"]);
        assert_eq!(read.tactics[0].source_hint.as_deref(), Some("Aachen"));
    }
}

pub(crate) async fn nul_characters_are_no_obstacle(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let mut batch = Line::from_start(&[0, 1]).batch(Some("a\0b"));
    batch.repertoire_edges = vec![membership("o\0", "k\0", 0, 1)];
    batch.tactics = vec![tactic("8/8 w - - 0 1", &["a1a2"], &["t\0"], Some("\0"))];
    batch.rejects = vec![crate::rows::reject("s\0", 1, "bad \0 byte")];
    for _ in 0..2 {
        store.commit(&job("s\0"), batch.clone(), &at(1)).await.unwrap();
    }
    let read = content(&store).await;
    assert_eq!(read.edges[0].source_hint.as_deref(), Some("a\u{fffd}b"));
    assert_eq!(read.repertoire_edges[0].owner, "o\u{fffd}");
    assert_eq!(read.tactics[0].tags, ["t\u{fffd}"]);
    assert_eq!(read.rejects[0].reason, "bad \u{fffd} byte");
    assert_eq!(store.rejects(Some("s\0")).await.unwrap().len(), 1);
    assert_eq!(store.repertoire_graph(Some("o\0"), "k\0").await.unwrap().len(), 1);
    assert_eq!(store.checkpoint(&job("s\0")).await.unwrap(), Some(at(1)));
}

/// Two texts with one FNV-1a hash; whatever follows them, the hashes stay equal.
const TWINS: [&str; 2] = ["8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"];

pub(crate) async fn collisions_are_errors_and_leave_nothing(kind: Kind) {
    let twin = |text: &str| Position {
        id: hash(format!("{text} w - -").bytes()),
        fen: format!("{text} w - - 0 1"),
        side_to_move: 'w',
        ply: 0,
    };
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let mut first = Line::from_start(&[0, 1]).batch(None);
    first.positions.push(twin(TWINS[0]));
    first.tactics = vec![tactic("8/8 w - - 0 1", &["a1a2"], &[], None)];
    store.commit(&job("a"), first.clone(), &at(1)).await.unwrap();
    let before = content(&store).await;
    let reached = store.checkpoint(&job("a")).await.unwrap();

    let stray_edge = Edge {
        move_uci: "other".to_owned(),
        ..edge(0, 1, None)
    };
    let other_id = Edge {
        id: 7,
        ..edge(0, 1, None)
    };
    let other_child = Edge {
        child_id: node_id(9),
        ..edge(0, 1, None)
    };
    let mut other_tactic = first.tactics[0].clone();
    other_tactic.fen.push('1');
    let good = Line::from_start(&[0, 5, 6]).batch(None);
    let bad = [
        Batch {
            positions: vec![twin(TWINS[1])],
            ..Batch::default()
        },
        Batch {
            edges: vec![stray_edge],
            ..Batch::default()
        },
        Batch {
            edges: vec![other_id],
            ..Batch::default()
        },
        Batch {
            edges: vec![other_child],
            ..Batch::default()
        },
        Batch {
            tactics: vec![other_tactic],
            ..Batch::default()
        },
    ];
    for batch in bad {
        let batch = join([good.clone(), batch]);
        let failure = store.commit(&job("a"), batch, &at(2)).await.unwrap_err();
        let failure = error(&failure);
        assert!(matches!(failure, StoreError::Collision { .. }), "{failure:?}");
        assert_eq!(content(&store).await, before, "{failure}");
        assert_eq!(store.checkpoint(&job("a")).await.unwrap(), reached);
    }
    // Both in one batch.
    let both = vec![twin(TWINS[1]), twin(TWINS[0])];
    let failure = store.upsert_positions(both).await.unwrap_err();
    assert!(matches!(error(&failure), StoreError::Collision { .. }));
    let text = error(&failure).to_string();
    assert!(TWINS.iter().all(|twin| text.contains(twin)), "{text}");
    // And the store goes on.
    store.commit(&job("a"), good, &at(2)).await.unwrap();
}

pub(crate) async fn an_id_that_is_no_hash_is_refused(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let stray = Position {
        id: 1,
        ..position(0, 0, 0)
    };
    let failure = store.upsert_positions(vec![stray]).await.unwrap_err();
    assert!(matches!(error(&failure), StoreError::Malformed { .. }));
}

pub(crate) async fn full_fens_keep_the_literal_tree(kind: Kind) {
    let options = StoreOptions {
        identity: Some(Identity::FullFen),
        ..StoreOptions::default()
    };
    let fixture = Fixture::new_with(kind, options).await;
    let mut store = fixture.store();
    assert_eq!(store.identity(), Identity::FullFen);
    let literal = |ply, halfmove| {
        let plain = position(0, ply, halfmove);
        Position {
            id: hash(plain.fen.bytes()),
            ..plain
        }
    };
    let mut positions = vec![literal(4, 0), literal(4, 1), literal(6, 0)];
    store.upsert_positions(positions.clone()).await.unwrap();
    store.settle().await.unwrap();
    positions.sort_by_key(|p| p.id);
    assert_eq!(store.dump_positions().await.unwrap(), positions);
}

pub(crate) async fn identity_is_fixed_by_the_first_write(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let with = |identity| StoreOptions {
        identity: Some(identity),
        ..StoreOptions::default()
    };
    // Nothing is fixed yet: both may open it, and the first to write decides.
    let mut literal = fixture.reopen(with(Identity::FullFen)).await.unwrap();
    let mut store = fixture.store();
    store.upsert_positions(vec![position(0, 0, 0)]).await.unwrap();
    let full = Position {
        id: hash(position(0, 0, 0).fen.bytes()),
        ..position(0, 0, 0)
    };
    let failure = literal.upsert_positions(vec![full]).await.unwrap_err();
    assert!(matches!(
        error(&failure),
        StoreError::IdentityMismatch {
            stored: Identity::Position,
            asked: Identity::FullFen,
            ..
        }
    ));
    let failure = fixture.reopen(with(Identity::FullFen)).await.unwrap_err();
    assert!(matches!(failure, StoreError::IdentityMismatch { .. }));
    assert!(failure.is_usage());
    assert!(fixture.reopen(with(Identity::Position)).await.is_ok());
    let any = fixture.reopen(StoreOptions::default()).await.unwrap();
    assert_eq!(any.identity(), Identity::Position);
    assert_eq!(any.dump_positions().await.unwrap().len(), 1);
}
