//! `count`: from games to a table of partial counts.

use std::path::{Path, PathBuf};

use pgn_import::{Watcher, expand_inputs};
use serde::Serialize;
use tabiya_chess::FacetKinds;
use tabiya_counts::{CountError, State, walk};
use tabiya_dataset::{WholeFileError, table::TableWriter};

use super::{
    PartRules,
    table::{COLUMNS, RULES_KEY, SOURCES_KEY, row},
};
use crate::{
    AppError,
    build::count::{CountedFile, Counting, LeftOut, count_input},
    scratch::{self, Scratch},
};

/// What a table of partial counts holds.
#[derive(Debug, Clone, Serialize)]
pub struct PartReport {
    pub out: PathBuf,
    pub files: Vec<CountedFile>,
    pub games: u64,
    pub counted: u64,
    pub duplicates: u64,
    pub left_out: LeftOut,
    pub positions: u64,
    /// Position and move, whatever the facet.
    pub moves: u64,
    pub rows: u64,
    pub bytes: u64,
}

/// Counts games and writes the table. `inputs` are files, directories, globs or `-`.
pub fn write_part(
    inputs: &[String],
    counting: &Counting,
    facets: FacetKinds,
    out: &Path,
    watcher: Option<&Watcher>,
) -> Result<PartReport, AppError> {
    counting.filter.check()?;
    let inputs = expand_inputs(inputs)?;
    // Begun before the counting: what is wrong with the output is not to be found after hours.
    let mut table = TableWriter::create(out, &COLUMNS)?;
    let scratch = Scratch::beside(out, scratch::COUNTS).map_err(cannot)?;
    let rules = PartRules {
        rules: counting.rules(),
        facets,
    };
    let mut state = State::create_with_texts(&scratch.path().join("state"), rules.rules.clone())?;
    let mut report = PartReport {
        out: out.to_owned(),
        files: Vec::with_capacity(inputs.len()),
        games: 0,
        counted: 0,
        duplicates: 0,
        left_out: LeftOut::default(),
        positions: 0,
        moves: 0,
        rows: 0,
        bytes: 0,
    };
    for input in &inputs {
        let file = count_input(&mut state, input, counting, watcher)?;
        if !file.known {
            report.games += file.games;
            report.counted += file.counted;
            report.duplicates += file.duplicates;
            report.left_out += file.left_out;
        }
        report.files.push(file);
    }
    if report.counted == 0 {
        return Err(AppError::NothingCounted {
            inputs: report.files.iter().map(|file| file.name.clone()).collect(),
            games: report.games,
            left_out: report.left_out,
        });
    }
    let rules = rules.to_text();
    table.describe(RULES_KEY, rules.as_str());
    // Plain values can always be written.
    table.describe(SOURCES_KEY, serde_json::to_string(state.sources()).unwrap_or_default());
    let (mut position, mut by) = (String::new(), String::new());
    walk(&state, facets, &counting.stop, |departed| {
        if departed.epd != position {
            departed.epd.clone_into(&mut position);
            report.positions += 1;
            by.clear();
        }
        if departed.uci != by {
            departed.uci.clone_into(&mut by);
            report.moves += 1;
        }
        Ok::<(), AppError>(table.write(&row(departed, &rules))?)
    })?;
    let summary = table.finish()?;
    (report.rows, report.bytes) = (summary.rows, summary.bytes);
    drop(state);
    // Also removed when something fails above; only here can it be told that it was not.
    scratch.close().map_err(cannot)?;
    Ok(report)
}

fn cannot(error: WholeFileError) -> AppError {
    let WholeFileError { action, path, source } = error;
    CountError::Io {
        doing: action,
        path,
        source,
    }
    .into()
}
