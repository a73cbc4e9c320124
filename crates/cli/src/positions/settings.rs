//! The settings of `tabiya positions` as they are written in a file, in the environment or on the command line.

use std::{num::NonZeroUsize, path::PathBuf, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use tabiya_app::positions::{
    ArchiveSite, ArchivesRequest, Blocklist, FenFormat, PositionsRequest, Rules, SampleFormat,
};
use tabiya_chess::SearchLimit;

use super::args::TakeArgs;
use crate::{
    configuration::threads,
    engine_args::EngineKeys,
    failure::Failure,
    telling::{refuse_dash, text_path},
};

/// Every key of the section `[positions]`. What is absent is left to the next layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    #[serde(flatten)]
    pub(super) engine: EngineKeys,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variants: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blocklist: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) download_dir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) readers: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_elo: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_elo: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_game_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skip_bots: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skip_abandoned: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check_results: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rated_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) speeds: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) per_game: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_ply: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_margin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_pieces: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keep_evaluated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_in_check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quiet_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result_consistent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dedupe: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stratify: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) no_engine: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) use_evals: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fen_format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) batch_size: Option<NonZeroUsize>,
}

/// The keys a file may have; a test keeps this list and the struct together.
#[rustfmt::skip]
pub(crate) const KEYS: [&str; 37] = [
    "base_url", "batch_size", "blocklist", "check_results", "dedupe", "depth", "download_dir", "end_margin", "engine",
    "fen_format", "format", "hash", "keep_evaluated", "max", "max_elo", "max_tries", "min_elo", "min_game_length",
    "min_pieces", "min_ply", "no_engine", "nodes", "not_in_check", "per_game", "quiet_only", "rated_only", "readers",
    "result_consistent", "seed", "skip_abandoned", "skip_bots", "speeds", "stratify", "threads", "use_evals", "variants",
    "workers",
];

/// The default of a search's depth.
const DEPTH: u8 = 12;
const BATCH: NonZeroUsize = NonZeroUsize::new(10_000).expect("not 0");

impl Settings {
    pub(super) fn base_url(&self) -> String {
        self.base_url.clone().unwrap_or_else(|| ArchiveSite::LICHESS.to_owned())
    }

    /// Months that are not read.
    pub(super) fn blocklist(&self) -> Result<Blocklist, Failure> {
        Ok(parsed("blocklist", self.blocklist.as_deref())?.unwrap_or_default())
    }

    pub(super) fn variants(&self) -> Vec<String> {
        self.variants.clone().unwrap_or_else(|| Rules::default().variants)
    }

    /// Threads that read games.
    pub(super) fn readers(&self) -> NonZeroUsize {
        threads(self.readers)
    }

    /// Everything a run needs.
    pub(super) fn request(self, arguments: &TakeArgs) -> Result<PositionsRequest, Failure> {
        let usual = Rules::default();
        let rules = Rules {
            seed: self.seed.unwrap_or(usual.seed),
            per_game: self.per_game.unwrap_or(usual.per_game),
            min_ply: self.min_ply.unwrap_or(usual.min_ply),
            end_margin: self.end_margin.unwrap_or(usual.end_margin),
            min_pieces: self.min_pieces.unwrap_or(usual.min_pieces),
            min_game_length: self.min_game_length.unwrap_or(usual.min_game_length),
            skip_bots: self.skip_bots.unwrap_or(usual.skip_bots),
            min_elo: self.min_elo,
            max_elo: self.max_elo,
            speeds: self.speeds.clone().unwrap_or_default(),
            rated_only: self.rated_only.unwrap_or(usual.rated_only),
            skip_abandoned: self.skip_abandoned.unwrap_or(usual.skip_abandoned),
            check_results: self.check_results.unwrap_or(usual.check_results),
            variants: self.variants(),
            not_in_check: self.not_in_check.unwrap_or(usual.not_in_check),
            quiet: self.quiet_only.unwrap_or(usual.quiet),
            result_consistent: self.result_consistent,
            use_evals: self.use_evals.unwrap_or(usual.use_evals),
            keep_evaluated: self.keep_evaluated.unwrap_or(usual.keep_evaluated),
        };
        let months: Vec<_> = arguments.month.iter().chain(&arguments.months).copied().collect();
        let archives = match months.is_empty() {
            true => None,
            false => Some(ArchivesRequest {
                base: self.base_url(),
                months,
                blocklist: self.blocklist()?,
                download_dir: self.download_dir.clone().map(PathBuf::from),
                stream: arguments.stream,
            }),
        };
        if self.depth == Some(0) || self.nodes == Some(0) {
            return Err(
                Failure::usage("configuration: a search to depth 0, or of 0 nodes, would never end")
                    .hint("`depth` and `nodes` are 1 or more; with `no_engine` nothing is searched"),
            );
        }
        // A depth on the command line is no number of nodes, whatever the file says.
        let limit = match (arguments.depth, arguments.nodes, self.nodes) {
            (Some(depth), _, _) => SearchLimit::depth(depth),
            (None, Some(nodes), _) | (None, None, Some(nodes)) => SearchLimit::nodes(nodes),
            (None, None, None) => SearchLimit::depth(self.depth.unwrap_or(DEPTH)),
        };
        let format: Option<SampleFormat> = parsed("format", self.format.as_deref())?;
        let output = arguments.output.clone().ok_or_else(|| {
            Failure::usage("no output was named").hint("name the file to write: --output positions.parquet")
        })?;
        let output = output_path(output, format)?;
        let by_name = SampleFormat::from_path(&output);
        let no_engine = self.no_engine.unwrap_or(false);
        Ok(PositionsRequest {
            inputs: arguments.input.clone(),
            archives,
            rules,
            max: self.max,
            stratify: parsed("stratify", self.stratify.as_deref())?,
            shard: arguments.shard,
            dedupe: self.dedupe.unwrap_or(false),
            dedupe_with: arguments.dedupe_with.clone(),
            output,
            format: format.or(by_name).or(Some(SampleFormat::Parquet)),
            fen_format: parsed::<FenFormat>("fen_format", self.fen_format.as_deref())?.unwrap_or_default(),
            batch_size: self.batch_size.unwrap_or(BATCH),
            threads: self.readers(),
            engine: (!no_engine).then(|| (self.engine.settings(), limit)),
            resume: arguments.resume,
            restart: arguments.restart,
            stop: Arc::default(),
        })
    }
}

/// Where positions go: `-` is standard output for the formats that are texts.
pub(super) fn output_path(output: PathBuf, format: Option<SampleFormat>) -> Result<PathBuf, Failure> {
    if !matches!(format, Some(SampleFormat::Text | SampleFormat::Jsonl)) {
        refuse_dash(
            "--output",
            Some(&output),
            "name a file; with --format text or --format jsonl positions go there",
        )?;
    }
    Ok(text_path(output))
}

/// A word of a file, which nobody has looked at yet.
fn parsed<T: FromStr<Err: std::fmt::Display>>(key: &str, text: Option<&str>) -> Result<Option<T>, Failure> {
    match text {
        None => Ok(None),
        Some(text) => match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(Failure::usage(format!("configuration: {key}: {error}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::assert_keys;

    #[test]
    fn every_key_is_known() {
        let number = NonZeroUsize::new(1);
        let word = || Some("x".to_owned());
        let all = Settings {
            engine: serde_json::from_value(serde_json::json!({
                "engine": "x", "workers": 1, "threads": 1, "hash": 1, "max_tries": 1
            }))
            .expect("keys of an engine"),
            variants: Some(vec!["x".to_owned(), "y".to_owned()]),
            base_url: word(),
            blocklist: word(),
            download_dir: word(),
            readers: number,
            min_elo: Some(1),
            max_elo: Some(1),
            min_game_length: Some(1),
            skip_bots: Some(true),
            skip_abandoned: Some(true),
            check_results: Some(true),
            rated_only: Some(true),
            speeds: Some(vec!["x".to_owned(), "y".to_owned()]),
            per_game: Some(1),
            seed: Some(1),
            min_ply: Some(1),
            end_margin: Some(1),
            min_pieces: Some(1),
            keep_evaluated: Some(true),
            not_in_check: Some(true),
            quiet_only: Some(true),
            result_consistent: Some(1),
            dedupe: Some(true),
            stratify: word(),
            max: Some(1),
            depth: Some(1),
            nodes: Some(1),
            no_engine: Some(true),
            use_evals: Some(true),
            format: word(),
            fen_format: word(),
            batch_size: number,
        };
        assert_keys(&all, &KEYS);
    }
}
