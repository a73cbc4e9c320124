//! `tabiya structure`: which pawn structures positions have, and what the structures are.

mod arguments;
mod list;

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, IsTerminal},
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;
use tabiya_chess::{UNKNOWN, classify, parse_board, pawn_diagram, pawn_skeleton};

use crate::{
    args::{Format, Ui},
    failure::Failure,
    logging,
    numbers::thousands,
    terminal::{Label, print_while_read, say},
};

/// So much is gathered before it is written, where input does not have to be waited for.
const CHUNK: usize = 1 << 16;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya structure 'r1bqkb1r/pp3ppp/2n1pn2/8/2BP4/2N2N2/PP3PPP/R1BQK2R b KQkq - 1 8'
  tabiya structure 8/pp3ppp/4p3/8/3P4/8/PP3PPP/8      the board is enough, kings may be missing
  cut -f1 positions.tsv | tabiya structure --format json
  tabiya structure --list                             all structures, with plans for both sides

A rule is `White part / Black part`: `d4` a pawn there, `c23` on c2 or c3, `[c5 e5]` on one of these, `e*` on that file, `-ce` none \
on these files, `Bg7` a bishop there. `~` also tries colours reversed; the side is then Black.

A position that cannot be read is reported, the others are answered all the same, and the exit code is 2.")]
pub(crate) struct StructureArgs {
    /// Positions: FEN, EPD, or the board alone, spaces or _ between the fields; - or nothing for standard input, one a line
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    /// List all structures with their rules and plans instead
    #[arg(long, conflicts_with = "fens")]
    list: bool,
    /// Print text, or one JSON object a line
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

pub(crate) fn run(arguments: StructureArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    if arguments.list {
        print_while_read(&list::all(arguments.format))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut answers = Answers::new(arguments.format);
    if arguments.fens.is_empty() {
        answers.answer_lines(ui)?;
    }
    for (number, fen) in (1..).zip(arguments::joined(arguments.fens)) {
        if fen == "-" {
            answers.answer_lines(ui)?;
        } else {
            answers.answer(&fen, || format!("position {number}"))?;
        }
    }
    answers.finish()
}

/// What has been asked and not yet been written.
#[derive(Debug)]
struct Answers {
    format: Format,
    text: String,
    asked: u64,
    unread: u64,
    /// Nobody reads the answers any more.
    in_vain: bool,
}

/// An answer for programs.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    fen: &'a str,
    structure: &'static str,
    slug: &'static str,
    row: Option<usize>,
    rule: Option<&'static str>,
    side: Option<&'static str>,
}

impl Answers {
    fn new(format: Format) -> Answers {
        Answers {
            format,
            text: String::new(),
            asked: 0,
            unread: 0,
            in_vain: false,
        }
    }

    fn answer_lines(&mut self, ui: &Ui) -> Result<(), Failure> {
        let input = io::stdin();
        if input.is_terminal() && !ui.quiet {
            say(Label::Note, "reading positions from standard input, one a line");
        }
        let mut input = BufReader::new(input.lock());
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            let length = input.read_until(b'\n', &mut line).map_err(|error| {
                Failure::world(anyhow::Error::new(error).context("cannot read from standard input"))
            })?;
            if length == 0 || self.in_vain {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let fen = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
            if !fen.is_empty() {
                self.answer(fen, || format!("line {number}"))?;
            }
            // Whoever asks line by line gets an answer before the next question.
            if input.buffer().is_empty() {
                self.write()?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, fen: &str, place: impl Fn() -> String) -> Result<(), Failure> {
        self.asked += 1;
        match parse_board(fen) {
            Ok(board) => {
                let found = classify(&board);
                let answer = Answer {
                    fen,
                    structure: found.map_or(UNKNOWN, |found| found.structure.name),
                    slug: found.map_or("unknown", |found| found.structure.slug),
                    row: found.map(|found| found.row),
                    rule: found.map(|found| found.rule),
                    side: found.map(|found| found.side.fold_wb("white", "black")),
                };
                match self.format {
                    Format::Json => {
                        // Plain values with text keys can always be written.
                        self.text += &serde_json::to_string(&answer).unwrap_or_default();
                        self.text.push('\n');
                    }
                    Format::Text => self.add_text(&answer, || (pawn_skeleton(&board), pawn_diagram(&board))),
                }
            }
            Err(error) => {
                self.unread += 1;
                // Answers before it stay before it on a screen that shows both.
                self.write()?;
                let (place, reason) = (place(), error.to_string());
                match reason.contains(fen) {
                    true => say(Label::Error, &format!("{place}: {reason}")),
                    false => say(Label::Error, &format!("{place}: `{fen}`: {reason}")),
                }
            }
        }
        match self.text.len() < CHUNK {
            true => Ok(()),
            false => self.write(),
        }
    }

    fn add_text(&mut self, answer: &Answer<'_>, pawns: impl Fn() -> (String, String)) {
        let text = &mut self.text;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}\n  position  {}", answer.structure, answer.fen);
        if let (Some(row), Some(rule), Some(side)) = (answer.row, answer.rule, answer.side) {
            let side = if side == "white" {
                "white, the rule as written"
            } else {
                "black, the rule with colours reversed"
            };
            let _ = writeln!(text, "  rule      {row}: {rule}\n  side      {side}");
            return;
        }
        let (skeleton, diagram) = pawns();
        let _ = writeln!(text, "  center    {skeleton}");
        for (number, rank) in diagram.lines().enumerate() {
            let _ = writeln!(text, "  {:<8}  {rank}", if number == 0 { "pawns" } else { "" });
        }
    }

    fn write(&mut self) -> Result<(), Failure> {
        if !self.text.is_empty() && !self.in_vain {
            self.in_vain = !print_while_read(&self.text)?;
        }
        self.text.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<ExitCode, Failure> {
        self.write()?;
        match self.unread {
            0 => Ok(ExitCode::SUCCESS),
            unread => Err(Failure::usage(format!(
                "{} of {} positions could not be read",
                thousands(unread),
                thousands(self.asked)
            ))
            .hint("a position is a FEN, or its first field: eight ranks with `/` between them; put it in quotes")),
        }
    }
}
