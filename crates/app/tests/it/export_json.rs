//! The app's JSON: its shape, its weights, its size, and a reader of the app's own kind.

use std::{collections::BTreeSet, env, path::Path};

use serde_json::{Map, Value};
use shakmaty::{EnPassantMode, Position as _, fen::Fen};
use tabiya_app::export::{ExportFormat, Limits, Subject, app_tree};
use tabiya_chess::{parse_fen, parse_san, resolve};

use crate::{
    exports::{Known, exported, full, json_file, request, run},
    workshop::{Workshop, game},
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The fields of a node that are always there, and those that may be.
const REQUIRED: [&str; 4] = ["san", "fen", "engineResponses", "responseWeights"];
const OPTIONAL: [&str; 9] = [
    "commentary",
    "children",
    "stockfish_eval",
    "best_move",
    "is_dubious",
    "is_busted",
    "game_count",
    "white_win_pct",
    "resulting_structure",
];

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("not an object: {value}"))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value}"))
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    match &value[field] {
        Value::Array(items) => items,
        Value::Null if field == "children" => &[],
        other => panic!("{field} is no list: {other}"),
    }
}

/// The FEN behind a move, as every chess program of today writes it.
fn played(fen: &str, san: &str) -> String {
    let mut position = parse_fen(fen).expect(fen).position;
    let (parsed, ..) = parse_san(san.as_bytes()).expect(san);
    position.play_unchecked(resolve(&position, parsed).unwrap_or_else(|error| panic!("{san} in {fen}: {error}")));
    Fen::from_position(&position, EnPassantMode::Legal).to_string()
}

/// All nodes below some moves, each with the FEN before it.
fn nodes<'a>(fen: &str, moves: &'a [Value], found: &mut Vec<(String, &'a Value)>) {
    for node in moves {
        found.push((fen.to_owned(), node));
        nodes(text(node, "fen"), list(node, "children"), found);
    }
}

fn all_nodes(file: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    nodes(text(file, "rootFen"), list(file, "moves"), &mut found);
    found
}

#[tokio::test]
async fn json_export_matches_openingiq_schema() {
    let workshop = full().await;
    let report = exported(&request(&workshop, ExportFormat::Json, "openings")).await;
    assert!(report.files.len() > 10, "{report:?}");
    let mut fields: BTreeSet<String> = BTreeSet::new();
    for file in &report.files {
        let json = json_file(&workshop.path("openings").join(&file.file));
        let names: Vec<&str> = object(&json).keys().map(String::as_str).collect();
        let mut expected = vec![
            "id",
            "name",
            "eco",
            "color",
            "difficulty",
            "description",
            "rootFen",
            "rootResponses",
            "rootWeights",
            "moves",
        ];
        expected.sort_unstable();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "{}", file.file);
        assert_eq!(format!("{}.json", text(&json, "id")), file.file);
        assert!(["beginner", "intermediate", "advanced"].contains(&text(&json, "difficulty")));
        let root = match text(&json, "color") {
            "white" => START.to_owned(),
            "black" => {
                // One move of White's, from the initial position.
                let moves = ["e4", "d4", "Nf3", "c4", "f3"].map(|san| played(START, san));
                let root = text(&json, "rootFen").to_owned();
                assert!(moves.contains(&root), "{root}");
                root
            }
            other => panic!("{other}"),
        };
        assert_eq!(text(&json, "rootFen"), root);
        let first: Vec<&Value> = list(&json, "moves").iter().map(|node| &node["san"]).collect();
        assert_eq!(
            list(&json, "rootResponses").iter().collect::<Vec<_>>(),
            first,
            "{}",
            file.file
        );
        if text(&json, "color") == "white" {
            assert_eq!(json["rootWeights"], serde_json::json!([1]));
        }
        let found = all_nodes(&json);
        assert_eq!(found.len() as u64, file.entries, "{}", file.file);
        for (before, node) in found {
            let keys: BTreeSet<&str> = object(node).keys().map(String::as_str).collect();
            assert!(REQUIRED.iter().all(|field| keys.contains(field)), "{node}");
            assert!(
                keys.iter().all(|key| REQUIRED.contains(key) || OPTIONAL.contains(key)),
                "{keys:?}"
            );
            fields.extend(keys.iter().map(|key| (*key).to_owned()));
            assert_eq!(played(&before, text(node, "san")), text(node, "fen"));
            assert_eq!(list(node, "engineResponses").len(), list(node, "responseWeights").len());
            for response in list(node, "engineResponses") {
                played(text(node, "fen"), response.as_str().expect("a move"));
            }
            for child in list(node, "children") {
                assert!(
                    list(node, "engineResponses").contains(&child["san"]),
                    "{}",
                    child["san"]
                );
            }
            assert!(
                node.get("children")
                    .is_none_or(|children| !children.as_array().expect("a list").is_empty())
            );
            // Only where they are true.
            assert!(
                ["is_dubious", "is_busted"]
                    .iter()
                    .all(|flag| node.get(flag).is_none_or(|set| *set == true))
            );
        }
    }
    let all: BTreeSet<String> = REQUIRED
        .iter()
        .chain(&OPTIONAL)
        .map(|name| (*name).to_owned())
        .collect();
    assert_eq!(fields, all, "every field is there somewhere");
}

#[tokio::test]
async fn json_export_response_weights_sum_to_one() {
    let workshop = full().await;
    let report = exported(&request(&workshop, ExportFormat::Json, "openings")).await;
    let mut checked = 0;
    for file in &report.files {
        let json = json_file(&workshop.path("openings").join(&file.file));
        let found = all_nodes(&json);
        let weights = found.iter().map(|(_, node)| list(node, "responseWeights"));
        for weights in weights
            .chain([list(&json, "rootWeights")])
            .filter(|weights| !weights.is_empty())
        {
            let weights: Vec<f64> = weights
                .iter()
                .map(|weight| weight.as_f64().expect("a number"))
                .collect();
            let sum: f64 = weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{}: {weights:?}", file.file);
            assert!(
                weights.is_sorted_by(|a, b| a >= b),
                "the most played first: {weights:?}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[tokio::test]
async fn weights_evaluations_and_structures_are_those_of_the_database() {
    let workshop = full().await;
    exported(&request(&workshop, ExportFormat::Json, "openings")).await;
    let known = Known::of(&workshop).await;
    let json = json_file(&workshop.path("openings/kings-pawn-game.json"));
    for (_, node) in all_nodes(&json) {
        let position = parse_fen(text(node, "fen")).expect("a position").position;
        let stored = known.node(tabiya_chess::PositionId::of(&position));
        let shown = stored.evaluation.as_ref();
        assert_eq!(
            node.get("stockfish_eval").and_then(Value::as_i64),
            shown.map(|shown| shown.eval.cp.into())
        );
        let best = shown.and_then(|shown| shown.best_move.as_ref());
        assert_eq!(
            node.get("best_move").and_then(Value::as_str),
            best.map(|best| best.san.as_str())
        );
        assert_eq!(
            node.get("is_dubious").is_some(),
            shown.is_some_and(|shown| shown.is_dubious)
        );
        assert_eq!(
            node.get("is_busted").is_some(),
            shown.is_some_and(|shown| shown.is_busted)
        );
        assert_eq!(
            node.get("resulting_structure").and_then(Value::as_str),
            stored.structure.as_deref()
        );
        let games = (stored.stats.games() > 0).then(|| stored.stats.games());
        assert_eq!(node.get("game_count").and_then(Value::as_u64), games);
        // On the stem the next move is the only answer; below, answers are as often as they were played.
        for (san, weight) in list(node, "engineResponses").iter().zip(list(node, "responseWeights")) {
            let edge = known
                .edges_from(stored.id)
                .find(|edge| san == &edge.san)
                .expect("a move");
            let all: u64 = known.edges_from(stored.id).map(|edge| edge.stats.games()).sum();
            let (weight, share) = (
                weight.as_f64().expect("a number"),
                edge.stats.games() as f64 / all.max(1) as f64,
            );
            // A line never goes back to where it was, so some share is missing where games did.
            let back = list(node, "engineResponses").len() < known.edges_from(stored.id).count();
            assert!(
                back || all == 0 || (weight - share).abs() < 1e-5,
                "{san} {weight} {share}"
            );
        }
    }
}

#[tokio::test]
async fn a_file_is_cut_by_depth_until_it_fits() {
    let workshop = full().await;
    let snapshot = workshop.snapshot().await;
    let (view, catalogue) = (snapshot.all(), snapshot.catalogue());
    let family = catalogue.family("kings-pawn-game").expect("a family");
    let subject = Subject::of_family(view, catalogue, family).expect("a subject");
    let tree = |max_bytes, max_depth| {
        let limits = Limits {
            max_bytes,
            max_depth: Some(max_depth),
            ..Limits::BUNDLE
        };
        app_tree(view, catalogue, &subject, &limits)
    };
    let whole = tree(5_000_000, 12);
    assert!(
        !whole.cut && whole.depth == 12 && whole.json.len() > 15_000,
        "{}",
        whole.json.len()
    );
    // By depth alone, without a word about size.
    let by_depth: Vec<_> = (0..=12).map(|depth| tree(5_000_000, depth)).collect();
    assert!(by_depth.iter().all(|tree| !tree.cut));
    let mut depths = BTreeSet::new();
    for max_bytes in (0..=whole.json.len() + 500).step_by(251) {
        let cut = tree(max_bytes, 12);
        depths.insert(cut.depth);
        let same = &by_depth[usize::from(cut.depth)];
        assert!(
            cut.json == same.json && cut.nodes == same.nodes,
            "{max_bytes}: a smaller tree, and nothing else"
        );
        assert!(
            cut.json.len() <= max_bytes || cut.depth == 0,
            "{} for {max_bytes}",
            cut.json.len()
        );
        assert_eq!(cut.cut, cut.depth < 12, "{max_bytes}: whoever got less is told");
        // No deeper one would have fitted.
        if let Some(deeper) = by_depth.get(usize::from(cut.depth) + 1) {
            assert!(
                deeper.json.len() > max_bytes,
                "{} fit into {max_bytes}",
                deeper.json.len()
            );
        }
    }
    assert!(depths.len() > 8, "{depths:?}");
}

/// The moves that the app begins with are all there is room for.
#[tokio::test]
async fn a_file_without_room_for_a_move_has_none() {
    let workshop = Workshop::named("eco,name,pgn\nA00,First Defense,1. e4\n").await;
    workshop.write("games.pgn", &game(0, "", "e4 e5 Nf3 Nc6", "1-0"));
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    let snapshot = workshop.snapshot().await;
    let (view, catalogue) = (snapshot.all(), snapshot.catalogue());
    let family = catalogue.family("first-defense").expect("a family");
    let subject = Subject::of_family(view, catalogue, family).expect("a subject");
    let tree = |max_bytes| {
        let limits = Limits {
            max_bytes,
            min_games: 0,
            ..Limits::BUNDLE
        };
        app_tree(view, catalogue, &subject, &limits)
    };
    assert!(tree(5_000).depth > 0);
    for max_bytes in 0..300 {
        let cut = tree(max_bytes);
        assert!(cut.json.len() <= max_bytes || (cut.depth == 0 && cut.cut), "{cut:?}");
        serde_json::from_slice::<Value>(&cut.json).expect("JSON");
    }
}

/// The app's own way with a file, in TypeScript: see `tests/app-reader`.
#[tokio::test]
async fn openingiq_app_can_load_exported_json() {
    let workshop = full().await;
    exported(&request(&workshop, ExportFormat::Json, "openings")).await;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/app-reader");
    assert!(
        project.join("node_modules").exists(),
        "{} has no packages yet: run scripts/setup test",
        project.display()
    );
    let said = tokio::task::spawn_blocking(move || {
        let openings = workshop.path("openings").display().to_string();
        let command = format!("TABIYA_OPENINGS='{openings}' npm test --silent 2>&1");
        run(Path::new("sh"), &["-c", &command], &project)
    });
    let said = said.await.expect("it ends");
    assert!(said.contains("Tests") && !said.contains("skipped"), "{said}");
}
