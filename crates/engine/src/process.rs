//! A child process as lines in and lines out, that never outlives its owner.

use std::{
    ffi::OsStr,
    io,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

use crate::{EngineConfig, Fault, group::Group, uci::shown};

/// Far more than the longest line of moves.
const LONGEST_LINE: usize = 64 << 10;

/// How much of what an engine writes to standard error is kept for a message.
const COMPLAINT: usize = 400;

/// How variables begin that are told to us, and to what we reach databases with.
const OURS: [&str; 4] = ["TABIYA_", "PG", "REDIS", "NEO4J"];

/// Whether a variable of the environment is kept from an engine. It has no use for any of them, and passwords may be among them.
fn is_ours(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    OURS.iter().any(|begin| name.starts_with(begin.as_bytes()))
}

/// A running engine. It leads a process group of its own: Ctrl-C in the terminal does not reach it, and what a wrapper script
/// has started ends with it. When this is dropped the group is killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    pub(crate) output: Output,
    complaints: Option<JoinHandle<Vec<u8>>>,
    group: Arc<Group>,
    watch: JoinHandle<()>,
}

impl Process {
    pub(crate) fn start(config: &EngineConfig) -> io::Result<Process> {
        let mut command = Command::new(&config.command);
        command
            .args(&config.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_ours(name)) {
            command.env_remove(name);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let group = Group::new(child.id());
        let watched = (Arc::clone(&group), config.clone());
        Ok(Process {
            stdin: child.stdin.take(),
            output: Output::new(stdout, config.max_output),
            complaints: child.stderr.take().map(|stderr| tokio::spawn(last_words(stderr))),
            group,
            watch: tokio::spawn(async move { watched.0.watch(&watched.1).await }),
            child,
        })
    }

    /// Writes commands, whole lines.
    pub(crate) async fn write(&mut self, commands: &[u8]) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(commands).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Asks the engine to quit, waits a while, and makes sure of it.
    pub(crate) async fn quit(mut self, grace: Duration) {
        // Either may fail only because it is gone already, which is what is wanted.
        let _ = self.write(b"quit\n").await;
        drop(self.stdin.take());
        // Its output ends when it does. Waiting for the process itself would free its number, and with it the group's, too early.
        let _ = timeout(grace, self.output.drain()).await;
        self.kill().await;
    }

    /// Ends it and waits until it is gone. Says how it ended, with its last words on standard error.
    pub(crate) async fn kill(mut self) -> String {
        // It may have ended by itself and left the reason in its status: a moment to do so before it is shot.
        let _ = timeout(Duration::from_millis(5), self.output.drain()).await;
        self.end_group();
        let status = match self.child.wait().await {
            Ok(status) => describe(status),
            Err(err) => err.to_string(),
        };
        if let Some(verdict) = self.group.verdict() {
            return verdict.to_owned();
        }
        let Some(complaints) = self.complaints.take() else {
            return status;
        };
        match timeout(Duration::from_millis(200), complaints).await {
            Ok(Ok(words)) if !words.is_empty() => format!("{status}: {}", shown(words.trim_ascii())),
            _ => status,
        }
    }

    /// Once, and then never again: the number is anybody's as soon as the child was waited for.
    fn end_group(&mut self) {
        self.watch.abort();
        self.group.kill(true);
        #[cfg(not(unix))]
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_group();
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}

/// Reads standard error to its end, so that the engine never waits for us, and keeps the last of it.
async fn last_words(mut stderr: ChildStderr) -> Vec<u8> {
    let mut words = Vec::new();
    let mut buffer = [0; 4096];
    // An error ends it like the end of the file: there is nothing more to be had.
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        words.extend_from_slice(&buffer[..length]);
        words.drain(..words.len().saturating_sub(COMPLAINT));
    }
    words
}

/// What an engine writes, line by line, within bounds.
#[derive(Debug)]
pub(crate) struct Output {
    reader: BufReader<ChildStdout>,
    line: Vec<u8>,
    /// Whether `line` was handed out and the next one begins.
    handed_out: bool,
    left: u64,
    budget: u64,
}

/// Why there is no next line.
#[derive(Debug)]
pub(crate) enum NoLine {
    End,
    Fault(Fault),
}

impl Output {
    fn new(stdout: ChildStdout, budget: u64) -> Output {
        Output {
            reader: BufReader::with_capacity(16 << 10, stdout),
            line: Vec::with_capacity(1 << 10),
            handed_out: false,
            left: budget,
            budget,
        }
    }

    /// From here on the whole budget may be used again.
    pub(crate) fn renew_budget(&mut self) {
        self.left = self.budget;
    }

    /// Whether a next line can be had without waiting.
    pub(crate) fn has_line(&self) -> bool {
        memchr::memchr(b'\n', self.reader.buffer()).is_some()
    }

    /// The next line, without its end. What was read of it is kept if this is dropped while it waits.
    pub(crate) async fn next_line(&mut self) -> Result<&[u8], NoLine> {
        if std::mem::take(&mut self.handed_out) {
            self.line.clear();
        }
        loop {
            let bytes = match self.reader.fill_buf().await {
                Ok([]) | Err(_) => return Err(NoLine::End),
                Ok(bytes) => bytes,
            };
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |end| end + 1);
            self.line.extend_from_slice(&bytes[..end.unwrap_or(taken)]);
            self.reader.consume(taken);
            self.left = self.left.saturating_sub(taken as u64);
            if self.left == 0 {
                return Err(NoLine::Fault(Fault::Flood(self.budget)));
            }
            if self.line.len() > LONGEST_LINE {
                return Err(NoLine::Fault(Fault::LongLine(LONGEST_LINE)));
            }
            if end.is_some() {
                self.handed_out = true;
                return Ok(self.line.trim_ascii());
            }
        }
    }

    /// Reads to the end and forgets it.
    async fn drain(&mut self) {
        while let Ok(length @ 1..) = self.reader.fill_buf().await.map(<[u8]>::len) {
            self.reader.consume(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_kept_from_engines_and_everything_else_is_not() {
        for ours in [
            "TABIYA_DB",
            "TABIYA_IMPORT__PERSISTENCE__DSN",
            "PGPASSWORD",
            "REDIS_URL",
            "REDISCLI_AUTH",
            "NEO4J_AUTH",
        ] {
            assert!(is_ours(OsStr::new(ours)), "{ours}");
        }
        for theirs in [
            "PATH",
            "HOME",
            "LD_LIBRARY_PATH",
            "OMP_NUM_THREADS",
            "SYZYGY_PATH",
            "MY_TABIYA_",
        ] {
            assert!(!is_ours(OsStr::new(theirs)), "{theirs}");
        }
    }
}
