//! The settings of `tabiya evals` as they are written in a file, in the environment or on the command line.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

/// Every key of the section `[evals]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) persistence: Persistence,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Persistence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dsn: Option<String>,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(super) const KEYS: [&str; 4] = ["known_only", "min_depth", "persistence.dsn", "threads"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            min_depth: Some(1),
            known_only: Some(true),
            threads: NonZeroUsize::new(1),
            persistence: Persistence {
                dsn: Some(String::new()),
            },
        };
        let value = serde_json::to_value(all).expect("plain values");
        let keys = value.as_object().expect("an object").iter();
        let keys: Vec<String> = keys
            .flat_map(|(key, value)| match value.as_object() {
                Some(inner) => inner.keys().map(|name| format!("{key}.{name}")).collect(),
                None => vec![key.clone()],
            })
            .collect();
        assert_eq!(keys, KEYS);
    }
}
