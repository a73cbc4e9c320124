//! What ends a command before its time: an error, ways out, and an exit code.

use std::process::ExitCode;

use tabiya_app::{AppError, Reaction};

use crate::terminal::{Label, line, say};

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
    hints: Vec<String>,
}

pub(crate) const REJECTED: u8 = 1;
pub(crate) const USAGE: u8 = 2;
pub(crate) const WORLD: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

impl Failure {
    /// The user's words or files are at fault.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure {
            code: USAGE,
            error: anyhow::Error::msg(message.into()),
            hints: Vec::new(),
        }
    }

    /// Something outside is at fault: a database, a disk, a server.
    pub(crate) fn world(error: anyhow::Error) -> Failure {
        Failure {
            code: WORLD,
            error,
            hints: Vec::new(),
        }
    }

    /// Adds a way out.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// The message with those causes that add something to it.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for cause in self.error.chain().map(|cause| cause.to_string()) {
            if !lines.iter().any(|line| line.contains(&cause)) {
                lines.push(cause);
            }
        }
        lines
    }

    /// Everything on one line, for machines.
    pub(crate) fn message(&self) -> String {
        self.lines().join(": ")
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Tells the user.
    pub(crate) fn report(&self) {
        for (number, text) in self.lines().iter().enumerate() {
            match number {
                0 => say(Label::Error, text),
                _ => line(&format!("  caused by: {text}")),
            }
        }
        for hint in &self.hints {
            say(Label::Hint, hint);
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Failure {
        let code = match error.reaction() {
            _ if error.is_stop() => INTERRUPTED,
            Reaction::DataRejected => REJECTED,
            Reaction::FixInput => USAGE,
            Reaction::FixWorld => WORLD,
        };
        let hints = error.hints();
        Failure {
            code,
            error: error.into(),
            hints,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_named_only_where_it_adds_something() {
        let error = anyhow::anyhow!("no such host")
            .context("cannot connect: no such host")
            .context("import failed");
        let failure = Failure::world(error);
        assert_eq!(failure.lines(), ["import failed", "cannot connect: no such host"]);
        assert_eq!(failure.message(), "import failed: cannot connect: no such host");
    }
}
