//! The settings of `tabiya serve` as they are written in a file, in the environment or on the command line.

use std::{
    net::SocketAddr,
    num::{NonZeroU32, NonZeroU64},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use crate::configuration::Persistence;

/// Every key of the section `[serve]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) api_key_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bind: Option<SocketAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cors: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) games: Option<Vec<String>>,
    pub(super) persistence: Persistence,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rate: Option<NonZeroU32>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reload: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) review_nodes: Option<NonZeroU64>,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 9] = [
    "api_key_file",
    "bind",
    "cors",
    "engine",
    "games",
    "persistence.dsn",
    "rate",
    "reload",
    "review_nodes",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let all = Settings {
            api_key_file: Some(PathBuf::from("x")),
            bind: Some(SocketAddr::from(([127, 0, 0, 1], 1))),
            cors: Some(vec!["x".to_owned(), "y".to_owned()]),
            engine: Some(PathBuf::from("x")),
            games: Some(vec!["x".to_owned(), "y".to_owned()]),
            persistence: Persistence {
                dsn: Some("x".to_owned()),
            },
            rate: NonZeroU32::new(1),
            reload: Some(1),
            review_nodes: NonZeroU64::new(1),
        };
        assert_keys(&all, &KEYS);
    }
}
