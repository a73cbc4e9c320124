//! From settings to one ready request: whatever is wrong is found here, before any work.

use std::{num::NonZeroUsize, path::PathBuf};

use pgn_import::{ImportOptions, IngestConfig, Policy, SideFilter};
use tabiya_app::import::{ImportRequest, Outputs};

use super::settings::Settings;
use crate::{
    args::Face,
    configuration::DEFAULT_DATABASE,
    failure::Failure,
    inputs::Inputs,
    telling::{Written, text_path},
};

/// Whose repertoires are imported when nobody says.
const DEFAULT_OWNER: &str = "me";

/// Everything an import command is going to do.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) request: ImportRequest,
    pub(super) report: Option<PathBuf>,
    pub(super) metrics: Option<PathBuf>,
    /// A database was named that is not written to.
    pub(super) database_unused: bool,
}

impl Plan {
    pub(super) fn new(face: Face, settings: Settings) -> Result<Plan, Failure> {
        if settings.input.is_empty() && settings.retry_rejects.is_none() {
            return Err(no_input(face));
        }
        let config = ingest_config(&settings)?;
        let options = options(face, &settings);
        let dsn = settings.persistence.dsn;
        let persist = settings.persistence.persist.unwrap_or(face == Face::Tabiya);
        let database = match (persist, &dsn, face) {
            (false, ..) => None,
            (true, Some(url), _) => Some(url.clone()),
            (true, None, Face::Tabiya) => Some(DEFAULT_DATABASE.to_owned()),
            (true, None, Face::PgnImport) => return Err(no_database()),
        };
        let output = settings.output;
        let place = |path: Option<PathBuf>| path.map(text_path);
        Ok(Plan {
            database_unused: face == Face::PgnImport && !persist && dsn.is_some(),
            request: ImportRequest {
                inputs: settings.input,
                retry_rejects: settings.retry_rejects,
                config,
                options,
                database,
                outputs: Outputs {
                    positions: place(output.positions),
                    edges: place(output.edges),
                    tactics: place(output.tactics),
                    repertoire: place(output.repertoire),
                    rejects: place(output.rejects),
                },
            },
            report: output.report,
            metrics: output.metrics,
        })
    }

    /// What is read, and the database.
    pub(super) fn read(&self) -> Inputs {
        let request = &self.request;
        let inputs = Inputs::default().named(&request.inputs).files(&request.retry_rejects);
        match &request.database {
            Some(url) => inputs.database(url),
            None => inputs,
        }
    }

    /// What is written besides the report.
    pub(super) fn written(&self) -> [Written<'_>; 6] {
        let outputs = &self.request.outputs;
        [
            ("--out-positions", outputs.positions.as_deref()),
            ("--out-edges", outputs.edges.as_deref()),
            ("--out-tactics", outputs.tactics.as_deref()),
            ("--out-repertoire", outputs.repertoire.as_deref()),
            ("--rejects", outputs.rejects.as_deref()),
            ("--metrics-out", self.metrics.as_deref()),
        ]
    }

    /// Whether anything of the import outlives it.
    pub(super) fn keeps_something(&self) -> bool {
        let outputs = &self.request.outputs;
        self.request.database.is_some()
            || [
                &outputs.positions,
                &outputs.edges,
                &outputs.tactics,
                &outputs.repertoire,
            ]
            .iter()
            .any(|out| out.is_some())
    }
}

fn ingest_config(settings: &Settings) -> Result<IngestConfig, Failure> {
    let side_filter = match &settings.side {
        Some(side) => side
            .parse::<SideFilter>()
            .map_err(|error| Failure::usage(format!("side: {error}")))?,
        None => SideFilter::default(),
    };
    let default = IngestConfig::default();
    Ok(IngestConfig {
        owner: settings.owner.clone().unwrap_or_else(|| DEFAULT_OWNER.to_owned()),
        repertoire: settings.repertoire.clone(),
        side_filter,
        max_depth: settings.max_depth,
        accept_variations: settings.accept_variations.unwrap_or(default.accept_variations),
        tactic_from_fen: settings.tactic_from_fen.unwrap_or(default.tactic_from_fen),
        tactic_from_comments: settings.tactic_from_comments.unwrap_or(default.tactic_from_comments),
        dedupe_transpositions: settings.dedupe_transpositions.unwrap_or(default.dedupe_transpositions),
    })
}

fn options(face: Face, settings: &Settings) -> ImportOptions {
    let default = ImportOptions::default();
    let skip = settings.skip_illegal.unwrap_or(face == Face::Tabiya);
    ImportOptions {
        policy: if skip { Policy::SkipIllegal } else { Policy::FailFast },
        include_fen_in_trie: settings.include_fen_in_trie.unwrap_or(default.include_fen_in_trie),
        include_chess960: settings.include_chess960.unwrap_or(default.include_chess960),
        tactic_variations: settings.tactic_variations.unwrap_or(default.tactic_variations),
        repertoire_from_study: settings.repertoire_from_study.unwrap_or(default.repertoire_from_study),
        threads: settings.threads.map_or(default.threads, NonZeroUsize::get),
        block_bytes: settings.batch_bytes.map_or(default.block_bytes, NonZeroUsize::get),
        resume: settings.resume.unwrap_or(default.resume),
        ..default
    }
}

fn no_input(face: Face) -> Failure {
    let failure = Failure::usage("there is nothing to import");
    match face {
        Face::Tabiya => {
            failure.hint("name files, directories or globs, or - for standard input: tabiya import games.pgn")
        }
        Face::PgnImport => failure.hint("name files, directories or globs, or - for standard input: --input games.pgn"),
    }
}

fn no_database() -> Failure {
    Failure::usage("--persist needs a database")
        .hint("give --dsn sqlite://chess.db or --dsn postgres://user@host/name, set TABIYA_DB, or name a dsn in the configuration file")
}
