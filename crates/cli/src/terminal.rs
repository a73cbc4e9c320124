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

/// Whether reports on standard output, which people alone read, are coloured.
static COLOUR_OUT: AtomicBool = AtomicBool::new(false);

/// The progress bar on screen, which has to step aside for every line.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Decides about colours on standard error, and of reports on standard output. Results that programs read have none.
pub(crate) fn choose_colour(when: ColorWhen) {
    let unwanted = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let wanted = |is_terminal: bool| match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            is_terminal && !unwanted("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    COLOUR.store(wanted(io::stderr().is_terminal()), Relaxed);
    COLOUR_OUT.store(wanted(io::stdout().is_terminal()), Relaxed);
}

/// Colours of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Bold,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

/// A piece of a report in colour, where colours are wanted.
pub(crate) fn painted(paint: Paint, text: &str) -> String {
    let code = match paint {
        Paint::Plain => return text.to_owned(),
        Paint::Bold => "1",
        Paint::Red => "1;31",
        Paint::Green => "32",
        Paint::Yellow => "33",
        Paint::Blue => "1;34",
        Paint::Magenta => "35",
        Paint::Cyan => "1;36",
    };
    match COLOUR_OUT.load(Relaxed) {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    }
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

/// Foreign words on a terminal must not command it.
pub(crate) fn plain(words: &str) -> String {
    words.chars().filter(|letter| !letter.is_control()).collect()
}

/// The same for a page: of control characters only ends of lines remain.
pub(crate) fn plain_page(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(plain).collect();
    lines.join("\n")
}

/// A whole report, in which files may have had a word: nothing in it commands a terminal but our own colours. What JSON may hold and
/// terminals still obey is written as JSON would escape it.
fn tame(text: &str, colours: bool) -> String {
    let is_wild = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(is_wild) {
        return text.to_owned();
    }
    let mut tame = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_wild) {
        tame.push_str(&rest[..at]);
        rest = &rest[at..];
        let colour = Some(rest).filter(|_| colours).and_then(colour_length);
        let taken = colour.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        match rest[..taken].chars().next() {
            Some(letter @ '\u{7f}'..) => tame.push_str(&format!("\\u{:04x}", u32::from(letter))),
            Some('\u{1b}') if colour.is_some() => tame.push_str(&rest[..taken]),
            _ => {}
        }
        rest = &rest[taken..];
    }
    tame + rest
}

/// How long the change of colour is with which a text begins.
fn colour_length(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\x1b[")?;
    let end = codes.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    codes[end..].starts_with('m').then_some(end + 3)
}

/// Writes `label: text` to standard error. What files contain may be part of it.
pub(crate) fn say(label: Label, text: &str) {
    let text = plain_page(text);
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
    let text = tame(text, COLOUR_OUT.load(Relaxed));
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

/// The same where the content comes bit by bit. What `write` fails with is taken for the file's fault.
pub(crate) fn write_file_with(path: &Path, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> Result<(), Failure> {
    let fail = |error| cannot_write(path, &error);
    if is_special(path) {
        let mut file = fs::File::options().write(true).open(path).map_err(fail)?;
        return write(&mut file).map_err(fail);
    }
    let mut file = beside(path).map_err(fail)?;
    write(file.as_file_mut()).map_err(fail)?;
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

/// What clap has to say, with the words of the command line in it.
pub(crate) fn print_usage(error: &clap::Error) {
    // What the command line says about colours could not be read.
    choose_colour(ColorWhen::Auto);
    let colours = match error.use_stderr() {
        true => COLOUR.load(Relaxed),
        false => COLOUR_OUT.load(Relaxed),
    };
    let text = error.render();
    let text = if colours {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    let text = tame(&text, colours);
    // Where nobody can be told, the exit code says it.
    let _ = match error.use_stderr() {
        true => io::stderr().lock().write_all(text.as_bytes()),
        false => io::stdout().lock().write_all(text.as_bytes()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_colours_reach_the_terminal() {
        let wild = "a\tb\n\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;x\x07 \u{9b}31m\r\u{7f}";
        assert_eq!(tame(wild, true), "a\tb\n\x1b[1;31mred\x1b[0m [2J]0;x \\u009b31m\\u007f");
        assert_eq!(tame(wild, false), "a\tb\n[1;31mred[0m [2J]0;x \\u009b31m\\u007f");
        assert_eq!(tame("plain", false), "plain");
        assert_eq!(tame("\x1b[", true), "[");
    }
}
