//! Reads the ledger of rejected games that an earlier import wrote.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read},
    path::Path,
};

use pgn_import::{Input, Reject, RejectOutcome, Source};
use tabiya_dataset::table::{TableError, TableFormat, TableReader};

use super::outputs::REJECTS;
use crate::AppError;

/// Reads a ledger in whatever format its name says, as it was written.
pub fn read_ledger(path: &Path) -> Result<Vec<Reject>, AppError> {
    let fail = |reason: String| AppError::Ledger {
        path: path.to_owned(),
        reason,
    };
    let told = |error: io::Error| match error.kind() {
        // As everywhere else, and not in the system's own words.
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        _ => error.to_string(),
    };
    if matches!(TableFormat::from_path(path), Ok(TableFormat::Parquet)) {
        return read_table(path).map_err(|error| match error {
            TableError::NotATable { reason, .. } => fail(reason),
            TableError::Io { source, .. } if source.kind() == ErrorKind::NotFound => fail(told(source)),
            other => other.into(),
        });
    }
    let source = Source::open(&Input::Path(path.to_owned())).map_err(|e| fail(told(e)))?;
    let reader: Box<dyn Read> = Box::new(source);
    BufReader::new(reader)
        .lines()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Ok(text) if text.trim().is_empty()))
        .map(|(number, line)| {
            let line = line.map_err(|e| fail(e.to_string()))?;
            serde_json::from_str(&line)
                .map_err(|e| fail(format!("line {} is not a line of a reject ledger: {e}", number + 1)))
        })
        .collect()
}

fn read_table(path: &Path) -> Result<Vec<Reject>, TableError> {
    let mut table = TableReader::open(path, &REJECTS)?;
    let mut rejects = Vec::new();
    while table.advance()? {
        let text = |column| table.text(column).map(str::to_owned);
        rejects.push(Reject {
            source: text(0)?,
            game_index: table.number(1),
            byte_offset: table.number(2),
            error_offset: table.number(3),
            // Only where a game stands decides what is read again.
            outcome: match table.text(4)? {
                "truncated" => RejectOutcome::Truncated,
                _ => RejectOutcome::Rejected,
            },
            ply: table.number(5) as u32,
            san: text(6)?,
            fen: text(7)?,
            reason: text(8)?,
        });
    }
    Ok(rejects)
}
