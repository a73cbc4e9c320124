//! Names entered into an empty database.

use std::collections::BTreeSet;

use shakmaty::Position as _;
use tabiya_app::build::{MinGames, Steps, build_all, eco, transpositions};
use tabiya_chess::{BookWriter, PositionId, from_uci, parse_fen, polyglot_key};

use crate::workshop::{TEN_NAMES, Workshop, assert_same, game};

#[tokio::test]
async fn eco_ingest_creates_correct_node_count() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let openings = workshop.store().await.openings().await.expect("openings");
    assert_eq!(openings.len(), 10);
    let graph = workshop.graph().await;
    assert_eq!(graph.nodes.iter().filter(|node| node.named).count(), 10);
    assert_eq!(
        (graph.nodes.len(), graph.edges.len()),
        (11, 10),
        "and the initial position"
    );
    let named: BTreeSet<_> = openings.iter().map(|view| view.opening.root).collect();
    for node in &graph.nodes {
        assert_eq!(node.named, named.contains(&node.id), "{}", node.epd);
        assert_eq!(node.named, node.opening.is_some(), "{}", node.epd);
        assert_eq!(node.stats.games(), 0, "names are no games");
    }
    let again = workshop.eco().await;
    assert!(again.skipped && again.openings == 10);
}

#[tokio::test]
async fn eco_ingest_deduplicates_transposed_fens() {
    let workshop = Workshop::named(
        "eco,name,pgn\n\
         A13,English Opening: Agincourt Defense,1.c4 e6 2.d4 d5\n\
         D30,Queen's Gambit Declined,1.d4 d5 2.c4 e6\n",
    )
    .await;
    let openings = workshop.store().await.openings().await.expect("openings");
    let entries: Vec<(&str, &str)> = openings
        .iter()
        .map(|view| (view.opening.eco.as_str(), view.opening.name.as_str()))
        .collect();
    assert_eq!(
        entries,
        [
            ("A13", "English Opening: Agincourt Defense"),
            ("D30", "Queen's Gambit Declined")
        ]
    );
    assert_eq!(openings[0].root_node_id, openings[1].root_node_id);
    let graph = workshop.graph().await;
    // 1.c4, 1.c4 e6, 1.c4 e6 2.d4; 1.d4, 1.d4 d5, 1.d4 d5 2.c4; the initial position and the one they meet in.
    assert_eq!((graph.nodes.len(), graph.edges.len()), (8, 8));
    assert_eq!(graph.nodes.iter().filter(|node| node.named).count(), 1);
    let met = workshop.node("d4 d5 c4 e6").await.expect("a node");
    assert_eq!(met.transpositions.len(), 1, "one parent and one other");

    // Two names of one position are two openings that meet there, though nothing on the way has a name.
    let linked = transpositions(&workshop.database(), &Steps::default())
        .await
        .expect("links");
    assert_eq!((linked.links, linked.between_openings), (1, 0));
    let store = workshop.store().await;
    let ids = [0, 1].map(|at: usize| openings[at].opening.id);
    for (one, other) in [(ids[0], ids[1]), (ids[1], ids[0])] {
        let links = store.transpositions_of(one).await.expect("links");
        let [link] = links.as_slice() else { panic!("{links:?}") };
        assert_eq!((link.opening, link.nodes), (other, 1));
        assert_eq!(link.example, PositionId::of(&crate::book::after("d4 d5 c4 e6")).into());
    }
}

/// Other names leave what they would have left in an empty database.
#[tokio::test]
async fn eco_ingest_replaces_what_was_there() {
    let all = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 1-0\n\n1. d4 d5 2. c4 e6 0-1\n";
    let few = "eco,name,pgn\nC50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4\nD06,Queen's Gambit,1.d4 d5 2.c4\n";
    let mut dumps = Vec::new();
    for tables in [&[few][..], &[TEN_NAMES, few]] {
        let workshop = Workshop::named(tables[0]).await;
        workshop.write("games.pgn", all);
        for table in tables {
            workshop.write("names.csv", table);
            build_all(
                &workshop.eco_request(),
                &workshop.request(&["games.pgn"]),
                None,
                &Steps::default(),
            )
            .await
            .expect("a build");
        }
        dumps.push(workshop.dump().await);
    }
    assert_same(&dumps[0], &dumps[1]);
}

/// Where first moves have no name, a position may be reached without passing one.
#[tokio::test]
async fn whoever_is_cut_off_from_a_name_loses_it() {
    let table = "eco,name,pgn\nA00,Anderssen's Opening,1.a3\n";
    let games = (0..5).map(|at| game(at, "", "e4 e5 a3 Nf6", "1-0")).collect::<String>();
    let games = games + &game(9, "", "a3 e5 e4", "0-1");
    let mut dumps = Vec::new();
    for thresholds in [&[3][..], &[1, 3]] {
        let workshop = Workshop::named(table).await;
        workshop.write("games.pgn", &games);
        for min_games in thresholds {
            let mut request = workshop.request(&["games.pgn"]);
            request.min_games = MinGames::Fixed(*min_games);
            let built = build_all(&workshop.eco_request(), &request, None, &Steps::default()).await;
            let audit = built.expect("a build").audit;
            assert!(audit.passed, "{audit:?}");
            for line in ["e4 e5 a3", "e4 e5 a3 Nf6"] {
                let node = workshop.node(line).await.expect("played often enough");
                assert_eq!(node.opening.is_some(), *min_games == 1, "{line}");
            }
        }
        dumps.push(workshop.dump().await);
    }
    assert_same(&dumps[0], &dumps[1]);
}

#[tokio::test]
async fn eco_ingest_all_fens_are_legal_positions() {
    let workshop = Workshop::new();
    let report = workshop.eco().await;
    let graph = workshop.graph().await;
    assert_eq!(graph.nodes.len() as u64, report.nodes);
    assert!(graph.nodes.len() > 7000 && report.eco_codes == 500, "{report:?}");
    for node in &graph.nodes {
        let position = parse_fen(&node.epd).expect(&node.epd).position;
        assert_eq!(PositionId::of(&position), node.id, "{}", node.epd);
    }
    let place = |id| graph.nodes.binary_search_by_key(&id, |node| node.id).expect("a node");
    for edge in &graph.edges {
        let mut position = parse_fen(&graph.nodes[place(edge.parent)].epd)
            .expect("checked")
            .position;
        let m = from_uci(&position, &edge.uci).expect(&edge.uci);
        position.play_unchecked(m);
        assert_eq!(PositionId::of(&position), edge.child, "{}", edge.san);
    }
}

#[tokio::test]
async fn eco_ingest_move_numbers_correct() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let cases = [
        ("", 0, None, None),
        ("e4", 1, Some('W'), Some("e4")),
        ("e4 e5", 1, Some('B'), Some("e5")),
        ("e4 e5 Nf3", 2, Some('W'), Some("Nf3")),
        ("e4 e5 Nf3 Nc6", 2, Some('B'), Some("Nc6")),
        ("e4 e5 Nf3 Nc6 Bc4", 3, Some('W'), Some("Bc4")),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", 3, Some('B'), Some("Bc5")),
    ];
    for (line, number, side, san) in cases {
        let node = workshop.node(line).await.expect(line);
        assert_eq!(
            (node.move_number, node.side, node.pgn_move.as_deref()),
            (number, side, san),
            "{line}"
        );
        assert_eq!(usize::from(node.ply), line.split_whitespace().count());
    }
    let italian = workshop.node("e4 e5 Nf3 Nc6 Bc4").await.expect("a node");
    assert_eq!(
        italian.fen,
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    );
}

#[tokio::test]
async fn the_moves_of_a_book_are_marked() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let mut book = BookWriter::default();
    for (line, uci, weight) in [("", "e2e4", 60), ("e4 e5 Nf3 Nc6", "f1c4", 7), ("a3 a6", "h2h3", 1)] {
        let position = crate::book::after(line);
        book.add(
            polyglot_key(&position),
            from_uci(&position, uci).expect("a legal move"),
            weight,
        );
    }
    std::fs::write(workshop.path("book.bin"), book.into_bytes()).expect("a book");
    let mut request = workshop.eco_request();
    request.book = Some(workshop.path("book.bin"));
    let report = eco(&request, &Steps::default()).await.expect("names and a book");
    assert_eq!((report.book_moves, report.skipped), (2, false));
    let marked = workshop.store().await.book_moves().await.expect("moves");
    let mut marked: Vec<_> = marked
        .into_iter()
        .map(|known| (known.parent, known.uci, known.weight))
        .collect();
    marked.sort_by_key(|known| known.2);
    let at = |line| PositionId::of(&crate::book::after(line));
    assert_eq!(
        marked,
        [
            (at("e4 e5 Nf3 Nc6"), "f1c4".to_owned(), 7),
            (at(""), "e2e4".to_owned(), 60)
        ]
    );
    assert!(eco(&request, &Steps::default()).await.expect("the same").skipped);

    workshop.write("empty.bin", "");
    request.book = Some(workshop.path("empty.bin"));
    let error = eco(&request, &Steps::default()).await.expect_err("an empty book");
    assert!(error.to_string().contains("empty.bin: the book is empty"), "{error}");
    assert_eq!(workshop.store().await.book_moves().await.expect("moves").len(), 2);
}
