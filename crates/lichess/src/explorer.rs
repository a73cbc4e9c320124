//! The opening explorer's client.

mod client;
mod config;
mod error;
mod fetch;
mod pace;
mod token;
mod wait;

pub use client::Explorer;
pub use config::{ExplorerConfig, Politeness};
pub use error::{ExplorerError, Fault};
pub use token::{BadToken, Token};
pub use wait::{Wait, WaitReason};
