//! The lines a review is made of: in which order positions are searched, which of them twice, who is asked before an engine,
//! and engines that break.

use tabiya_app::{
    AppError,
    review::{Entry, LinesFrom, review_games},
};
use tabiya_chess::Class;

use crate::{
    engines::fake,
    server::{Reply, Server},
    study::{AFTER_KE2, GAMES, Study, class, opinionated, run, try_run},
};

#[test]
fn games_are_searched_backwards() {
    let study = Study::of("1. e4 e5 2. Nf3 *\n");
    let engine = opinionated(&study, &[("*", "cp 20")]);
    run(&study.request(&engine.program));
    let asked = engine.asked();
    let turns: Vec<_> = asked
        .iter()
        .map(|(epd, _)| epd.split(' ').nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(turns, ["b", "w", "b", "w"]);
    assert!(asked[3].0.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"));
    assert!(asked.iter().all(|(_, limit)| limit == "nodes 5000"));
}

#[test]
fn contradictions_are_searched_again() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let after_a3 = "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq -";
    let study = Study::of("1. a3 *\n");
    let judged = |opinions: &[(&str, &str)]| {
        let engine = opinionated(&study, opinions);
        let mut request = study.request(&engine.program);
        request.rules.theory = tabiya_app::review::Theory::Off;
        let (_, games) = run(&request);
        let again: Vec<_> = engine
            .asked()
            .into_iter()
            .filter(|(_, limit)| limit.contains("searchmoves"))
            .collect();
        (games[0].review.moves[0].clone(), again)
    };
    // The top move, and afterwards it looks bad: nothing is lost, and somebody looks again.
    let (top, again) = judged(&[(start, "cp 30 best a2a3"), (after_a3, "cp -300")]);
    assert_eq!(
        (class(&top), top.point_loss, top.accuracy),
        (Class::Best, Some(0.0), Some(99.99))
    );
    assert_eq!(again.len(), 1);
    assert_eq!(again[0], (start.to_owned(), "nodes 5000 searchmoves a2a3".to_owned()));
    // Not among the best, and afterwards better than they are: the move is worth what the search in between says.
    let promised = format!("{start} a2a3");
    let (better, again) = judged(&[(start, "cp 30 best e2e4"), (after_a3, "cp 300"), (&promised, "cp -100")]);
    assert_eq!(again.len(), 1);
    assert_eq!(better.searched_again.map(|evaluation| evaluation.value), Some(-100));
    assert_eq!((class(&better), better.centipawn_loss), (Class::Inaccuracy, Some(130)));
    assert_eq!(
        better.evaluation.map(|evaluation| evaluation.value),
        Some(300),
        "what the position shows"
    );
    // Both agree: nobody looks again.
    let (plain, again) = judged(&[(start, "cp 30 best e2e4"), (after_a3, "cp -40")]);
    assert!(again.is_empty() && plain.searched_again.is_none());
}

#[test]
fn a_position_that_kills_engines_costs_its_game_alone() {
    let study = Study::of(GAMES);
    let engine = opinionated(&study, &[("*", "cp 20"), (AFTER_KE2, "crash")]);
    let (outcome, games) = run(&study.request(&engine.program));
    assert_eq!((games.len(), outcome.failures.len()), (2, 3));
    let failed = &outcome.failures[0];
    assert_eq!(failed.game, 1);
    assert!(
        failed.fen.as_ref().is_some_and(|fen| fen.starts_with(AFTER_KE2)),
        "{failed:?}"
    );
    assert!(failed.reason.contains("ended in the middle"), "{failed:?}");
}

#[test]
fn an_engine_that_is_gone_ends_the_review() {
    let study = Study::of(GAMES);
    let ledger = study.path("ledger").display().to_string();
    let engine = fake(
        study.dir.path(),
        "mortal",
        &["ledger", &ledger, "run", "good,good,crash", "exit"],
    );
    let mut request = study.request(&engine);
    if let LinesFrom::Engine { engine, .. } = &mut request.lines {
        engine.max_tries = Some(3);
    }
    let error = try_run(&request, |_| {}).expect_err("no engine");
    assert!(matches!(error, AppError::NoEngineLeft { .. }), "{error}");
}

#[test]
fn the_store_is_asked_and_told() {
    let study = Study::of("1. e4 e5 2. Nf3 *\n");
    let engine = opinionated(&study, &[("*", "cp 20")]);
    let mut request = study.request(&engine.program);
    if let LinesFrom::Engine { database, .. } = &mut request.lines {
        *database = Some(format!("sqlite://{}", study.path("evals.db").display()));
    }
    let (_, first) = run(&request);
    assert_eq!(engine.asked().len(), 4);
    let (_, second) = run(&request);
    assert!(engine.asked().is_empty(), "everything is known");
    assert_eq!(first[0].review, second[0].review);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cloud_is_asked_first_and_an_engine_the_rest() {
    let study = Study::of("1. e4 e5 *\n");
    let engine = opinionated(&study, &[("*", "cp 20")]);
    let known = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","knodes":9000,"depth":40,"pvs":[
        {"moves":"d2d4 d7d5","cp":31},{"moves":"e2e4 e7e5","cp":30},{"moves":"g1f3 d7d5","cp":25}]}"#;
    let server = Server::start(
        move |request| match request.fen().starts_with("rnbqkbnr/pppppppp/8/8/8/8/") {
            true => Reply::Ok(known.to_owned()),
            false => Reply::Status(404, "", ""),
        },
    )
    .await;
    let mut request = study.request(&engine.program);
    if let LinesFrom::Engine { cloud, .. } = &mut request.lines {
        *cloud = Some(tabiya_app::build::explorer::CloudConfig {
            rate: 10_000.0,
            ..tabiya_app::build::explorer::CloudConfig::new(server.base.clone())
        });
    }
    let mut games = Vec::new();
    let outcome = review_games(&request, &|_| {}, |_, entry| {
        if let Entry::Reviewed(reviewed) = entry {
            games.push(reviewed.review.clone());
        }
        Ok(())
    });
    assert_eq!(outcome.await.expect("a review").summary.games, 1);
    assert_eq!((server.fens().len(), engine.asked().len()), (3, 2));
    let sources: Vec<_> = games[0]
        .nodes
        .iter()
        .map(|node| node.state.engine_lines[0].source.as_str())
        .collect();
    assert_eq!(sources, ["lichess-cloud", "fake-1-0", "fake-1-0"]);
}
