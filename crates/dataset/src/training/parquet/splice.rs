//! Row groups of one file taken over into another, byte for byte.

use std::{fs::File, path::Path};

use ::parquet::{
    column::writer::ColumnCloseResult,
    errors::ParquetError,
    file::{reader::FileReader as _, writer::SerializedFileWriter},
};

use crate::{output::Output, pages};

/// Appends all row groups of `part` without decoding them; gives the rows.
pub(crate) fn splice(file: &mut SerializedFileWriter<Output>, part: &Path) -> Result<u64, ParquetError> {
    let input = File::open(part)?;
    let reader = pages::open(input.try_clone()?)?;
    let mut rows = 0;
    for group in reader.metadata().row_groups() {
        let mut copy = file.next_row_group()?;
        for column in group.columns() {
            let close = ColumnCloseResult {
                bytes_written: u64::try_from(column.compressed_size()).unwrap_or(0),
                rows_written: u64::try_from(group.num_rows()).unwrap_or(0),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            copy.append_column(&input, close)?;
        }
        copy.close()?;
        rows += u64::try_from(group.num_rows()).unwrap_or(0);
    }
    Ok(rows)
}
