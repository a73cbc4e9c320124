//! The pool against engines that misbehave on script, and against a real one.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, which is what it is for"
)]

mod faults;
mod fixture;
mod pool;
mod real;
mod start;
mod wire;
