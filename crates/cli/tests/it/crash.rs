//! Imports that are interrupted, and go on.

use std::{
    io::Read,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::{sleep, spawn},
    time::{Duration, Instant},
};

use crate::{
    corpus::games,
    sandbox::{Content, Ran, Sandbox, TABIYA},
    stores::Kind,
};

/// More games and more kills than the everyday tests take time for.
pub(crate) fn soak() -> bool {
    std::env::var_os("TABIYA_SOAK").is_some()
}

/// The command of all runs: small batches, so that there is much to be interrupted.
fn import(sandbox: &Sandbox, database: &str) -> Command {
    #[rustfmt::skip]
    let args = [
        "import", "games.pgn", "--db", database, "--repertoire", "R", "--batch-bytes", "4096", "--format", "json",
    ];
    let mut command = sandbox.command(TABIYA, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whoever takes longer than this hangs, on any machine.
const LONGEST: Duration = Duration::from_secs(600);

/// Waits for a program that was started with pipes for what it says.
pub(crate) fn finish(child: Child) -> Ran {
    end(child).1
}

/// The same, and how it ended. One that does not is killed, and the test fails with what it said.
pub(crate) fn end(mut child: Child) -> (ExitStatus, Ran) {
    let deadline = Instant::now() + LONGEST;
    drop(child.stdin.take());
    let stdout = child.stdout.take().map(listen);
    let stderr = child.stderr.take().map(listen);
    let mut is_late = false;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
        if !is_late && Instant::now() > deadline {
            is_late = true;
            child.kill().expect("it can be killed");
        }
        sleep(Duration::from_millis(5));
    };
    // Others whom it has started may hold its pipes open.
    let heard = |said: Option<Receiver<Vec<u8>>>| {
        let left = deadline
            .saturating_duration_since(Instant::now())
            .max(Duration::from_secs(5));
        let bytes = said.map(|said| said.recv_timeout(left).expect("what it said comes to an end"));
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    };
    let ran = Ran {
        code: status.code().unwrap_or(-1),
        stdout: heard(stdout),
        stderr: heard(stderr),
    };
    assert!(!is_late, "it did not end within {LONGEST:?}: {ran}");
    (status, ran)
}

/// Reads a pipe while others wait: a full one would hold up whoever writes to it.
fn listen(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    spawn(move || {
        let mut said = Vec::new();
        // What was read before an error is all there is, and nobody may be there any more to hear it.
        let _ = pipe.read_to_end(&mut said);
        let _ = sender.send(said);
    });
    receiver
}

/// What an import that nobody disturbs leaves, and how long it takes.
fn undisturbed(sandbox: &Sandbox, kind: Kind) -> (Content, Duration) {
    let database = kind.new_database(sandbox, "undisturbed");
    let started = Instant::now();
    sandbox.run(import(sandbox, &database)).exits_with(0);
    (Content::of(&database), started.elapsed())
}

#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -{name} {}", child.id()))
        .status();
    assert!(sent.expect("a shell").success());
}

/// Interrupts an import in the middle.
#[cfg(unix)]
fn interrupt(sandbox: &Sandbox, kind: Kind, name: &str, time: Duration) -> (String, Ran) {
    let mut delay = time.mul_f64(0.4);
    for attempt in 0..10 {
        let database = kind.new_database(sandbox, &format!("interrupted{attempt}"));
        let child = import(sandbox, &database).spawn().expect("the program runs");
        sleep(delay);
        signal(&child, name);
        let ran = finish(child);
        match ran.code {
            // Before it listened.
            -1 => delay = delay.mul_f64(1.5),
            // After its last batch.
            0 => delay = delay.mul_f64(0.6),
            _ => return (database, ran),
        }
    }
    panic!("it was never interrupted in the middle: {delay:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_at_a_good_place_and_the_next_run_goes_on() {
    for (name, kind) in [("INT", Kind::Sqlite), ("TERM", Kind::Postgres)] {
        let sandbox = Sandbox::with("games.pgn", games(5, 500));
        let (expected, time) = undisturbed(&sandbox, kind);
        let (database, ran) = interrupt(&sandbox, kind, name, time);
        let ran = ran.exits_with(130);
        assert!(ran.stderr.contains("stopping after the batch at hand"), "{ran}");
        assert!(ran.stderr.contains("run the same command again"), "{ran}");
        let report = ran.json();
        assert_eq!(report["status"], "interrupted");
        let games = report["counters"]["pgn_games_total"].as_u64().expect("a number");
        assert!(games > 0 && games <= 500, "{ran}");

        let ran = sandbox.run(import(&sandbox, &database)).exits_with(0);
        let report = ran.json();
        assert_eq!(report["sources"][0]["resumed_at"], games, "{ran}");
        assert_eq!(report["counters"]["pgn_games_total"], 500);
        Content::of(&database).equals(&expected);
    }
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_at_once() {
    // Standard input that never ends: the import has nothing to do but wait.
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(TABIYA, &["import", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(sandbox.path("words")).expect("a file"))
        .spawn()
        .expect("the program runs");
    let stdin = child.stdin.take();
    let wait_until = |what: &str, is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{what} did not happen");
            sleep(Duration::from_millis(20));
        }
    };
    // Signals sent before it listens would end it in another way.
    wait_until("a database", &|| sandbox.path("tabiya.db").exists());
    sleep(Duration::from_millis(300));
    signal(&child, "INT");
    // Two of a kind that nobody has heard yet are one.
    wait_until("an answer", &|| sandbox.read("words").contains("press Ctrl-C again"));
    sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().expect("it can be asked").is_none(),
        "the first one only asks"
    );
    signal(&child, "INT");
    finish(child).exits_with(130);
    drop(stdin);
}
