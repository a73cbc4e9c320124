//! What the clients of all services share: connections, secrets, pace, and what can go wrong with one request.

mod address;
mod fault;
mod fetch;
mod pace;
mod token;

pub(crate) use address::{Address, shown};
pub use fault::Fault;
pub(crate) use fault::{Cause, Refusal};
pub(crate) use fetch::{Connection, Failure, LONGEST_PAUSE, retry_after, transport};
pub(crate) use pace::{Pace, Streak, period};
pub use token::{BadToken, Token};
