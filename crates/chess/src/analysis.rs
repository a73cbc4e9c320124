//! What an engine was asked, and what it answered.
//!
//! Values only: who asks and who answers is the business of others. A [`SearchLimit`] is written in the words of UCI's
//! `go`, so it is its own text in a store, on a command line and on the wire.

mod answer;
mod limit;

pub use answer::{Analysis, EngineLine, Question, Wdl};
pub use limit::{ParseLimitError, SearchLimit};
