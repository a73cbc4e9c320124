//! An explorer's answers, all the way into the database.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tabiya_app::{
    AppError, Reaction,
    build::{
        CrawlRequest, CrawlSummary, FLAGGED_REVIEW, MinGames, Steps, annotate, audit, crawl_explorer,
        explorer::ExplorerConfig, structure_reviews, structures, transpositions,
    },
};
use tabiya_lichess::Politeness;
use tabiya_store::NodeSource;

use crate::{
    annotate::asking,
    book::{Book, sample},
    engines::Opinionated,
    server::{Reply, Server},
    workshop::{TEN_NAMES, Workshop, assert_same, epd_after, game},
};

const ITALIAN: &str = "eco,name,pgn\nC50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4\n";

pub(crate) async fn serving(book: Book) -> Server {
    Server::start(move |request| Reply::Ok(book.answer(request.fen()))).await
}

pub(crate) fn request(workshop: &Workshop, server: &Server, depth: u16, min_games: u64) -> CrawlRequest {
    let mut explorer = ExplorerConfig::new(server.base.clone());
    explorer.rate = 10_000.0;
    explorer.politeness = Politeness {
        first_backoff: Duration::from_millis(20),
        max_backoff: Duration::from_millis(100),
        jitter: false,
        long_pause: Duration::from_millis(100),
        max_tries: NonZeroU32::new(3).expect("three"),
        ..Politeness::default()
    };
    CrawlRequest {
        database: workshop.database(),
        explorer,
        collection: "explorer".to_owned(),
        depth,
        min_games,
        max_nodes: None,
        fresh: false,
        stop: std::sync::Arc::default(),
    }
}

pub(crate) async fn crawl(request: &CrawlRequest) -> Result<CrawlSummary, AppError> {
    crawl_explorer(request, &Steps::default(), |_| {}).await
}

#[tokio::test]
async fn crawler_expands_tree_to_correct_depth() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let summary = crawl(&request(&workshop, &server, 3, 1)).await.expect("a crawl");
    // As from the initial position alone, 12; then 3.Bc4, 3...Bc5 and 4.O-O.
    assert_eq!((summary.answered, summary.known), (15, 0));
    assert_eq!(server.requests().len(), 15);
    let graph = workshop.graph().await;
    // 16 around the initial position; 2...Nc6 on the way; 3.Bc4, 3...Bc5, 4.O-O and 4...Nf6.
    assert_eq!(graph.nodes.len(), 16 + 1 + 4);
    assert!(workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6").await.is_some());
    assert!(workshop.node("e4 e5 Nf3 Nc6 Bb5").await.is_none());
}

#[tokio::test]
async fn crawler_respects_depth_limit() {
    // At the last depth but one: children, and no grandchildren.
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let summary = crawl(&request(&workshop, &server, 1, 1)).await.expect("a crawl");
    assert_eq!(summary.answered, 2);
    assert!(workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5").await.is_some());
    assert!(workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O").await.is_none());
    assert!(workshop.node("d4").await.is_some() && workshop.node("d4 Nf6").await.is_none());
}

#[tokio::test]
async fn crawler_prunes_below_min_game_count() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let summary = crawl(&request(&workshop, &server, 2, 50)).await.expect("a crawl");
    assert!(summary.pruned >= 1, "{summary:?}");
    assert!(workshop.node("b4").await.is_none(), "30 games of 50");
    assert!(workshop.node("c4").await.is_some(), "60 games");
    let start = workshop.node("").await.expect("a node");
    let children: Vec<(&str, u64)> = start
        .children
        .iter()
        .map(|child| (child.san.as_str(), child.stats.games()))
        .collect();
    assert_eq!(children, [("e4", 1610), ("d4", 310), ("Nf3", 120), ("c4", 60)]);
}

#[tokio::test]
async fn crawler_records_win_rates() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(Book::new(&[
        ("e4 e5", [50, 30, 20]),
        ("e4 c5", [10, 60, 30]),
        ("d4 d5", [1, 2, 3]),
    ]))
    .await;
    crawl(&request(&workshop, &server, 2, 1)).await.expect("a crawl");
    let node = workshop.node("e4").await.expect("a node");
    assert_eq!(node.game_count(), 200);
    assert_eq!((node.stats.white, node.stats.draws, node.stats.black), (60, 90, 50));
    assert_eq!((node.white_win_pct(), node.draw_pct()), (Some(30.0), Some(45.0)));
    assert_eq!(node.average_rating(), Some(2450));
    assert_eq!((node.source, node.is_branching), (NodeSource::Openings, true));
    let sicilian = node.children.iter().find(|child| child.san == "c5").expect("a child");
    assert_eq!(
        (sicilian.stats.white, sicilian.stats.draws, sicilian.stats.black),
        (10, 60, 30)
    );
    assert_eq!(workshop.node("d4").await.expect("a node").source, NodeSource::Explorer);
}

#[tokio::test]
async fn crawler_deduplicates_transposed_positions() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    crawl(&request(&workshop, &server, 6, 1)).await.expect("a crawl");
    let met = workshop.node("d4 Nf6 c4").await.expect("a node");
    assert_eq!((met.transpositions.len(), met.game_count()), (1, 370));
    let graph = workshop.graph().await;
    let texts: std::collections::BTreeSet<&str> = graph.nodes.iter().map(|node| node.epd.as_str()).collect();
    assert_eq!(texts.len(), graph.nodes.len(), "no position has two nodes");
}

#[tokio::test]
async fn an_explorers_counts_are_not_mixed_with_ours() {
    let workshop = Workshop::named(ITALIAN).await;
    workshop.write("games.pgn", &game(1, "", "e4 e5", "1-0"));
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    let before = workshop.dump().await;
    let server = serving(sample()).await;
    let mut request = request(&workshop, &server, 2, 1);
    for (collection, depth) in [("games", 2), ("openings", 2), ("../x", 2), ("explorer", 0)] {
        request.collection = collection.to_owned();
        request.depth = depth;
        let error = crawl(&request).await.expect_err(collection);
        assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
        assert_same(&workshop.dump().await, &before);
    }
    assert!(server.requests().is_empty(), "nobody was asked");
}

#[tokio::test]
async fn crawler_flags_illegal_moves() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = Server::start(|request| {
        let pawn = r#"{"uci":"e2e5","san":"e5","averageRating":2400,"white":500,"draws":1,"black":1,"game":null}"#;
        let is_start = request.fen().contains("/PPPPPPPP/RNBQKBNR w");
        Reply::Ok(sample().answer_with(request.fen(), if is_start { pawn } else { "" }))
    })
    .await;
    let summary = crawl(&request(&workshop, &server, 2, 1)).await.expect("it goes on");
    assert_eq!(summary.flagged, 1);
    let start = workshop.node("").await.expect("a node");
    assert!(start.flagged.expect("flagged").contains("e5 (e2e5)"));
    assert_eq!(start.children.len(), 5);
    assert!(workshop.node("e4").await.expect("a node").flagged.is_none());
}

#[tokio::test]
async fn a_token_that_expires_loses_nothing() {
    let uninterrupted = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let whole = crawl(&request(&uninterrupted, &server, 6, 20)).await.expect("a crawl");
    let expected = uninterrupted.dump().await;

    let workshop = Workshop::named(ITALIAN).await;
    let left = Arc::new(AtomicUsize::new(0));
    let mut known = 0;
    let server = {
        let left = left.clone();
        Server::start(
            move |request| match left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) {
                Ok(_) => Reply::Ok(sample().answer(request.fen())),
                Err(_) => Reply::Status(401, "", "token expired"),
            },
        )
        .await
    };
    for stop_at in [1, 7, 4] {
        left.store(stop_at, SeqCst);
        let error = crawl(&request(&workshop, &server, 6, 20))
            .await
            .expect_err("unauthorised");
        assert_eq!(error.reaction(), Reaction::FixWorld, "{error}");
        assert!(error.to_string().contains("401"), "{error}");
        assert!(error.hints().iter().any(|hint| hint.contains("kept")), "{error}");
        known += stop_at as u64;
    }
    left.store(usize::MAX, SeqCst);
    let summary = crawl(&request(&workshop, &server, 6, 20)).await.expect("the rest");
    assert_eq!(
        (summary.known, summary.known + summary.answered),
        (known, whole.answered)
    );
    assert_same(&workshop.dump().await, &expected);

    let requests = server.requests().len();
    let again = crawl(&request(&workshop, &server, 6, 20)).await.expect("nothing to do");
    assert_eq!((again.answered, again.known), (0, whole.answered));
    assert_eq!(server.requests().len(), requests, "nothing is asked twice");
    assert_same(&workshop.dump().await, &expected);
}

#[tokio::test]
async fn crawler_retries_on_429() {
    let workshop = Workshop::named(ITALIAN).await;
    // Every question is refused once before it is answered.
    let server = Server::start(|request| match request.number % 2 {
        0 => Reply::Status(429, "Retry-After: 0", "slow down"),
        _ => Reply::Ok(sample().answer(request.fen())),
    })
    .await;
    let summary = crawl(&request(&workshop, &server, 1, 1)).await.expect("it goes on");
    assert_eq!((summary.answered, server.requests().len()), (2, 4));
    let italian = workshop.node("e4 e5 Nf3 Nc6 Bc4").await.expect("a node");
    assert!(italian.game_count() > 0 && !italian.children.is_empty(), "{italian:?}");
    assert!(workshop.node("d4").await.is_some());
}

/// What was left out by a threshold is not known, so no other goes on with it; and nobody else's answers do.
#[tokio::test]
async fn a_crawl_goes_on_as_it_began() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let whole = crawl(&request(&workshop, &server, 2, 50)).await.expect("a crawl");
    let before = workshop.dump().await;
    let other = serving(sample()).await;
    for (request, told) in [
        (request(&workshop, &server, 2, 20), "--min-games 20"),
        (request(&workshop, &server, 2, 100), "--min-games 100"),
        (request(&workshop, &other, 2, 50), "--explorer http://127.0.0.1"),
    ] {
        let asked = (server.requests().len(), other.requests().len());
        let error = crawl(&request).await.expect_err(told);
        assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
        let text = error.to_string();
        assert!(text.starts_with(told) && text.contains("--fresh"), "{text}");
        assert_eq!((server.requests().len(), other.requests().len()), asked);
        assert_same(&workshop.dump().await, &before);
    }
    let deeper = crawl(&request(&workshop, &server, 3, 50)).await.expect("it goes on");
    assert_eq!(deeper.known, whole.answered);

    // Anew, nothing of the old answers stays.
    let book = Book::new(&[("e4 e5 Nf3 Nc6 Bc4 Bc5", [3, 2, 1])]);
    let small = serving(book.clone()).await;
    let fresh = CrawlRequest {
        fresh: true,
        ..request(&workshop, &small, 2, 1)
    };
    let summary = crawl(&fresh).await.expect("a crawl");
    assert_eq!(summary.known, 0);
    let new = Workshop::named(ITALIAN).await;
    crawl(&request(&new, &small, 2, 1)).await.expect("a crawl");
    assert_same(&workshop.dump().await, &new.dump().await);
}

/// Asking anew forgets the old answers when there is a new one, not when there might be.
#[tokio::test]
async fn asking_anew_in_vain_costs_nothing() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = serving(sample()).await;
    let whole = crawl(&request(&workshop, &server, 3, 20)).await.expect("a crawl");
    let before = workshop.dump().await;

    let refusing = Server::start(|_| Reply::Status(401, "", "token expired")).await;
    let other = Server::start(|_| Reply::Ok(r#""welcome""#.to_owned())).await;
    let gone = serving(sample()).await;
    let gone_at = gone.base.clone();
    drop(gone);
    for base in [&refusing.base, &other.base, &gone_at] {
        let mut anew = CrawlRequest {
            fresh: true,
            ..request(&workshop, &server, 2, 1)
        };
        anew.explorer.base = base.clone();
        let error = crawl(&anew).await.expect_err(base.as_str());
        assert!(matches!(error, AppError::Explorer(_)), "{error:?}");
        assert_same(&workshop.dump().await, &before);
    }
    let asked = server.requests().len();
    let again = crawl(&request(&workshop, &server, 3, 20)).await.expect("nothing to do");
    assert_eq!((again.answered, again.known), (0, whole.answered));
    assert_eq!(server.requests().len(), asked, "its answers are still known as its own");
}

#[tokio::test]
async fn an_explorer_that_cannot_count_is_flagged() {
    let workshop = Workshop::named(ITALIAN).await;
    let server = Server::start(|request| {
        let is_start = request.fen().contains("/PPPPPPPP/RNBQKBNR w");
        let moves = r#"{"uci":"e2e4","san":"e4","white":1,"draws":0,"black":0},{"uci":"d2d4","san":"d4","white":100,"draws":0,"black":0}"#;
        let moves = if is_start { moves } else { "" };
        Reply::Ok(format!(r#"{{"white":1,"draws":1,"black":1,"moves":[{moves}]}}"#))
    })
    .await;
    let summary = crawl(&request(&workshop, &server, 1, 1)).await.expect("a crawl");
    assert_eq!(summary.flagged, 1);
    assert!(workshop.node("d4").await.is_none());
    let start = workshop.node("").await.expect("a node");
    let why = start.flagged.expect("flagged");
    assert!(why.contains("d4 (d2d4): with it the moves have 101 games"), "{why}");

    let reviews = structure_reviews(&workshop.database()).await.expect("questions");
    let [review] = reviews.as_slice() else {
        panic!("{reviews:?}")
    };
    assert_eq!((review.reason.as_str(), &review.detail), (FLAGGED_REVIEW, &why));
    structures(&workshop.database(), &Steps::default())
        .await
        .expect("structures");
    let audited = audit(&workshop.database(), &Steps::default()).await.expect("an audit");
    assert!(audited.passed, "{audited:?}");

    // A flag goes with the answers it was about.
    let honest = serving(Book::new(&[("e4 e5", [1, 1, 1])])).await;
    let fresh = CrawlRequest {
        fresh: true,
        ..request(&workshop, &honest, 1, 1)
    };
    crawl(&fresh).await.expect("a crawl");
    let reviews = structure_reviews(&workshop.database()).await.expect("questions");
    assert!(
        reviews.iter().all(|review| review.reason != FLAGGED_REVIEW),
        "{reviews:?}"
    );
}

/// An explorer that has counted the same games says what we count.
#[tokio::test]
async fn a_crawl_equals_a_count_of_the_same_games() {
    let lines: [(&str, [u64; 3]); 7] = [
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6", [3, 1, 2]),
        ("e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Bc5 c3", [1, 2, 0]),
        ("Nf3 Nc6 e4 e5 Bc4 Bc5", [0, 1, 1]),
        ("d4 Nf6 c4 e6 Nc3", [2, 0, 1]),
        ("c4 e6 d4 Nf6 Nc3", [1, 0, 1]),
        ("d4 d5 c4", [0, 1, 0]),
        ("a3 h6 h3", [1, 0, 0]),
    ];
    let mut text = String::new();
    for (line, counts) in &lines {
        for (games, result) in counts.iter().zip(["1-0", "1/2-1/2", "0-1"]) {
            for _ in 0..*games {
                text.push_str(&game(text.len(), "", line, result));
            }
        }
    }
    for (depth, min_games) in [(15, 1), (3, 1), (15, 2), (4, 3)] {
        let counted = Workshop::named(TEN_NAMES).await;
        counted.write("games.pgn", &text);
        let mut counting = counted.request(&["games.pgn"]);
        counting.depth = depth;
        counting.min_games = MinGames::Fixed(min_games);
        counted.expand(&counting).await;

        let crawled = Workshop::named(TEN_NAMES).await;
        let server = serving(Book::new(&lines)).await;
        crawl(&request(&crawled, &server, depth, min_games))
            .await
            .expect("a crawl");

        let edges = |graph: tabiya_store::KnowledgeGraph| -> BTreeMap<(tabiya_chess::PositionId, String), [u64; 3]> {
            let results = |edge: &tabiya_store::KnowledgeEdge| [edge.stats.white, edge.stats.draws, edge.stats.black];
            let all = graph.edges.iter();
            all.map(|edge| ((edge.parent, edge.uci.clone()), results(edge)))
                .collect()
        };
        assert_eq!(
            edges(counted.graph().await),
            edges(crawled.graph().await),
            "depth {depth}, {min_games} games"
        );
    }
}

/// From the names of the Italian Game to an audit, with an explorer that answers from a script.
#[tokio::test]
async fn full_pipeline_on_italian_game() {
    let workshop = Workshop::named(
        "eco,name,pgn\n\
         C50,Italian Game,1.e4 e5 2.Nf3 Nc6 3.Bc4\n\
         C50,Italian Game: Giuoco Piano,1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5\n\
         C55,Italian Game: Two Knights Defense,1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6\n",
    )
    .await;
    let server = serving(Book::new(&[
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 d3 Nf6 c3", [300, 200, 100]),
        ("e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Bc5 c3", [200, 300, 100]),
        ("e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5", [90, 10, 50]),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 b4", [40, 3, 6]),
    ]))
    .await;
    let summary = crawl(&request(&workshop, &server, 3, 50)).await.expect("a crawl");
    assert_eq!(summary.pruned, 1, "the Evans Gambit has 49 games");
    let database = workshop.database();
    let engine = Opinionated::new(workshop.directory(), &[("*", "cp 30")]);
    let annotated = annotate(&asking(&workshop, &engine.program), |_| {})
        .await
        .expect("evaluations");
    assert_eq!((annotated.done.searched, annotated.open_reviews), (4, 0));
    let labelled = structures(&database, &Steps::default()).await.expect("structures");
    let linked = transpositions(&database, &Steps::default()).await.expect("links");

    // The initial position and five to 3.Bc4; 3...Bc5 4.d3 and 3...Nf6 4.d3; 4...Nf6 = 4...Bc5 and 5.c3; 4.Ng5 d5 5.exd5.
    let graph = workshop.graph().await;
    assert_eq!(graph.nodes.len(), 6 + 2 + 2 + 2 + 3);
    let meeting = epd_after("e4 e5 Nf3 Nc6 Bc4 Bc5 d3 Nf6");
    let leaves: Vec<_> = graph
        .nodes
        .iter()
        .filter(|node| !graph.edges.iter().any(|edge| edge.parent == node.id))
        .collect();
    assert_eq!((leaves.len() as u64, labelled.terminal_nodes), (2, 2));
    assert!(leaves.iter().all(|leaf| leaf.structure.is_some()), "{leaves:?}");

    assert_eq!((linked.links, linked.between_openings), (1, 1));
    let [pair] = linked.commonest.as_slice() else {
        panic!("{linked:?}")
    };
    let mut names = [pair.one.as_str(), pair.other.as_str()];
    names.sort();
    assert_eq!(
        names,
        ["Italian Game: Giuoco Piano", "Italian Game: Two Knights Defense"]
    );
    assert_eq!((pair.example.as_str(), pair.games), (meeting.as_str(), 1200));

    let audited = audit(&database, &Steps::default()).await.expect("an audit");
    let failed: Vec<_> = audited.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let coverage = workshop.store().await.evaluation_coverage().await.expect("coverage");
    assert_eq!((coverage.branching, coverage.branching_evaluated), (2, 2));
    assert_eq!((coverage.terminal, coverage.terminal_evaluated), (2, 2));
}
