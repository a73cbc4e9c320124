//! Reads the ledger of rejected games that an earlier import wrote.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
};

use pgn_import::{Input, Reject, Source};

use crate::AppError;

/// Reads a ledger, compressed or not.
pub fn read_ledger(path: &Path) -> Result<Vec<Reject>, AppError> {
    let fail = |reason: String| AppError::Ledger {
        path: path.to_owned(),
        reason,
    };
    let source = Source::open(&Input::Path(path.to_owned())).map_err(|e| fail(e.to_string()))?;
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
