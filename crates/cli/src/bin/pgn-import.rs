//! The command `pgn-import`.

use std::process::ExitCode;

/// As for `tabiya`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tabiya_cli::pgn_import()
}
