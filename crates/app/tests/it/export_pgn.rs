//! Exported games, read again by ourselves and by python-chess.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use pgn_import::{Game, Input, ROOT, Source, read_trees};
use serde_json::{Value, json};
use shakmaty::{Chess, Position as _};
use tabiya_app::export::ExportFormat;
use tabiya_chess::{Eval, PositionId, StoredEval, epd, parse_fen, to_uci};

use crate::exports::{Known, contents, exported, full, read_with_python, request};

/// A move: the position before, UCI, SAN, the evaluation in centipawns or moves to mate, and the rest of the comment.
type Row = (String, String, String, Value, String);

fn read(path: &Path) -> Vec<Game> {
    let source = Source::open(&Input::Path(path.to_owned())).expect("a file");
    let mut games = Vec::new();
    read_trees(source, |game| games.push(game)).expect("whole games");
    games
}

/// What `[%eval]` says, and the words around it.
fn taken_apart(comments: &[String]) -> (Value, String) {
    let text = comments.join(" ");
    let (eval, rest) = match text.split_once("[%eval ") {
        None => (Value::Null, text),
        Some((before, behind)) => {
            let (eval, rest) = behind.split_once(']').expect("the end of a command");
            let eval = match eval.parse::<Eval>().expect("an evaluation") {
                Eval::Cp(cp) => json!([cp, null]),
                Eval::Mate(moves) => json!([null, moves]),
                Eval::Checkmate(_) => json!([null, 0]),
            };
            (eval, format!("{before} {rest}"))
        }
    };
    (eval, rest.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The moves of a game as we read them.
fn rows(game: &Game) -> Vec<Row> {
    assert!(game.faults.is_empty(), "{:?}", game.faults);
    let start = game.start.as_ref().expect("a start").position.clone();
    let mut positions: BTreeMap<_, Chess> = BTreeMap::from([(ROOT, start)]);
    let mut rows = Vec::new();
    for id in game.moves() {
        let before = positions[&game.parent(id).expect("a parent")].clone();
        let node = game.node(id);
        let m = node.m.expect("a move");
        let (eval, comment) = taken_apart(&node.comments);
        rows.push((epd(&before), to_uci(&before, m), node.san.clone(), eval, comment));
        let mut after = before;
        after.play_unchecked(m);
        positions.insert(id, after);
    }
    rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    rows
}

/// The moves of games as python-chess reads them, with their tags.
fn rows_of_python(games: &Value) -> Vec<(Value, Vec<Row>)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let games = games.as_array().expect("games").iter();
    games
        .map(|game| {
            assert_eq!(game["errors"], json!([]), "{}", game["tags"]);
            let mut rows: Vec<Row> = (game["moves"].as_array().expect("moves").iter())
                .map(|row| {
                    (
                        text(&row[0]),
                        text(&row[1]),
                        text(&row[2]),
                        row[3].clone(),
                        text(&row[4]),
                    )
                })
                .collect();
            rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
            (game["tags"].clone(), rows)
        })
        .collect()
}

fn stored(eval: StoredEval) -> Value {
    match eval.mate {
        Some(moves) => json!([null, moves]),
        None => json!([eval.cp, null]),
    }
}

#[tokio::test]
async fn nothing_is_lost_on_the_way_through_a_file() {
    let workshop = full().await;
    let mut request = request(&workshop, ExportFormat::Pgn, "pgn");
    request.max_depth = Some(30);
    let report = exported(&request).await;
    let known = Known::of(&workshop).await;
    let store = workshop.store().await;
    let names: BTreeMap<_, _> = (store.openings().await.expect("openings").into_iter())
        .map(|view| (view.opening.id, view.opening.name))
        .collect();

    let mut transposed = 0;
    for (file, stem) in [
        ("kings-pawn-game.pgn", "e4"),
        ("zukertort-opening.pgn", "Nf3"),
        ("italian-game.pgn", "e4 e5 Nf3 Nc6 Bc4"),
        ("1-1.pgn", "e4 e5 Qh5"),
        ("queens-pawn-game.pgn", "d4"),
    ] {
        let path = workshop.path("pgn").join(file);
        let games = read(&path);
        assert_eq!(games.len(), 1, "{file}");
        let ours = rows(&games[0]);
        // Every move once, and every move there is.
        let moves: BTreeSet<(String, String)> = ours.iter().map(|row| (row.0.clone(), row.1.clone())).collect();
        assert_eq!(moves.len(), ours.len(), "{file}");
        assert_eq!(moves, known.moves_around(stem, 30, 0), "{file}");
        let told = report.files.iter().find(|told| told.file == file).expect("a file");
        assert_eq!(told.entries, ours.len() as u64, "{file}");

        for (before, uci, san, eval, comment) in &ours {
            let position = parse_fen(before).expect(before).position;
            let edge = known
                .edges_from(PositionId::of(&position))
                .find(|edge| edge.uci == *uci);
            let edge = edge.expect("a move of the database");
            assert_eq!(*san, edge.san);
            let node = known.node(edge.child);
            let expected = node.evaluation.as_ref().map_or(Value::Null, |shown| stored(shown.eval));
            assert_eq!(*eval, expected, "{file}: {san} in {before}");
            let name = node
                .opening
                .filter(|_| node.named)
                .map(|id| names[&id].clone())
                .unwrap_or_default();
            match comment.strip_suffix("transposes") {
                Some(rest) => {
                    transposed += 1;
                    assert_eq!(rest.trim_end(), name, "{file}: {san} in {before}");
                }
                None => assert_eq!(*comment, name, "{file}: {san} in {before}"),
            }
        }
        let python = rows_of_python(&read_with_python("read_pgn.py", &[&path]));
        assert_eq!(python.len(), 1, "{file}");
        assert_eq!(python[0].1, ours, "{file}");
    }
    assert!(transposed > 3, "{transposed}");
}

#[tokio::test]
async fn a_file_of_all_openings_has_each_of_them_as_a_game() {
    let workshop = full().await;
    exported(&request(&workshop, ExportFormat::Pgn, "pgn")).await;
    let report = exported(&request(&workshop, ExportFormat::Pgn, "all.pgn")).await;
    let single = contents(&workshop.path("pgn"));
    let paths: Vec<_> = single.keys().filter(|name| name.ends_with(".pgn")).collect();
    let all = read(&workshop.path("all.pgn"));
    assert_eq!(all.len(), paths.len());
    assert_eq!(
        report.entries as usize,
        all.iter().map(|game| game.moves().count()).sum::<usize>()
    );
    let python = rows_of_python(&read_with_python("read_pgn.py", &[&workshop.path("all.pgn")]));
    assert_eq!(python.len(), all.len());
    for ((name, game), (tags, moves)) in paths.iter().zip(&all).zip(&python) {
        let alone = read(&workshop.path("pgn").join(name));
        assert_eq!(rows(game), rows(&alone[0]), "{name}");
        assert_eq!(*moves, rows(game), "{name}");
        assert_eq!(game.tags, alone[0].tags, "{name}");
        for (tag, value) in &game.tags {
            assert_eq!(tags[tag], *value, "{name}");
        }
    }
    let patzer = all
        .iter()
        .find(|game| game.tag("Event") == Some("=1+1"))
        .expect("a game");
    assert_eq!((patzer.tag("ECO"), patzer.tag("Opening")), (Some("C20"), Some("=1+1")));
}

#[tokio::test]
async fn pgn_export_contains_eval_annotations() {
    let workshop = full().await;
    let mut request = request(&workshop, ExportFormat::Pgn, "pgn");
    request.eco = "A00".parse().expect("a code");
    exported(&request).await;
    let text = std::fs::read_to_string(workshop.path("pgn/barnes-opening.pgn")).expect("a file");
    assert!(text.starts_with("[Event \"Barnes Opening\"]\n"), "{text}");
    assert!(text.contains("[ECO \"A00\"]\n") && text.contains("[%eval "), "{text}");
    assert!(text.contains("Qh4# { [%eval #-0] }"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    // A command is never torn apart, for readers that look for it on one line.
    assert!(!text.lines().any(|line| line.ends_with("[%eval")), "{text}");
}

#[tokio::test]
async fn what_is_said_of_the_initial_position_stands_before_the_first_move() {
    let workshop = full().await;
    exported(&request(&workshop, ExportFormat::Pgn, "pgn")).await;
    let known = Known::of(&workshop).await;
    let start = known.node(PositionId::of(&Chess::default()));
    let eval = start
        .evaluation
        .as_ref()
        .map_or(Value::Null, |shown| stored(shown.eval));
    assert_ne!(eval, Value::Null, "choose another opinion");
    let path = workshop.path("pgn/italian-game.pgn");
    let (ours, words) = taken_apart(&read(&path)[0].node(ROOT).comments);
    assert_eq!(ours, eval);
    assert!(
        words.starts_with("Italian Game (C50), 1.e4 e5 2.Nf3 Nc6 3.Bc4: "),
        "{words}"
    );
    let python = read_with_python("read_pgn.py", &[&path]);
    assert_eq!(python[0]["start"], json!([eval, words]));
}
