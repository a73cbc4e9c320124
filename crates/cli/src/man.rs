//! `tabiya man`: manual pages from the same words as `--help`.

use std::{fs, io, path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use tabiya_app::write_hint;

use crate::{
    args::{PgnImport, Tabiya},
    failure::Failure,
    terminal::{is_dash, print},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya man | man -l -
  tabiya man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for every command of both programs into this directory; without it, or with -, tabiya's own page is printed
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArgs) -> Result<ExitCode, Failure> {
    let Some(directory) = arguments.directory.as_deref().filter(|path| !is_dash(path)) else {
        let mut page = Vec::new();
        Man::new(Tabiya::command())
            .render(&mut page)
            .map_err(|error| Failure::world(error.into()))?;
        print(&String::from_utf8_lossy(&page))?;
        return Ok(ExitCode::SUCCESS);
    };
    let fail = |error: io::Error| {
        let message = format!("cannot write manual pages to `{}`", directory.display());
        let hint = write_hint(error.kind());
        Failure::world(anyhow::Error::new(error).context(message)).hint(hint)
    };
    fs::create_dir_all(directory).map_err(fail)?;
    clap_mangen::generate_to(Tabiya::command(), directory).map_err(fail)?;
    clap_mangen::generate_to(PgnImport::command(), directory).map_err(fail)?;
    Ok(ExitCode::SUCCESS)
}
