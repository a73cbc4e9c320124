//! What reviews say of whole games, by engines that say what they are told to.

use std::fs;

use tabiya_app::review::MoveReport;
use tabiya_chess::Class;

use crate::study::{AFTER_KE2, GAMES, Study, class, find, opinionated, run};

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
fn where_nobody_can_win_it_is_over() {
    let pgn = "[SetUp \"1\"]\n[FEN \"8/8/4k3/4P3/8/4K3/8/8 b - - 0 60\"]\n\n60... Kxe5 1/2-1/2\n\n\
         [SetUp \"1\"]\n[FEN \"8/8/4k3/4P3/8/4K3/8/8 b - - 0 60\"]\n\n60... Kxe5 61. Ke2 Kd5 *\n";
    let study = Study::of(pgn);
    let before = "8/8/4k3/4P3/8/4K3/8/8 b - -";
    let engine = opinionated(&study, &[("*", "cp -5"), (before, "cp 0 best e6e5")]);
    let mut request = study.request(&engine.program);
    request.outputs.pgn = Some(study.path("review.pgn"));
    request.outputs.record = Some(study.path("lines.jsonl"));
    let (outcome, games) = run(&request);
    let asked: Vec<String> = engine.asked().into_iter().map(|(epd, _)| epd).collect();
    assert_eq!(asked, [before, before], "nobody is asked about two kings");
    let worth = |one: &MoveReport| one.evaluation.map(|evaluation| evaluation.value);
    let last = &games[0].review.moves[0];
    assert_eq!((worth(last), last.accuracy), (Some(0), Some(99.99)), "{last:?}");
    assert!(!study.read("review.pgn").contains("%eval"), "as with stalemate");
    // What was played on behind it is shown, and not judged for want of anything to lose.
    let played_on = &games[1].review.moves[1..];
    assert_eq!(played_on.len(), 2);
    assert!(
        played_on
            .iter()
            .all(|one| worth(one) == Some(0) && one.classification.is_none())
    );
    assert_eq!(outcome.unclassified, 0);
    // Recorded lines need not say anything of it either.
    let mut request = study.recorded("lines.jsonl");
    request.rules.rules = tabiya_chess::RuleSet::Lichess;
    let (outcome, games) = run(&request);
    assert_eq!(outcome.unclassified, 0);
    assert_eq!(games[0].review.black.accuracy, Some(100.0));
    assert_eq!(games[1].review.white.accuracy, Some(100.0));
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
    let blunder = find(review, "Ke2");
    assert_eq!(class(blunder), Class::Blunder);
    // Points are Lichess's wherever they are named.
    let told = format!("loses {:.2} points", blunder.point_loss.expect("a loss"));
    let explained = &blunder.explanation.as_ref().expect("an explanation").text;
    assert!(
        told == "loses 0.20 points" && explained.contains(&told),
        "{explained}, {told}"
    );
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
fn comments_say_enough_for_lichess_s_rules() {
    // As Lichess writes them: behind moves, so nothing is said of the position before the first.
    let study = Study::of("1. g4 e5 2. Nf3 *\n");
    let start = shakmaty::Chess::default();
    let mut here = start.clone();
    let mut lines = Vec::new();
    for (san, cp) in [("g4", -120), ("e5", -115), ("Nf3", -130)] {
        let (san, _, _) = tabiya_chess::parse_san(san.as_bytes()).expect("a move");
        let m = tabiya_chess::resolve(&here, san).expect("legal");
        shakmaty::Position::play_unchecked(&mut here, m);
        let fen = tabiya_chess::full_fen(&here);
        let line = serde_json::json!({"depth": 1, "index": 1, "cp": cp, "moves": []});
        lines.push(serde_json::json!({"fen": fen, "source": "somebody", "lines": [line]}).to_string());
    }
    fs::write(study.path("lines.jsonl"), lines.join("\n")).expect("writable");
    let mut request = study.recorded("lines.jsonl");
    request.rules.rules = tabiya_chess::RuleSet::Lichess;
    let (outcome, games) = run(&request);
    assert_eq!(outcome.unclassified, 0);
    let first = find(&games[0].review, "g4");
    assert_eq!((class(first), first.centipawn_loss), (Class::Mistake, Some(135)));
    assert_eq!((&first.top_move, first.previous_evaluation), (&None, None));
    let explanation = first.explanation.as_ref().expect("an explanation");
    assert!(
        explanation.best_line.is_empty() && !explanation.text.contains("better"),
        "{explanation:?}"
    );
    assert_eq!(games[0].review.white.moves, 2);
    // The other rules know nothing of the initial position but what somebody says.
    request.rules.rules = tabiya_chess::RuleSet::Wintr;
    let (outcome, _) = run(&request);
    assert_eq!(outcome.unclassified, 3);
}

#[test]
fn a_game_from_elsewhere_has_an_accuracy_by_lichess_s_rules() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let study = Study::of(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 Kd7 *\n"));
    let after = ["4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", "8/3k4/8/8/4P3/8/8/4K3 w - - 1 2"];
    let line = |fen: &str, cp: i32| {
        serde_json::json!({"fen": fen, "source": "somebody", "lines": [{"depth": 1, "index": 1, "cp": cp, "moves": []}]})
            .to_string()
    };
    let mut lines = vec![line(after[0], 30), line(after[1], 40)];
    let mut request = study.recorded("lines.jsonl");
    request.rules.rules = tabiya_chess::RuleSet::Lichess;
    // Of where it begins nothing is said, or something.
    for start in [15, 600] {
        fs::write(study.path("lines.jsonl"), lines.join("\n")).expect("writable");
        let (_, games) = run(&request);
        let evals = [30, 40].map(tabiya_chess::Eval::Cp);
        let expected =
            tabiya_chess::lichess_game_accuracy(tabiya_chess::Eval::Cp(start), shakmaty::Color::White, &evals);
        let found = [games[0].review.white.accuracy, games[0].review.black.accuracy].map(Option::unwrap_or_default);
        for (found, expected) in found.into_iter().zip(expected) {
            let expected = expected.expect("an accuracy");
            assert!((found - expected).abs() < 1e-3, "{start}: {found} {expected}");
        }
        lines.push(line(fen, 600));
    }
}

#[test]
fn what_has_no_moves_does_not_stand_in_the_way_of_a_graph() {
    let study = Study::of("[Event \"x\"]\n\n1. e4 e5 *\n\n[Event \"y\"]\n\n*\n\nThank you for playing!\n");
    let engine = opinionated(&study, &[("*", "cp 20")]);
    let mut request = study.request(&engine.program);
    request.outputs.graph = Some(study.path("graph.svg"));
    run(&request);
    assert!(study.read("graph.svg").starts_with("<svg "));
}

#[test]
fn old_evaluations_are_forgotten_wherever_they_stand() {
    let study = Study::of("{[%eval 0.2] first} 1. e4 {[%eval\n0.3]} ({before [%eval 0.9]} 1. d4) e5 *\n");
    let engine = opinionated(&study, &[("*", "cp 77")]);
    let mut request = study.request(&engine.program);
    request.rules.variations = true;
    let (_, games) = run(&request);
    let pgn = &games[0].pgn;
    assert!(pgn.contains("{ first }") && pgn.contains("{ before }"), "{pgn}");
    assert_eq!(
        pgn.matches("%eval").count(),
        pgn.matches("[%eval 0.77").count() + pgn.matches("[%eval -0.77").count()
    );
}
