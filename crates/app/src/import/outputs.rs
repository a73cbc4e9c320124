//! The files an import writes: one table for each kind of row.

use std::path::{Path, PathBuf};

use pgn_import::{Reject, RejectOutcome};
use serde::Serialize;
use tabiya_dataset::{
    is_special,
    table::{Column, Kind, TableError, TableFormat, TableWriter, Value},
};

use super::{collect::Collector, report::ImportReport};
use crate::AppError;

/// Where the tables go; their format is told by their names.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    pub positions: Option<PathBuf>,
    pub edges: Option<PathBuf>,
    pub tactics: Option<PathBuf>,
    pub repertoire: Option<PathBuf>,
    /// The ledger of games that could not be taken whole.
    pub rejects: Option<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    pub path: PathBuf,
    pub rows: u64,
}

const POSITIONS: [Column; 4] = [
    Column::new("id", Kind::U64),
    Column::new("fen", Kind::Text),
    Column::new("side_to_move", Kind::Text),
    Column::new("ply", Kind::U32),
];

const EDGES: [Column; 6] = [
    Column::new("id", Kind::U64),
    Column::new("parent_id", Kind::U64),
    Column::new("move_uci", Kind::Text),
    Column::new("move_san", Kind::Text),
    Column::new("child_id", Kind::U64),
    Column::new("source_hint", Kind::OptionalText),
];

const TACTICS: [Column; 5] = [
    Column::new("id", Kind::U64),
    Column::new("fen", Kind::Text),
    Column::new("pv_uci", Kind::TextList),
    Column::new("tags", Kind::TextList),
    Column::new("source_hint", Kind::OptionalText),
];

const REPERTOIRE: [Column; 3] = [
    Column::new("repertoire_key", Kind::Text),
    Column::new("owner", Kind::Text),
    Column::new("edge_id", Kind::U64),
];

pub(super) const REJECTS: [Column; 9] = [
    Column::new("source", Kind::Text),
    Column::new("game_index", Kind::U64),
    Column::new("byte_offset", Kind::U64),
    Column::new("error_offset", Kind::U64),
    Column::new("outcome", Kind::Text),
    Column::new("ply", Kind::U32),
    Column::new("san", Kind::Text),
    Column::new("fen", Kind::Text),
    Column::new("reason", Kind::Text),
];

impl Outputs {
    /// Whether rows have to be collected for a file.
    pub(super) fn any(&self) -> bool {
        self.positions.is_some() || self.edges.is_some() || self.tactics.is_some() || self.repertoire.is_some()
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let files = [
            &self.positions,
            &self.edges,
            &self.tactics,
            &self.repertoire,
            &self.rejects,
        ];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

    /// Finds places that no table can be written to, before an import of hours is done.
    pub(super) fn check(&self) -> Result<(), AppError> {
        self.check_names()?;
        for path in self.files() {
            TableFormat::from_path(path)?;
            // A device, a pipe or an open file is written to once, when there is something for it.
            if !is_special(path) {
                // Never finished, so nothing takes the place of what is there.
                drop(TableWriter::create(path, &REPERTOIRE)?);
            }
        }
        Ok(())
    }

    /// Two files under one name would be one: the last that is put in its place.
    fn check_names(&self) -> Result<(), AppError> {
        let mut seen = Vec::new();
        for path in self.files().filter(|path| !is_special(path)) {
            let place = path.canonicalize().or_else(|_| std::path::absolute(path));
            let place = place.unwrap_or_else(|_| path.to_owned());
            if seen.contains(&place) {
                return Err(AppError::OneOutput { path: path.to_owned() });
            }
            seen.push(place);
        }
        Ok(())
    }

    /// Writes what is asked for.
    pub(super) fn write(&self, rows: &Collector, report: &ImportReport) -> Result<Vec<WrittenFile>, TableError> {
        let mut written = Vec::new();
        let memory = rows.memory();
        if let (Some(path), Some(memory)) = (&self.positions, memory) {
            let mut side = [0; 4];
            written.push(table(path, &POSITIONS, memory.dump_positions(), |row, write| {
                let side = &*row.side_to_move.encode_utf8(&mut side);
                write(&[row.id.into(), row.fen.as_str().into(), side.into(), row.ply.into()])
            })?);
        }
        if let (Some(path), Some(memory)) = (&self.edges, memory) {
            written.push(table(path, &EDGES, memory.dump_edges(), |row, write| {
                write(&[
                    row.id.into(),
                    row.parent_id.into(),
                    row.move_uci.as_str().into(),
                    row.move_san.as_str().into(),
                    row.child_id.into(),
                    row.source_hint.as_deref().into(),
                ])
            })?);
        }
        if let (Some(path), Some(memory)) = (&self.tactics, memory) {
            written.push(table(path, &TACTICS, memory.dump_tactics(), |row, write| {
                write(&[
                    row.id.into(),
                    row.fen.as_str().into(),
                    row.pv_uci.as_slice().into(),
                    row.tags.as_slice().into(),
                    row.source_hint.as_deref().into(),
                ])
            })?);
        }
        if let (Some(path), Some(memory)) = (&self.repertoire, memory) {
            written.push(table(
                path,
                &REPERTOIRE,
                memory.dump_repertoire_edges(),
                |row, write| {
                    write(&[
                        row.repertoire_key.as_str().into(),
                        row.owner.as_str().into(),
                        row.edge_id.into(),
                    ])
                },
            )?);
        }
        if let Some(path) = &self.rejects {
            written.push(table(path, &REJECTS, report.rejects.iter().cloned(), write_reject)?);
        }
        Ok(written)
    }
}

fn write_reject(row: &Reject, write: &mut dyn FnMut(&[Value<'_>]) -> Result<(), TableError>) -> Result<(), TableError> {
    let outcome = match row.outcome {
        RejectOutcome::Rejected => "rejected",
        RejectOutcome::Truncated => "truncated",
    };
    write(&[
        row.source.as_str().into(),
        row.game_index.into(),
        row.byte_offset.into(),
        row.error_offset.into(),
        outcome.into(),
        row.ply.into(),
        row.san.as_str().into(),
        row.fen.as_str().into(),
        row.reason.as_str().into(),
    ])
}

/// Writes one table; `row` hands each row's values to the writer.
fn table<T>(
    path: &Path,
    columns: &[Column],
    rows: impl IntoIterator<Item = T>,
    mut row: impl FnMut(&T, &mut dyn FnMut(&[Value<'_>]) -> Result<(), TableError>) -> Result<(), TableError>,
) -> Result<WrittenFile, TableError> {
    let mut writer = TableWriter::create(path, columns)?;
    for item in rows {
        row(&item, &mut |values| writer.write(values))?;
    }
    let summary = writer.finish()?;
    Ok(WrittenFile {
        path: path.to_owned(),
        rows: summary.rows,
    })
}
