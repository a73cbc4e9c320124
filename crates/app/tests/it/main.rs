//! Verbs at work on real files.

mod corpus;
mod parts;
