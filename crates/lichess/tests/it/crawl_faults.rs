//! Crawls that are interrupted, and what is left of them.

use std::{num::NonZeroU32, time::Duration};

use shakmaty::Chess;
use tabiya_chess::epd;
use tabiya_lichess::{
    CancellationToken, CrawlEnd, CrawlOptions, CrawlSink, CrawledNode, Explorer, ExplorerError, KnownMove, crawl,
};

use crate::{
    book::{after, sample},
    fixture::{Kept, crawl_all, explorer, go_on, hasty, options, start},
    server::{Reply, Server},
};

const DEEP: CrawlOptions = CrawlOptions { depth: 8, min_games: 1 };

async fn honest() -> Server {
    Server::start(|request| Reply::Ok(sample().answer(request.fen()))).await
}

/// What a crawl that nobody disturbs keeps.
async fn undisturbed() -> Kept {
    crawl_all(&explorer(&honest().await.base), DEEP).await
}

fn with_token(server: &Server, token: &str, in_flight: u32) -> Explorer {
    let mut config = hasty(&server.base);
    config.token = Some(token.parse().expect("a token"));
    config.in_flight = NonZeroU32::new(in_flight).expect("more than none");
    Explorer::new(config).expect("a sound configuration")
}

#[tokio::test]
async fn faults_on_the_way_do_not_show() {
    let server = Server::start(|request| {
        let answer = sample().answer(request.fen());
        match request.number % 9 {
            1 => Reply::Status(429, "", ""),
            3 => Reply::Status(500, "", ""),
            4 => Reply::Truncated(answer),
            6 => Reply::Half(answer),
            7 => Reply::HangUp,
            _ => Reply::Ok(answer),
        }
    })
    .await;
    let kept = crawl_all(&explorer(&server.base), DEEP).await;
    assert_eq!(kept.content(), undisturbed().await.content());
}

#[tokio::test]
async fn an_expired_token_keeps_what_was_answered() {
    let expected = undisturbed().await.content();
    for in_flight in [1, 3] {
        for answers in [0, 1, 7, 20] {
            let server = Server::start(move |request| {
                let valid = request.authorization() == Some("Bearer new") || request.number < answers;
                match valid {
                    true => Reply::Ok(sample().answer(request.fen())),
                    false => Reply::Status(401, "", "{\"error\":\"No such token\"}"),
                }
            })
            .await;
            let mut kept = Kept::default();
            let outcome = go_on(&with_token(&server, "old", in_flight), DEEP, &mut kept).await;
            assert!(
                matches!(outcome.end, CrawlEnd::Explorer(ExplorerError::Unauthorized { .. })),
                "{outcome:?}"
            );
            assert_eq!(outcome.report.answered, kept.nodes.len() as u64);
            if in_flight == 1 {
                assert_eq!(kept.nodes.len(), answers, "everything before is kept");
                assert_eq!(server.requests().len(), answers + 1, "and nothing is asked after");
            }

            let before = kept.nodes.len() as u64;
            let outcome = go_on(&with_token(&server, "new", in_flight), DEEP, &mut kept).await;
            assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
            assert_eq!(outcome.report.known, before);
            assert_eq!(kept.content(), expected);
        }
    }
}

#[tokio::test]
async fn a_known_crawl_asks_for_nothing() {
    let mut kept = undisturbed().await;
    let server = honest().await;
    let outcome = go_on(&explorer(&server.base), DEEP, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
    assert_eq!(
        (outcome.report.answered, outcome.report.known),
        (0, kept.nodes.len() as u64)
    );
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_shallow_crawl_can_be_deepened() {
    let server = honest().await;
    let explorer = explorer(&server.base);
    let mut kept = crawl_all(&explorer, options(3, 1)).await;
    let outcome = go_on(&explorer, DEEP, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
    assert_eq!(kept.content(), undisturbed().await.content());
    assert_eq!(server.requests().len(), kept.nodes.len(), "nobody was asked for twice");
}

#[tokio::test]
async fn illegal_moves_flag_their_node_and_nothing_else() {
    let server = Server::start(|request| {
        let more = match request.fen() == tabiya_chess::full_fen(&after("e4")) {
            true => r#"{"uci":"e4e6","san":"e6","white":90,"draws":90,"black":90}"#,
            false => "",
        };
        Reply::Ok(sample().answer_with(request.fen(), more))
    })
    .await;
    let mut kept = Kept::default();
    let outcome = go_on(&explorer(&server.base), DEEP, &mut kept).await;
    assert_eq!((outcome.report.illegal, outcome.report.flagged), (1, 1));
    let flagged: Vec<&CrawledNode> = kept.nodes.values().filter(|node| node.is_flagged()).collect();
    assert_eq!(flagged.len(), 1);
    assert_eq!(flagged[0].epd, epd(&after("e4")));
    assert_eq!(flagged[0].illegal[0].uci, "e4e6");
    assert_eq!(
        kept.edges(),
        undisturbed().await.edges(),
        "the rest of the tree is as it was"
    );
}

#[tokio::test]
async fn a_stop_finishes_the_node_in_hand() {
    for in_flight in [1, 3] {
        let stop = CancellationToken::new();
        let seen = stop.clone();
        let server = Server::start(move |request| {
            if request.number == 5 {
                seen.cancel();
            }
            Reply::Ok(sample().answer(request.fen()))
        })
        .await;
        let mut kept = Kept::default();
        let stopped = with_token(&server, "any", in_flight).stopped_by(stop);
        let outcome = go_on(&stopped, DEEP, &mut kept).await;
        assert!(matches!(outcome.end, CrawlEnd::Cancelled), "{outcome:?}");
        assert_eq!(kept.nodes.len(), server.requests().len(), "all that was sent was kept");
        assert!(
            (6..=5 + in_flight as usize).contains(&kept.nodes.len()),
            "{}",
            kept.nodes.len()
        );

        let outcome = go_on(&explorer(&server.base), DEEP, &mut kept).await;
        assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
        assert_eq!(kept.content(), undisturbed().await.content());
    }
}

#[tokio::test]
async fn a_stop_in_a_pause_waits_for_what_is_under_way() {
    // The first of two requests fails and brings the stop, while the second is still to be answered.
    let server = Server::start(|request| match request.number {
        1 => Reply::Slow(Duration::from_millis(100), "{".to_owned()),
        2 => Reply::Slow(Duration::from_secs(3), sample().answer(request.fen())),
        _ => Reply::Ok(sample().answer(request.fen())),
    })
    .await;
    let stop = CancellationToken::new();
    let at_pause = stop.clone();
    let stopped = with_token(&server, "any", 2)
        .stopped_by(stop)
        .on_wait(move |_| at_pause.cancel());
    let mut kept = Kept::default();
    let outcome = go_on(&stopped, DEEP, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Cancelled), "{outcome:?}");
    assert_eq!(kept.order, [epd(&Chess::default()), epd(&after("d4"))]);

    let outcome = go_on(&explorer(&server.base), DEEP, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
    assert_eq!(kept.content(), undisturbed().await.content());
}

/// A sink with room for so many nodes.
struct Full(usize, Kept);

impl CrawlSink for Full {
    type Error = &'static str;

    async fn answered(&mut self, node: CrawledNode) -> Result<(), &'static str> {
        if self.1.nodes.len() == self.0 {
            return Err("the disk is full");
        }
        match self.1.answered(node).await {
            Ok(()) => Ok(()),
        }
    }
}

#[tokio::test]
async fn a_sink_that_fails_ends_the_crawl() {
    let server = honest().await;
    let mut sink = Full(4, Kept::default());
    let outcome = crawl(&explorer(&server.base), [start()], DEEP, |_| None, &mut sink).await;
    assert!(matches!(outcome.end, CrawlEnd::Sink("the disk is full")), "{outcome:?}");
    assert_eq!(outcome.report.answered, 4, "the fifth was not kept and is not counted");
    assert_eq!(
        server.requests().len(),
        5,
        "nothing is asked for while a node is not safe"
    );
}

#[tokio::test]
async fn a_record_that_cannot_be_played_is_loud() {
    let server = honest().await;
    let wrong = |_: &_| {
        Some(vec![KnownMove {
            uci: "e2e5".to_owned(),
            games: 9,
        }])
    };
    let outcome = crawl(&explorer(&server.base), [start()], DEEP, wrong, &mut Kept::default()).await;
    let CrawlEnd::Known { epd: named, source } = outcome.end else {
        panic!("{outcome:?}");
    };
    assert_eq!(named, epd(&Chess::default()));
    assert_eq!(source.to_string(), "`e2e5` is not a legal move here");
}
