//! The threads that a command's work runs on.

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// A runtime for one command.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::world(anyhow::Error::new(error).context("cannot start threads")))
}
