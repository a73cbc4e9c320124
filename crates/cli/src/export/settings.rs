//! The settings of `tabiya export` as they are written in a file, in the environment or on the command line.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::configuration::Persistence;

/// Every key of the section `[export]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) eco: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_depth: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) persistence: Persistence,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 6] = [
    "collection",
    "eco",
    "max_depth",
    "min_games",
    "persistence.dsn",
    "threads",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            eco: Some("ALL".to_owned()),
            max_depth: Some(1),
            min_games: Some(1),
            collection: Some("x".to_owned()),
            threads: NonZeroUsize::new(1),
            persistence: Persistence {
                dsn: Some("x".to_owned()),
            },
        };
        assert_keys(&all, &KEYS);
    }
}
