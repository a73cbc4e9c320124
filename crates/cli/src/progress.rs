//! How work gets on: a bar on a terminal, a line now and then elsewhere.

use std::{
    fs,
    io::{self, IsTerminal},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use pgn_import::{Input, Progress, Watch, Watcher, expand_inputs};

use crate::{
    numbers::{clock, count, megabytes_per_second, rate, thousands},
    terminal::{line, plain, set_bar},
};

/// Between two looks at a bar, and between two lines where there is none.
const BAR_STEP: Duration = Duration::from_millis(150);
const LINE_STEP: Duration = Duration::from_secs(15);

/// How far all inputs together have come.
#[derive(Debug, Default)]
struct State {
    /// Of inputs that are done: what this run read, and how long they are.
    games: u64,
    bytes: u64,
    place: u64,
    current: Option<Current>,
    /// Of all inputs, where all of them are files.
    total: Option<u64>,
    /// What is being done, where that is not reading.
    stage: Option<&'static str>,
    /// What is counted, where that is not games.
    noun: Option<&'static str>,
    /// What is done one by one, such as positions that engines think about.
    counted: Option<Counted>,
}

/// How far that is.
#[derive(Debug)]
struct Counted {
    /// What they are.
    noun: &'static str,
    done: u64,
    total: u64,
    line: String,
    since: Instant,
}

/// Tells the display what is being done.
#[derive(Debug, Clone)]
pub(crate) struct Stage(Arc<Mutex<State>>);

impl Stage {
    pub(crate) fn set(&self, doing: &'static str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.close();
        state.stage = Some(doing);
        state.counted = None;
    }

    /// So many positions are to be answered from now on.
    pub(crate) fn expect(&self, total: u64) {
        self.expect_of(total, "position");
    }

    /// So many of something else are to be done from now on.
    pub(crate) fn expect_of(&self, total: u64, noun: &'static str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.counted = Some(Counted {
            noun,
            done: 0,
            total,
            line: String::new(),
            since: Instant::now(),
        });
    }

    /// So many of them are done.
    pub(crate) fn reached(&self, done: u64, total: u64, noun: &'static str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut state.counted {
            Some(counted) if counted.noun == noun => (counted.done, counted.total) = (done, total),
            _ => {
                state.counted = Some(Counted {
                    noun,
                    done,
                    total,
                    line: String::new(),
                    since: Instant::now(),
                });
            }
        }
    }

    /// One more was answered of nobody knows how many.
    pub(crate) fn answered_one_more(&self, line: &str) {
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).counted.is_none() {
            self.expect(0);
        }
        self.answered(line);
    }

    /// One of them was: the moves that lead there.
    pub(crate) fn answered(&self, line: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counted) = &mut state.counted {
            counted.done += 1;
            line.clone_into(&mut counted.line);
        }
    }
}

/// The input at hand.
#[derive(Debug)]
struct Current {
    name: String,
    progress: Arc<Progress>,
    games: u64,
    /// What an earlier run did counts for the place, not for the speed.
    bytes_before: u64,
    games_before: Option<u64>,
}

impl State {
    fn told(&mut self, watch: &Watch<'_>) {
        match watch {
            Watch::Opened { source, progress } => {
                self.close();
                let bytes_before = progress.bytes_read();
                self.current = Some(Current {
                    name: (*source).to_owned(),
                    progress: progress.clone(),
                    games: 0,
                    // A source's first bytes are read to see what it is.
                    bytes_before: if bytes_before > 4 { bytes_before } else { 0 },
                    games_before: (bytes_before <= 4).then_some(0),
                });
            }
            Watch::Games(games) => {
                if let Some(current) = &mut self.current {
                    current.games_before.get_or_insert(*games);
                    current.games = *games;
                }
            }
        }
    }

    fn close(&mut self) {
        if let Some(done) = self.current.take() {
            self.games += done.games - done.games_before.unwrap_or(done.games).min(done.games);
            let read = done.progress.bytes_read();
            let length = done.progress.bytes_total().unwrap_or(read);
            self.bytes += length.saturating_sub(done.bytes_before);
            self.place += length;
        }
    }

    /// Games read in this run, bytes read in this run, and the place in all inputs.
    fn now(&self) -> (u64, u64, u64) {
        match &self.current {
            None => (self.games, self.bytes, self.place),
            Some(current) => {
                let read = current.progress.bytes_read();
                let games = current.games - current.games_before.unwrap_or(current.games).min(current.games);
                (
                    self.games + games,
                    self.bytes + read - current.bytes_before.min(read),
                    self.place + read,
                )
            }
        }
    }
}

/// Shows progress until it is dropped.
#[derive(Debug)]
pub(crate) struct Display {
    state: Arc<Mutex<State>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Begins to show progress for these inputs.
    pub(crate) fn start(inputs: &[String]) -> Display {
        Display::show(inputs, None)
    }

    /// The same, where something else than games is counted.
    pub(crate) fn counting(inputs: &[String], noun: &'static str) -> Display {
        Display::show(inputs, Some(noun))
    }

    /// Begins to show how work gets on that reads no games; it will say with what.
    pub(crate) fn of_stages() -> Display {
        Display::show(&[], None)
    }

    fn show(inputs: &[String], noun: Option<&'static str>) -> Display {
        let state = Arc::new(Mutex::new(State {
            total: total_bytes(inputs),
            noun,
            ..State::default()
        }));
        let ended = Arc::new(AtomicBool::new(false));
        let (shared, over) = (state.clone(), ended.clone());
        let thread = thread::spawn(move || {
            if io::stderr().is_terminal() {
                show_bar(&shared, &over)
            } else {
                write_lines(&shared, &over)
            }
        });
        Display {
            state,
            ended,
            thread: Some(thread),
        }
    }

    /// What a build says it is at goes here.
    pub(crate) fn stage(&self) -> Stage {
        Stage(self.state.clone())
    }

    /// What an importer tells about itself goes here.
    pub(crate) fn watcher(&self) -> Watcher {
        let state = self.state.clone();
        Arc::new(move |watch| state.lock().unwrap_or_else(PoisonError::into_inner).told(&watch))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A display that broke is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// None where an input's size cannot be known beforehand, or the inputs are wrong, which somebody else will say.
fn total_bytes(inputs: &[String]) -> Option<u64> {
    expand_inputs(inputs)
        .ok()?
        .iter()
        .map(|input| match input {
            Input::Path(path) => fs::metadata(path)
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|meta| meta.len()),
            Input::Stdin => None,
        })
        .sum::<Option<u64>>()
        .filter(|&total| total > 0)
}

const BAR: &str = "{bar:24} {percent:>3}% {wide_msg}";
const SPINNER: &str = "{spinner} {wide_msg}";

fn show_bar(state: &Mutex<State>, ended: &AtomicBool) {
    let started = Instant::now();
    let bar = ProgressBar::new_spinner();
    set_bar(Some(bar.clone()));
    // Files are followed by positions, and one lot of positions by another: each has a length of its own.
    let mut shown = None;
    while !ended.load(Relaxed) {
        let Described { message, place, length } = describe(state, started.elapsed());
        if shown != Some(length) {
            if let Some(length) = length {
                bar.set_length(length);
            }
            if let Ok(style) = ProgressStyle::with_template(if length.is_some() { BAR } else { SPINNER }) {
                bar.set_style(style);
            }
            shown = Some(length);
        }
        bar.set_position(place);
        bar.set_message(plain(&message));
        bar.tick();
        thread::park_timeout(BAR_STEP);
    }
    set_bar(None);
    bar.finish_and_clear();
}

fn write_lines(state: &Mutex<State>, ended: &AtomicBool) {
    let started = Instant::now();
    let mut next = LINE_STEP;
    while !ended.load(Relaxed) {
        if started.elapsed() >= next {
            line(&format!("progress: {}", describe(state, started.elapsed()).message));
            next += LINE_STEP;
        }
        thread::park_timeout(next.saturating_sub(started.elapsed()));
    }
}

/// What there is to show.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    message: String,
    place: u64,
    /// Of the whole, where it is known.
    length: Option<u64>,
}

/// `12,345 games, 8,120 games/s, 5.1 MB/s, ETA 0:12, games.pgn`, and the place in all inputs.
fn describe(state: &Mutex<State>, elapsed: Duration) -> Described {
    let state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(counted) = &state.counted {
        return Described {
            message: counted.describe(),
            place: counted.done,
            length: Some(counted.total).filter(|&total| total > 0),
        };
    }
    let (games, bytes, place) = state.now();
    let described = |message| Described {
        message,
        place,
        length: state.total,
    };
    if let (Some(doing), None) = (state.stage, &state.current) {
        return described(format!("{doing}, {}", clock(elapsed)));
    }
    let noun = state.noun.unwrap_or("game");
    let mut parts = vec![
        count(games, noun),
        format!("{} {noun}s/s", rate(games, elapsed)),
        megabytes_per_second(bytes, elapsed),
    ];
    match state.total {
        Some(total) if bytes > 0 => {
            let left = total.saturating_sub(place) as f64 / bytes as f64 * elapsed.as_secs_f64();
            parts.push(format!("ETA {}", clock(Duration::from_secs_f64(left.min(1e9)))));
        }
        _ => parts.push(format!("{} MB", thousands(place / 1_000_000))),
    }
    if let Some(current) = &state.current {
        // The whole path is in the summary; here it would push everything else off the line.
        parts.push(current.name.rsplit('/').next().unwrap_or_default().to_owned());
    }
    described(parts.join(", "))
}

impl Counted {
    /// `12 of 500 positions, 1.4/s, ETA 5:48, 1.e4 e5 2.Nf3`.
    fn describe(&self) -> String {
        let mut parts = vec![match self.total {
            0 => count(self.done, self.noun),
            total => format!("{} of {}", thousands(self.done), count(total, self.noun)),
        }];
        if self.done > 0 {
            let rate = self.done as f64 / self.since.elapsed().as_secs_f64().max(1e-3);
            parts.push(format!("{rate:.1}/s"));
            if let Some(left) = self.total.checked_sub(self.done) {
                let time = Duration::from_secs_f64((left as f64 / rate).min(1e9));
                parts.push(format!("ETA {}", clock(time)));
            }
            if !self.line.is_empty() {
                parts.push(self.line.clone());
            }
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(total: Option<u64>) -> Arc<Mutex<State>> {
        Arc::new(Mutex::new(State {
            total,
            ..State::default()
        }))
    }

    #[test]
    fn a_bar_is_as_long_as_what_it_shows() {
        let state = state(Some(5_000));
        let stage = Stage(state.clone());
        let length = || describe(&state, Duration::from_secs(1)).length;
        assert_eq!(length(), Some(5_000));
        stage.expect(40);
        assert_eq!(length(), Some(40));
        stage.reached(3, 700, "move");
        assert_eq!(length(), Some(700));
        // Of nobody knows how many.
        stage.expect(0);
        assert_eq!(length(), None);
        stage.set("writing");
        assert_eq!(length(), Some(5_000));
    }
}
