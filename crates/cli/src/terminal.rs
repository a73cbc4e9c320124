//! The only place that prints. Results go to standard output, everything else to standard error.

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use clap::ValueEnum as _;
use indicatif::ProgressBar;
use serde::Serialize;
use tabiya_app::{WholeFile, io_hint, panics_are_caught};

use crate::{
    args::{ColorWhen, Ui},
    failure::Failure,
};

static COLOUR: AtomicBool = AtomicBool::new(false);

/// Whether reports on standard output, which people alone read, are coloured.
static COLOUR_OUT: AtomicBool = AtomicBool::new(false);

/// Whether only errors are wanted, and what belongs to them.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether the line before was of an error. Then hints are its.
static AFTER_ERROR: AtomicBool = AtomicBool::new(false);

/// The progress bar on screen, which has to step aside for every line.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// How the user wants to be talked to.
pub(crate) fn begin(ui: &Ui) {
    choose_colour(ui.color);
    QUIET.store(ui.quiet, Relaxed);
    leave_out_caught_panics();
}

/// A reader that panics at a damaged file becomes an error, which says what there is to say.
fn leave_out_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panics_are_caught() {
            usual(panic);
        }
    }));
}

/// Decides about colours on standard error, and of reports on standard output. Results that programs read have none.
fn choose_colour(when: ColorWhen) {
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

/// A whole report, in which files may have had a word: nothing in it commands a terminal but our own colours.
fn tame(text: &str, colours: bool) -> String {
    let mut tame = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b').filter(|_| colours) {
        let colour = colour_length(&rest[at..]).unwrap_or(0);
        tame.push_str(&tabiya_app::tame(&rest[..at]));
        tame.push_str(&rest[at..at + colour]);
        rest = &rest[at + colour.max(1)..];
    }
    tame + &tabiya_app::tame(rest)
}

/// The colours that `painted` and clap write, and no others: some hide what they colour.
const OUR_COLOURS: [&str; 10] = ["0", "1", "1;31", "32", "33", "1;34", "35", "1;36", "4", "31"];

/// How long the change of colour is with which a text begins.
fn colour_length(text: &str) -> Option<usize> {
    let (codes, _) = text.strip_prefix("\x1b[")?.split_once('m')?;
    OUR_COLOURS.contains(&codes).then_some(codes.len() + 3)
}

/// Writes `label: text` to standard error. What files contain may be part of it. To those who want errors only, a hint is told
/// where it belongs to one.
pub(crate) fn say(label: Label, text: &str) {
    let is_told = match label {
        Label::Error => true,
        Label::Hint => !QUIET.load(Relaxed) || AFTER_ERROR.load(Relaxed),
        Label::Warning | Label::Note => !QUIET.load(Relaxed),
    };
    if label != Label::Hint {
        AFTER_ERROR.store(label == Label::Error, Relaxed);
    }
    if is_told {
        labelled(label, text);
    }
}

/// The same, whatever the user wants to hear: what is logged was asked for.
pub(crate) fn labelled(label: Label, text: &str) {
    let text = plain_page(text);
    let word = label.word();
    if COLOUR.load(Relaxed) {
        put(&format!("{}{word}:\x1b[0m {text}", label.colour()));
    } else {
        put(&format!("{word}: {text}"));
    }
}

/// A text in which no URL has a password: somebody may have put one where a file's name belongs, or a move. It ends with the last `@` before a
/// space, since those who write one by hand leave signs as they are.
pub(crate) fn without_passwords(text: &str) -> String {
    let without = |word: &str| {
        let (scheme, rest) = word.split_once("://")?;
        let (user, place) = rest.rsplit_once('@')?;
        let (user, password) = user.split_once(':')?;
        // Hints and help say by this word what belongs there.
        (!password.eq_ignore_ascii_case("password")).then(|| format!("{scheme}://{user}:…@{place}"))
    };
    let words = text.split_inclusive(char::is_whitespace);
    words
        .map(|word| without(word).unwrap_or_else(|| word.to_owned()))
        .collect()
}

/// Writes a line to standard error. What files contain may be part of it.
pub(crate) fn line(text: &str) {
    put(&plain_page(text));
}

fn put(text: &str) {
    let text = without_passwords(text);
    let write = || {
        // Where standard error is gone, nobody can be told.
        let _ = writeln!(io::stderr().lock(), "{text}");
    };
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// A report for programs, as it is printed and written.
pub(crate) fn json(report: &impl Serialize) -> String {
    // Plain values with text keys can always be written.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
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

/// Writes a file that is there whole or not at all; `-` is standard output.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<(), Failure> {
    if is_dash(path) {
        return print(content);
    }
    write_file_with(path, |file| file.write_all(content.as_bytes()))
}

/// The same where the content comes bit by bit. What `write` fails with is taken for the file's fault.
pub(crate) fn write_file_with(
    path: &Path,
    write: impl FnOnce(&mut WholeFile) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut file = WholeFile::create(path).map_err(|error| cannot_write(path, &error.source))?;
    write(&mut file).map_err(|error| cannot_write(path, &error))?;
    file.commit().map_err(|error| cannot_write(path, &error.source))?;
    Ok(())
}

/// Finds out whether a file can be written before the work that ends with it.
pub(crate) fn check_file(path: &Path) -> Result<(), Failure> {
    match is_dash(path) {
        true => Ok(()),
        false => WholeFile::check(path).map_err(|error| cannot_write(path, &error.source)),
    }
}

/// Whether this is `-`, which stands for standard output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    // Without a number there is no more to it than its kind.
    let reason = match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    };
    let usual = "check that you may write to this file and its directory";
    Failure::world(anyhow::anyhow!("cannot write `{}`: {reason}", path.display()))
        .hint(io_hint(error.kind()).unwrap_or(usual))
}

/// What the command line says about colours, where clap did not come to the end of it: it asks for help, or cannot be understood.
fn colour_asked(arguments: impl Iterator<Item = String>) -> ColorWhen {
    let mut asked = ColorWhen::Auto;
    let mut arguments = arguments.take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let when = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        asked = when
            .and_then(|when| ColorWhen::from_str(&when, false).ok())
            .unwrap_or(asked);
    }
    asked
}

/// What clap has to say, with the words of the command line in it.
pub(crate) fn print_usage(error: &clap::Error) {
    let arguments = std::env::args_os().skip(1);
    choose_colour(colour_asked(arguments.map(|word| word.to_string_lossy().into_owned())));
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
    let text = tame(&without_passwords(&text), colours);
    // Where nobody can be told, the exit code says it.
    let _ = match error.use_stderr() {
        true => io::stderr().lock().write_all(text.as_bytes()),
        false => io::stdout().lock().write_all(text.as_bytes()),
    };
    if error.kind() == clap::error::ErrorKind::InvalidUtf8 {
        say(
            Label::Hint,
            "a file whose name is not UTF-8 is read where the directory that holds it is named, or a pattern such as '*.pgn'",
        );
    }
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
        // Black on black, and what blinks, is nobody's of ours.
        assert_eq!(tame("\x1b[30;40mhidden\x1b[5m", true), "[30;40mhidden[5m");
        for paint in ["1", "1;31", "32", "33", "1;34", "35", "1;36", "0"] {
            let own = format!("\x1b[{paint}mx");
            assert_eq!(tame(&own, true), own);
        }
    }

    #[test]
    fn colours_are_asked_for_anywhere_before_the_last_options() {
        let asked = |words: &str| colour_asked(words.split(' ').map(str::to_owned));
        assert_eq!(asked("--color never import --help"), ColorWhen::Never);
        assert_eq!(asked("import --help --color=always"), ColorWhen::Always);
        assert_eq!(asked("--color always --help --color never"), ColorWhen::Never);
        for nothing in [
            "--help",
            "--color blue --help",
            "--color",
            "--help -- --color never",
            "--colors never",
        ] {
            assert_eq!(asked(nothing), ColorWhen::Auto, "{nothing}");
        }
    }

    #[test]
    fn urls_are_told_without_their_passwords() {
        for (given, told) in [
            (
                "`postgres://me:secret@h:5432/x`: no such file",
                "`postgres://me:…@h:5432/x`: no such file",
            ),
            ("'redis://:sec@re/t'@h/0'", "'redis://:…@h/0'"),
            ("a b://c:secret@d\ne f://g:secret@h", "a b://c:…@d\ne f://g:…@h"),
            ("http://127.0.0.1:8000/x, me@h: no", "http://127.0.0.1:8000/x, me@h: no"),
            ("https://lichess.org/@/me", "https://lichess.org/@/me"),
            ("use redis://user:password@h/0", "use redis://user:password@h/0"),
            ("postgres://me@h:5432/x\n", "postgres://me@h:5432/x\n"),
        ] {
            assert_eq!(without_passwords(given), told);
        }
    }
}
