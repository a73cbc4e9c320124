//! The command `pgn-import`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabiya_cli::pgn_import()
}
