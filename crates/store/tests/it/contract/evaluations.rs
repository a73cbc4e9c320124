//! What engines said of any position, who asks them, and what they could not answer.

use shakmaty::Chess;
use shakmaty::uci::UciMove;
use tabiya_chess::{Analysis, EngineLine, Eval, Question, SearchLimit, Wdl, epd, parse_fen};
use tabiya_store::{EvaluationCounts, Identity, StoreError, StoreOptions};

use crate::book::{after, board};
use crate::fixture::{Fixture, Kind};
use crate::rows::Random;

/// An answer with as many lines as moves are given.
pub(crate) fn analysis(engine: &str, limit: SearchLimit, depth: u8, moves: &[&str]) -> Analysis {
    let line = |(uci, index): (&&str, u8)| EngineLine {
        index,
        eval: Eval::Cp(30 - i32::from(index)),
        depth,
        seldepth: Some(depth + 8),
        wdl: Some(Wdl {
            win: 100,
            draw: 850,
            loss: 50,
        }),
        moves: vec![UciMove::from_ascii(uci.as_bytes()).unwrap()],
    };
    Analysis {
        engine: engine.to_owned(),
        limit,
        multipv: u8::try_from(moves.len()).unwrap(),
        lines: moves.iter().zip(1..).map(line).collect(),
        nodes: 1_000_000,
        millis: 700,
        hashfull: Some(12),
        tbhits: 3,
    }
}

pub(crate) fn asking(limit: SearchLimit, multipv: u8) -> Question {
    Question {
        limit,
        multipv,
        engine: None,
    }
}

pub(crate) async fn answers_come_back_to_whom_they_serve(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let start = Chess::default();
    let two_lines = analysis("Stockfish 17", SearchLimit::depth(22), 22, &["e2e4", "d2d4"]);
    let cloud = analysis("lichess cloud", SearchLimit::depth(40), 40, &["e2e4"]);
    let both = vec![(start.clone(), two_lines.clone()), (start.clone(), cloud.clone())];
    assert_eq!(fixture.store().put_analyses(both).await.unwrap(), 2);
    let store = fixture.reading().await;

    let find = async |limit, multipv, engine: Option<&str>| {
        let question = Question {
            engine: engine.map(str::to_owned),
            ..asking(limit, multipv)
        };
        store.find_analysis(&start, &question).await.unwrap()
    };
    // The deepest that serves, whoever gave it, unless one engine's alone counts.
    assert_eq!(find(SearchLimit::depth(18), 1, None).await, Some(cloud.clone()));
    assert_eq!(find(SearchLimit::depth(18), 2, None).await, Some(two_lines.clone()));
    assert_eq!(
        find(SearchLimit::depth(18), 1, Some("Stockfish 17")).await,
        Some(two_lines.clone())
    );
    assert_eq!(find(SearchLimit::depth(23), 1, Some("Stockfish 17")).await, None);
    assert_eq!(find(SearchLimit::depth(18), 3, None).await, None);
    assert_eq!(find(SearchLimit::depth(41), 1, None).await, None);
    // Move counters do not tell positions apart, and a position is not its neighbour.
    let later = parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 30")
        .unwrap()
        .position;
    let question = asking(SearchLimit::depth(18), 1);
    assert_eq!(
        store.find_analysis(&later, &question).await.unwrap(),
        Some(cloud.clone())
    );
    assert_eq!(store.find_analysis(&board("e4"), &question).await.unwrap(), None);

    // Many at once come in the order they were asked in.
    let asked = [
        (board("e4"), question.clone()),
        (start.clone(), asking(SearchLimit::depth(18), 2)),
        (start.clone(), question.clone()),
    ];
    assert_eq!(
        store.find_analyses(&asked).await.unwrap(),
        [None, Some(two_lines), Some(cloud)]
    );
    assert_eq!(store.find_analyses(&[]).await.unwrap(), []);
}

pub(crate) async fn answers_are_counted_by_engine(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let answer = |engine, depth| {
        let answer = analysis(engine, SearchLimit::depth(depth), depth, &["e2e4"]);
        (Chess::default(), answer)
    };
    let answers = vec![answer("Stockfish 17", 22), answer("lichess cloud", 40)];
    assert_eq!(store.put_analyses(answers).await.unwrap(), 2);
    assert_eq!(
        store.evaluation_counts().await.unwrap(),
        EvaluationCounts {
            positions: 1,
            evaluations: 2,
            by_engine: vec![("Stockfish 17".to_owned(), 1), ("lichess cloud".to_owned(), 1)],
        }
    );
}

pub(crate) async fn positions_where_the_game_is_over_have_answers(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let mated = board("f3 e5 g4 Qh4");
    let mut answer = analysis("Stockfish 17", SearchLimit::depth(22), 0, &["e2e4"]);
    answer.lines[0].eval = Eval::Checkmate(shakmaty::Color::Black);
    answer.lines[0].moves.clear();
    let known = vec![(mated.clone(), answer.clone())];
    fixture.store().put_analyses(known).await.unwrap();
    let found = fixture
        .reading()
        .await
        .find_analysis(&mated, &asking(SearchLimit::depth(99), 5))
        .await
        .unwrap();
    assert_eq!(found, Some(answer));
}

/// Whatever came first, the same stays.
pub(crate) async fn the_deeper_answer_stays_in_any_order(kind: Kind) {
    let mut answers = Vec::new();
    for line in ["", "e4", "e4 c5"] {
        for depth in [18, 20, 20, 22, 22] {
            let mut answer = analysis("Stockfish 17", SearchLimit::nodes(1_000_000), depth, &["a2a3"]);
            answer.nodes += answers.len() as u64 % 2;
            answer.millis += answers.len() as u64;
            answer.hashfull = Some(7).filter(|_| answers.len() % 3 == 0);
            answer.lines[0].eval = Eval::Cp(i32::try_from(answers.len() % 4).unwrap());
            answers.push((board(line), answer));
        }
    }
    let alone = Fixture::new(kind).await;
    alone.store().put_analyses(answers.clone()).await.unwrap();
    let expected = alone.store().dump_knowledge().await.unwrap();
    assert_eq!(expected.len(), 3);
    assert_eq!(alone.store().put_analyses(answers.clone()).await.unwrap(), 0);
    assert_eq!(alone.store().dump_knowledge().await.unwrap(), expected);
    let kept = alone
        .store()
        .find_analysis(&board("e4"), &asking(SearchLimit::depth(1), 1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((kept.depth(), kept.nodes), (22, 1_000_001));

    for seed in 0..4 {
        let fixture = Fixture::new(kind).await;
        Random::new(seed).shuffle(&mut answers);
        for batch in answers.chunks(4) {
            fixture.store().put_analyses(batch.to_vec()).await.unwrap();
        }
        assert_eq!(fixture.store().dump_knowledge().await.unwrap(), expected);
    }
}

/// Evaluations are about positions, whatever the trie beside them tells apart.
pub(crate) async fn a_literal_tree_has_evaluations_too(kind: Kind) {
    let options = StoreOptions {
        identity: Some(Identity::FullFen),
        ..StoreOptions::default()
    };
    let fixture = Fixture::new_with(kind, options).await;
    let store = fixture.store();
    let answer = analysis("Stockfish 17", SearchLimit::depth(22), 22, &["e7e5"]);
    store.put_analyses(vec![(board("e4"), answer.clone())]).await.unwrap();
    let found = store
        .find_analysis(&board("e4"), &asking(SearchLimit::depth(20), 1))
        .await
        .unwrap();
    assert_eq!(found, Some(answer));
}

pub(crate) async fn many_writers_of_evaluations_are_as_one(kind: Kind) {
    let answers: Vec<(Chess, Analysis)> = ["", "e4", "d4", "c4", "Nf3", "e4 e5", "e4 c5", "d4 d5", "g3", "b3"]
        .iter()
        .flat_map(|line| {
            (10u8..30).map(|depth| {
                let engine = format!("engine {}", depth % 3);
                (board(line), analysis(&engine, SearchLimit::depth(20), depth, &["a1a1"]))
            })
        })
        .collect();
    let alone = Fixture::new(kind).await;
    alone.store().put_analyses(answers.clone()).await.unwrap();
    let expected = alone.store().dump_knowledge().await.unwrap();

    let shared = Fixture::new(kind).await;
    let mut writers = Vec::new();
    for writer in 0..4 {
        let store = shared.another().await;
        let mut answers = answers.clone();
        Random::new(writer).shuffle(&mut answers);
        writers.push(tokio::spawn(async move {
            for batch in answers.chunks(17) {
                store.put_analyses(batch.to_vec()).await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(shared.store().dump_knowledge().await.unwrap(), expected);
}

/// Somebody changes the position behind a row: as if two had one hash.
pub(crate) async fn two_positions_under_one_hash_are_an_error(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let answer = |depth| analysis("Stockfish 17", SearchLimit::depth(22), depth, &["e7e5"]);
    store
        .put_analyses(vec![(board("e4"), answer(22)), (board("d4"), answer(22))])
        .await
        .unwrap();
    let (one, other) = (after("e4").to_i64(), after("d4").to_i64());
    fixture
        .execute(&format!(
            "UPDATE evaluations SET position = (SELECT position FROM evaluations WHERE position_id = {other})
             WHERE position_id = {one}"
        ))
        .await;

    let both = |error: StoreError| {
        let text = error.to_string();
        assert!(
            matches!(error, StoreError::Collision { .. })
                && text.contains(&epd(&board("e4")))
                && text.contains(&epd(&board("d4"))),
            "{text}"
        );
    };
    let found = store
        .find_analysis(&board("e4"), &asking(SearchLimit::depth(20), 1))
        .await;
    both(found.unwrap_err());
    // Not even a worse answer goes unnoticed, and the rest of the batch is not written.
    let new = (board("c4"), answer(22));
    let put = store.put_analyses(vec![(board("e4"), answer(3)), new]).await;
    both(put.unwrap_err());
    assert_eq!(store.evaluation_counts().await.unwrap().evaluations, 2);
}

pub(crate) async fn what_nobody_could_answer_is_kept_apart(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    let question = asking(SearchLimit::depth(22), 3);
    let of_one = Question {
        engine: Some("Stockfish 17".to_owned()),
        ..question.clone()
    };
    store
        .quarantine(&board("e4"), &question, 3, "the engine died")
        .await
        .unwrap();
    store
        .quarantine(&board("e4"), &question, 2, "no answer in 60 s")
        .await
        .unwrap();
    store
        .quarantine(&board("e4"), &of_one, 1, "the engine died")
        .await
        .unwrap();
    store
        .quarantine(&board("d4"), &question, 1, "the engine died")
        .await
        .unwrap();
    let all = store.quarantined().await.unwrap();
    let shown: Vec<_> = all
        .iter()
        .map(|q| (q.position, &q.question, q.tries, q.reason.as_str()))
        .collect();
    assert!(epd(&board("d4")) < epd(&board("e4")));
    assert_eq!(
        shown,
        [
            (after("d4"), &question, 1, "the engine died"),
            (after("e4"), &question, 5, "no answer in 60 s"),
            (after("e4"), &of_one, 1, "the engine died"),
        ]
    );
    assert_eq!(all[0].epd, epd(&board("d4")));
    assert!(all[0].quarantined_at.ends_with('Z'), "{}", all[0].quarantined_at);
    assert_eq!(store.release_quarantine(Some(after("e4"))).await.unwrap(), 2);
    assert_eq!(store.release_quarantine(Some(after("e4"))).await.unwrap(), 0);
    assert_eq!(store.release_quarantine(None).await.unwrap(), 1);
    assert_eq!(store.quarantined().await.unwrap(), []);
}
