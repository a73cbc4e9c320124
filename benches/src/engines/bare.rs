//! The limit: a thread for each engine that writes to it, waits, and reads.

use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdout, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use anyhow::{Context, Result, bail};
use shakmaty::{Chess, Color, Position};
use tabiya_chess::{Eval, full_fen};
use tabiya_engine::EngineConfig;

/// What an engine thinks of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opinion {
    /// In UCI's words.
    pub(super) best: String,
    pub(super) eval: Eval,
}

/// Has each position searched to a number of nodes by engines that share nothing; gives the last line of each search that has
/// an exact score.
pub(super) fn analyse(config: &EngineConfig, workers: usize, positions: &[Chess], nodes: u64) -> Result<Vec<String>> {
    let fens: Vec<String> = positions.iter().map(full_fen).collect();
    let next = AtomicUsize::new(0);
    let mut lines = vec![String::new(); positions.len()];
    thread::scope(|scope| -> Result<()> {
        let feeders: Vec<_> = (0..workers)
            .map(|_| scope.spawn(|| feed(config, &fens, &next, nodes)))
            .collect();
        for feeder in feeders {
            let fed = feeder.join().ok().context("a feeder panicked")??;
            for (number, line) in fed {
                lines[number] = line;
            }
        }
        Ok(())
    })?;
    Ok(lines)
}

/// One engine from its start to its end, with whatever positions are left. It is told what our own sessions tell theirs.
fn feed(config: &EngineConfig, fens: &[String], next: &AtomicUsize, nodes: u64) -> Result<Vec<(usize, String)>> {
    let mut child = Command::new(&config.command)
        .args(&config.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let mut stdout = BufReader::new(child.stdout.take().context("no standard output")?);
    stdin.write_all(b"uci\n")?;
    skip_to("uciok", &mut stdout)?;
    write!(
        stdin,
        "setoption name Threads value {}\nsetoption name Hash value {}\nsetoption name UCI_ShowWDL value true\nisready\n",
        config.threads, config.hash_mb
    )?;
    skip_to("readyok", &mut stdout)?;
    let mut fed = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(fen) = fens.get(number) else { break };
        let commands = format!("ucinewgame\nisready\nposition fen {fen}\ngo nodes {nodes}\n");
        stdin.write_all(commands.as_bytes())?;
        skip_to("readyok", &mut stdout)?;
        fed.push((number, last_line(&mut stdout)?));
    }
    stdin.write_all(b"quit\n")?;
    child.wait()?;
    Ok(fed)
}

fn skip_to(word: &str, stdout: &mut BufReader<ChildStdout>) -> Result<()> {
    let mut line = String::new();
    while line.trim_end() != word {
        line.clear();
        if stdout.read_line(&mut line)? == 0 {
            bail!("the engine ended before it said {word}");
        }
    }
    Ok(())
}

fn last_line(stdout: &mut BufReader<ChildStdout>) -> Result<String> {
    let (mut line, mut last) = (String::new(), String::new());
    loop {
        line.clear();
        if stdout.read_line(&mut line)? == 0 {
            bail!("the engine ended during a search");
        }
        if line.starts_with("bestmove") {
            return Ok(last);
        }
        if line.contains(" pv ") && !line.contains("bound ") {
            std::mem::swap(&mut line, &mut last);
        }
    }
}

/// What a line says.
pub(super) fn opinion(position: &Chess, line: &str) -> Result<Opinion> {
    let after = |name: &str| {
        let mut words = line.split_whitespace().skip_while(move |word| *word != name);
        words.nth(1).with_context(|| format!("no {name} in {line:?}"))
    };
    let mover: Color = position.turn();
    let eval = match after("score")? {
        "cp" => Eval::from_uci_cp(after("cp")?.parse()?, mover),
        _ => Eval::from_uci_mate(after("mate")?.parse()?, mover),
    };
    Ok(Opinion {
        best: after("pv")?.to_owned(),
        eval,
    })
}
