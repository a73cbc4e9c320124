//! A build's settings as they are written in a file, in the environment or on the command line.

use std::{num::NonZeroUsize, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::configuration::Persistence;

/// Every key of the section `[build]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_ply: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_elo: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) facets: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) in_flight: Option<u32>,
    pub(super) persistence: Persistence,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 14] = [
    "collection",
    "depth",
    "min_games",
    "max_nodes",
    "max_ply",
    "min_elo",
    "since",
    "until",
    "facets",
    "threads",
    "state",
    "rate",
    "in_flight",
    "persistence.dsn",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            collection: Some("x".to_owned()),
            depth: Some(1),
            min_games: Some(1),
            max_nodes: Some(1),
            max_ply: Some(1),
            min_elo: Some(1),
            since: Some("x".to_owned()),
            until: Some("x".to_owned()),
            facets: Some("x".to_owned()),
            threads: NonZeroUsize::new(1),
            state: Some(PathBuf::from("x")),
            rate: Some(1.0),
            in_flight: Some(1),
            persistence: Persistence {
                dsn: Some("x".to_owned()),
            },
        };
        assert_keys(&all, &KEYS);
    }
}
