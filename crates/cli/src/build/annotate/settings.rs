//! An annotation's settings as they are written in a file, in the environment or on the command line.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tabiya_app::build::{
    AnnotateRequest, DEFAULT_BATCH, DEFAULT_GAP, DEFAULT_MULTIPV, Depths, Effort,
    explorer::{CloudConfig, Url},
};
use tabiya_app::engines::EngineSettings;

use super::args::EffortArgs;
use crate::{
    args::Face,
    configuration::{Persistence, layered},
    engine_args::{EngineArgs, EngineKeys},
    failure::Failure,
};

/// Every key of the section `[annotate]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(flatten)]
    engine: EngineKeys,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    popular_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    popular_games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipv: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reuse_hash: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cloud: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<u32>,
    persistence: Persistence,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 20] = [
    "engine",
    "workers",
    "threads",
    "hash",
    "max_tries",
    "depth",
    "popular_depth",
    "popular_games",
    "terminal_depth",
    "nodes",
    "movetime",
    "multipv",
    "limit",
    "collection",
    "batch",
    "reuse_hash",
    "engine_only",
    "cloud",
    "gap",
    "persistence.dsn",
];

impl Settings {
    pub(crate) fn new(effort: &EffortArgs, engine: EngineArgs, db: Option<String>) -> Settings {
        Settings {
            engine: engine.into_keys().or_environment(),
            depth: effort.depth,
            popular_depth: effort.popular_depth,
            popular_games: effort.popular_games,
            terminal_depth: effort.terminal_depth,
            nodes: effort.nodes,
            movetime: effort.movetime,
            multipv: effort.multipv,
            limit: effort.limit,
            collection: effort.collection.clone(),
            batch: effort.batch,
            reuse_hash: effort.reuse_hash.then_some(true),
            engine_only: effort.engine_only.then_some(true),
            cloud: effort.cloud.clone(),
            gap: effort.gap,
            persistence: Persistence { dsn: db },
        }
    }

    /// With nothing on the command line but an engine, if that.
    pub(crate) fn for_engine(engine: Option<PathBuf>) -> Settings {
        Settings {
            engine: EngineKeys::of(engine).or_environment(),
            ..Settings::default()
        }
    }

    /// Which engine, and which database, for those who do the same work elsewhere.
    pub(crate) fn engine_and_database(
        engine: EngineArgs,
        db: Option<String>,
        file: Option<&Path>,
    ) -> Result<(EngineSettings, String), Failure> {
        let flags = Settings {
            engine: engine.into_keys().or_environment(),
            persistence: Persistence { dsn: db },
            ..Settings::default()
        };
        let settings: Settings = layered(Face::Tabiya, file, "annotate", &KEYS, &flags)?;
        let database = settings.persistence.url();
        Ok((settings.engine.settings(), database))
    }

    /// What the command line says, and no layer below it can take back: a depth there is no number of nodes, and a service
    /// to ask is not the engine alone.
    pub(crate) fn insist(mut self, effort: &EffortArgs) -> Settings {
        let depths = [effort.depth, effort.popular_depth, effort.terminal_depth];
        if effort.nodes.is_none() && depths.iter().any(Option::is_some) {
            self.nodes = None;
        }
        if effort.cloud.is_some() {
            self.engine_only = None;
        }
        if effort.engine_only {
            self.cloud = None;
        }
        self
    }

    pub(crate) fn request(self, retry_quarantined: bool) -> Result<AnnotateRequest, Failure> {
        let usual = Depths::default();
        let effort = match self.nodes {
            Some(nodes) => Effort::Nodes(nodes),
            None => Effort::Depths(Depths {
                branching: self.depth.unwrap_or(usual.branching),
                // Who asks for more than the usual depth does not want less where many games come by.
                popular: self
                    .popular_depth
                    .unwrap_or_else(|| self.depth.map_or(usual.popular, |depth| depth.saturating_add(4))),
                popular_games: self.popular_games.unwrap_or(usual.popular_games),
                // And who asks for less does not want more where the tree ends.
                terminal: self
                    .terminal_depth
                    .unwrap_or_else(|| self.depth.map_or(usual.terminal, |depth| depth.min(usual.terminal))),
            }),
        };
        let cloud = self.cloud.as_deref().map(cloud).transpose()?;
        Ok(AnnotateRequest {
            collection: self.collection,
            engine: self.engine.settings(),
            cloud,
            effort,
            millis: self.movetime,
            multipv: self.multipv.unwrap_or(DEFAULT_MULTIPV),
            limit: self.limit,
            batch: self.batch.map_or(DEFAULT_BATCH, usize::from),
            reuse_hash: self.reuse_hash.unwrap_or(false),
            engine_only: self.engine_only.unwrap_or(false),
            gap: self.gap.unwrap_or(DEFAULT_GAP),
            retry_quarantined,
            ..AnnotateRequest::new(self.persistence.url())
        })
    }
}

/// The service that --cloud names.
pub(crate) fn cloud(base: &str) -> Result<CloudConfig, Failure> {
    // What is no URL is not repeated: a password may stand in it.
    let url: Url = base.parse().map_err(|error| {
        Failure::usage(format!("--cloud is no URL: {error}"))
            .hint("name it in full, such as https://lichess.org/api/cloud-eval")
    })?;
    Ok(CloudConfig::new(url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let keys = [
            r#""engine": "e", "workers": 1, "threads": 1, "hash": 1, "max_tries": 1"#,
            r#""depth": 1, "popular_depth": 1, "popular_games": 1, "terminal_depth": 1, "nodes": 1, "movetime": 1"#,
            r#""multipv": 1, "limit": 1, "collection": "c", "batch": 1, "reuse_hash": true, "engine_only": true"#,
            r#""cloud": "u", "gap": 1, "persistence": {"dsn": "d"}"#,
        ];
        let json = format!("{{{}}}", keys.join(","));
        let all: Settings = serde_json::from_str(&json).expect("settings");
        assert_keys(&all, &KEYS);
    }

    #[test]
    fn one_depth_gives_the_others() {
        for (depth, expected) in [(30, (30, 34, 18)), (8, (8, 12, 8))] {
            let settings = Settings {
                depth: Some(depth),
                ..Settings::default()
            };
            let Effort::Depths(depths) = settings.request(false).expect("a request").effort else {
                panic!("depths were asked for");
            };
            assert_eq!((depths.branching, depths.popular, depths.terminal), expected);
        }
    }
}
