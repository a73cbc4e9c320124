//! The settings of `tabiya review` as they are written in a file, in the environment or on the command line.

use serde::{Deserialize, Serialize};
use tabiya_app::{
    build::explorer::CloudConfig,
    review::{DEFAULT_MARGIN, DEFAULT_MULTIPV, DEFAULT_NODES, LinesFrom, ReviewOutputs, ReviewRequest, Rules},
};
use tabiya_chess::{SearchLimit, Thresholds};

use super::{args::ReviewArgs, thresholds::ThresholdKeys};
use crate::{build::cloud, configuration::Persistence, engine_args::EngineKeys, failure::Failure};

/// Every key of the section `[review]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(flatten)]
    engine: EngineKeys,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipv: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variations: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise_margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cloud: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    use_store: Option<bool>,
    thresholds: ThresholdKeys,
    persistence: Persistence,
}

/// The keys a file may have; a test keeps this list and the struct together.
pub(crate) const KEYS: [&str; 37] = [
    "engine",
    "workers",
    "threads",
    "hash",
    "max_tries",
    "nodes",
    "depth",
    "movetime",
    "multipv",
    "rules",
    "theory",
    "variations",
    "noise_margin",
    "cloud",
    "use_store",
    "thresholds.best",
    "thresholds.excellent",
    "thresholds.okay",
    "thresholds.inaccuracy",
    "thresholds.mistake",
    "thresholds.critical",
    "thresholds.winning",
    "thresholds.lichess_inaccuracy",
    "thresholds.lichess_mistake",
    "thresholds.lichess_blunder",
    "thresholds.mate_slower_excellent",
    "thresholds.mate_slower_okay",
    "thresholds.mate_turned_blunder",
    "thresholds.mate_lost_excellent",
    "thresholds.mate_lost_okay",
    "thresholds.mate_lost_inaccuracy",
    "thresholds.mate_lost_mistake",
    "thresholds.mate_allowed_blunder",
    "thresholds.mate_allowed_mistake",
    "thresholds.lichess_mate_inaccuracy",
    "thresholds.lichess_mate_mistake",
    "persistence.dsn",
];

impl Settings {
    pub(super) fn new(arguments: &ReviewArgs) -> Settings {
        Settings {
            engine: arguments.engine.clone().into_keys().or_environment(),
            nodes: arguments.nodes,
            depth: arguments.depth,
            movetime: arguments.movetime,
            multipv: arguments.multipv,
            rules: arguments.rules.clone(),
            theory: match arguments.no_theory {
                true => Some("off".to_owned()),
                false => arguments.theory.clone(),
            },
            variations: arguments.variations.then_some(true),
            noise_margin: arguments.noise_margin,
            cloud: arguments.cloud.clone(),
            use_store: arguments.use_store.then_some(true),
            thresholds: ThresholdKeys::default(),
            persistence: Persistence {
                dsn: arguments.db.clone(),
            },
        }
    }

    /// What the command line says, and no layer below it can take back: one kind of limit there is no other here.
    pub(super) fn insist(mut self, arguments: &ReviewArgs) -> Settings {
        if arguments.nodes.is_some() || arguments.depth.is_some() || arguments.movetime.is_some() {
            (self.nodes, self.depth, self.movetime) = (arguments.nodes, arguments.depth, arguments.movetime);
        }
        self
    }

    pub(super) fn request(self, arguments: &ReviewArgs, outputs: ReviewOutputs) -> Result<ReviewRequest, Failure> {
        let wrong = |error: String| Failure::usage(format!("configuration: {error}"));
        let limit = self.limit()?;
        let cloud: Option<CloudConfig> = self.cloud.as_deref().map(cloud).transpose()?;
        let rules = Rules {
            rules: match &self.rules {
                Some(text) => text.parse().map_err(|error| wrong(format!("{error}")))?,
                None => Default::default(),
            },
            thresholds: self.thresholds.over(Thresholds::default()),
            theory: match &self.theory {
                Some(text) => text.parse().map_err(wrong)?,
                None => Default::default(),
            },
            variations: self.variations.unwrap_or(false),
            margin: self.noise_margin.unwrap_or(DEFAULT_MARGIN),
        };
        let database = self.persistence.url();
        let lines = match &arguments.lines {
            Some(path) => LinesFrom::File(path.clone()),
            None => LinesFrom::Engine {
                engine: self.engine.settings(),
                limit,
                multipv: self.multipv.unwrap_or(DEFAULT_MULTIPV),
                cloud,
                database: self.use_store.unwrap_or(false).then_some(database),
            },
        };
        if let Some(objection) = rules.thresholds.objection() {
            let hint = "thresholds are set in the section [review.thresholds] of the configuration: docs/review.md has all of them";
            return Err(wrong(objection).hint(hint));
        }
        Ok(ReviewRequest {
            inputs: arguments.paths.clone(),
            rules,
            lines,
            outputs,
            journal: arguments.journal.clone(),
            stop: Default::default(),
        })
    }

    fn limit(&self) -> Result<SearchLimit, Failure> {
        match (self.nodes, self.depth, self.movetime) {
            (None, None, None) => Ok(SearchLimit::nodes(DEFAULT_NODES)),
            (Some(nodes), None, None) => Ok(SearchLimit::nodes(nodes)),
            (None, Some(depth), None) => Ok(SearchLimit::depth(depth)),
            (None, None, Some(millis)) => Ok(SearchLimit::millis(millis)),
            _ => Err(Failure::usage("configuration: a search has one limit")
                .hint("keep one of `nodes`, `depth` and `movetime`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let keys = [
            r#""engine": "e", "workers": 1, "threads": 1, "hash": 1, "max_tries": 1"#,
            r#""nodes": 1, "depth": 1, "movetime": 1, "multipv": 1, "rules": "r", "theory": "t", "variations": true"#,
            r#""noise_margin": 0.1, "cloud": "u", "use_store": true, "persistence": {"dsn": "d"}"#,
            r#""thresholds": {"best": 1, "excellent": 1, "okay": 1, "inaccuracy": 1, "mistake": 1, "critical": 1, "winning": 1,
               "lichess_inaccuracy": 1, "lichess_mistake": 1, "lichess_blunder": 1,
               "mate_slower_excellent": 1, "mate_slower_okay": 1, "mate_turned_blunder": 1, "mate_lost_excellent": 1,
               "mate_lost_okay": 1, "mate_lost_inaccuracy": 1, "mate_lost_mistake": 1, "mate_allowed_blunder": 1,
               "mate_allowed_mistake": 1, "lichess_mate_inaccuracy": 1, "lichess_mate_mistake": 1}"#,
        ];
        let json = format!("{{{}}}", keys.join(","));
        let all: Settings = serde_json::from_str(&json).expect("settings");
        assert_keys(&all, &KEYS);
    }

    #[test]
    fn one_limit_is_enough() {
        let limit = |settings: Settings| settings.limit().ok().map(|limit| limit.to_string());
        assert_eq!(limit(Settings::default()).as_deref(), Some("nodes 1000000"));
        let depth = Settings {
            depth: Some(9),
            ..Settings::default()
        };
        assert_eq!(limit(depth.clone()).as_deref(), Some("depth 9"));
        let both = Settings {
            nodes: Some(5),
            ..depth
        };
        assert_eq!(limit(both), None);
    }
}
