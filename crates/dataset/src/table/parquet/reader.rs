//! Reads flat Parquet tables back, whoever has written them.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use ::parquet::{
    basic::{ConvertedType, LogicalType, Type as Physical},
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{ByteArray, DataType},
    errors::ParquetError,
    file::reader::FileReader,
    schema::types::ColumnDescriptor,
};

use super::into_io;
use crate::{
    pages,
    table::{Column, Kind, TableError},
};

/// A text that is longer is none of a table of ours. It may stand in the file once and be of every row, and whoever keeps rows would have
/// as many copies.
const LONGEST_TEXT: usize = 1 << 16;

/// Reads the rows of a Parquet table one after the other.
///
/// Columns are found by name and may stand in any order, beside others. Integers may be of 32 or 64 bits, signed or not,
/// and a column may allow nulls as long as it has none: engines that rewrite a table change all that.
pub struct TableReader {
    file: pages::Reader,
    path: PathBuf,
    columns: Vec<Source>,
    /// The next row group.
    group: usize,
    /// Rows of this group that have not been decoded.
    left: usize,
    /// Rows decoded, and where among them the cursor stands; it begins before the first.
    decoded: usize,
    at: Option<usize>,
    rows: u64,
}

/// A column, its place in the file and its decoded values.
struct Source {
    column: Column,
    place: usize,
    unsigned: bool,
    chunk: Option<ColumnReader>,
    values: Values,
}

#[derive(Default)]
struct Values {
    numbers: Vec<u64>,
    texts: Vec<ByteArray>,
}

impl TableReader {
    /// Opens a table that has at least these columns, of kinds [`U64`](Kind::U64), [`U32`](Kind::U32) and
    /// [`Text`](Kind::Text).
    ///
    /// # Errors
    ///
    /// [`TableError::NotATable`] for what is not Parquet or lacks a column, [`TableError::Io`] for what cannot be read.
    pub fn open(path: impl AsRef<Path>, columns: &[Column]) -> Result<TableReader, TableError> {
        let path = path.as_ref();
        let unreadable = |error| TableError::io("read", path, error);
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(unreadable(io::ErrorKind::IsADirectory.into()));
        }
        let file = pages::open(file).map_err(|error| broken(path, error))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let find = |column: &Column| {
            let found = (0..schema.num_columns()).find(|place| schema.column(*place).path().string() == column.name);
            let place = found.ok_or_else(|| not_a_table(path, format!("it has no column `{}`", column.name)))?;
            let described = schema.column(place);
            check_kind(column, &described).map_err(|why| not_a_table(path, why))?;
            Ok(Source {
                column: *column,
                place,
                unsigned: is_unsigned(&described),
                chunk: None,
                values: Values::default(),
            })
        };
        let columns = columns.iter().map(find).collect::<Result<_, TableError>>()?;
        Ok(TableReader {
            file,
            path: path.to_owned(),
            columns,
            group: 0,
            left: 0,
            decoded: 0,
            at: None,
            rows: 0,
        })
    }

    /// What the file says of itself under `key`.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
    }

    /// Goes to the next row; `false` behind the last one.
    ///
    /// # Errors
    ///
    /// [`TableError::BadRow`] for a null or a number out of range, [`TableError::NotATable`] for a damaged file.
    pub fn advance(&mut self) -> Result<bool, TableError> {
        let next = self.at.map_or(0, |at| at + 1);
        if next < self.decoded {
            self.at = Some(next);
            self.rows += 1;
            return Ok(true);
        }
        while self.left == 0 {
            if self.group == self.file.metadata().num_row_groups() {
                return Ok(false);
            }
            self.open_group().map_err(|error| broken(&self.path, error))?;
        }
        self.decode()?;
        self.at = Some(0);
        self.rows += 1;
        Ok(true)
    }

    /// The number of the row at hand, counted from 1.
    pub fn row(&self) -> u64 {
        self.rows
    }

    /// A number of the row at hand; `column` counts as in [`open`](TableReader::open).
    pub fn number(&self, column: usize) -> u64 {
        self.columns[column].values.numbers[self.at.unwrap_or(0)]
    }

    /// A text of the row at hand.
    ///
    /// # Errors
    ///
    /// [`TableError::BadRow`] where it is not UTF-8, or longer than any text of ours.
    pub fn text(&self, column: usize) -> Result<&str, TableError> {
        let Source { column, values, .. } = &self.columns[column];
        let bytes = values.texts[self.at.unwrap_or(0)].data();
        if bytes.len() > LONGEST_TEXT {
            let (name, length) = (column.name, bytes.len());
            return Err(self.bad(
                self.rows,
                format!("`{name}` has {length} bytes, {LONGEST_TEXT} are allowed"),
            ));
        }
        str::from_utf8(bytes).map_err(|_| self.bad(self.rows, format!("`{}` is not UTF-8", column.name)))
    }

    fn open_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.group)?;
        let room = pages::Room::default();
        for source in &mut self.columns {
            // Pieces of pages of the group before, which that one's room was for.
            source.values.texts.clear();
            source.chunk = Some(pages::open_column(&*group, source.place, &room)?);
        }
        self.left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        self.group += 1;
        Ok(())
    }

    fn decode(&mut self) -> Result<(), TableError> {
        let rows = self.left.min(pages::BATCH);
        for source in &mut self.columns {
            source.values.numbers.clear();
            source.values.texts.clear();
            let got = source.read(rows).map_err(|error| broken(&self.path, error))?;
            if got < rows {
                let row = self.rows + got as u64 + 1;
                let why = format!("`{}` has no value", source.column.name);
                return Err(self.bad(row, why));
            }
            if let Some(at) = source.first_out_of_range() {
                let row = self.rows + at as u64 + 1;
                let why = format!("`{}` does not fit {}", source.column.name, source.column.kind);
                return Err(self.bad(row, why));
            }
        }
        self.left -= rows;
        self.decoded = rows;
        Ok(())
    }

    fn bad(&self, row: u64, reason: String) -> TableError {
        TableError::BadRow {
            path: self.path.clone(),
            row,
            reason,
        }
    }
}

impl std::fmt::Debug for TableReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableReader")
            .field("path", &self.path)
            .field("row", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Decodes `rows` values and answers how many stand before the first null.
    fn read(&mut self, rows: usize) -> Result<usize, ParquetError> {
        let Values { numbers, texts } = &mut self.values;
        match self.chunk.as_mut() {
            Some(ColumnReader::Int32ColumnReader(chunk)) if self.unsigned => {
                read_all(chunk, rows, |value| numbers.push(u64::from(value.cast_unsigned())))
            }
            // What is negative becomes too large for any column.
            Some(ColumnReader::Int32ColumnReader(chunk)) => {
                read_all(chunk, rows, |value| numbers.push(i64::from(value).cast_unsigned()))
            }
            Some(ColumnReader::Int64ColumnReader(chunk)) => {
                read_all(chunk, rows, |value| numbers.push(value.cast_unsigned()))
            }
            Some(ColumnReader::ByteArrayColumnReader(chunk)) => read_all(chunk, rows, |value| texts.push(value)),
            _ => Err(ParquetError::General("a column changed its type".to_owned())),
        }
    }

    fn first_out_of_range(&self) -> Option<usize> {
        let most = match self.column.kind {
            Kind::U32 => u64::from(u32::MAX),
            _ if self.unsigned => u64::MAX,
            _ => i64::MAX.cast_unsigned(),
        };
        self.values.numbers.iter().position(|number| *number > most)
    }
}

/// Reads `rows` values and answers how many stand before the first null.
fn read_all<T: DataType>(
    chunk: &mut ColumnReaderImpl<T>,
    rows: usize,
    each: impl FnMut(T::T),
) -> Result<usize, ParquetError> {
    let (values, defined) = pages::read_rows(chunk, rows)?;
    let whole = defined.iter().position(|level| *level == 0).unwrap_or(rows);
    values.into_iter().for_each(each);
    Ok(whole)
}

fn check_kind(column: &Column, found: &ColumnDescriptor) -> Result<(), String> {
    let physical = found.physical_type();
    let scaled = matches!(found.logical_type_ref(), Some(LogicalType::Decimal(_)))
        || found.converted_type() == ConvertedType::DECIMAL;
    let fits = match column.kind {
        Kind::U64 | Kind::U32 => matches!(physical, Physical::INT32 | Physical::INT64) && !scaled,
        Kind::Text => physical == Physical::BYTE_ARRAY,
        Kind::OptionalI32 | Kind::OptionalF64 | Kind::Bool | Kind::OptionalText | Kind::TextList => false,
    };
    if found.max_rep_level() > 0 || found.max_def_level() > 1 {
        return Err(format!("its column `{}` is nested", column.name));
    }
    if fits {
        return Ok(());
    }
    let kind = if scaled {
        "a decimal".to_owned()
    } else {
        physical.to_string()
    };
    Err(format!("its column `{}` is {kind}, not {}", column.name, column.kind))
}

/// Newer writers say it by the logical type, older ones by the converted type.
fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType as C;
    matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed)
        || matches!(
            column.converted_type(),
            C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64
        )
}

fn not_a_table(path: &Path, reason: String) -> TableError {
    TableError::NotATable {
        path: path.to_owned(),
        reason,
    }
}

/// What the operating system refuses is its own; anything else is wrong with the file.
fn broken(path: &Path, error: ParquetError) -> TableError {
    let error = into_io(error);
    match error.raw_os_error() {
        Some(_) => TableError::io("read", path, error),
        None => not_a_table(path, error.to_string()),
    }
}

#[cfg(test)]
mod tests;
