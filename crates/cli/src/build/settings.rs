//! A build's settings as they are written in a file, in the environment or on the command line.

use std::{num::NonZeroUsize, path::PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

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
    #[serde(deserialize_with = "list", skip_serializing_if = "Option::is_none")]
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

/// A list as files write it, or as the command line does: one text, with commas between its parts.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "it is neither a list nor a text")]
    enum Written {
        Text(String),
        List(Vec<String>),
    }
    Ok(
        Option::<Written>::deserialize(deserializer)?.map(|written| match written {
            Written::Text(text) => text,
            Written::List(parts) => parts.join(","),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{assert_keys, from_text};

    #[test]
    fn facets_are_a_list_or_a_text() {
        let facets = |value: &str| {
            let text = format!("[build]\nfacets = {value}\n");
            from_text::<Settings>("x.toml", &text, "build", &KEYS).map(|settings| settings.facets)
        };
        for value in [r#"["year", "rating"]"#, r#""year,rating""#] {
            let found = facets(value).expect("facets").expect("some");
            assert_eq!(found, "year,rating", "{value}");
        }
        assert_eq!(facets("[]").expect("none").as_deref(), Some(""));
        let wrong = facets("{ year = true }").expect_err("a table").message();
        assert!(wrong.contains("facets"), "{wrong}");
    }

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
