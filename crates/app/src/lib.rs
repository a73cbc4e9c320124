//! The verbs: what Tabiya does, whoever asks for it.
//!
//! One module per verb. A verb takes a request of plain values, does its work through the adapters and gives a report
//! of plain values; it never prints, never exits and never reads the command line.

pub mod build;
mod database;
pub mod doctor;
pub mod engines;
mod error;
pub mod evals;
pub mod import;
pub mod lookup;
pub mod name;
pub mod repertoire;
pub mod worker;

pub use database::check_database;
pub use error::{AppError, Reaction};
