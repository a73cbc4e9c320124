//! Reviews of whole games: by engines that say what they are told to, and by a real one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tabiya_app::{
    AppError,
    engines::EngineSettings,
    review::{
        Entry, GameReview, LinesFrom, MoveReport, Progress, ReviewEvent, ReviewOutcome, ReviewOutputs, ReviewRequest,
        Reviewed, Reviewer, Rules, Trouble, review_games,
    },
};
use tabiya_chess::{Class, SearchLimit};
use tempfile::TempDir;

use crate::{
    engines::{Opinionated, fake, real_engine},
    server::{Reply, Server},
};

/// A directory with a file of games, and a review of them.
pub(crate) struct Study {
    pub(crate) dir: TempDir,
}

impl Study {
    pub(crate) fn of(pgn: &str) -> Study {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("games.pgn"), pgn).expect("a writable directory");
        Study { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn request(&self, engine: &Path) -> ReviewRequest {
        ReviewRequest {
            inputs: vec![self.path("games.pgn").display().to_string()],
            rules: Rules::default(),
            lines: LinesFrom::Engine {
                engine: EngineSettings {
                    engine: Some(engine.to_owned()),
                    workers: Some(1),
                    max_tries: Some(1),
                    ..EngineSettings::default()
                },
                limit: SearchLimit::nodes(5_000),
                multipv: 3,
                cloud: None,
                database: None,
            },
            outputs: ReviewOutputs::default(),
            journal: None,
            stop: Arc::default(),
        }
    }

    /// The request with recorded lines in place of engines.
    pub(crate) fn recorded(&self, file: &str) -> ReviewRequest {
        ReviewRequest {
            lines: LinesFrom::File(self.path(file)),
            ..self.request(Path::new("nobody"))
        }
    }
}

pub(crate) fn run(request: &ReviewRequest) -> (ReviewOutcome, Vec<Reviewed>) {
    let mut games = Vec::new();
    let outcome = try_run(request, |entry| {
        if let Entry::Reviewed(reviewed) = entry {
            games.push((**reviewed).clone());
        }
    });
    (outcome.expect("a review"), games)
}

pub(crate) fn try_run(request: &ReviewRequest, mut each: impl FnMut(&Entry)) -> Result<ReviewOutcome, AppError> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let watch = |_: ReviewEvent<'_>| {};
    runtime.block_on(review_games(request, &watch, |_, entry| {
        each(entry);
        Ok(())
    }))
}

fn with_workers(request: &ReviewRequest, workers: usize) -> ReviewRequest {
    let mut request = request.clone();
    if let LinesFrom::Engine { engine, .. } = &mut request.lines {
        engine.workers = Some(workers);
    }
    request
}

pub(crate) fn find<'a>(review: &'a GameReview, san: &str) -> &'a MoveReport {
    let found = review.moves.iter().find(|one| one.san == san);
    found.unwrap_or_else(|| panic!("no {san} in {}", review.white.name))
}

pub(crate) fn class(one: &MoveReport) -> Class {
    one.classification
        .unwrap_or_else(|| panic!("{} is not judged", one.san))
        .0
}

const GAMES: &str = "\
[Event \"first\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 { mine [%eval 0.1] } e5 (1... c5 2. Nf3) 2. Ke2 $6 d6 3. Ke1 1-0\n\n\
[Event \"second\"]\n[White \"B\"]\n[Black \"C\"]\n\n1. e4 c5 2. Nf6 d6 *\n\n\
[Event \"third\"]\n[White \"C\"]\n[Black \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
[Event \"fourth\"]\n[White \"A\"]\n[Black \"C\"]\n\n*\n\n\
[Event \"fifth\"]\n[White \"A\"]\n[Black \"C\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n";

const AFTER_KE2: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq -";

pub(crate) fn opinionated(study: &Study, opinions: &[(&str, &str)]) -> Opinionated {
    Opinionated::new(study.dir.path(), opinions)
}

#[test]
fn every_game_has_a_review_or_a_reason() {
    let study = Study::of(GAMES);
    let engine = opinionated(&study, &[("*", "cp 20"), (AFTER_KE2, "cp -150 best g8f6")]);
    let (outcome, games) = run(&study.request(&engine.program));
    assert_eq!(
        (outcome.summary.games, outcome.summary.failed, outcome.summary.moves),
        (3, 2, 9)
    );
    let reasons: Vec<_> = outcome
        .failures
        .iter()
        .map(|failed| (failed.game, failed.ply, failed.reason.as_str()))
        .collect();
    assert_eq!(reasons[0].0, 2);
    assert_eq!(reasons[0].1, Some(3));
    assert!(reasons[0].2.contains("`Nf6`"), "{reasons:?}");
    assert!(reasons[1].0 == 5 && reasons[1].2.contains("atomic"), "{reasons:?}");

    let first = &games[0].review;
    assert_eq!(class(find(first, "e4")), Class::Theory);
    let blunder = find(first, "Ke2");
    // A named opening, so it takes --no-theory to say it.
    assert_eq!(class(blunder), Class::Theory);
    assert_eq!(first.opening.as_ref().map(|opening| opening.ply), Some(3));
    assert_eq!(
        first.opening.as_ref().and_then(|opening| opening.left_theory_ply),
        Some(4)
    );

    let third = &games[1].review;
    let mate = find(third, "Qh4#");
    // Even this has a name, and names come first.
    assert_eq!((class(mate), mate.point_loss), (Class::Theory, Some(0.0)));
    assert_eq!(mate.reason, mate.opening);
    let value = mate.evaluation.expect("an evaluation");
    assert_eq!((value.value, value.winner), (0, Some(tabiya_app::review::Side::Black)));

    let fourth = &games[2].review;
    assert!(fourth.moves.is_empty() && fourth.white.accuracy.is_none() && fourth.nodes.len() == 1);
    // Who played, over all games.
    let names: Vec<_> = outcome
        .summary
        .players
        .iter()
        .map(|player| (player.side.name.as_str(), player.games, player.side.moves))
        .collect();
    assert_eq!(names, [("A", 3, 5), ("C", 2, 2), ("B", 1, 2)]);
}

#[test]
fn bad_moves_are_explained() {
    let study = Study::of(GAMES);
    let engine = opinionated(&study, &[("*", "cp 20"), (AFTER_KE2, "cp -150 best g8f6")]);
    let mut request = study.request(&engine.program);
    request.rules.theory = tabiya_app::review::Theory::Off;
    let (_, games) = run(&request);
    let blunder = find(&games[0].review, "Ke2");
    assert_eq!(class(blunder), Class::Mistake);
    let explanation = blunder.explanation.as_ref().expect("an explanation");
    assert_eq!(explanation.refutation, ["Nf6"]);
    assert!(
        explanation.text.contains("the line goes Ke2 Nf6; better is "),
        "{}",
        explanation.text
    );
    assert_eq!(blunder.centipawn_loss, Some(170));
    assert!(
        (blunder.point_loss.expect("a loss") - 0.1457).abs() < 1e-3,
        "{blunder:?}"
    );
    let pgn = games[0].pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(pgn.contains("2. Ke2 $2 { [%eval -1.50,10] Mistake: "), "{pgn}");
    let mate = find(&games[1].review, "Qh4#");
    assert_eq!((class(mate), mate.reason.as_deref()), (Class::Best, Some("checkmate")));
    assert!(pgn.contains("1. e4 { [%eval 0.20,10] } { mine }"), "{pgn}");
    assert!(pgn.contains("( 1... c5 2. Nf3 )"), "{pgn}");
}

#[test]
fn the_checklist_holds() {
    let study = Study::of(GAMES);
    let engine = opinionated(&study, &[("*", "cp 20"), (AFTER_KE2, "cp -150")]);
    let (_, games) = run(&study.request(&engine.program));
    for game in games.iter().map(|reviewed| &reviewed.review) {
        for node in &game.nodes {
            let position = tabiya_chess::parse_fen(&node.state.fen).expect("a valid FEN").position;
            let over = shakmaty::Position::legal_moves(&position).is_empty();
            assert_eq!(node.state.engine_lines.is_empty(), over, "{}", node.state.fen);
            for (number, line) in (1..).zip(&node.state.engine_lines) {
                assert!(line.depth > 0 && line.index == number && line.source == "fake-1-0");
                assert!(!line.moves.is_empty());
            }
            let parent = node
                .parent
                .as_ref()
                .map(|id| game.nodes.iter().find(|node| node.id == *id));
            assert!(parent.is_none_or(|parent| parent.is_some_and(|parent| parent.children.contains(&node.id))));
        }
        for one in &game.moves {
            let (whites, movers) = (one.evaluation.expect("one"), one.subjective_evaluation.expect("one"));
            let sign = if one.move_color == tabiya_app::review::Side::White {
                1
            } else {
                -1
            };
            assert_eq!(movers.value, whites.value * sign);
            assert!(one.top_move.is_some() && one.classification.is_some());
        }
    }
    let after_ke2 = games[0]
        .review
        .nodes
        .iter()
        .find(|node| node.state.fen.starts_with(AFTER_KE2));
    let line = &after_ke2.expect("the position").state.engine_lines[0];
    assert_eq!(line.evaluation.value, -150, "White's view, though Black is to move");
}

#[test]
fn variations_are_judged_if_asked_for() {
    let study = Study::of(GAMES);
    let engine = opinionated(&study, &[("*", "cp 20")]);
    let mut request = study.request(&engine.program);
    request.rules.variations = true;
    let (_, games) = run(&request);
    let moves: Vec<_> = games[0]
        .review
        .moves
        .iter()
        .map(|one| format!("{}{}", one.san, if one.mainline { "" } else { "'" }))
        .collect();
    assert_eq!(moves, ["e4", "e5", "Ke2", "d6", "Ke1", "c5'", "Nf3'"]);
    assert_eq!(games[0].review.white.moves, 3, "only the main line counts");
}

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
fn fen_starts_and_other_ends() {
    let pgn = "\
[SetUp \"1\"]\n[FEN \"7k/8/5K2/8/8/8/8/5Q2 w - - 0 1\"]\n[Event \"stalemate\"]\n\n1. Qf5 Kg8 2. Kg6 Kh8 3. Qf7 1/2-1/2\n\n\
[SetUp \"1\"]\n[FEN \"r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 30\"]\n[Event \"mate\"]\n\n30... Ra1# 0-1\n";
    let study = Study::of(pgn);
    let engine = opinionated(&study, &[("*", "cp 900")]);
    let (outcome, games) = run(&study.request(&engine.program));
    assert_eq!(outcome.summary.failed, 0);
    let stalemate = games[0].review.moves.last().expect("a move");
    assert_eq!(stalemate.evaluation.map(|evaluation| evaluation.value), Some(0));
    assert_eq!(class(stalemate), Class::Blunder);
    let mate = &games[1].review.moves[0];
    assert_eq!((mate.move_number, mate.ply, class(mate)), (30, 1, Class::Best));
    assert_eq!(games[1].review.white.accuracy, None);
    assert_eq!(games[1].review.black.accuracy, Some(99.99));
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

/// Twenty games that differ.
pub(crate) fn many() -> String {
    let openings = [
        "e4 e5", "d4 d5", "c4 c5", "Nf3 Nf6", "e4 c5", "b3 e5", "f4 d5", "g3 g6", "e3 e6", "Nc3 Nc6",
    ];
    let replies = ["Nf3 a6", "h3 h6"];
    let mut text = String::new();
    for (number, opening) in openings.iter().enumerate() {
        for reply in replies {
            let reply = if opening.contains("Nf3") {
                reply.replace("Nf3", "a3")
            } else {
                reply.to_owned()
            };
            let [white, black] = [number, number + 1].map(|who| format!("Player {}", who % 4));
            text += &format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. {opening} 2. {reply} *\n\n");
        }
    }
    text
}

#[test]
fn workers_do_not_show() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut written = Vec::new();
    for workers in [1, 8] {
        let mut request = with_workers(&study.request(&engine), workers);
        request.outputs.json = Some(study.path("review.json"));
        request.outputs.pgn = Some(study.path("review.pgn"));
        request.outputs.csv = Some(study.path("review.csv"));
        request.outputs.record = Some(study.path("lines.jsonl"));
        request.outputs.graph = Some(study.path("graphs"));
        run(&request);
        let files = [
            "review.json",
            "review.pgn",
            "review.csv",
            "lines.jsonl",
            "graphs/game-20.svg",
        ];
        written.push(files.map(|name| study.read(name)));
        assert!(
            !study.path("review.json.journal").exists(),
            "a finished job leaves no journal"
        );
    }
    assert_eq!(written[0], written[1]);
    // And what was recorded gives the same again, but for who said it.
    let mut request = study.recorded("lines.jsonl");
    request.outputs.json = Some(study.path("again.json"));
    request.outputs.pgn = Some(study.path("again.pgn"));
    request.outputs.record = Some(study.path("again.jsonl"));
    run(&request);
    assert_eq!(study.read("again.pgn"), written[0][1]);
    assert_eq!(study.read("again.jsonl"), written[0][3]);
    let games = |text: &str| text.split_once("\"games\":").expect("games").1.to_owned();
    assert_eq!(games(&study.read("again.json")), games(&written[0][0]));
}

#[test]
fn an_interrupted_review_is_gone_on_with() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut whole = study.request(&engine);
    whole.outputs.json = Some(study.path("whole.json"));
    run(&whole);
    let mut request = study.request(&engine);
    request.outputs.json = Some(study.path("review.json"));
    request.outputs.pgn = Some(study.path("review.pgn"));
    let mut runs = 0;
    loop {
        runs += 1;
        request.stop = Arc::default();
        let stop = Arc::clone(&request.stop);
        let mut seen = 0;
        let outcome = try_run(&request, |_| {
            seen += 1;
            // Seven more games than the run before.
            if seen >= 7 * runs {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .expect("a review");
        if !outcome.interrupted {
            break;
        }
        assert!(outcome.journal.is_some_and(|path| path.exists()));
        assert!(!study.path("review.json").exists(), "there whole or not at all");
        // What was cut short in the middle of a line is done again.
        let journal = study.path("review.json.journal");
        let mut text = fs::read(&journal).expect("a journal");
        text.extend(b"{\"reviewed\":{\"revi");
        fs::write(&journal, text).expect("writable");
        assert!(runs < 5);
    }
    assert_eq!(runs, 3);
    assert_eq!(study.read("review.json"), study.read("whole.json"));
    assert!(!study.path("review.json.journal").exists());
}

#[test]
fn a_journal_of_another_review_is_not_taken() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut request = study.request(&engine);
    request.outputs.json = Some(study.path("review.json"));
    let stop = Arc::clone(&request.stop);
    let outcome = try_run(&request, |_| stop.store(true, Ordering::Relaxed)).expect("a review");
    assert!(outcome.interrupted);
    request.stop = Arc::default();
    request.rules.theory = tabiya_app::review::Theory::Off;
    let resumed = AtomicBool::new(false);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let watch = |event: ReviewEvent<'_>| {
        if matches!(event, ReviewEvent::Resumed { .. }) {
            resumed.store(true, Ordering::Relaxed);
        }
    };
    let outcome = runtime
        .block_on(review_games(&request, &watch, |_, _| Ok(())))
        .expect("a review");
    assert!(!outcome.interrupted && !resumed.load(Ordering::Relaxed));
    assert_eq!(outcome.summary.games, 20);
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

#[test]
fn lichess_s_rules_need_evaluations_alone() {
    let study = Study::of("1. e4 e5 2. Ke2 d6 *\n");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut here = shakmaty::Chess::default();
    let mut fens = vec![start.to_owned()];
    for san in ["e4", "e5", "Ke2", "d6"] {
        let (san, _, _) = tabiya_chess::parse_san(san.as_bytes()).expect("a move");
        let m = tabiya_chess::resolve(&here, san).expect("legal");
        shakmaty::Position::play_unchecked(&mut here, m);
        fens.push(tabiya_chess::full_fen(&here));
    }
    let lines: Vec<String> = fens
        .iter()
        .zip([15, 20, 25, -200, -190])
        .map(|(fen, cp)| {
            serde_json::json!({"fen": fen, "source": "somebody", "lines": [{"depth": 1, "index": 1, "cp": cp, "moves": []}]})
                .to_string()
        })
        .collect();
    fs::write(study.path("lines.jsonl"), lines.join("\n")).expect("writable");
    let mut request = study.recorded("lines.jsonl");
    let (outcome, games) = run(&request);
    assert_eq!(outcome.unclassified, 4, "the other rules need moves");
    assert!(games[0].review.white.accuracy.is_none());
    request.rules.rules = tabiya_chess::RuleSet::Lichess;
    let (_, games) = run(&request);
    let review = &games[0].review;
    assert_eq!(class(find(review, "Ke2")), Class::Blunder);
    assert_eq!(class(find(review, "d6")), Class::Okay);
    let evals = [20, 25, -200, -190].map(tabiya_chess::Eval::Cp);
    let expected = tabiya_chess::lichess_game_accuracy(tabiya_chess::Eval::Cp(15), shakmaty::Color::White, &evals);
    let found = [review.white.accuracy, review.black.accuracy].map(Option::unwrap_or_default);
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(
            (found - expected.expect("an accuracy")).abs() < 1e-3,
            "{found} {expected:?}"
        );
    }
}

#[test]
fn what_cannot_be_asked_is_refused_first() {
    let study = Study::of(GAMES);
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let refused = |change: &dyn Fn(&mut ReviewRequest)| {
        let mut request = study.request(&engine);
        change(&mut request);
        try_run(&request, |_| panic!("nothing was to be done"))
            .expect_err("refused")
            .to_string()
    };
    let text = refused(&|request| request.rules.thresholds.okay = 0.9);
    assert!(text.contains("`okay`"), "{text}");
    let text = refused(&|request| request.rules.margin = 7.0);
    assert!(text.contains("noise margin"), "{text}");
    let text = refused(&|request| request.outputs.graph = Some(study.path("one.png")));
    assert!(text.contains("several games"), "{text}");
    let text = refused(&|request| request.outputs.json = Some(study.dir.path().to_owned()));
    assert!(text.contains("cannot write"), "{text}");
    fs::write(study.path("bad.jsonl"), "rubbish").expect("writable");
    let text = refused(&|request| request.lines = LinesFrom::File(study.path("bad.jsonl")));
    assert!(text.contains("bad.jsonl: line 1"), "{text}");
}

#[test]
fn a_real_stockfish_says_the_same_on_any_number_of_workers() {
    let pgn = "\
[White \"Legal\"]\n[Black \"Saint Brie\"]\n\n1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n\
[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1\"]\n\n1. e3 e6 2. Be2 Be7 3. f3 f6 4. Qf2 Qf7 5. O-O O-O *\n";
    let study = Study::of(pgn);
    let mut written = Vec::new();
    for workers in [1, 3] {
        let mut request = with_workers(&study.request(&real_engine()), workers);
        request.rules.theory = tabiya_app::review::Theory::Off;
        request.outputs.json = Some(study.path("review.json"));
        request.outputs.record = Some(study.path("lines.jsonl"));
        if let LinesFrom::Engine { limit, .. } = &mut request.lines {
            *limit = SearchLimit::nodes(20_000);
        }
        let (outcome, games) = run(&request);
        assert_eq!(
            (outcome.summary.games, outcome.unclassified),
            (2, 0),
            "{:?}",
            outcome.failures
        );
        let legal = &games[0].review;
        assert_eq!(class(find(legal, "Bxd1")), Class::Blunder);
        assert_eq!(
            class(find(legal, "Nxe5")),
            Class::Brilliant,
            "{:?}",
            find(legal, "Nxe5")
        );
        let shuffled = &games[1].review;
        assert_eq!(shuffled.variant, "chess960");
        assert_eq!(find(shuffled, "O-O").uci, "d1g1");
        written.push([study.read("review.json"), study.read("lines.jsonl")]);
    }
    assert_eq!(written[0], written[1]);
    let mut request = study.recorded("lines.jsonl");
    request.rules.theory = tabiya_app::review::Theory::Off;
    request.outputs.record = Some(study.path("again.jsonl"));
    let (outcome, _) = run(&request);
    assert_eq!(outcome.unclassified, 0);
    assert_eq!(study.read("again.jsonl"), written[0][1]);
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

/// As a server would: one reviewer, several games side by side, each with its own listener and its own way to stop.
#[tokio::test(flavor = "multi_thread")]
async fn one_reviewer_serves_many() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let study = Study::of("*\n");
    let engine = opinionated(&study, &[("*", "slow 30")]);
    let request = study.request(&engine.program);
    let reviewer = Reviewer::open(Rules::default(), &request.lines)
        .await
        .expect("a reviewer");
    let (seen, go_on, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false), AtomicBool::new(false));
    let told = |progress: Progress| seen.lock().expect("a list").push((progress.done, progress.total));
    let stop_soon = |progress: Progress| stop.store(progress.done >= 2, Ordering::Relaxed);
    let one = is_send(reviewer.review_text("1. e4 e5 *", &told, &go_on));
    let other = is_send(reviewer.review_text("1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 *", &stop_soon, &stop));
    let (one, other) = tokio::join!(one, other);
    assert_eq!(one.expect("a review").review.moves.len(), 2);
    assert!(matches!(other, Err(Trouble::Stopped)));
    assert_eq!(*seen.lock().expect("a list"), [(1, 3), (2, 3), (3, 3)]);
    let nothing = reviewer.review_text("", &|_| {}, &AtomicBool::new(false)).await;
    assert!(matches!(nothing, Err(Trouble::Unfit(_))));
    reviewer.close().await;
}
