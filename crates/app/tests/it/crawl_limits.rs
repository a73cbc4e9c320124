//! A crawl that may have no more than so many positions.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use shakmaty::{Chess, Position as _};
use tabiya_app::{Reaction, build::CrawlRequest};
use tabiya_chess::{PositionId, to_san};
use tabiya_store::KnowledgeGraph;

use crate::{
    book::Book,
    corpus::Dice,
    crawl::{crawl, request, serving},
    server::{Reply, Server},
    workshop::{TEN_NAMES, Workshop, assert_same, game},
};

const DEPTH: u16 = 6;

/// Lines that meet, none of which comes twice to a position: a count takes only the first departure from there.
fn lines() -> Vec<String> {
    let dice = &mut Dice(11);
    let named = [
        "",
        "e2e4",
        "e2e4 e7e5 g1f3 b8c6",
        "d2d4 g8f6",
        "e2e4 e7e5 g1f3 b8c6 f1c4",
    ];
    (0..250)
        .map(|_| {
            let (mut pos, mut line) = (Chess::default(), Vec::new());
            let mut seen = HashSet::from([PositionId::of(&pos)]);
            let mut begun = named[dice.below(named.len() as u64) as usize].split_whitespace();
            for _ in 0..4 + dice.below(12) {
                let legal = pos.legal_moves();
                if legal.is_empty() {
                    break;
                }
                // The first moves of a list are the most popular ones.
                let popular = dice.below(4).min(dice.below(4)).min(legal.len() as u64 - 1);
                let m = match begun.next() {
                    Some(uci) => tabiya_chess::from_uci(&pos, uci).expect(uci),
                    None => legal[popular as usize],
                };
                line.push(to_san(&pos, m));
                pos.play_unchecked(m);
                if !seen.insert(PositionId::of(&pos)) {
                    line.pop();
                    break;
                }
            }
            line.join(" ")
        })
        // Of a name, and below any threshold but the lowest.
        .chain(["e4 e5 Nf3 Nc6 Bb5".to_owned()])
        .collect()
}

/// The lines as games, and as an explorer that has counted them.
fn corpus() -> (String, Book) {
    let lines = lines();
    let games = lines
        .iter()
        .enumerate()
        .map(|(number, line)| game(number, "", line, "1-0"));
    let counted: Vec<(&str, [u64; 3])> = lines.iter().map(|line| (line.as_str(), [1, 0, 0])).collect();
    (games.collect(), Book::new(&counted))
}

fn limited(workshop: &Workshop, server: &Server, max_nodes: u64) -> CrawlRequest {
    CrawlRequest {
        max_nodes: Some(max_nodes),
        ..request(workshop, server, DEPTH, 1)
    }
}

/// Moves with games, those of named lines with fewer than others.
fn played(graph: &KnowledgeGraph) -> BTreeMap<(PositionId, String), u64> {
    let played = graph.edges.iter().filter(|edge| edge.stats.games() > 0);
    played
        .map(|edge| ((edge.parent, edge.uci.clone()), edge.stats.games()))
        .collect()
}

fn positions(graph: &KnowledgeGraph) -> BTreeSet<PositionId> {
    graph.nodes.iter().map(|node| node.id).collect()
}

async fn threshold(workshop: &Workshop) -> u64 {
    let collections = workshop.store().await.collections().await.expect("collections");
    let crawled = collections.iter().find(|known| known.name == "explorer");
    crawled.expect("a crawl").min_games
}

/// A dump without plies and clocks: these are the shared graph's, in which moves stay that were cut.
fn without_counters(dump: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = dump
        .into_iter()
        .map(|line| {
            if !line.starts_with("node (") {
                return line;
            }
            let mut fields: Vec<&str> = line.split(", ").collect();
            fields.drain(2..4);
            fields.join(", ")
        })
        .collect();
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn a_crawl_is_cut_where_a_count_of_the_same_games_is() {
    let (games, book) = corpus();
    let counted = Workshop::named(TEN_NAMES).await;
    counted.write("games.pgn", &games);
    let server = serving(book).await;
    let mut thresholds = BTreeSet::new();
    for max_nodes in [11, 12, 20, 35, 60, 100, 200, 1_000_000] {
        let mut counting = counted.request(&["games.pgn"]);
        counting.depth = DEPTH;
        counting.max_nodes = max_nodes;
        let report = counted.expand(&counting).await;
        let min_games = report.min_games;
        thresholds.insert(min_games);

        let crawled = Workshop::named(TEN_NAMES).await;
        let summary = crawl(&limited(&crawled, &server, max_nodes)).await.expect("a crawl");
        assert_eq!(
            (summary.asked_min_games, summary.min_games),
            (1, min_games),
            "{max_nodes}"
        );
        assert_eq!(threshold(&crawled).await, min_games);
        let (counts, answers) = (counted.graph().await, crawled.graph().await);
        assert!(answers.nodes.len() as u64 <= max_nodes, "{max_nodes}");
        assert_eq!(positions(&counts), positions(&answers), "{max_nodes}");
        assert_eq!(played(&counts), played(&answers), "{max_nodes}");

        // As if nothing else had ever been asked for.
        let plain = Workshop::named(TEN_NAMES).await;
        let asked = crawl(&request(&plain, &server, DEPTH, min_games))
            .await
            .expect("a crawl");
        assert_same(
            &without_counters(crawled.dump().await),
            &without_counters(plain.dump().await),
        );
        assert_eq!(summary.moves, asked.moves, "{max_nodes}");

        // Several at a time may ask for a few more before they notice.
        let hasty = Workshop::named(TEN_NAMES).await;
        let mut several = limited(&hasty, &server, max_nodes);
        several.explorer.in_flight = NonZeroU32::new(4).expect("four");
        crawl(&several).await.expect("a crawl");
        assert_same(
            &without_counters(hasty.dump().await),
            &without_counters(plain.dump().await),
        );
    }
    assert!(thresholds.len() > 4, "{thresholds:?}");
}

#[tokio::test]
async fn interruptions_do_not_show_in_what_is_cut() {
    let (_, book) = corpus();
    for max_nodes in [12, 60] {
        let whole = Workshop::named(TEN_NAMES).await;
        let server = serving(book.clone()).await;
        let summary = crawl(&limited(&whole, &server, max_nodes)).await.expect("a crawl");
        assert!(summary.min_games > 1, "{summary:?}");
        let (expected, asked) = (whole.dump().await, server.fens());

        for every in [1, 4, 15] {
            let workshop = Workshop::named(TEN_NAMES).await;
            let left = Arc::new(AtomicUsize::new(0));
            let failing = {
                let (left, book) = (left.clone(), book.clone());
                Server::start(
                    move |request| match left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) {
                        Ok(_) => Reply::Ok(book.answer(request.fen())),
                        Err(_) => Reply::Status(401, "", "token expired"),
                    },
                )
                .await
            };
            let mut stops = 0;
            let last = loop {
                left.store(every, SeqCst);
                match crawl(&limited(&workshop, &failing, max_nodes)).await {
                    Ok(summary) => break summary,
                    Err(error) => assert_eq!(error.reaction(), Reaction::FixWorld, "{error}"),
                }
                stops += 1;
                assert!(stops <= asked.len(), "it does not end");
            };
            assert_eq!(last.min_games, summary.min_games);
            assert_same(&workshop.dump().await, &expected);
            assert_eq!(
                failing.requests().len(),
                asked.len() + stops,
                "nothing is asked for again"
            );
        }
    }
}

/// What was cut is not known any more, so there is no going on with more room.
#[tokio::test]
async fn a_crawl_that_was_cut_goes_on_with_less() {
    let (_, book) = corpus();
    let workshop = Workshop::named(TEN_NAMES).await;
    let server = serving(book).await;
    let cut = crawl(&limited(&workshop, &server, 60)).await.expect("a crawl");
    assert!(cut.min_games > 1, "{cut:?}");
    let before = workshop.dump().await;
    let asked = server.requests().len();
    let shallow = CrawlRequest {
        depth: DEPTH - 1,
        ..limited(&workshop, &server, 60)
    };
    let raised = CrawlRequest {
        min_games: cut.min_games,
        ..limited(&workshop, &server, 60)
    };
    for (request, told) in [
        (limited(&workshop, &server, 61), "--max-nodes 61"),
        (request(&workshop, &server, DEPTH, 1), "go on with --max-nodes 60"),
        (shallow, "--depth 5"),
        (raised, "were asked for with 1"),
        (limited(&workshop, &server, 0), "--max-nodes must be 1 or more"),
        (
            limited(&workshop, &server, 10),
            "--max-nodes 10: the named lines alone have 11 positions; raise --max-nodes to that or more",
        ),
    ] {
        let error = crawl(&request).await.expect_err(told);
        assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
        assert!(error.to_string().contains(told), "{error}");
        assert_same(&workshop.dump().await, &before);
    }
    let again = crawl(&limited(&workshop, &server, 60)).await.expect("nothing to do");
    assert_eq!((again.answered, again.min_games), (0, cut.min_games));
    assert_same(&workshop.dump().await, &before);

    let less = crawl(&limited(&workshop, &server, 20)).await.expect("nothing to ask");
    assert!(less.answered == 0 && less.min_games > cut.min_games, "{less:?}");
    assert_eq!(server.requests().len(), asked, "nobody was asked");
    let small = Workshop::named(TEN_NAMES).await;
    crawl(&limited(&small, &server, 20)).await.expect("a crawl");
    assert_same(
        &without_counters(workshop.dump().await),
        &without_counters(small.dump().await),
    );

    // Anew, there is room for everything.
    let fresh = CrawlRequest {
        fresh: true,
        ..request(&workshop, &server, DEPTH, 1)
    };
    let all = crawl(&fresh).await.expect("a crawl");
    assert_eq!((all.known, all.min_games), (0, 1));
    assert!(
        crawl(&request(&workshop, &server, DEPTH, 1)).await.is_ok(),
        "nothing was cut"
    );
}

/// A crawl that was never cut may have more room, and less.
#[tokio::test]
async fn what_was_never_cut_goes_on_with_any_limit() {
    let (_, book) = corpus();
    let workshop = Workshop::named(TEN_NAMES).await;
    let server = serving(book).await;
    let all = crawl(&request(&workshop, &server, DEPTH, 1)).await.expect("a crawl");
    let nodes = workshop.graph().await.nodes.len() as u64;
    for max_nodes in [Some(nodes), None, Some(nodes + 1)] {
        let again = CrawlRequest {
            max_nodes,
            ..request(&workshop, &server, DEPTH, 1)
        };
        let again = crawl(&again).await.expect("nothing to do");
        assert_eq!((again.answered, again.known, again.min_games), (0, all.answered, 1));
    }
    // Nothing of it is forgotten by who looks less far, unless there is no room for it.
    let before = workshop.dump().await;
    let shallow = |workshop: &Workshop, max_nodes| CrawlRequest {
        depth: 2,
        ..limited(workshop, &server, max_nodes)
    };
    crawl(&shallow(&workshop, nodes)).await.expect("nothing to do");
    assert_same(&workshop.dump().await, &before);
    let near = Workshop::named(TEN_NAMES).await;
    crawl(&shallow(&near, nodes)).await.expect("a crawl");
    let nearby = near.graph().await.nodes.len() as u64;
    let deep = Workshop::named(TEN_NAMES).await;
    crawl(&request(&deep, &server, DEPTH, 1)).await.expect("a crawl");
    assert_eq!(crawl(&shallow(&deep, nearby)).await.expect("a cut").min_games, 1);
    assert_same(
        &without_counters(deep.dump().await),
        &without_counters(near.dump().await),
    );
    let asked = server.requests().len();

    // Fewer than twice as many: it is cut in the end, not on the way.
    let cut = crawl(&limited(&workshop, &server, nodes - 1)).await.expect("a cut");
    assert!(cut.min_games > 1 && cut.answered == 0, "{cut:?}");
    assert_eq!(server.requests().len(), asked);
    assert!((workshop.graph().await.nodes.len() as u64) < nodes);
}
