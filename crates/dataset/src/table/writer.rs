//! The one way in: a writer that hides the format.

use std::{
    io,
    path::{Path, PathBuf},
};

#[cfg(feature = "parquet")]
use super::parquet::ParquetTable;
use super::{
    Column, TableError, TableFormat, Value,
    json_lines::{JsonLines, Sink},
};
use crate::{output::Output, whole_file::Place};

/// What a finished table amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Summary {
    /// How many rows it has.
    pub rows: u64,
    /// How large the file is.
    pub bytes: u64,
}

/// Writes one table, row by row.
///
/// Until [`finish`](TableWriter::finish) it is a [`WholeFile`](crate::WholeFile) that waits: dropping the writer leaves the
/// target as it was. A device or a pipe (`/dev/stdout`, a FIFO) is written to straight away.
#[derive(Debug)]
pub struct TableWriter {
    // Before `place`, so that the file is closed before it is removed.
    encoder: Encoder,
    place: Place,
    path: PathBuf,
    columns: Box<[Column]>,
    rows: u64,
    failed: bool,
}

impl TableWriter {
    /// Starts a table in the format that the path's extension asks for. Missing directories are created.
    ///
    /// # Errors
    ///
    /// Everything that can be known before the first row: a format not written here, a directory as target,
    /// missing permissions, columns without names of their own.
    pub fn create(path: impl AsRef<Path>, columns: &[Column]) -> Result<TableWriter, TableError> {
        let path = path.as_ref();
        let format = TableFormat::from_path(path)?;
        check_columns(path, columns)?;
        let (output, place) = Place::open(path, true)?;
        let encoder = Encoder::new(format, columns, output).map_err(|e| TableError::io("write", path, e))?;
        Ok(TableWriter {
            encoder,
            place,
            path: path.to_owned(),
            columns: columns.into(),
            rows: 0,
            failed: false,
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many rows have been written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends a row: one value for each column, in their order.
    ///
    /// # Errors
    ///
    /// [`TableError::Row`] when the values do not fit the columns; the row is left out and the table stays sound.
    /// After a [`TableError::Io`] the table cannot be finished any more.
    pub fn write(&mut self, row: &[Value<'_>]) -> Result<(), TableError> {
        self.check_row(row)?;
        if self.failed {
            return Err(self.abandoned());
        }
        self.encoder.write(row).map_err(|error| {
            self.failed = true;
            TableError::io("write", &self.path, error)
        })?;
        self.rows += 1;
        Ok(())
    }

    /// Says something about the whole table: a key and a value in the metadata of a Parquet file. JSON lines have no
    /// place for it, and there it is left out.
    pub fn describe(&mut self, key: &str, value: impl Into<String>) {
        self.encoder.describe(key, value.into());
    }

    /// Completes the table and puts it in place of whatever was there.
    ///
    /// # Errors
    ///
    /// When the rest cannot be written or the file cannot be renamed; then the target is as it was.
    pub fn finish(self) -> Result<Summary, TableError> {
        if self.failed {
            return Err(self.abandoned());
        }
        let TableWriter {
            encoder,
            place,
            path,
            rows,
            ..
        } = self;
        let output = encoder.finish().map_err(|e| TableError::io("write", &path, e))?;
        let bytes = place.commit(output).map_err(|e| TableError::io("complete", &path, e))?;
        Ok(Summary { rows, bytes })
    }

    fn abandoned(&self) -> TableError {
        TableError::Abandoned {
            path: self.path.clone(),
        }
    }

    fn check_row(&self, row: &[Value<'_>]) -> Result<(), TableError> {
        let refuse = |reason| {
            Err(TableError::Row {
                path: self.path.clone(),
                row: self.rows + 1,
                reason,
            })
        };
        if row.len() != self.columns.len() {
            return refuse(format!("{} values for {} columns", row.len(), self.columns.len()));
        }
        match self
            .columns
            .iter()
            .zip(row)
            .find(|(column, value)| column.kind != value.kind())
        {
            None => Ok(()),
            Some((column, value)) => refuse(format!("`{}` is {}, not {}", column.name, column.kind, value.kind())),
        }
    }
}

fn check_columns(path: &Path, columns: &[Column]) -> Result<(), TableError> {
    let refuse = |reason| {
        Err(TableError::Columns {
            path: path.to_owned(),
            reason,
        })
    };
    if columns.is_empty() {
        return refuse("there are none".to_owned());
    }
    for (index, column) in columns.iter().enumerate() {
        if column.name.is_empty() {
            return refuse(format!("column {} has no name", index + 1));
        }
        if columns[..index].iter().any(|earlier| earlier.name == column.name) {
            return refuse(format!("`{}` is there twice", column.name));
        }
    }
    Ok(())
}

#[derive(Debug)]
enum Encoder {
    JsonLines(JsonLines),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetTable>),
}

impl Encoder {
    fn new(format: TableFormat, columns: &[Column], output: Output) -> io::Result<Encoder> {
        let sink = match format {
            TableFormat::JsonLines => Sink::plain(output),
            TableFormat::JsonLinesZstd => Sink::zstd(output)?,
            TableFormat::JsonLinesGzip => Sink::gzip(output),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                return Ok(Encoder::Parquet(Box::new(ParquetTable::new(columns, output)?)));
            }
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => return Err(io::ErrorKind::Unsupported.into()),
        };
        JsonLines::new(columns, sink).map(Encoder::JsonLines)
    }

    fn write(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        match self {
            Encoder::JsonLines(lines) => lines.write(row),
            #[cfg(feature = "parquet")]
            Encoder::Parquet(table) => table.write(row),
        }
    }

    fn describe(&mut self, key: &str, value: String) {
        match self {
            Encoder::JsonLines(_) => {}
            #[cfg(feature = "parquet")]
            Encoder::Parquet(table) => table.describe(key, value),
        }
    }

    fn finish(self) -> io::Result<Output> {
        match self {
            Encoder::JsonLines(lines) => lines.finish(),
            #[cfg(feature = "parquet")]
            Encoder::Parquet(table) => table.finish(),
        }
    }
}
