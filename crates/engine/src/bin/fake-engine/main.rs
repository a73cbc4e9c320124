//! An engine for tests: it answers at once and misbehaves on request, at the wire, where real engines do.
//!
//! ```text
//! fake-engine instant                    answers every search at once: the first legal moves, from best to worst
//! fake-engine script FILE                plays a recorded conversation: `< expected command`, `> answer`
//! fake-engine opinions FILE              thinks of positions what the file says, and writes down what it was asked
//! fake-engine [ledger FILE] run WORDS…   the nth start follows the nth WORDS, later ones the last; FILE counts the starts,
//!                                        and FILE.asked the searches
//! ```
//!
//! WORDS are separated by commas: first how it starts and quits, then what it does in each search, the last one again and
//! again. `run good,crash good` answers one search and crashes in the second; the engine that replaces it is well. `greet-flood` and its like
//! misbehave before they are ready.

mod opinions;
mod position;
mod script;

use std::{
    env, fs,
    io::{self, BufRead, Write},
    process::exit,
    thread,
    time::Duration,
};

use self::{opinions::Opinions, position::Asked};

fn main() -> io::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["instant"] => Engine::new("good").converse(),
        ["opinions", file] => Engine {
            opinions: Some(Opinions::read(file)?),
            ..Engine::new("good")
        }
        .converse(),
        ["script", file] => script::play(&fs::read_to_string(file)?),
        ["run", runs @ ..] if !runs.is_empty() => Engine::new(runs[0]).converse(),
        ["ledger", ledger, "run", runs @ ..] if !runs.is_empty() => {
            let start = enter(ledger)?;
            Engine {
                diary: Some(format!("{ledger}.asked")),
                ..Engine::new(runs[start.min(runs.len() - 1)])
            }
            .converse()
        }
        _ => {
            writeln!(
                io::stderr(),
                "fake-engine: instant | script FILE | opinions FILE | [ledger FILE] run WORDS…"
            )?;
            exit(2)
        }
    }
}

/// Writes this process into the ledger; how many were there before.
fn enter(ledger: &str) -> io::Result<usize> {
    let mut file = fs::OpenOptions::new().create(true).append(true).open(ledger)?;
    // In one piece: several may be starting at once, and each line has to stay one.
    let own = std::process::id().to_string();
    file.write_all(format!("{own}\n").as_bytes())?;
    let lines = fs::read_to_string(ledger)?;
    // Others may have come behind it already.
    let behind = lines.lines().rev().position(|line| line == own).unwrap_or_default();
    Ok(lines.lines().count().saturating_sub(1 + behind))
}

struct Engine {
    name: String,
    /// How it starts and quits.
    manners: Vec<String>,
    /// What it does in its searches.
    deeds: Vec<String>,
    searches: usize,
    multipv: usize,
    position: String,
    /// In place of deeds.
    opinions: Option<Opinions>,
    /// Has a line for every search that was begun.
    diary: Option<String>,
}

impl Engine {
    fn new(words: &str) -> Engine {
        let (mut name, mut manners, mut deeds) = ("Fake 1.0".to_owned(), Vec::new(), Vec::new());
        for word in words.split(',') {
            match word {
                "exit" | "no-uciok" | "ignore-quit" | "no-options" | "banner" | "deaf" => manners.push(word.to_owned()),
                word if word.starts_with("greet-") => manners.push(word.to_owned()),
                _ => match word.strip_prefix("name=") {
                    Some(text) => name = text.to_owned(),
                    None => deeds.push(word.to_owned()),
                },
            }
        }
        if deeds.is_empty() {
            deeds.push("good".to_owned());
        }
        Engine {
            name,
            manners,
            deeds,
            searches: 0,
            multipv: 1,
            position: String::new(),
            opinions: None,
            diary: None,
        }
    }

    fn has(&self, manner: &str) -> bool {
        self.manners.iter().any(|word| word == manner)
    }

    fn converse(mut self) -> io::Result<()> {
        if self.has("exit") {
            writeln!(io::stderr(), "fake-engine: a library is missing")?;
            exit(3);
        }
        let mut lines = io::stdin().lock().lines();
        while let Some(line) = lines.next() {
            let line = line?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "uci" if self.has("no-uciok") => {}
                "uci" => self.greet()?,
                // A deaf one answers once, to be started, and never again.
                "isready" if self.has("deaf") && !self.position.is_empty() => sleep_forever(),
                "isready" => say("readyok")?,
                "setoption" => {
                    if let Some(value) = rest.strip_prefix("name MultiPV value ") {
                        self.multipv = value.parse().map_err(io::Error::other)?;
                    }
                }
                "position" => rest.strip_prefix("fen ").unwrap_or(rest).clone_into(&mut self.position),
                "go" => match &self.opinions {
                    Some(opinions) => say(&opinions.answer(&self.position, rest, self.multipv)?)?,
                    None => self.go(&mut lines)?,
                },
                "quit" if self.has("ignore-quit") => {}
                "quit" => return Ok(()),
                _ => {}
            }
        }
        if self.has("ignore-quit") {
            sleep_forever();
        }
        Ok(())
    }

    /// What it does in place of saying `uciok`.
    fn misbehave(&self) -> io::Result<()> {
        const HELLO: &str = "info string hello";
        for manner in self.manners.iter().filter_map(|word| word.strip_prefix("greet-")) {
            match manner {
                "flood" => loop {
                    say(HELLO)?;
                },
                "long-line" => loop {
                    io::stdout().write_all(&[b'x'; 4096])?;
                },
                "options" => {
                    for number in 0.. {
                        say(&format!("option name Option {number} type string default <empty>"))?;
                    }
                }
                "eat" => eat(HELLO)?,
                "breed" => breed(HELLO)?,
                _ => return Err(io::Error::other(format!("`{manner}` is no greeting of mine"))),
            }
        }
        Ok(())
    }

    fn greet(&self) -> io::Result<()> {
        self.misbehave()?;
        if self.has("banner") {
            say("Fake by nobody\n\nWelcome")?;
        }
        say(&format!("id name {}\nid author nobody", self.name))?;
        if !self.has("no-options") {
            say(
                "option name Threads type spin default 1 min 1 max 4\noption name Hash type spin default 16 min 1 max 1024",
            )?;
            say("option name MultiPV type spin default 1 min 1 max 256\noption name Clear Hash type button")?;
        }
        say("uciok")
    }

    fn go(&mut self, lines: &mut impl Iterator<Item = io::Result<String>>) -> io::Result<()> {
        if let Some(diary) = &self.diary {
            let mut diary = fs::OpenOptions::new().create(true).append(true).open(diary)?;
            diary.write_all(b"go\n")?;
        }
        let deed = self.deeds[self.searches.min(self.deeds.len() - 1)].clone();
        self.searches += 1;
        let asked = Asked::new(&self.position, self.multipv)?;
        match deed.as_str() {
            "good" => say(&asked.answer()),
            "crash" => {
                say("info depth 1 score cp 3 pv e2e4")?;
                writeln!(io::stderr(), "fake-engine: assertion failed")?;
                exit(134)
            }
            "hang" => sleep_forever(),
            "until-stop" => {
                // Answers when it is told to, and not before.
                say(&asked.line(1, 0, 0))?;
                while lines.next().transpose()?.is_some_and(|line| line != "stop") {}
                say(&asked.answer())
            }
            "long-line" => loop {
                io::stdout().write_all(&[b'x'; 4096])?;
            },
            "flood" => loop {
                say(&asked.line(1, 0, 0))?;
            },
            "garbage" => loop {
                say("Segmentation fault? No, just talking.")?;
            },
            "eat" => eat(&asked.line(1, 0, 0)),
            "breed" => breed(&asked.line(1, 0, 0)),
            "orphans" => run_away(&asked.line(1, 0, 0), 40, "SLEEP & exit"),
            "runaways" => run_away(
                &asked.line(1, 0, 0),
                1,
                "{ for i in $(seq 40); do setsid SLEEP & done; sleep 5; } >/dev/null 2>&1 &",
            ),
            "binary" => io::stdout()
                .write_all(b"\xff\xfe\x00\x01\n")
                .and_then(|()| say(&asked.answer())),
            "bad-info" => say(&format!("info depth many score cp 3 pv e2e4\n{}", asked.answer())),
            "illegal-best" => say(&format!("{}\nbestmove a1h8", asked.line(1, 0, 0))),
            "illegal-pv" => say(&format!("info depth 1 score cp 3 pv a1h8\nbestmove {}", asked.best())),
            "no-best" => say(&format!("{}\nbestmove (none)", asked.line(1, 0, 0))),
            "twice" => say(&format!(
                "info depth 1 multipv 1 score cp 3 pv {0}\ninfo depth 1 multipv 2 score cp 3 pv {0}\nbestmove {0}",
                asked.best()
            )),
            "no-info" => say(&format!("bestmove {}", asked.best())),
            "partial" => say(&format!("{}\nbestmove {}", asked.line(1, 0, 0), asked.best())),
            "chatter" => say(&format!("thinking hard\ninfo string depth x\n{}", asked.answer())),
            _ => match deed.strip_prefix("slow=").map(str::parse) {
                Some(Ok(millis)) => {
                    thread::sleep(Duration::from_millis(millis));
                    say(&asked.answer())
                }
                _ => Err(io::Error::other(format!("`{deed}` is nothing I could do"))),
            },
        }
    }
}

/// Engines flush after every line.
fn say(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}")?;
    stdout.flush()
}

/// Takes memory and more memory, within reason, and goes on talking.
fn eat(line: &str) -> io::Result<()> {
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    loop {
        if eaten.len() < 64 {
            eaten.push(vec![1; 16 << 20]);
        }
        say(line)?;
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts others and more others, within reason, and goes on talking.
fn breed(line: &str) -> io::Result<()> {
    let mut children = Vec::new();
    loop {
        if children.len() < 100 {
            children.push(std::process::Command::new("sleep").arg("600").spawn()?);
        }
        say(line)?;
        thread::sleep(Duration::from_millis(2));
    }
}

/// Starts others by way of shells that do not stay, and goes on talking. What they are called tells whose they are.
fn run_away(line: &str, shells: u32, words: &str) -> io::Result<()> {
    let sleep = format!("sleep 600.{} >/dev/null 2>&1", std::process::id());
    for _ in 0..shells {
        let words = words.replace("SLEEP", &sleep);
        std::process::Command::new("sh").args(["-c", &words]).status()?;
        say(line)?;
    }
    loop {
        say(line)?;
        thread::sleep(Duration::from_millis(10));
    }
}

fn sleep_forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}
