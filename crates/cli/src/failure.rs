//! What ends a command before its time: an error, ways out, and an exit code.

use std::{
    io::{self, ErrorKind},
    process::ExitCode,
};

use serde::Serialize;
use tabiya_app::{AppError, Reaction, io_hint};

use crate::terminal::{Label, line, say, without_passwords};

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
    hints: Vec<String>,
}

/// The way out where a file cannot be read. Who writes one names a way out himself.
pub(crate) const CHECK_NAME: &str =
    "check the name, which is looked for from the directory you are in, and that you may read it";

/// The way out where the world fails in a way that nobody has foreseen.
const LOOK_AROUND: &str = "`tabiya doctor` looks at what commands need: the database, the engine, the disk";

pub(crate) const REJECTED: u8 = 1;
pub(crate) const USAGE: u8 = 2;
pub(crate) const WORLD: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

/// The same in a report, for machines.
#[derive(Debug, Serialize)]
pub(crate) struct ReportedError {
    message: String,
    hints: Vec<String>,
    exit_code: u8,
}

impl From<&Failure> for ReportedError {
    fn from(failure: &Failure) -> ReportedError {
        ReportedError {
            message: failure.message(),
            hints: failure.hints.clone(),
            exit_code: failure.code,
        }
    }
}

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
        without_passwords(&self.lines().join(": "))
    }

    /// A way out where nobody has named a better one.
    fn usual_hint(&self) -> Option<&'static str> {
        let mut causes = self.error.chain();
        let from_disk = causes.find_map(|cause| cause.downcast_ref::<io::Error>().map(io::Error::kind));
        match from_disk {
            Some(ErrorKind::NotFound | ErrorKind::PermissionDenied) => return Some(CHECK_NAME),
            Some(ErrorKind::IsADirectory) => return Some("name a file in it"),
            _ => {}
        }
        from_disk.and_then(io_hint).or(match self.code {
            USAGE => Some("the command's --help says what it takes"),
            WORLD => Some(LOOK_AROUND),
            _ => None,
        })
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
        if let (true, Some(hint)) = (self.hints.is_empty(), self.usual_hint()) {
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

    #[test]
    fn a_way_out_is_found_in_what_went_wrong() {
        let of = |kind: ErrorKind| Failure::world(anyhow::Error::new(io::Error::from(kind)).context("cannot read x"));
        assert_eq!(of(ErrorKind::NotFound).usual_hint(), Some(CHECK_NAME));
        assert_eq!(of(ErrorKind::PermissionDenied).usual_hint(), Some(CHECK_NAME));
        assert_eq!(of(ErrorKind::StorageFull).usual_hint(), io_hint(ErrorKind::StorageFull));
        assert_eq!(
            of(ErrorKind::NotADirectory).usual_hint(),
            io_hint(ErrorKind::NotADirectory)
        );
        assert_eq!(of(ErrorKind::Other).usual_hint(), Some(LOOK_AROUND));
        assert_eq!(Failure::world(anyhow::anyhow!("no")).usual_hint(), Some(LOOK_AROUND));
        assert!(
            Failure::usage("no")
                .usual_hint()
                .is_some_and(|hint| hint.contains("--help"))
        );
    }
}
