//! One small file per edge case in `fixtures/pgn`, and beside each test what must come of it.

use std::fmt::Write as _;

use pgn_import::{Game, NodeId, ROOT, StartKind};
use tabiya_chess::full_fen;

use crate::support::{fixtures, skipping, trees, try_import};

#[test]
fn every_fixture_reads_as_its_snapshot_says() {
    for (name, bytes) in fixtures() {
        check(&name, &bytes);
    }
}

fn check(name: &str, bytes: &[u8]) {
    let mut text = String::new();
    for game in trees(bytes) {
        show(&game, &mut text);
    }
    if text.is_empty() {
        text.push_str("no games\n");
    }
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

fn show(game: &Game, out: &mut String) {
    let _ = writeln!(out, "game {} at byte {}", game.at.index, game.at.offset);
    for (name, value) in &game.tags {
        let _ = writeln!(out, "  {name} = {value:?}");
    }
    match &game.start {
        None => out.push_str("  no first position\n"),
        Some(start) if start.kind == StartKind::Initial => {}
        Some(start) => {
            let setup = if start.setup_missing { " (no SetUp tag)" } else { "" };
            let _ = writeln!(out, "  from {:?} {}{setup}", start.kind, full_fen(&start.position));
        }
    }
    let mut words = Vec::new();
    words.extend(
        game.node(ROOT)
            .comments
            .iter()
            .map(|comment| format!("{{{comment:?}}}")),
    );
    line(game, ROOT, &mut words);
    if !words.is_empty() {
        let _ = writeln!(out, "  {}", words.join(" "));
    }
    let _ = writeln!(out, "  result {}", game.result.map_or("none", |result| result.as_str()));
    for fault in &game.faults {
        let fen = fault.fen.as_deref().unwrap_or("-");
        let _ = writeln!(
            out,
            "  fault: {} [byte {}, ply {}, token {:?}]\n    {fen}",
            fault.kind, fault.offset, fault.ply, fault.token
        );
    }
}

fn line(game: &Game, from: NodeId, words: &mut Vec<String>) {
    let mut from = from;
    while let [main, others @ ..] = game.children(from) {
        one_move(game, *main, words);
        for other in others {
            words.push("(".to_owned());
            one_move(game, *other, words);
            line(game, *other, words);
            words.push(")".to_owned());
        }
        from = *main;
    }
}

fn one_move(game: &Game, id: NodeId, words: &mut Vec<String>) {
    let node = game.node(id);
    words.extend(node.comments_before.iter().map(|comment| format!("{{{comment:?}}}")));
    words.push(node.san.clone());
    words.extend(node.nags.iter().map(|nag| format!("${nag}")));
    words.extend(node.comments.iter().map(|comment| format!("{{{comment:?}}}")));
}

/// Each game is either taken or named in the ledger, once.
#[test]
fn every_game_of_every_fixture_is_accounted_for() {
    for (name, bytes) in fixtures() {
        let games = trees(&bytes);
        let (outcome, error) = try_import(&Default::default(), &skipping(), &[(&name, &bytes)]);
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(outcome.counters.pgn_games_total, games.len() as u64, "{name}");
        // A null move is no fault, but what the main line has behind it is lost.
        let goes_on_behind_null_move =
            |game: &Game| (game.main_line()).any(|id| game.node(id).m.is_none() && !game.children(id).is_empty());
        let faulty: Vec<_> = games
            .iter()
            .filter(|game| !game.faults.is_empty() || goes_on_behind_null_move(game))
            .map(|game| game.at)
            .collect();
        let named: Vec<_> = outcome
            .rejects
            .iter()
            .map(|reject| (reject.game_index, reject.byte_offset))
            .collect();
        assert!(named.is_sorted(), "{name}: {named:?}");
        // The importer does not walk what it was not asked for, so it may see fewer faults, never more.
        for (index, offset) in &named {
            assert!(
                faulty.iter().any(|at| (at.index, at.offset) == (*index, *offset)),
                "{name}: {named:?}"
            );
        }
        assert_eq!(outcome.counters.pgn_games_failed, named.len() as u64, "{name}");
    }
}

/// Two thousand open parentheses deep, and no stack that could overflow.
#[test]
fn variations_nest_thousands_deep() {
    const DEPTH: usize = 2_000;
    let mut pgn = String::from("1. e4 ");
    let branches = ["(1. d4 ", "(1. e4 "];
    for level in 0..DEPTH {
        pgn.push_str(branches[level % 2]);
    }
    pgn.push_str(&")".repeat(DEPTH));
    pgn.push_str("1... e5 2. Nf3 1-0\n");
    let games = trees(pgn.as_bytes());
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].faults, []);
    assert_eq!(games[0].moves().count(), DEPTH + 3);
    assert_eq!(
        games[0]
            .main_line()
            .map(|id| games[0].node(id).san.clone())
            .collect::<Vec<_>>(),
        ["e4", "e5", "Nf3"]
    );
    let again = trees(games[0].to_string().as_bytes());
    assert_eq!(again[0].moves().count(), DEPTH + 3);
    let outcome = crate::support::import_text(&pgn);
    assert_eq!(outcome.sans(), ["Nf3", "d4", "e4", "e5"]);
}

/// Deep in the other direction: each variation begins one move further into the last one.
#[test]
fn variations_within_variations_keep_their_place() {
    const DEPTH: usize = 2_000;
    let shuffle = ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "];
    let mut pgn = String::from("Nf3 Nf6 ");
    for level in 0..DEPTH {
        // Replaces the last move by the same one, and goes on.
        pgn.push('(');
        pgn.push_str(shuffle[(level + 1) % 4]);
        pgn.push_str(shuffle[(level + 2) % 4]);
    }
    pgn.push_str(&")".repeat(DEPTH));
    pgn.push_str(" e4 *");
    let games = trees(pgn.as_bytes());
    assert_eq!(games[0].faults, []);
    assert_eq!(games[0].moves().count(), 2 * DEPTH + 3);
    assert_eq!(
        trees(games[0].to_string().as_bytes())[0].to_string(),
        games[0].to_string()
    );
}

#[test]
fn a_line_of_a_megabyte_is_a_line() {
    let mut pgn = String::from("[Event \"Long\"]\n\n");
    let filler = "never a line break ".repeat(60_000);
    pgn.push_str(&format!("1. e4 {{{filler}}} e5 "));
    for number in 2..10_000 {
        let moves = if number % 2 == 0 { "Nf3 Nc6" } else { "Ng1 Nb8" };
        pgn.push_str(&format!("{number}. {moves} "));
    }
    pgn.push_str("1-0\n\n[Event \"Next\"]\n\n1. d4 *\n");
    assert!(pgn.len() > 1 << 20);
    let games = trees(pgn.as_bytes());
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].faults, []);
    assert_eq!(games[0].main_line().count(), 19_998);
    assert_eq!(
        games[0].node(games[0].children(ROOT)[0]).comments[0].len(),
        filler.trim().len()
    );
    assert_eq!(games[1].tag("Event"), Some("Next"));
}

#[test]
fn a_line_of_many_games_is_cut_into_them() {
    let pgn = "1. e4 e5 2. Nf3 1-0 ".repeat(100_000);
    let games = trees(pgn.as_bytes());
    assert_eq!(games.len(), 100_000);
    assert!(
        games
            .iter()
            .all(|game| game.faults.is_empty() && game.main_line().count() == 3)
    );
}
