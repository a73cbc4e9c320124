//! An import's settings as they are written in a file, in the environment or on the command line.

use std::{num::NonZeroUsize, path::PathBuf};

use serde::{Deserialize, Serialize};

/// Every key of a configuration file. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) input: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_rejects: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repertoire: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) accept_variations: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tactic_from_fen: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tactic_from_comments: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dedupe_transpositions: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skip_illegal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) include_fen_in_trie: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) include_chess960: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tactic_variations: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repertoire_from_study: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) threads: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) batch_bytes: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resume: Option<bool>,
    pub(crate) persistence: Persistence,
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Persistence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dsn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) persist: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) positions: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edges: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tactics: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repertoire: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rejects: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metrics: Option<PathBuf>,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 27] = [
    "input",
    "retry_rejects",
    "owner",
    "repertoire",
    "side",
    "max_depth",
    "accept_variations",
    "tactic_from_fen",
    "tactic_from_comments",
    "dedupe_transpositions",
    "skip_illegal",
    "include_fen_in_trie",
    "include_chess960",
    "tactic_variations",
    "repertoire_from_study",
    "threads",
    "batch_bytes",
    "resume",
    "persistence.dsn",
    "persistence.persist",
    "output.positions",
    "output.edges",
    "output.tactics",
    "output.repertoire",
    "output.rejects",
    "output.report",
    "output.metrics",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn the_list_of_keys_is_that_of_the_fields() {
        let some = || Some(PathBuf::from("x"));
        let all = Settings {
            input: vec!["x".into(), "y".into()],
            retry_rejects: some(),
            owner: Some("x".into()),
            repertoire: Some("x".into()),
            side: Some("x".into()),
            max_depth: Some(1),
            accept_variations: Some(true),
            tactic_from_fen: Some(true),
            tactic_from_comments: Some(true),
            dedupe_transpositions: Some(true),
            skip_illegal: Some(true),
            include_fen_in_trie: Some(true),
            include_chess960: Some(true),
            tactic_variations: Some(true),
            repertoire_from_study: Some(true),
            threads: NonZeroUsize::new(1),
            batch_bytes: NonZeroUsize::new(1),
            resume: Some(true),
            persistence: Persistence {
                dsn: Some("x".into()),
                persist: Some(true),
            },
            output: Output {
                positions: some(),
                edges: some(),
                tactics: some(),
                repertoire: some(),
                rejects: some(),
                report: some(),
                metrics: some(),
            },
        };
        assert_keys(&all, &KEYS);
    }
}
