//! `build`: the opening knowledge base, phase by phase.

pub mod count;
