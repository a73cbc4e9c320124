//! `tabiya name`: what positions and lines are called.

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;
use tabiya_app::name::{Answer, Name, NameSources, Names};

use crate::{
    args::{Format, Ui},
    failure::{Failure, USAGE},
    logging,
    terminal::{Label, print_while_read, say},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya name \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"
  tabiya name 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
  tabiya name --format json < lines.txt

A line is called by the last position on it that has a name, in whatever order its moves come; a FEN by its position alone. \
What has no name is answered too: `no name`, or null in JSON. A question that cannot be understood is reported, the \
others are answered, and the exit code is 2.")]
pub(crate) struct NameArgs {
    /// FENs or lines of moves, SAN or UCI; without any, or with -, one a line from standard input
    #[arg(value_name = "FEN|MOVES")]
    questions: Vec<String>,
    /// Answer from this table instead of the one inside: .csv or .tsv with the columns eco, name and pgn, or .pgn with the
    /// tags ECO, Opening and Variation
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// Add the names of this table as aliases; may be given more than once
    #[arg(long, value_name = "FILE")]
    aliases: Vec<PathBuf>,
    /// Print text, or one JSON object for each question
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

/// Enough to make writing cheap, little enough to be seen soon.
const BUFFER: usize = 1 << 16;

pub(crate) fn run(arguments: NameArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let names = Names::open(&NameSources {
        source: arguments.source,
        aliases: arguments.aliases,
    })?;
    let mut answers = Answers {
        names: &names,
        format: arguments.format,
        text: String::new(),
        misunderstood: false,
        in_vain: false,
    };
    if arguments.questions.is_empty() {
        answers.read_standard_input()?;
    }
    for (number, question) in (1..).zip(&arguments.questions) {
        if question == "-" {
            answers.read_standard_input()?;
        } else {
            answers.add(question, || format!("question {number}"))?;
        }
    }
    answers.flush()?;
    if answers.misunderstood {
        say(
            Label::Hint,
            "a question is a FEN, or a line of moves from the initial position, such as \"1.e4 e5 2.Nf3\"",
        );
    }
    Ok(ExitCode::from(if answers.misunderstood { USAGE } else { 0 }))
}

/// Answers on their way out.
struct Answers<'a> {
    names: &'a Names,
    format: Format,
    text: String,
    misunderstood: bool,
    /// Nobody reads the answers any more.
    in_vain: bool,
}

impl Answers<'_> {
    fn read_standard_input(&mut self) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::world(anyhow::Error::new(error).context("cannot read standard input"));
        let mut input = BufReader::with_capacity(BUFFER, io::stdin().lock());
        let mut line = Vec::new();
        for number in 1_u64.. {
            // Whoever waits for an answer before asking on gets it.
            if input.buffer().is_empty() {
                self.flush()?;
            }
            line.clear();
            if self.in_vain || input.read_until(b'\n', &mut line).map_err(fail)? == 0 {
                break;
            }
            let question = String::from_utf8_lossy(&line);
            let question = question.trim();
            if !question.is_empty() {
                self.add(question, || format!("line {number}"))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, question: &str, place: impl FnOnce() -> String) -> Result<(), Failure> {
        match self.names.answer(question) {
            Ok(answer) if self.format == Format::Json => {
                self.add_json(&JsonAnswer::of(question, answer.name.as_ref()))?;
            }
            Ok(answer) => self.add_text(&answer),
            Err(error) => {
                self.misunderstood = true;
                // Answers before it stay before it on a screen that shows both.
                self.flush()?;
                say(Label::Error, &format!("{}: {error}", place()));
                if self.format == Format::Json {
                    self.add_json(&serde_json::json!({"input": question, "error": error.to_string()}))?;
                }
            }
        }
        if self.text.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn add_json(&mut self, answer: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(answer).map_err(|error| Failure::world(error.into()))?;
        self.text.push_str(&json);
        self.text.push('\n');
        Ok(())
    }

    fn add_text(&mut self, answer: &Answer<'_>) {
        let Some(name) = &answer.name else {
            self.text.push_str("-    no name\n");
            return;
        };
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{}  {}", name.opening.eco(), name.opening.name());
        if answer.plies.is_some_and(|plies| plies > name.ply) {
            let (number, mover) = (name.ply.div_ceil(2), if name.ply % 2 == 1 { "White" } else { "Black" });
            let _ = write!(self.text, ", up to {mover}'s move {number}");
        }
        let aliases: Vec<&str> = aliases(name);
        if !aliases.is_empty() {
            let _ = write!(self.text, " (also: {})", aliases.join("; "));
        }
        self.text.push('\n');
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if !self.text.is_empty() && !self.in_vain {
            self.in_vain = !print_while_read(&self.text)?;
        }
        self.text.clear();
        Ok(())
    }
}

fn aliases<'a>(name: &Name<'a>) -> Vec<&'a str> {
    name.opening.aliases().iter().map(|alias| &*alias.name).collect()
}

/// An answer for machines. What has no name has the same fields, empty.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    input: &'a str,
    eco: Option<String>,
    opening_name: Option<&'a str>,
    variation_name: Option<&'a str>,
    aliases: Vec<&'a str>,
    ply: Option<usize>,
    matched_fen: Option<&'a str>,
}

impl<'a> JsonAnswer<'a> {
    fn of(input: &'a str, name: Option<&'a Name<'a>>) -> JsonAnswer<'a> {
        JsonAnswer {
            input,
            eco: name.map(|name| name.opening.eco().to_string()),
            opening_name: name.map(|name| name.opening.opening_name()),
            variation_name: name.and_then(|name| name.opening.variation_name()),
            aliases: name.map(aliases).unwrap_or_default(),
            ply: name.map(|name| name.ply),
            matched_fen: name.map(|name| &*name.matched_fen),
        }
    }
}
