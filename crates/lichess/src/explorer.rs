//! The opening explorer's client.

mod client;
mod config;
mod error;
mod wait;

pub use client::Explorer;
pub use config::{ExplorerConfig, Politeness};
pub use error::ExplorerError;
pub use wait::{Wait, WaitReason};
