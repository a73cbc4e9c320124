//! The command `tabiya`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabiya_cli::tabiya()
}
