//! `tabiya completions`: scripts that let a shell complete our arguments.

use std::process::ExitCode;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::{
    args::{PgnImport, Tabiya},
    failure::Failure,
    terminal::print,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya
  tabiya completions zsh --for pgn-import > ~/.zfunc/_pgn-import")]
pub(crate) struct CompletionsArgs {
    /// The shell to write a script for
    #[arg(value_enum)]
    shell: Shell,
    /// The program whose arguments are completed
    #[arg(long = "for", value_enum, default_value_t, value_name = "PROGRAM")]
    program: Program,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Program {
    #[default]
    Tabiya,
    PgnImport,
}

pub(crate) fn run(arguments: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut command = match arguments.program {
        Program::Tabiya => Tabiya::command(),
        Program::PgnImport => PgnImport::command(),
    };
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
