//! What a command says of itself when it is done, and what else of it goes to standard output: one document at the most, and then no
//! text beside it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{
    args::{Format, Ui},
    failure::Failure,
    inputs::Inputs,
    terminal::{check_file, is_dash, json, print, write_file},
};

/// What is written to files, by option.
pub(crate) type Written<'a> = (&'static str, Option<&'a Path>);

/// How the outcome is told: as JSON or as a text to standard output, and as JSON to a file.
#[derive(Debug)]
pub(crate) struct Telling {
    prints_json: bool,
    prints_text: bool,
    report: Option<PathBuf>,
}

impl Telling {
    /// Refuses what cannot be told before any work is done: two documents on standard output, a report that cannot be written, and what
    /// would be written over an input.
    ///
    /// `written` is what else is written, `inputs` is what is read. A report on standard output is printed once, and its text not at all: behind data it would
    /// pass for more of them.
    pub(crate) fn new(
        ui: &Ui,
        format: Format,
        report: Option<&Path>,
        written: &[Written<'_>],
        inputs: &Inputs,
    ) -> Result<Telling, Failure> {
        inputs.refuse_outputs(&[&[("--report", report)], written].concat())?;
        let telling = Telling::unchecked(ui, format, report, written)?;
        telling.report.as_deref().map_or(Ok(()), check_file)?;
        Ok(telling)
    }

    /// The same behind the work, where whether the report can be written is seen when it is.
    pub(crate) fn unchecked(
        ui: &Ui,
        format: Format,
        report: Option<&Path>,
        written: &[Written<'_>],
    ) -> Result<Telling, Failure> {
        let report_is_printed = report.is_some_and(is_standard_output);
        let prints_json = format == Format::Json || report_is_printed;
        let printed = match report_is_printed {
            true => "--report",
            false => "the report as JSON",
        };
        let mut documents: Vec<&str> = prints_json.then_some(printed).into_iter().collect();
        let data = written
            .iter()
            .filter_map(|(option, path)| path.map(|path| (*option, path)));
        let mut has_data = false;
        for (option, path) in data.filter(|(_, path)| is_standard_output(path)) {
            has_data = true;
            // What nobody reads is not mixed with anything.
            if path != Path::new("/dev/null") {
                documents.push(option);
            }
        }
        if let [one, other, ..] = documents[..] {
            return Err(
                Failure::usage(format!("standard output cannot have both {one} and {other}"))
                    .hint("name a file for one of them"),
            );
        }
        Ok(Telling {
            prints_json,
            prints_text: !ui.quiet && !prints_json && !has_data,
            report: report.filter(|_| !report_is_printed).map(Path::to_owned),
        })
    }

    /// Whether standard output has room for a text.
    pub(crate) fn prints_text(&self) -> bool {
        self.prints_text
    }

    /// Prints the outcome, and writes the report.
    pub(crate) fn tell(&self, report: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.prints_json {
            print(&json(report))?;
        } else if self.prints_text {
            print(&text())?;
        }
        self.report
            .as_deref()
            .map_or(Ok(()), |path| write_file(path, &json(report)))
    }
}

/// Whether this is standard output: `-`, or one of the names that the system has for it.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    is_dash(path) || tabiya_app::is_standard_output(path)
}

/// Where a text goes that is written bit by bit: `-` by the name that the system has for standard output.
pub(crate) fn text_path(path: PathBuf) -> PathBuf {
    match is_dash(&path) {
        true => PathBuf::from("/dev/stdout"),
        false => path,
    }
}

/// Refuses `-` for what is no text: a terminal could not show it, and a file of that name is not what is meant.
pub(crate) fn refuse_dash(option: &str, path: Option<&Path>, hint: &str) -> Result<(), Failure> {
    match path.is_some_and(is_dash) {
        true => Err(Failure::usage(format!("{option} does not go to standard output")).hint(hint)),
        false => Ok(()),
    }
}
