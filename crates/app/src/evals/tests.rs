//! Files in, evaluations out, through a sink that remembers.

use std::{
    fs,
    io::Write as _,
    sync::{Mutex, atomic::Ordering::Relaxed},
};

use shakmaty::Chess;
use tabiya_chess::{Analysis, Eval, epd};

use super::*;

const LINE: &str = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[{"pvs":[{"cp":21,"line":"e2e4 e7e5"}],"knodes":9,"depth":40},{"pvs":[{"cp":20,"line":"e2e4"},{"cp":18,"line":"d2d4"}],"knodes":5,"depth":30}]}"#;

const PGN: &str =
    "[Event \"x\"]\n\n{[%eval 0.2]} 1. e4 {[%eval 0.32,18]} (1. d4 {[%eval -0.1,9]} d5) e5 {[%eval #-3]} 1-0\n\n";

/// Remembers what it was given, and can be told to fail or to press Ctrl-C.
#[derive(Default)]
struct Memory {
    kept: Mutex<Vec<(Chess, Analysis)>>,
    fails: bool,
    stop: Option<Arc<AtomicBool>>,
}

impl EvaluationSink for Memory {
    async fn put(&self, evaluations: Vec<(Chess, Analysis)>) -> Result<u64, AppError> {
        if self.fails {
            return Err(AppError::Corrupt("the disk is full".to_owned()));
        }
        if let Some(stop) = &self.stop {
            stop.store(true, Relaxed);
        }
        let new = evaluations.len() as u64;
        self.kept.lock().expect("no test panicked here").extend(evaluations);
        Ok(new)
    }
}

impl Memory {
    /// `EPD's first two fields | engine | limit | evaluations`.
    fn rows(&self) -> Vec<String> {
        let kept = self.kept.lock().expect("no test panicked here");
        let row = |(pos, found): &(Chess, Analysis)| {
            let evals: Vec<Eval> = found.lines.iter().map(|line| line.eval).collect();
            let epd = epd(pos);
            let board: Vec<&str> = epd.split(' ').take(2).collect();
            format!("{} | {} | {} | {evals:?}", board.join(" "), found.engine, found.limit)
        };
        kept.iter().map(row).collect()
    }
}

/// A directory with files, each with its content.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &[u8])]) -> Files {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, content) in files {
            fs::write(directory.path().join(name), content).expect("a file");
        }
        Files(directory)
    }

    fn request(&self, names: &[&str]) -> EvalsRequest {
        let path = |name: &&str| self.0.path().join(name).display().to_string();
        EvalsRequest {
            inputs: names.iter().map(path).collect(),
            database: "none".to_owned(),
            min_depth: 0,
            known_only: false,
            limit: None,
            threads: NonZeroUsize::new(2).expect("two"),
            stop: Arc::default(),
        }
    }
}

async fn import(request: &EvalsRequest, known: Option<HashSet<PositionId>>, sink: &Memory) -> EvalsOutcome {
    let inputs = inputs(&request.inputs).expect("inputs");
    carry_out(request, inputs, known, None, sink, "memory".to_owned()).await
}

/// The only error, in words.
async fn error(files: &Files, name: &str) -> String {
    let outcome = import(&files.request(&[name]), None, &Memory::default()).await;
    let [error] = &outcome.errors[..] else {
        panic!("{outcome:?}")
    };
    let path = files.0.path().join(name).display().to_string();
    error.to_string().replace(&path, name)
}

#[tokio::test]
async fn an_archive_and_games_are_told_apart() {
    let files = Files::new(&[("a", LINE.as_bytes()), ("b", PGN.as_bytes())]);
    let memory = Memory::default();
    let outcome = import(&files.request(&["a", "b"]), None, &memory).await;
    assert!(outcome.errors.is_empty(), "{outcome:?}");
    assert_eq!(
        memory.rows(),
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w | lichess-cloud | depth 40 | [Cp(21)]",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w | lichess-cloud | depth 30 | [Cp(20), Cp(18)]",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w | pgn-comment | depth 0 | [Cp(20)]",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b | pgn-comment | depth 18 | [Cp(32)]",
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b | pgn-comment | depth 9 | [Cp(-10)]",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w | pgn-comment | depth 0 | [Mate(-3)]",
        ]
    );
    let report = &outcome.report;
    assert_eq!((report.positions, report.evaluations, report.bad), (5, 6, 0));
    let kinds: Vec<_> = report.files.iter().map(|file| (file.kind, file.read)).collect();
    assert_eq!(kinds, [(FileKind::Jsonl, 1), (FileKind::Pgn, 1)]);
}

#[tokio::test]
async fn depth_knowledge_and_limit_narrow_it() {
    let files = Files::new(&[("a", LINE.as_bytes()), ("b", PGN.as_bytes())]);
    let mut request = files.request(&["a", "b"]);
    request.min_depth = 18;
    let memory = Memory::default();
    let outcome = import(&request, None, &memory).await;
    assert_eq!((outcome.report.evaluations, outcome.report.passed_over), (3, 3));

    let start = HashSet::from([PositionId::of(&Chess::default())]);
    request.min_depth = 0;
    let outcome = import(&request, Some(start), &memory).await;
    assert_eq!((outcome.report.positions, outcome.report.passed_over), (2, 3));

    request.limit = Some(2);
    let outcome = import(&request, None, &memory).await;
    assert_eq!(outcome.report.positions, 2);
    assert!(outcome.report.limit_reached && !outcome.report.interrupted);
}

#[tokio::test]
async fn a_comment_belongs_to_the_move_it_follows() {
    let pgn = "1. e4 (1. d4) {[%eval 1.0,1]} 1... -- {[%eval 2.0,2]} 2. Nf3 {[%eval 3.0,3]} *\n\n\
        1. f3 e5 2. g4 Qh4# {[%eval #0,4]} 0-1\n\n1. e4 {[%eval x]} e5 {[%eval #0]} *\n";
    let files = Files::new(&[("x.pgn", pgn.as_bytes())]);
    let memory = Memory::default();
    let outcome = import(&files.request(&["x.pgn"]), None, &memory).await;
    assert_eq!(
        memory.rows(),
        [
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b | pgn-comment | depth 1 | [Cp(100)]",
            "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b | pgn-comment | depth 3 | [Cp(300)]",
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w | pgn-comment | depth 4 | [Checkmate(Black)]",
        ]
    );
    let file = &outcome.report.files[0];
    assert_eq!((file.read, file.bad, file.problems.len()), (3, 1, 2));
    assert_eq!(file.problems[0].reason, "`[%eval x]` is no evaluation of the position");
}

#[tokio::test]
async fn bad_lines_and_games_are_named_and_cost_nothing_else() {
    let archive = format!("{LINE}\nrubbish\n{LINE}\n");
    let pgn = format!("{PGN}1. e4 {{[%eval 0.5]}} e4 *\n\n{PGN}");
    let files = Files::new(&[("a.jsonl", archive.as_bytes()), ("b.pgn", pgn.as_bytes())]);
    let outcome = import(&files.request(&["a.jsonl", "b.pgn"]), None, &Memory::default()).await;
    assert!(outcome.errors.is_empty(), "{outcome:?}");
    let [archive, games] = &outcome.report.files[..] else {
        panic!("{outcome:?}")
    };
    assert_eq!((archive.read, archive.positions, archive.bad), (3, 2, 1));
    assert_eq!(archive.problems[0].place, "line 2");
    assert_eq!((games.read, games.positions, games.bad), (3, 9, 1));
    assert_eq!(
        games.problems[0].reason,
        "`e4`: no legal move is written like this here"
    );
}

#[tokio::test]
async fn what_is_no_input_is_said() {
    let files = Files::new(&[
        ("empty", b""),
        ("rubbish.jsonl", b"\x01\x02\n\x03"),
        ("rubbish", b"\x01\x02 \xff\xfe\n"),
    ]);
    assert_eq!(error(&files, "empty").await, "empty: the file is empty");
    assert_eq!(
        error(&files, "rubbish.jsonl").await,
        "rubbish.jsonl: this is neither an archive of evaluations nor PGN; line 1: not an evaluation: expected value, column 1"
    );
    let said = error(&files, "rubbish").await;
    assert!(
        said.starts_with("rubbish: this is neither an archive of evaluations nor PGN; byte 0: "),
        "{said}"
    );

    let directory = files.request(&["."]);
    let refused = inputs(&directory.inputs).expect_err("a directory").to_string();
    assert!(refused.ends_with(": this is a directory"), "{refused}");
}

#[tokio::test]
async fn a_file_that_breaks_off_keeps_what_came_before_and_the_next_is_read() {
    let archive = format!("{LINE}\n").repeat(20_000);
    let games = PGN.repeat(40_000);
    let packed = |text: &str| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
        encoder.write_all(text.as_bytes()).expect("memory");
        let mut bytes = encoder.finish().expect("memory");
        bytes.truncate(bytes.len() - bytes.len() / 4);
        bytes
    };
    let (archive, games) = (packed(&archive), packed(&games));
    let files = Files::new(&[("a.zst", &archive), ("b.pgn.zst", &games), ("c", LINE.as_bytes())]);
    let outcome = import(&files.request(&["a.zst", "b.pgn.zst", "c"]), None, &Memory::default()).await;
    let said: Vec<String> = outcome.errors.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("a.zst: broke off behind line "), "{said:?}");
    assert!(
        outcome
            .errors
            .iter()
            .all(|error| error.reaction() == crate::Reaction::FixInput)
    );
    let positions: Vec<u64> = outcome.report.files.iter().map(|file| file.positions).collect();
    assert!(positions[0] > 1000 && positions[1] > 1000, "{positions:?}");
    assert_eq!(positions[2], 1);
}

#[tokio::test]
async fn an_interrupt_keeps_what_was_committed() {
    let archive = format!("{LINE}\n").repeat(60_000);
    let files = Files::new(&[("a", archive.as_bytes())]);
    let request = files.request(&["a", "a"]);
    let memory = Memory {
        stop: Some(Arc::clone(&request.stop)),
        ..Memory::default()
    };
    let outcome = import(&request, None, &memory).await;
    assert!(
        outcome.report.interrupted && outcome.errors.is_empty(),
        "{:?}",
        outcome.errors
    );
    let kept = memory.rows().len() as u64;
    assert_eq!(
        (kept, kept),
        (outcome.report.evaluations, outcome.report.new),
        "what is reported was committed"
    );
    assert!((20_000..120_000).contains(&kept), "{kept}");
}

#[tokio::test]
async fn a_database_that_fails_ends_it() {
    let archive = format!("{LINE}\n").repeat(60_000);
    let files = Files::new(&[("a", archive.as_bytes())]);
    let memory = Memory {
        fails: true,
        ..Memory::default()
    };
    let outcome = import(&files.request(&["a"]), None, &memory).await;
    assert_eq!(outcome.errors.len(), 1, "{:?}", outcome.errors);
    assert_eq!(outcome.report.evaluations, 0);
}
