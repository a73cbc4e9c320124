//! Evaluations that contradict each other, and engines that fail.

use tabiya_app::{
    AppError, Reaction,
    build::{DEFAULT_GAP, EVALUATION_REVIEW, EvaluationAnswer, annotate, answer_evaluation, evaluation_reviews},
    worker::{QueueSettings, WorkerRequest, enqueue, work},
};

use crate::{
    annotate::{asking, run, scripted, to_depth},
    engines::fake,
    workshop::{Workshop, assert_same, epd_after},
};

/// What a node shows: centipawns and depth.
async fn shown(workshop: &Workshop, line: &str) -> Option<(i32, u8)> {
    let node = workshop.node(line).await.expect("a node");
    node.evaluation.map(|shown| (shown.eval.cp, shown.depth))
}

async fn questions(workshop: &Workshop) -> Vec<(String, String)> {
    let reviews = evaluation_reviews(&workshop.database()).await.expect("a list");
    assert!(reviews.iter().all(|review| review.reason == EVALUATION_REVIEW));
    reviews.into_iter().map(|review| (review.epd, review.detail)).collect()
}

#[tokio::test]
async fn an_evaluation_that_its_continuation_contradicts_replaces_nothing() {
    let (workshop, engine) = scripted(&[("e4 e5", "cp 20"), ("e4 e5 Nf3", "cp 30")]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(8);
    assert_eq!(run(&request).await.open_reviews, 0);

    engine.think_of_lines(&[("e4 e5", "cp -300"), ("e4 e5 Nf3", "cp 30")]);
    request.effort = to_depth(10);
    let report = run(&request).await;
    assert_eq!((report.done.contradicted, report.open_reviews), (1, 1), "{report:?}");
    let asked = [(
        epd_after("e4 e5"),
        "evaluated at -3.00 (depth 10), but the position behind Nf3 at +0.30".to_owned(),
    )];
    assert_eq!(questions(&workshop).await, asked);
    assert_eq!(shown(&workshop, "e4 e5").await, Some((20, 8)), "what it showed before");
    assert_eq!(shown(&workshop, "e4 e5 Nf3").await, Some((30, 10)));

    // The answer lies in the store now, and is no better for it.
    engine.asked();
    let before = workshop.dump().await;
    let report = run(&request).await;
    assert_eq!(
        (report.planned.from_store, report.done.searched, report.open_reviews),
        (1, 0, 1)
    );
    assert!(engine.asked().is_empty());
    assert_same(&workshop.dump().await, &before);
}

#[tokio::test]
async fn a_person_accepts_an_evaluation_or_keeps_the_old_one() {
    for (answer, shows) in [
        (EvaluationAnswer::Accept, (-300, 10)),
        (EvaluationAnswer::Keep, (20, 8)),
    ] {
        let (workshop, engine) = scripted(&[("e4 e5", "cp 20"), ("e4 e5 Nf3", "cp 30")]).await;
        let mut request = asking(&workshop, &engine.program);
        request.effort = to_depth(8);
        run(&request).await;
        engine.think_of_lines(&[("e4 e5", "cp -300"), ("e4 e5 Nf3", "cp 30")]);
        request.effort = to_depth(10);
        run(&request).await;

        let (database, fen) = (workshop.database(), epd_after("e4 e5"));
        let shown_now = answer_evaluation(&database, &fen, answer).await.expect("an answer");
        assert_eq!(
            shown_now.map(|shown| (shown.eval.cp, i32::from(shown.depth))),
            Some(shows),
            "{answer:?}"
        );
        assert!(questions(&workshop).await.is_empty());
        // Nobody asks again, though what was accepted may contradict the position before it.
        run(&request).await;
        assert!(
            questions(&workshop).await.iter().all(|(epd, _)| *epd != fen),
            "{answer:?}"
        );
        let (cp, depth) = shown(&workshop, "e4 e5").await.expect("an evaluation");
        assert_eq!((cp, i32::from(depth)), shows, "{answer:?}");
        let not_asked = answer_evaluation(&database, &epd_after("e4 c5"), answer).await;
        assert!(
            matches!(not_asked, Err(AppError::EvaluationNotAsked { .. })),
            "{not_asked:?}"
        );
    }
}

#[tokio::test]
async fn a_contradiction_that_goes_away_is_forgotten() {
    let (workshop, engine) = scripted(&[("e4 e5", "cp 20"), ("e4 e5 Nf3", "cp 30")]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(8);
    run(&request).await;
    engine.think_of_lines(&[("e4 e5", "cp -300"), ("e4 e5 Nf3", "cp 30")]);
    request.effort = to_depth(10);
    run(&request).await;
    assert_eq!(questions(&workshop).await.len(), 1);
    // One sees that both are lost: the parent is searched first and is contradicted by what its children said before.
    engine.think_of_lines(&[
        ("e4", "cp -300"),
        ("e4 e5", "cp -300"),
        ("e4 e5 Nf3", "cp -290"),
        ("e4 e5 f4", "cp -310"),
    ]);
    request.effort = to_depth(12);
    let report = run(&request).await;
    assert!(report.done.contradicted >= 1, "{report:?}");
    assert_eq!(questions(&workshop).await, []);
    assert_eq!(shown(&workshop, "e4 e5").await, Some((-300, 12)));
    assert_eq!(run(&request).await.planned.done_before, 9);
}

#[tokio::test]
async fn first_evaluations_that_disagree_are_shown_and_asked_about() {
    let (workshop, engine) = scripted(&[("e4 e5", "cp -300"), ("e4 e5 Nf3", "cp 30"), ("e4", "cp -300")]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(8);
    assert_eq!(run(&request).await.open_reviews, 1);
    assert_eq!(shown(&workshop, "e4 e5").await, Some((-300, 8)));
    // Whoever asks for less agreement has fewer questions.
    request.gap = 400;
    assert_eq!(run(&request).await.open_reviews, 0);
    request.gap = 100;
    assert_eq!(run(&request).await.open_reviews, 1);
}

#[tokio::test]
async fn a_worker_goes_by_what_was_asked_for() {
    let (workshop, engine) = scripted(&[("e4 e5", "cp 20"), ("e4 e5 Nf3", "cp 30")]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(8);
    run(&request).await;
    engine.think_of_lines(&[("e4 e5", "cp -300"), ("e4 e5 Nf3", "cp 30")]);
    request.effort = to_depth(10);
    request.gap = 400;
    let queue = QueueSettings::default();
    enqueue(&request, &queue).await.expect("batches");
    let worker = WorkerRequest {
        database: workshop.database(),
        queue,
        engine: request.engine.clone(),
        cloud: None,
        name: "worker".to_owned(),
        until_empty: true,
        gap: DEFAULT_GAP,
        stop: request.stop.clone(),
    };
    let report = work(&worker, |_| {}).await.expect("work");
    assert_eq!((report.done.searched, report.done.contradicted), (9, 0), "{report:?}");
    assert_eq!(shown(&workshop, "e4 e5").await, Some((-300, 10)));
}

#[tokio::test]
async fn a_position_that_no_engine_survives_is_put_aside() {
    let (workshop, engine) = scripted(&[("e4 e5", "crash")]).await;
    let mut request = asking(&workshop, &engine.program);
    let report = run(&request).await;
    assert_eq!((report.done.searched, report.done.quarantined), (8, 1), "{report:?}");
    assert_eq!(shown(&workshop, "e4 e5").await, None);
    let store = workshop.store().await;
    let coverage = store.evaluation_coverage().await.expect("coverage");
    assert_eq!((coverage.evaluated, coverage.branching_evaluated), (8, 3));
    let aside = store.quarantined().await.expect("a list");
    let [refused] = aside.as_slice() else {
        panic!("one is put aside, not {aside:?}");
    };
    assert_eq!((refused.epd.as_str(), refused.tries), (epd_after("e4 e5").as_str(), 1));
    assert!(refused.reason.contains("assertion failed"), "{refused:?}");

    engine.asked();
    let again = run(&request).await;
    assert_eq!((again.planned.in_quarantine, again.planned.to_search), (1, 0));
    assert!(engine.asked().is_empty(), "it is left alone");
    // Nor is it queued for engines that are not known yet.
    let queued = enqueue(&request, &QueueSettings::default()).await.expect("a queue");
    assert_eq!((queued.planned.in_quarantine, queued.batches), (1, 0), "{queued:?}");

    request.retry_quarantined = true;
    assert_eq!(run(&request).await.done.quarantined, 1, "it is tried again");
    engine.think_of_lines(&[("e4 e5", "cp 25")]);
    assert_eq!(run(&request).await.done.searched, 1);
    assert_eq!(shown(&workshop, "e4 e5").await, Some((25, 26)));
    assert!(store.quarantined().await.expect("a list").is_empty());
}

#[tokio::test]
async fn without_an_engine_left_everything_before_is_kept() {
    let (workshop, _) = scripted(&[]).await;
    let ledger = workshop.path("ledger").display().to_string();
    let words = ["ledger", &ledger, "run", "good,good,good,crash", "exit"];
    let mortal = fake(workshop.directory(), "mortal", &words);
    let mut request = asking(&workshop, &mortal);
    request.engine.max_tries = Some(3);
    request.batch = 2;
    let error = annotate(&request, |_| {}).await.expect_err("no engine");
    assert!(
        matches!(&error, AppError::NoEngineLeft { reason } if reason.contains("a library is missing")),
        "{error}"
    );
    assert_eq!(error.reaction(), Reaction::FixWorld);
    assert!(error.hints().iter().any(|hint| hint.contains("kept")), "{error}");
    let store = workshop.store().await;
    assert_eq!(store.evaluation_coverage().await.expect("coverage").evaluated, 3);
    assert!(
        store.quarantined().await.expect("a list").is_empty(),
        "no position is to blame"
    );

    let well = fake(workshop.directory(), "well", &["instant"]);
    let report = run(&asking(&workshop, &well)).await;
    assert_eq!(
        store.evaluation_coverage().await.expect("coverage").evaluated,
        9,
        "{report:?}"
    );
}

#[tokio::test]
async fn what_cannot_be_is_refused() {
    let workshop = Workshop::new();
    let well = fake(workshop.directory(), "well", &["instant"]);
    let mut request = asking(&workshop, &well);
    let error = annotate(&request, |_| {}).await.expect_err("no openings");
    assert!(matches!(error, AppError::NoOpenings), "{error}");
    request.engine.engine = Some(workshop.path("nothing"));
    let error = annotate(&request, |_| {}).await.expect_err("no engine");
    assert!(
        error.to_string().contains("nothing") && error.reaction() == Reaction::FixInput,
        "{error}"
    );
    request.multipv = 0;
    let error = annotate(&request, |_| {}).await.expect_err("no lines");
    assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
}
