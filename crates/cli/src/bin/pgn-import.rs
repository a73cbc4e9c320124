//! The command `pgn-import`.

use std::process::ExitCode;

/// As for `tabiya`.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    tabiya_cli::pgn_import()
}
