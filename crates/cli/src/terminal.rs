//! The only place that prints. Results go to standard output, everything else to standard error.

use std::{
    fs,
    io::{self, ErrorKind, IsTerminal, Write},
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use indicatif::ProgressBar;
use tempfile::NamedTempFile;

use crate::{args::ColorWhen, failure::Failure};

static COLOUR: AtomicBool = AtomicBool::new(false);

/// The progress bar on screen, which has to step aside for every line.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Decides about colours on standard error. Standard output has none: results are read by programs too.
pub(crate) fn choose_colour(when: ColorWhen) {
    let unwanted = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let colour = match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            io::stderr().is_terminal()
                && !unwanted("NO_COLOR")
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    COLOUR.store(colour, Relaxed);
}

/// What a line on standard error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Error,
    Warning,
    Hint,
    Note,
}

impl Label {
    fn word(self) -> &'static str {
        match self {
            Label::Error => "error",
            Label::Warning => "warning",
            Label::Hint => "hint",
            Label::Note => "note",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Label::Error => "\x1b[1;31m",
            Label::Warning => "\x1b[1;33m",
            Label::Hint => "\x1b[1;36m",
            Label::Note => "\x1b[1m",
        }
    }
}

/// Writes `label: text` to standard error.
pub(crate) fn say(label: Label, text: &str) {
    let word = label.word();
    if COLOUR.load(Relaxed) {
        line(&format!("{}{word}:\x1b[0m {text}", label.colour()));
    } else {
        line(&format!("{word}: {text}"));
    }
}

/// Writes a line to standard error.
pub(crate) fn line(text: &str) {
    let write = || {
        // Where standard error is gone, nobody can be told.
        let _ = writeln!(io::stderr().lock(), "{text}");
    };
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Puts a progress bar on screen, or takes it away.
pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes a result to standard output. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_while_read(text).map(|_is_read| ())
}

/// Writes a part of a result to standard output, and says whether anybody reads on.
pub(crate) fn print_while_read(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::world(
            anyhow::Error::new(error).context("cannot write to standard output"),
        )),
    }
}

/// Writes a file that is there whole or not at all.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<(), Failure> {
    let fail = |error| cannot_write(path, &error);
    if is_special(path) {
        return fs::write(path, content).map_err(fail);
    }
    let mut file = beside(path).map_err(fail)?;
    file.write_all(content.as_bytes()).map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Finds out whether a file can be written before the work that ends with it.
pub(crate) fn check_file(path: &Path) -> Result<(), Failure> {
    if !is_special(path) {
        beside(path).map_err(|error| cannot_write(path, &error))?;
    }
    Ok(())
}

/// A device or a pipe has no old content to protect, and a rename would destroy it.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// A temporary file in the same directory, where alone a rename is sure to be atomic. Creates that directory.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if path.exists() {
        // A rename asks only the directory for permission, and would replace a file its owner made read-only.
        fs::File::options().append(true).open(path)?;
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tabiya-").suffix(".tmp");
    #[cfg(unix)]
    {
        // A temporary file is private by default; this one gets what the umask leaves, as any new file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    // What `tempfile` adds is the temporary file's name, which means nothing to the user.
    let reason = match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    };
    Failure::world(anyhow::anyhow!("cannot write `{}`: {reason}", path.display()))
        .hint("check that you may write to this file and its directory")
}
