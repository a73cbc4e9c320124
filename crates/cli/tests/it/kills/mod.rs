//! `kill -9` at random instants, verb by verb: what the next run makes of it is what an undisturbed one leaves.
//!
//! The everyday tests kill a few times each, `make soak` fifty times. Instants follow from a seed, spread over the whole run;
//! how far a run has come by then is the machine's business, so they are fair in number and not the same twice.

mod annotate;
mod crawl;
mod expand;
mod export;
mod import;
mod positions;

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    corpus::Dice,
    crash::{end, finish, soak},
    sandbox::Ran,
};

/// How often a verb is killed.
const KILLS: u32 = 4;
const KILLS_IN_SOAK: u32 = 50;

/// What `kill -9` sends, and the only thing that runs here may die of.
const SIGKILL: i32 = 9;

/// A verb that is killed, run at places with names of their own.
trait Victim {
    /// Everything it leaves that is promised to be the same.
    type Left;

    /// Makes ready what a run needs.
    fn begin(&self, place: &str);

    /// The command that runs, and the one that goes on.
    fn command(&self, place: &str) -> Command;

    fn left(&self, place: &str) -> Self::Left;

    fn assert_same(&self, left: &Self::Left, expected: &Self::Left);

    /// Looks at what a killed run has left, and says whether that is anything to go on with or to clean up after.
    fn is_begun(&self, place: &str, expected: &Self::Left) -> bool;

    /// Whether a run that goes on came to its end. A verb may say that there is nothing left to do.
    fn is_done(&self, ran: &Ran) -> bool {
        ran.code == 0
    }
}

/// A copy of a database of SQLite as it was left: looking at it would bring it in order, which the next run has to do. `None`
/// if there is none yet.
fn as_left(database: &Path) -> Option<(tempfile::TempDir, String)> {
    let directory = tempfile::tempdir().expect("a directory");
    let copy = directory.path().join("copy.db");
    fs::copy(database, &copy).ok()?;
    // A log of what is not in the file yet, or a journal of what was in it before: without either it is whole by itself.
    for beside in ["db-wal", "db-journal"] {
        let _ = fs::copy(database.with_extension(beside), copy.with_extension(beside));
    }
    Some((directory, copy.display().to_string()))
}

fn start(victim: &impl Victim, place: &str) -> std::process::Child {
    let mut command = victim.command(place);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

/// Kills runs all over their time, some of them again while they go on, and compares what is left in the end.
fn kill_and_go_on(victim: &impl Victim, seed: u64) {
    kill_so_often(victim, seed, if soak() { KILLS_IN_SOAK } else { KILLS });
}

fn kill_so_often(victim: &impl Victim, seed: u64, wanted: u32) {
    victim.begin("undisturbed");
    let started = Instant::now();
    let ran = finish(start(victim, "undisturbed"));
    let mut time = started.elapsed();
    assert_eq!(ran.code, 0, "{ran}");
    let expected = victim.left("undisturbed");

    let mut dice = Dice(seed);
    let mut chance = || dice.below(1000) as f64 / 1000.0;
    let (mut kills, mut begun) = (0, 0);
    // Instants are spread over the whole run, most of which is to leave something that the next one has to deal with.
    let enough = wanted.div_ceil(4);
    // Bounded: on a machine that is suddenly twice as fast some runs end before they are killed.
    for round in 0..3 * wanted {
        // Where too little was begun when they were killed, more runs come to be killed.
        if kills >= wanted && begun >= enough {
            break;
        }
        let place = format!("killed{round}");
        victim.begin(&place);
        let first = (f64::from(kills % wanted) + chance()) / f64::from(wanted);
        for part in [first, chance()] {
            let mut child = start(victim, &place);
            sleep(time.mul_f64(part));
            let is_running = child.try_wait().expect("it can be asked").is_none();
            if is_running {
                child.kill().expect("it can be killed");
            }
            let (status, ran) = end(child);
            match status.signal() {
                Some(SIGKILL) if is_running => {
                    kills += 1;
                    begun += u32::from(victim.is_begun(&place, &expected));
                }
                Some(signal) => {
                    panic!("round {round} of seed {seed}: it died of signal {signal}, which nobody sent: {ran}")
                }
                None => {
                    assert!(victim.is_done(&ran), "it was killed, and nothing else: {ran}");
                    if part == first {
                        time = time.mul_f64(0.8).max(Duration::from_millis(20));
                    }
                    break;
                }
            }
        }
        let ran = finish(start(victim, &place));
        assert!(victim.is_done(&ran), "round {round} of seed {seed}: {ran}");
        victim.assert_same(&victim.left(&place), &expected);
    }
    assert!(
        kills >= wanted && begun >= enough,
        "{kills} kills within {time:?}, {begun} of them in the middle"
    );
}
