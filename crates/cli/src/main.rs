//! The command `tabiya`.

use std::process::ExitCode;

/// Gives back what large builds free. The C library's allocator keeps a good part of it for later, which made the most that a
/// build of two million games takes half as large again. Here and not in the library, for fuzzing watches an
/// allocator of its own.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    tabiya_cli::tabiya()
}
