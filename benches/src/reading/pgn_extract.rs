//! pgn-extract, with `-r -s`: every move is played on a board, what is illegal is reported, nothing is written.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::contender::{Contender, Counts};

/// Debian keeps games out of some users' PATH.
const PLACES: [&str; 2] = ["pgn-extract", "/usr/games/pgn-extract"];

#[derive(Debug)]
pub(crate) struct PgnExtract {
    program: Option<&'static str>,
    path: PathBuf,
    bytes: u64,
}

impl PgnExtract {
    pub(crate) fn new(path: PathBuf, bytes: u64) -> PgnExtract {
        let runs = |program: &&str| Command::new(program).arg("--version").output().is_ok();
        PgnExtract {
            program: PLACES.into_iter().find(runs),
            path,
            bytes,
        }
    }

    fn command(&self) -> Command {
        Command::new(self.program.unwrap_or(PLACES[0]))
    }
}

impl Contender for PgnExtract {
    fn name(&self) -> String {
        "pgn-extract -r -s".to_owned()
    }

    fn installed(&self) -> bool {
        self.program.is_some()
    }

    /// `-r` does not say how many moves it checked, so this run has the games written with their number of half-moves.
    fn count(&mut self) -> Result<Option<Counts>> {
        let mut command = self.command();
        command.args(["-s", "--plycount", "-C", "-N", "-V"]).arg(&self.path);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut counts = Counts::default();
        for line in BufReader::new(child.stdout.take().context("no output")?).split(b'\n') {
            let line = line?;
            if let Some(plies) = line
                .strip_prefix(b"[PlyCount \"")
                .and_then(|rest| rest.strip_suffix(b"\"]"))
            {
                counts.games += 1;
                counts.moves += std::str::from_utf8(plies)?.parse::<u64>()?;
            }
        }
        ensure!(child.wait()?.success(), "it failed");
        Ok(Some(counts))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        let status = self
            .command()
            .args(["-r", "-s"])
            .arg(&self.path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        ensure!(status.success(), "it failed");
        Ok(())
    }

    fn turns(&self) -> usize {
        2
    }
}
