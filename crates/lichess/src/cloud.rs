//! The cloud evaluation's client.

mod client;
mod config;
mod error;

pub use client::CloudEval;
pub use config::CloudConfig;
pub use error::CloudError;
