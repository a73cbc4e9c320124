use pgn_import::{Batch, Checkpoint, Counters, ImportJob, Journal, Position};

use crate::fixture::{Fixture, Kind, content};
use crate::rows::{Line, at, job, join, position, reject};

pub(crate) async fn a_job_goes_on_where_it_stopped(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let first = job("a.pgn");
    let others = [
        job("b.pgn"),
        ImportJob {
            fingerprint: "g".to_owned(),
            ..job("a.pgn")
        },
        ImportJob {
            config: "d".to_owned(),
            ..job("a.pgn")
        },
    ];
    assert_eq!(store.checkpoint(&first).await.unwrap(), None);
    let checkpoint = Checkpoint {
        offset: u64::MAX,
        games: 12,
        done: true,
        counters: Counters {
            pgn_games_total: 12,
            persist_ms: 3,
            ..Counters::default()
        },
    };
    for point in [&at(5), &checkpoint] {
        let batch = Line::from_start(&[0, 1]).batch(None);
        let inserted = store.commit(&first, batch, point).await.unwrap();
        let mut another = fixture.another().await;
        // With what was new among its rows, which only the store knows.
        let expected = point.counting(inserted);
        assert_eq!(another.checkpoint(&first).await.unwrap(), Some(expected));
    }
    for other in &others {
        assert_eq!(store.checkpoint(other).await.unwrap(), None);
    }
}

fn rejecting(source: &str, games: &[u64], reason: &str) -> Batch {
    Batch {
        rejects: games.iter().map(|game| reject(source, *game, reason)).collect(),
        ..Batch::default()
    }
}

pub(crate) async fn rejects_belong_to_the_last_run(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let job_a = job("a.pgn");
    let games = |rejects: Vec<pgn_import::Reject>| {
        rejects
            .into_iter()
            .map(|r| (r.source, r.game_index))
            .collect::<Vec<_>>()
    };
    let of = |source: &str, games: &[u64]| games.iter().map(|game| (source.to_owned(), *game)).collect::<Vec<_>>();
    // A run in two commits keeps the rejects of both; one game is entered once.
    store
        .commit(&job_a, rejecting("a.pgn", &[3, 10], "x"), &at(10))
        .await
        .unwrap();
    store
        .commit(&job_a, rejecting("a.pgn", &[11, 10], "y"), &at(20))
        .await
        .unwrap();
    store
        .commit(&job("b.pgn"), rejecting("b.pgn", &[1], "x"), &at(10))
        .await
        .unwrap();
    let rejects = store.rejects(Some("a.pgn")).await.unwrap();
    assert_eq!(rejects[1], reject("a.pgn", 10, "y"));
    assert_eq!(games(rejects), of("a.pgn", &[3, 10, 11]));
    assert_eq!(store.rejects(None).await.unwrap().len(), 4);

    // The run is done, and another over the same input begins anew.
    let done = Checkpoint { done: true, ..at(30) };
    store.commit(&job_a, Batch::default(), &done).await.unwrap();
    store
        .commit(&job_a, rejecting("a.pgn", &[3], "z"), &at(40))
        .await
        .unwrap();
    assert_eq!(games(store.rejects(Some("a.pgn")).await.unwrap()), of("a.pgn", &[3]));
    store
        .commit(&job_a, rejecting("a.pgn", &[7], "z"), &at(50))
        .await
        .unwrap();
    assert_eq!(games(store.rejects(Some("a.pgn")).await.unwrap()), of("a.pgn", &[3, 7]));

    // A run that was broken off and is begun from the start.
    store
        .commit(&job_a, rejecting("a.pgn", &[4], "z"), &at(10))
        .await
        .unwrap();
    assert_eq!(games(store.rejects(Some("a.pgn")).await.unwrap()), of("a.pgn", &[4]));

    // The same source with another content.
    let changed = ImportJob {
        fingerprint: "g".to_owned(),
        ..job("a.pgn")
    };
    store.commit(&changed, Batch::default(), &at(10)).await.unwrap();
    assert_eq!(games(store.rejects(None).await.unwrap()), of("b.pgn", &[1]));
}

pub(crate) async fn a_retry_strikes_off_what_it_settled_and_no_more(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let import = job("a.pgn");
    store
        .commit(&import, rejecting("a.pgn", &[3, 7, 12], "x"), &at(10))
        .await
        .unwrap();
    store
        .commit(&job("b.pgn"), rejecting("b.pgn", &[3, 7], "x"), &at(10))
        .await
        .unwrap();
    let retry = ImportJob {
        fingerprint: "retry".to_owned(),
        config: String::new(),
        ..job("a.pgn")
    };
    let done = Checkpoint {
        done: true,
        ..Checkpoint::default()
    };
    // More than a statement may have values; 7 is never among them.
    let many: Vec<u64> = (0..40_000).filter(|game| *game != 7).collect();
    let mut many_left = many[..1_200].to_vec();
    many_left.insert(7, 7);
    // What is struck off, what is entered, and what is left. The journal does not know the first retry, and knows the others as done.
    let retries: [(&[u64], &[u64], &[u64]); 5] = [
        // One is mended, the other rejected once more.
        (&[3, 12], &[12], &[7, 12]),
        // None was come to, and this one was not known here.
        (&[], &[9], &[7, 9, 12]),
        // It has another number by now.
        (&[9], &[10], &[7, 10, 12]),
        // Mended, and not known here.
        (&[4, u64::MAX], &[], &[7, 10, 12]),
        (&many[..], &many[..1_200], &many_left[..]),
    ];
    for (struck_off, entered, left) in retries {
        let batch = Batch {
            struck_off: Some(struck_off.to_vec()),
            ..rejecting("a.pgn", entered, "y")
        };
        store.commit(&retry, batch, &done).await.unwrap();
        let left: Vec<_> = left
            .iter()
            .map(|game| reject("a.pgn", *game, if *game == 7 { "x" } else { "y" }))
            .collect();
        assert_eq!(store.rejects(Some("a.pgn")).await.unwrap(), left);
    }
    assert_eq!(store.rejects(Some("b.pgn")).await.unwrap().len(), 2);

    // The import itself goes on.
    store
        .commit(&import, rejecting("a.pgn", &[20_000], "x"), &at(20))
        .await
        .unwrap();
    assert_eq!(store.rejects(Some("a.pgn")).await.unwrap().len(), 1_202);
}

pub(crate) async fn a_failing_commit_leaves_nothing(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    let job = job("a.pgn");
    store
        .commit(&job, Line::from_start(&[0, 1]).batch(None), &at(1))
        .await
        .unwrap();
    let before = content(&store).await;
    let reached = store.checkpoint(&job).await.unwrap();
    let unreadable = Position {
        fen: "no board".to_owned(),
        ..position(8, 1, 1)
    };
    let mut batch = join([Line::from_start(&[0, 2, 3]).batch(None), rejecting("a.pgn", &[1], "x")]);
    batch.positions.push(unreadable);
    assert!(store.commit(&job, batch, &at(2)).await.is_err());
    assert_eq!(content(&store).await, before);
    assert_eq!(store.checkpoint(&job).await.unwrap(), reached);
}
