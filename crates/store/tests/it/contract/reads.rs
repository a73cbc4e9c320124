use pgn_import::{Batch, Journal, Storage, Tactic};
use tabiya_store::{Counts, RepertoireMove, RepertoireSummary, TacticFilter};

use crate::fixture::{Fixture, Kind};
use crate::rows::{Line, at, edge, fen, is_zeroing, job, join, key, membership, node_id, reject, tactic};

pub(crate) async fn ids_are_ordered_as_u64_and_paged(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let nodes: Vec<u32> = (0..60).collect();
    let mut batch = Line::from_start(&nodes).batch(None);
    batch.tactics = (0..30)
        .map(|n| tactic(&format!("8/{n} w - - 0 1"), &["a1a2"], &[], None))
        .collect();
    batch.repertoire_edges = (0..59).map(|n| membership("o", "k", n, n + 1)).collect();
    store.commit(&job("a"), batch, &at(1)).await.unwrap();

    let positions = store.dump_positions().await.unwrap();
    let edges = store.dump_edges().await.unwrap();
    let tactics = store.dump_tactics().await.unwrap();
    let memberships = store.dump_repertoire_edges().await.unwrap();
    assert!(positions.is_sorted_by_key(|p| p.id) && positions.len() == 60);
    assert!(edges.is_sorted_by_key(|e| e.id) && edges.len() == 59);
    assert!(tactics.is_sorted_by_key(|t| t.id) && tactics.len() == 30);
    assert!(memberships.is_sorted() && memberships.len() == 59);
    // The test is of no worth unless some ids are negative as i64.
    assert!(positions.last().unwrap().id > u64::MAX / 2 && positions[0].id < u64::MAX / 2);

    for size in [1, 7, 60, 1000] {
        let mut paged = Vec::new();
        loop {
            let after = paged.last().map(|p: &pgn_import::Position| p.id);
            let page = store.positions_after(after, size).await.unwrap();
            assert!(page.len() <= size);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, positions);
    }
    assert_eq!(store.edges_after(Some(edges[10].id), 5).await.unwrap(), edges[11..16]);
    assert_eq!(
        store.tactics_after(Some(tactics[10].id), 5).await.unwrap(),
        tactics[11..16]
    );
}

pub(crate) async fn tactics_by_tag_and_source(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let rows: Vec<Tactic> = vec![
        tactic("1", &["a1a2"], &["fork", "mate"], Some("a")),
        tactic("2", &["a1a2"], &["fork"], Some("b")),
        tactic("3", &["a1a2"], &["forks"], Some("b")),
        tactic("4", &["a1a2"], &[], Some("b")),
        tactic("5", &["a1a2"], &["fork", "mate"], Some("a")),
    ];
    store.upsert_tactics(rows).await.unwrap();
    let store = fixture.reading().await;
    let wanted = async |tag: Option<&str>, source: Option<&str>| {
        let mut fens: Vec<String> = Vec::new();
        let mut after = None;
        loop {
            let filter = TacticFilter { tag, source };
            let page = store.tactics_wanted(filter, after, 1).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            fens.extend(page.into_iter().map(|tactic| tactic.fen));
        }
        fens.sort();
        fens
    };
    assert_eq!(wanted(None, None).await, ["1", "2", "3", "4", "5"]);
    assert_eq!(wanted(Some("fork"), None).await, ["1", "2", "5"]);
    assert_eq!(wanted(None, Some("b")).await, ["2", "3", "4"]);
    assert_eq!(wanted(Some("fork"), Some("b")).await, ["2"]);
    assert!(wanted(Some("' OR 1=1 --"), None).await.is_empty());
    let themes = store.tactic_themes().await.unwrap();
    let counted = |rows: &[(String, u64)]| -> Vec<String> {
        rows.iter().map(|(text, count)| format!("{text} {count}")).collect()
    };
    assert_eq!(counted(&themes.tags), ["fork 3", "mate 2", "forks 1"]);
    assert_eq!(counted(&themes.sources), ["b 3", "a 2"]);
}

pub(crate) async fn repertoires_and_their_moves(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let mut batch = join([
        Line::from_start(&[0, 1, 2]).batch(None),
        Line::from_start(&[0, 3]).batch(None),
    ]);
    batch.repertoire_edges = vec![
        membership("andy", "Italian", 0, 1),
        membership("andy", "Italian", 1, 2),
        membership("bea", "Italian", 1, 2),
        membership("bea", "Italian", 0, 3),
        membership("bea", "Dutch", 0, 3),
    ];
    store.commit(&job("a"), batch, &at(1)).await.unwrap();

    let summary = |owner: &str, key: &str, edges| RepertoireSummary {
        owner: owner.to_owned(),
        repertoire_key: key.to_owned(),
        edges,
    };
    assert_eq!(
        store.repertoires().await.unwrap(),
        [
            summary("andy", "Italian", 2),
            summary("bea", "Dutch", 1),
            summary("bea", "Italian", 2)
        ]
    );

    let clock = |a, b, before| if is_zeroing(a, b) { 0 } else { before + 1 };
    let first = clock(0, 1, 0);
    let andy = store.repertoire_graph(Some("andy"), "Italian").await.unwrap();
    assert_eq!(andy.len(), 2);
    assert_eq!(
        andy[1],
        RepertoireMove {
            parent_id: node_id(1),
            parent_fen: fen(&key(1), 1, first),
            move_uci: edge(1, 2, None).move_uci,
            move_san: edge(1, 2, None).move_san,
            child_id: node_id(2),
            child_fen: fen(&key(2), 2, clock(1, 2, first)),
            ply: 1,
        }
    );
    let all = store.repertoire_graph(None, "Italian").await.unwrap();
    assert_eq!(all.iter().map(|m| m.ply).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(store.repertoire_graph(Some("bea"), "French").await.unwrap(), []);
}

pub(crate) async fn counts(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    assert_eq!(store.counts().await.unwrap(), Counts::default());
    let mut batch = Line::from_start(&[0, 1, 2]).batch(None);
    batch.repertoire_edges = vec![membership("andy", "Italian", 0, 1)];
    batch.tactics = vec![tactic("8/8 w - - 0 1", &["a1a2"], &[], None)];
    batch.rejects = vec![reject("a", 1, "x"), reject("a", 2, "x")];
    store.commit(&job("a"), batch, &at(1)).await.unwrap();
    store.commit(&job("a"), Batch::default(), &at(1)).await.unwrap();
    assert_eq!(
        store.counts().await.unwrap(),
        Counts {
            positions: 3,
            edges: 2,
            repertoire_edges: 1,
            tactics: 1,
            rejects: 2
        }
    );
}
