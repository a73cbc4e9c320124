//! Fake engines, positions, and what the operating system knows of processes.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use shakmaty::{Chess, Position};
use tabiya_chess::{Analysis, SearchLimit, from_uci, parse_fen};
use tabiya_engine::{Answer, EngineConfig, Memory, Pool, PoolConfig, Search, Unit};
use tempfile::TempDir;

/// Long enough for a busy machine, short enough to fail before somebody loses patience.
pub(crate) const AGES: Duration = Duration::from_secs(30);

/// A fake engine that follows these runs, and the ledger of its starts.
pub(crate) struct Fake {
    dir: TempDir,
    pub(crate) config: PoolConfig,
}

impl Fake {
    /// One worker; the nth start follows the nth run.
    pub(crate) fn new(runs: &[&str]) -> Fake {
        let dir = tempfile::tempdir().unwrap();
        let mut engine = EngineConfig::new(env!("CARGO_BIN_EXE_fake-engine"));
        engine.args = vec!["ledger".into(), dir.path().join("ledger").into(), "run".into()];
        engine.args.extend(runs.iter().map(|run| (*run).into()));
        Fake {
            dir,
            config: impatient(engine),
        }
    }

    /// One worker with an engine that plays a script.
    pub(crate) fn script(text: &str) -> Fake {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        fs::write(&script, text).unwrap();
        let mut engine = EngineConfig::new(env!("CARGO_BIN_EXE_fake-engine"));
        engine.args = vec!["script".into(), script.into()];
        let mut config = impatient(engine);
        config.max_tries = 1;
        Fake { dir, config }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) async fn pool(&self) -> Pool {
        Pool::start(self.config.clone()).await.unwrap()
    }

    /// The processes that were started, in order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let ledger = fs::read_to_string(self.dir.path().join("ledger")).unwrap_or_default();
        ledger.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// Waits until so many searches were begun, by all of them together.
    pub(crate) async fn searching(&self, searches: usize) {
        let diary = self.dir.path().join("ledger.asked");
        let begun = async {
            while fs::read_to_string(&diary).map_or(0, |asked| asked.lines().count()) < searches {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(AGES, begun).await.unwrap();
    }
}

/// Writes a program. A shell does: a file that this process has open for writing while another thread forks cannot be run.
pub(crate) fn write_program(path: &Path, text: &str) {
    let written = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$1\" >\"$2\" && chmod +x \"$2\"", "sh", text])
        .arg(path)
        .status();
    assert!(written.unwrap().success());
}

fn impatient(engine: EngineConfig) -> PoolConfig {
    let mut config = PoolConfig::new(engine);
    config.workers = 1;
    config.first_backoff = Duration::from_millis(1);
    config
}

/// Whether a process is there and not merely waiting to be noticed as dead.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name, which is in parentheses and may contain anything.
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, None | Some(Some('Z' | 'X')))
}

/// All processes of the group that this one led.
#[cfg(target_os = "linux")]
fn group(leader: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    ids.filter(|id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let group = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(2)?.parse().ok());
        group == Some(leader) && is_alive(*id)
    })
    .collect()
}

/// Waits until nobody is left whom these engines have started.
#[cfg(target_os = "linux")]
pub(crate) async fn all_are_gone(fake: &Fake) {
    let begun = std::time::Instant::now();
    while fake.pids().into_iter().any(|leader| !group(leader).is_empty()) {
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "some outlived the engine that started them"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The position after these moves.
pub(crate) fn after(moves: &str) -> Chess {
    let mut position = Chess::default();
    for text in moves.split_whitespace() {
        let m = from_uci(&position, text).unwrap();
        position.play_unchecked(m);
    }
    position
}

pub(crate) fn fen(text: &str) -> Chess {
    parse_fen(text).unwrap().position
}

pub(crate) fn search(position: Chess) -> Search {
    Search {
        position,
        limit: SearchLimit::nodes(10_000),
        multipv: 1,
    }
}

/// A few positions that differ.
pub(crate) fn searches(number: usize) -> Vec<Search> {
    let moves = ["", "e2e4", "d2d4", "c2c4", "g1f3", "e2e4 e7e5", "d2d4 d7d5", "b2b3"];
    (0..number)
        .map(|index| search(after(moves[index % moves.len()])))
        .collect()
}

pub(crate) fn unit(number: usize) -> Unit {
    Unit {
        searches: searches(number),
        memory: Memory::Nothing,
    }
}

/// All answers to a unit, by index; each came once.
pub(crate) async fn all(pool: &Pool, unit: Unit) -> Vec<Answer> {
    let number = unit.searches.len();
    let mut replies = pool.submit(unit);
    let mut answers: Vec<Option<Answer>> = vec![None; number];
    while let Some((index, answer)) = tokio::time::timeout(AGES, replies.next()).await.unwrap() {
        assert!(answers[index].replace(answer).is_none(), "two answers for {index}");
    }
    answers.into_iter().map(Option::unwrap).collect()
}

#[track_caller]
pub(crate) fn done(answer: Answer) -> Analysis {
    match answer {
        Answer::Done(analysis) => analysis,
        other => panic!("not done: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn quarantined(answer: Answer) -> (u32, String) {
    match answer {
        Answer::Quarantined { tries, reason } => (tries, reason),
        other => panic!("not in quarantine: {other:?}"),
    }
}
/// The engine that `scripts/setup test` leaves behind.
pub(crate) fn real_engine() -> PathBuf {
    let named = std::env::var_os("TABIYA_TEST_ENGINE").map(PathBuf::from);
    let path = named.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cache/tabiya/stockfish/stockfish"));
    assert!(path.exists(), "{} is missing: run scripts/setup test", path.display());
    path
}
