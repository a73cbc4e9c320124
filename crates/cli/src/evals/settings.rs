//! The settings of `tabiya evals` as they are written in a file, in the environment or on the command line.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::configuration::Persistence;

/// Every key of the section `[evals]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) persistence: Persistence,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 4] = ["known_only", "min_depth", "persistence.dsn", "threads"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            min_depth: Some(1),
            known_only: Some(true),
            threads: NonZeroUsize::new(1),
            persistence: Persistence {
                dsn: Some("x".to_owned()),
            },
        };
        assert_keys(&all, &KEYS);
    }
}
