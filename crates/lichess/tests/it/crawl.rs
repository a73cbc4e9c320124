//! What a crawl asks for and keeps, on a server that behaves.

use std::num::NonZeroU32;

use shakmaty::Chess;
use tabiya_chess::{epd, full_fen};
use tabiya_lichess::{CrawlEnd, Explorer, KnownMove, Seed, Target, crawl};

use crate::{
    book::{Book, after, sample},
    fixture::{Kept, crawl_all, explorer, hasty, options, start},
    server::{Reply, Server},
};

async fn serving(book: Book) -> Server {
    Server::start(move |request| Reply::Ok(book.answer(request.fen()))).await
}

fn nothing_known(_: &Target) -> Option<Vec<KnownMove>> {
    None
}

#[tokio::test]
async fn expands_tree_to_correct_depth() {
    let server = serving(sample()).await;
    let kept = crawl_all(&explorer(&server.base), options(3, 1)).await;
    // The start; e4 d4 Nf3 c4 b4; e5 c5, Nf6, d5, Nf6, e5: asked for. Then Nf3, Nf3, c4 (twice reached), d4: leaves.
    assert_eq!(kept.nodes.len(), 1 + 5 + 6);
    assert_eq!(kept.positions(), 1 + 5 + 6 + 4);
    let depths: Vec<u32> = kept.order.iter().map(|epd| kept.nodes[epd].depth).collect();
    assert!(depths.is_sorted() && depths.last() == Some(&2), "{depths:?}");
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn prunes_below_min_game_count() {
    let server = serving(sample()).await;
    let kept = crawl_all(&explorer(&server.base), options(2, 50)).await;
    let root = &kept.nodes[&epd(&Chess::default())];
    let moves: Vec<(&str, u64)> = root
        .moves
        .iter()
        .map(|m| (m.edge.san.as_str(), m.edge.tally.games()))
        .collect();
    assert_eq!(moves, [("e4", 1610), ("d4", 310), ("Nf3", 120), ("c4", 60)]);
    assert_eq!(root.pruned, 1, "b4 has 30 games");
    assert!(!kept.nodes.contains_key(&epd(&after("b4"))));
    assert!(!server.fens().contains(&full_fen(&after("b4"))));
}

#[tokio::test]
async fn the_games_of_the_move_decide() {
    // The position after 1.d4 Nf6 2.c4 has 60 games of 40 and 20, and neither way there has 50.
    let book = Book::new(&[
        ("d4 Nf6 c4 e6", [40, 0, 0]),
        ("c4 Nf6 d4 e6", [0, 20, 0]),
        ("e4 e5", [100, 0, 0]),
    ]);
    let server = serving(book).await;
    let kept = crawl_all(&explorer(&server.base), options(9, 50)).await;
    assert_eq!(kept.positions(), 3);
}

#[tokio::test]
async fn deduplicates_transposed_positions() {
    let server = serving(sample()).await;
    let kept = crawl_all(&explorer(&server.base), options(6, 1)).await;
    let met = after("d4 Nf6 c4");
    let fens = server.fens();
    let asked = fens.iter().filter(|fen| epd_of(fen) == epd(&met));
    assert_eq!(asked.count(), 1);
    let parents: Vec<&str> = kept
        .nodes
        .values()
        .filter(|node| node.moves.iter().any(|m| m.child == met))
        .map(|node| node.epd.as_str())
        .collect();
    let mut expected = [epd(&after("d4 Nf6")), epd(&after("c4 Nf6"))];
    expected.sort();
    assert_eq!(parents, expected);
    assert_eq!(kept.nodes[&epd(&met)].tally.games(), 370);
}

fn epd_of(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn respects_depth_limit() {
    let server = serving(sample()).await;
    let explorer = explorer(&server.base);
    let mut kept = Kept::default();
    let nearly_there = Seed { depth: 14, ..start() };
    let outcome = crawl(&explorer, [nearly_there], options(15, 1), nothing_known, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
    // Children, and no grandchildren.
    assert_eq!((kept.nodes.len(), kept.positions()), (1, 6));

    let there = Seed { depth: 15, ..start() };
    let outcome = crawl(&explorer, [there], options(15, 1), nothing_known, &mut kept).await;
    assert_eq!(outcome.report.answered, 0);
    assert_eq!(server.requests().len(), 1, "a position at the limit is a leaf");
}

#[tokio::test]
async fn records_win_rates() {
    let server = serving(sample()).await;
    let kept = crawl_all(&explorer(&server.base), options(2, 50)).await;
    let e4 = &kept.nodes[&epd(&after("e4"))];
    assert_eq!((e4.tally.white(), e4.tally.draws(), e4.tally.black()), (650, 620, 340));
    assert_eq!(e4.tally.games(), 1610);
    assert_eq!(e4.average_rating, Some(2450));
    let c5 = e4.moves.iter().find(|m| m.edge.san == "c5").expect("the Sicilian");
    assert_eq!((c5.edge.tally.games(), c5.edge.average_rating), (410, Some(2400)));
    assert_eq!(c5.child, after("e4 c5"));
}

#[tokio::test]
async fn the_depth_counts_from_every_seed() {
    let server = serving(sample()).await;
    let mut kept = Kept::default();
    let seeds = [start(), Seed::new(after("e4 e5 Nf3 Nc6"), 4)];
    let outcome = crawl(&explorer(&server.base), seeds, options(1, 1), nothing_known, &mut kept).await;
    assert_eq!(outcome.report.answered, 2);
    assert_eq!(outcome.report.moves, 5 + 2);
    let plies: Vec<u32> = kept.nodes.values().map(|node| node.ply).collect();
    assert!(plies.contains(&0) && plies.contains(&4), "{plies:?}");
}

#[tokio::test]
async fn the_number_in_flight_does_not_show() {
    let server = serving(sample()).await;
    let one = crawl_all(&explorer(&server.base), options(8, 1)).await;
    let mut config = hasty(&server.base);
    config.in_flight = NonZeroU32::new(5).expect("five");
    let five = crawl_all(&Explorer::new(config).expect("a sound configuration"), options(8, 1)).await;
    assert!(one.nodes.len() > 20);
    assert_eq!(five.content(), one.content());
    assert_eq!(five.order, one.order);
}

/// A crawl can run on any thread.
#[test]
fn crawls_can_be_sent() {
    fn sent<T: Send>(_: &T) {}
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let server = serving(sample()).await;
        let (explorer, mut kept) = (explorer(&server.base), Kept::default());
        sent(&crawl(&explorer, [start()], options(1, 1), nothing_known, &mut kept));
    });
}
