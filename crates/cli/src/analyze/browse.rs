//! A walk through the games: the user says a move, and sees where it leads.

use std::io::{self, BufRead, IsTerminal, Write};

use tabiya_app::analyze::Analysis;

use super::place;
use crate::{
    failure::Failure,
    terminal::{Label, plain_page, print_while_read, say},
};

const HELP: &str = "type moves to go on, `..` to go back, `top` for the beginning, `q` to end";

pub(super) fn browse(analysis: &Analysis, from: Option<&str>, min_games: u32) -> Result<(), Failure> {
    let mut path = match from {
        Some(line) => analysis.subtree(line, min_games)?.path,
        None => Vec::new(),
    };
    say(Label::Note, HELP);
    let mut input = io::stdin().lock();
    loop {
        let here = analysis.subtree(&path.join(" "), min_games)?;
        if !print_while_read(&plain_page(&place::text(analysis, &here)))? {
            return Ok(());
        }
        path = match next(analysis, &path, min_games, &mut input)? {
            Some(path) => path,
            None => return Ok(()),
        };
    }
}

/// Where the user wants to be; `None` where they want to end.
fn next(
    analysis: &Analysis,
    path: &[String],
    min_games: u32,
    input: &mut impl BufRead,
) -> Result<Option<Vec<String>>, Failure> {
    loop {
        if io::stderr().is_terminal() {
            // A prompt that cannot be shown is no reason to stop asking.
            let _ = write!(io::stderr(), "> ");
        }
        let mut line = Vec::new();
        let read = input
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::world(anyhow::Error::new(error).context("cannot read standard input")))?;
        match String::from_utf8_lossy(&line).trim() {
            _ if read == 0 => return Ok(None),
            "q" | "quit" | "exit" => return Ok(None),
            "" | "?" | "help" => say(Label::Note, HELP),
            "top" => return Ok(Some(Vec::new())),
            ".." | "back" => return Ok(Some(path[..path.len().saturating_sub(1)].to_vec())),
            moves => match analysis.subtree(&format!("{} {moves}", path.join(" ")), min_games) {
                Ok(found) => return Ok(Some(found.path)),
                Err(error) => Failure::from(error).report(),
            },
        }
    }
}
