//! What engines think, all the way into the database.

use std::path::Path;

use shakmaty::uci::UciMove;
use tabiya_app::{
    build::{AnnotateReport, AnnotateRequest, Depths, Effort, annotate, estimate},
    engines::EngineSettings,
};
use tabiya_chess::{Analysis, EngineLine, Eval, PositionId, SearchLimit};
use tabiya_store::NodeView;

use crate::{
    book::after,
    engines::{Opinionated, real_engine},
    workshop::{Workshop, assert_same, epd_after, game},
};

/// Nine positions to evaluate, with 2,920 games down to 20; 1.d4 is the one branching node that is rarely met.
const LINES: [(&str, [u64; 3]); 5] = [
    ("e4 e5 Nf3", [900, 600, 600]),
    ("e4 e5 f4", [100, 50, 100]),
    ("e4 c5", [200, 100, 100]),
    ("d4 d5", [50, 50, 50]),
    ("d4 Nf6", [10, 5, 5]),
];

/// Those positions, the most played first.
const BY_GAMES: [&str; 9] = [
    "",
    "e4",
    "e4 e5",
    "e4 e5 Nf3",
    "e4 c5",
    "e4 e5 f4",
    "d4",
    "d4 d5",
    "d4 Nf6",
];

/// A knowledge base of these lines, each with its games.
pub(crate) async fn openings(lines: &[(&str, [u64; 3])]) -> Workshop {
    let mut text = String::new();
    for (line, counts) in lines {
        for (games, result) in counts.iter().zip(["1-0", "1/2-1/2", "0-1"]) {
            for _ in 0..*games {
                text.push_str(&game(text.len(), "", line, result));
            }
        }
    }
    let workshop = Workshop::named("eco,name,pgn\nB00,King's Pawn Game,1.e4\n").await;
    workshop.write("games.pgn", &text);
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    workshop
}

/// The usual request with one engine, which is tried once.
pub(crate) fn asking(workshop: &Workshop, engine: &Path) -> AnnotateRequest {
    AnnotateRequest {
        engine: EngineSettings {
            engine: Some(engine.to_owned()),
            workers: Some(1),
            max_tries: Some(1),
            ..EngineSettings::default()
        },
        ..AnnotateRequest::new(workshop.database())
    }
}

/// The same depth everywhere.
pub(crate) fn to_depth(depth: u8) -> Effort {
    Effort::Depths(Depths {
        branching: depth,
        popular: depth,
        popular_games: 1_000,
        terminal: depth,
    })
}

pub(crate) async fn run(request: &AnnotateRequest) -> AnnotateReport {
    annotate(request, |_| {}).await.expect("evaluations")
}

/// A knowledge base and an engine that thinks of positions behind lines in SAN what it is told.
pub(crate) async fn scripted(opinions: &[(&str, &str)]) -> (Workshop, Opinionated) {
    let workshop = openings(&LINES).await;
    let engine = Opinionated::new(workshop.directory(), &[]);
    engine.think_of_lines(opinions);
    (workshop, engine)
}

impl Opinionated {
    /// As `think`, by lines in SAN.
    pub(crate) fn think_of_lines(&self, opinions: &[(&str, &str)]) {
        let by_epd: Vec<(String, &str)> = opinions.iter().map(|(line, words)| (epd_after(line), *words)).collect();
        self.think(
            &by_epd
                .iter()
                .map(|(epd, words)| (epd.as_str(), *words))
                .collect::<Vec<_>>(),
        );
    }
}

async fn shown(workshop: &Workshop, line: &str) -> NodeView {
    workshop.node(line).await.unwrap_or_else(|| panic!("no node {line:?}"))
}

fn epds(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| epd_after(line)).collect()
}

fn positions(asked: Vec<(String, String)>) -> Vec<String> {
    asked.into_iter().map(|(epd, _)| epd).collect()
}

#[tokio::test]
async fn annotation_populates_eval_fields() {
    let workshop = openings(&LINES).await;
    let mut request = asking(&workshop, &real_engine());
    request.effort = to_depth(9);
    request.most_played = Some(2);
    let report = run(&request).await;
    assert_eq!(report.done.searched, 2);
    assert!(report.engine.contains("Stockfish"), "{report:?}");
    let node = shown(&workshop, "e4").await;
    let eval = node.stockfish_eval().expect("an evaluation");
    assert!((-50..=120).contains(&eval), "1.e4 at {eval}");
    assert_eq!(node.stockfish_depth(), Some(9));
    let best = node.best_move().expect("a move");
    assert!(!best.san.is_empty() && best.uci.len() == 4, "{best:?}");
    assert!(!node.is_dubious() && !node.is_busted(), "{node:?}");
    assert!(
        shown(&workshop, "e4 c5").await.evaluation.is_none(),
        "two were asked for"
    );
}

/// Whoever just moved to these positions: White, White, Black, Black.
const MOVED_TO: [&str; 4] = ["e4 e5 Nf3", "e4 e5 f4", "e4 c5", "d4 d5"];

/// Both sides at a centipawn beyond a threshold and at one before it; `flag` tells who is beyond it.
async fn check_threshold(threshold: i32, flag: fn(&NodeView) -> bool) {
    let cp = [-threshold - 1, -threshold + 1, threshold + 1, threshold - 1];
    let words = cp.map(|cp| format!("cp {cp}"));
    let opinions: Vec<(&str, &str)> = MOVED_TO.into_iter().zip(words.iter().map(String::as_str)).collect();
    let (workshop, engine) = scripted(&opinions).await;
    run(&asking(&workshop, &engine.program)).await;
    for ((line, cp), beyond) in MOVED_TO.into_iter().zip(cp).zip([true, false, true, false]) {
        let node = shown(&workshop, line).await;
        assert_eq!(node.stockfish_eval(), Some(cp), "{line}");
        assert_eq!(flag(&node), beyond, "{line} at {cp}");
    }
}

#[tokio::test]
async fn is_dubious_threshold() {
    check_threshold(50, NodeView::is_dubious).await;
}

#[tokio::test]
async fn is_busted_threshold() {
    check_threshold(150, NodeView::is_busted).await;
}

#[tokio::test]
async fn eval_within_sane_range() {
    let mated = "f3 e5 g4 Qh4";
    let workshop = openings(&[&LINES[..], &[(mated, [0, 0, 7])]].concat()).await;
    let engine = Opinionated::new(workshop.directory(), &[]);
    engine.think_of_lines(&[
        ("e4 e5 Nf3", "mate 3"),
        ("e4 e5 f4", "mate -2"),
        ("e4 c5", "cp 2000"),
        ("d4 d5", "cp -9999"),
    ]);
    run(&asking(&workshop, &engine.program)).await;
    for (line, cp, mate) in [
        ("e4 e5 Nf3", 1000, Some(3)),
        ("e4 e5 f4", -1000, Some(-2)),
        ("e4 c5", 1500, None),
        ("d4 d5", -1500, None),
        (mated, -1000, Some(0)),
    ] {
        let node = shown(&workshop, line).await;
        assert_eq!((node.stockfish_eval(), node.mate()), (Some(cp), mate), "{line}");
        assert_eq!(node.best_move().is_none(), line == mated, "{line}");
    }
    assert!(
        !positions(engine.asked()).contains(&epd_after(mated)),
        "no engine is asked what is over"
    );
    assert_eq!(run(&asking(&workshop, &engine.program)).await.planned.to_search, 0);
}

#[tokio::test]
async fn annotation_uses_depth_26_for_high_frequency_nodes() {
    let (workshop, engine) = scripted(&[]).await;
    run(&asking(&workshop, &engine.program)).await;
    let asked = engine.asked();
    for (line, games, depth) in [
        ("e4 e5", 2350, 26),
        ("d4", 170, 22),
        ("e4 e5 Nf3", 2100, 18),
        ("d4 Nf6", 20, 18),
    ] {
        let node = shown(&workshop, line).await;
        assert_eq!(
            (node.game_count(), node.stockfish_depth()),
            (games, Some(depth)),
            "{line}"
        );
        let limit = (epd_after(line), format!("depth {depth}"));
        assert!(asked.contains(&limit), "{limit:?} is not in {asked:?}");
    }
}

#[tokio::test]
async fn the_most_played_come_first_and_a_limit_ends_it() {
    let (workshop, engine) = scripted(&[]).await;
    let mut request = asking(&workshop, &engine.program);
    request.batch = 1;
    request.limit = Some(4);
    let report = run(&request).await;
    assert_eq!((report.planned.branching, report.planned.terminal), (4, 5));
    assert_eq!((report.planned.to_search, report.done.searched), (4, 4));
    assert_eq!(positions(engine.asked()), epds(&BY_GAMES[..4]));
    let report = run(&request).await;
    assert_eq!((report.planned.done_before, report.done.searched), (4, 4));
    assert_eq!(positions(engine.asked()), epds(&BY_GAMES[4..8]));
}

#[tokio::test]
async fn a_second_run_does_nothing() {
    for effort in [Effort::default(), Effort::Nodes(5_000)] {
        let (workshop, engine) = scripted(&[("e4 c5", "cp 40")]).await;
        let mut request = asking(&workshop, &engine.program);
        request.effort = effort;
        assert_eq!(run(&request).await.done.searched, 9);
        assert_eq!(engine.asked().len(), 9);
        let before = workshop.dump().await;
        let again = run(&request).await;
        let known = again.planned.done_before + again.planned.from_store;
        assert_eq!(
            (again.planned.to_search, known, again.done.searched),
            (0, 9, 0),
            "{again:?}"
        );
        assert!(engine.asked().is_empty());
        assert_same(&workshop.dump().await, &before);
        let log = workshop.store().await.changelog(PositionId::of(&after("e4 c5"))).await;
        assert!(
            log.expect("a log")
                .iter()
                .all(|change| change.field != "stockfish_eval")
        );
    }
}

#[tokio::test]
async fn nodes_are_asked_for_in_place_of_depths() {
    let (workshop, engine) = scripted(&[]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = Effort::Nodes(5_000);
    request.millis = Some(900);
    run(&request).await;
    let asked = engine.asked();
    assert_eq!(asked.len(), 9);
    assert!(
        asked.iter().all(|(_, limit)| limit == "nodes 5000 movetime 900"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn what_a_deeper_search_changes_is_logged() {
    let (workshop, engine) = scripted(&[("e4 c5", "cp 40 best g1f3")]).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(8);
    run(&request).await;
    let sicilian = PositionId::of(&after("e4 c5"));
    let log = async || {
        let changes = workshop.store().await.changelog(sicilian).await.expect("a log");
        let mut changes: Vec<_> = changes
            .into_iter()
            .map(|change| {
                (
                    change.field,
                    change.old_value.unwrap_or_default(),
                    change.new_value.unwrap_or_default(),
                )
            })
            .collect();
        changes.sort();
        changes
    };
    assert!(log().await.is_empty(), "first values are no changes");
    engine.think_of_lines(&[("e4 c5", "cp 55 best b1c3")]);
    request.effort = to_depth(12);
    run(&request).await;
    let expected = [
        ("best_move", "Nf3", "Nc3"),
        ("best_move_uci", "g1f3", "b1c3"),
        ("is_dubious", "false", "true"),
        ("stockfish_depth", "8", "12"),
        ("stockfish_eval", "40", "55"),
    ];
    let expected = expected.map(|(field, old, new)| (field.to_owned(), old.to_owned(), new.to_owned()));
    assert_eq!(log().await, expected);
}

/// What somebody else thinks of 1.e4 e5.
fn imported() -> Analysis {
    let line = |(index, uci): (usize, &&str)| EngineLine {
        index: index as u8 + 1,
        eval: Eval::Cp(33),
        depth: 40,
        seldepth: None,
        wdl: None,
        moves: vec![UciMove::from_ascii(uci.as_bytes()).expect("a move")],
    };
    Analysis {
        engine: "lichess-cloud".to_owned(),
        limit: SearchLimit::depth(40),
        multipv: 3,
        lines: ["g1f3", "f1c4", "d2d4"].iter().enumerate().map(line).collect(),
        nodes: 90_000_000,
        millis: 0,
        hashfull: None,
        tbhits: 0,
    }
}

#[tokio::test]
async fn an_imported_evaluation_serves_unless_the_engine_alone_counts() {
    let (workshop, engine) = scripted(&[("e4 e5", "cp 20")]).await;
    let store = workshop.store().await;
    store
        .put_analyses(vec![(after("e4 e5"), imported())])
        .await
        .expect("an import");
    let mut request = asking(&workshop, &engine.program);
    let report = run(&request).await;
    assert_eq!((report.planned.from_store, report.done.searched), (1, 8));
    assert!(!positions(engine.asked()).contains(&epd_after("e4 e5")));
    let node = shown(&workshop, "e4 e5").await.evaluation.expect("an evaluation");
    assert_eq!(
        (node.engine.as_str(), node.eval.cp, node.depth),
        ("lichess-cloud", 33, 40)
    );
    assert_eq!(node.best_move.expect("a move").san, "Nf3");

    request.engine_only = true;
    let report = run(&request).await;
    assert_eq!((report.planned.from_store, report.done.searched), (0, 1));
    assert_eq!(positions(engine.asked()), epds(&["e4 e5"]));
    let node = shown(&workshop, "e4 e5").await.evaluation.expect("an evaluation");
    assert_eq!((node.engine.as_str(), node.eval.cp, node.depth), ("Fake 1.0", 20, 26));
}

#[tokio::test]
async fn an_estimate_changes_nothing() {
    let (workshop, engine) = scripted(&[("e4 e5 f4", "crash")]).await;
    let before = workshop.dump().await;
    let told = estimate(&asking(&workshop, &engine.program))
        .await
        .expect("an estimate");
    assert_eq!((told.planned.to_search, told.workers), (9, 1));
    let limits: Vec<(&str, u64, u64)> = told
        .limits
        .iter()
        .map(|limit| (limit.limit.as_str(), limit.positions, limit.samples))
        .collect();
    // Three for each limit where there are as many, and one of the terminal ones cannot be searched.
    assert_eq!(limits, [("depth 26", 3, 3), ("depth 18", 5, 2), ("depth 22", 1, 1)]);
    assert!(told.at_least, "one that cannot be searched may take any time");
    assert!(engine.asked().iter().all(|(_, limit)| limit.contains("movetime 20000")));
    assert_same(&workshop.dump().await, &before);
    assert!(workshop.store().await.quarantined().await.expect("a list").is_empty());
}

/// Times are all that may differ.
fn without_times(dump: Vec<String>) -> Vec<String> {
    let timeless = |line: String| match line.strip_prefix("evaluation (") {
        Some(row) => {
            let mut fields: Vec<&str> = row.splitn(9, ", ").collect();
            fields[5] = "millis";
            format!("evaluation ({}", fields.join(", "))
        }
        None => line,
    };
    dump.into_iter().map(timeless).collect()
}

#[tokio::test]
async fn nodes_give_the_same_with_any_number_of_engines() {
    let mut dumps = Vec::new();
    for workers in [1, 3] {
        let workshop = openings(&LINES).await;
        let mut request = asking(&workshop, &real_engine());
        request.effort = Effort::Nodes(5_000);
        request.engine.workers = Some(workers);
        request.batch = 2;
        assert_eq!(run(&request).await.done.searched, 9);
        dumps.push(without_times(workshop.dump().await));
    }
    assert!(
        dumps[0]
            .iter()
            .any(|line| line.starts_with("evaluation (") && line.contains("Stockfish"))
    );
    assert_same(&dumps[0], &dumps[1]);
}
