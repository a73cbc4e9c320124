//! Rows as a Parquet file: flat columns and lists of strings.

mod buffer;
mod reader;

use std::{io, sync::Arc};

use ::parquet::{
    basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel},
    errors::ParquetError,
    file::{metadata::KeyValue, properties::WriterProperties, writer::SerializedFileWriter},
    schema::types::{Type, TypePtr},
};

pub use self::reader::TableReader;

use self::buffer::ColumnBuffer;
use super::{Column, Kind, Value};
use crate::output::Output;

/// The key in a Parquet file's metadata under which [`VERSION`] stands.
pub const VERSION_KEY: &str = "tabiya.table.version";

/// The version of the way tables are laid out in Parquet.
pub const VERSION: &str = "1";

const CREATED_BY: &str = concat!("tabiya-dataset version ", env!("CARGO_PKG_VERSION"));

/// When the buffered rows become a row group, whichever comes first. This bounds the memory of writer and reader.
#[derive(Clone, Copy, Debug)]
struct Limits {
    rows: usize,
    bytes: usize,
}

const LIMITS: Limits = Limits {
    rows: 100_000,
    bytes: 64 << 20,
};

#[derive(Debug)]
pub(super) struct ParquetTable {
    file: SerializedFileWriter<Output>,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    bytes: usize,
    limits: Limits,
}

impl ParquetTable {
    pub(super) fn new(columns: &[Column], output: Output) -> io::Result<ParquetTable> {
        ParquetTable::with_limits(columns, output, LIMITS)
    }

    fn with_limits(columns: &[Column], output: Output, limits: Limits) -> io::Result<ParquetTable> {
        let file = open(columns, output).map_err(into_io)?;
        let columns = columns.iter().map(|column| ColumnBuffer::new(column.kind)).collect();
        Ok(ParquetTable {
            file,
            columns,
            rows: 0,
            bytes: 0,
            limits,
        })
    }

    pub(super) fn write(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(row) {
            self.bytes += column.push(value);
        }
        self.rows += 1;
        if self.rows >= self.limits.rows || self.bytes >= self.limits.bytes {
            self.write_row_group().map_err(into_io)?;
        }
        Ok(())
    }

    pub(super) fn describe(&mut self, key: &str, value: String) {
        self.file
            .append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    pub(super) fn finish(mut self) -> io::Result<Output> {
        if self.rows > 0 {
            self.write_row_group().map_err(into_io)?;
        }
        // Not `into_inner`, which turns an I/O error of the last flush into text, and with it a full disk into
        // a riddle.
        self.file.finish().map_err(into_io)?;
        self.file.inner().try_clone()
    }

    fn write_row_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let mut writer = group
                .next_column()?
                .ok_or_else(|| ParquetError::General("the schema has fewer columns than the table".into()))?;
            column.write_to(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        self.bytes = 0;
        Ok(())
    }
}

fn open(columns: &[Column], output: Output) -> Result<SerializedFileWriter<Output>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(CREATED_BY.to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned())]))
        .build();
    SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    match column.kind {
        Kind::U64 => integer(column.name, Physical::INT64, 64),
        Kind::U32 => integer(column.name, Physical::INT32, 32),
        Kind::OptionalI32 => plain(column.name, Physical::INT32, Repetition::OPTIONAL),
        Kind::OptionalF64 => plain(column.name, Physical::DOUBLE, Repetition::OPTIONAL),
        Kind::Bool => plain(column.name, Physical::BOOLEAN, Repetition::REQUIRED),
        Kind::Text => text(column.name, Repetition::REQUIRED),
        Kind::OptionalText => text(column.name, Repetition::OPTIONAL),
        Kind::TextList => text_list(column.name),
    }
}

fn plain(name: &str, physical: Physical, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .build()
        .map(Arc::new)
}

fn integer(name: &str, physical: Physical, bits: i8) -> Result<TypePtr, ParquetError> {
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::integer(bits, false)))
        .build()
        .map(Arc::new)
}

fn text(name: &str, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(repetition)
        .with_logical_type(Some(LogicalType::String))
        .build()
        .map(Arc::new)
}

/// The three levels that the format's specification asks for, under the names it gives them.
fn text_list(name: &str) -> Result<TypePtr, ParquetError> {
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![text("element", Repetition::REQUIRED)?])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
        .map(Arc::new)
}

/// The I/O error inside where there is one, so that its kind is not lost.
pub(crate) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests;
