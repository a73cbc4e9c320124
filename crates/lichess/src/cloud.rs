//! The cloud evaluation's client.

mod client;
mod config;
mod error;

pub use client::CloudEval;
pub(crate) use client::read;
pub use config::CloudConfig;
pub use error::CloudError;
