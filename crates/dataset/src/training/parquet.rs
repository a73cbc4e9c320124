//! Training positions as Parquet: a row group for each group of samples.

mod column;
mod read;
mod splice;

use std::sync::Arc;

use ::parquet::{
    basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, DataType, Int32Type},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type, TypePtr},
};
use tabiya_chess::{to_uci, write_compact, write_full_fen, write_packed};

pub(super) use read::ParquetSamples;
pub(super) use splice::splice;

use self::column::{Bytes, Numbers};
use super::{FenFormat, Layout, Sample};
use crate::output::Output;

/// Keys of the file's metadata.
pub(super) const VERSION_KEY: &str = "tabiya.positions.version";
pub(super) const FEN_KEY: &str = "tabiya.positions.fen_format";

/// The version of the way positions are laid out.
const VERSION: &str = "1";

const CREATED_BY: &str = concat!("tabiya-dataset version ", env!("CARGO_PKG_VERSION"));

pub(super) fn open(layout: Layout, output: Output) -> Result<SerializedFileWriter<Output>, ParquetError> {
    let fields = schema(layout)?;
    let schema = Type::group_type_builder("position").with_fields(fields).build()?;
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        // Of pages they would be of no use: nobody looks for a score in the middle of a row group.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_created_by(CREATED_BY.to_owned())
        .set_key_value_metadata(Some(vec![
            KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned()),
            KeyValue::new(FEN_KEY.to_owned(), layout.fen.as_str().to_owned()),
        ]));
    // Every position and every game is another: a dictionary would be built and thrown away.
    for unique in ["fen", "game_id"] {
        properties = properties
            .set_column_dictionary_enabled(ColumnPath::from(unique), false)
            .set_column_statistics_enabled(ColumnPath::from(unique), EnabledStatistics::None);
    }
    SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties.build()))
}

fn schema(layout: Layout) -> Result<Vec<TypePtr>, ParquetError> {
    let mut fields = vec![
        match layout.fen {
            FenFormat::Text => bytes("fen", Repetition::REQUIRED, Some(LogicalType::String))?,
            FenFormat::Packed | FenFormat::Compact => bytes("fen", Repetition::REQUIRED, None)?,
        },
        number("score", 32)?,
        number("ply", 16)?,
        number("elo_avg", 16)?,
        number("result", 8)?,
        number("depth", 8)?,
        bytes("move", Repetition::OPTIONAL, Some(LogicalType::String))?,
        bytes("game_id", Repetition::REQUIRED, Some(LogicalType::String))?,
    ];
    if layout.variants {
        fields.push(bytes("variant", Repetition::REQUIRED, Some(LogicalType::String))?);
    }
    Ok(fields)
}

fn bytes(name: &str, repetition: Repetition, logical: Option<LogicalType>) -> Result<TypePtr, ParquetError> {
    Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
        .map(Arc::new)
}

fn number(name: &str, bits: i8) -> Result<TypePtr, ParquetError> {
    Type::primitive_type_builder(name, Physical::INT32)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::integer(bits, true)))
        .build()
        .map(Arc::new)
}

/// Writes a row group.
pub(super) fn write_group(
    file: &mut SerializedFileWriter<Output>,
    layout: Layout,
    samples: &[Sample],
) -> Result<(), ParquetError> {
    if samples.is_empty() {
        return Ok(());
    }
    let mut group = file.next_row_group()?;
    let mut text = String::new();
    let mut fens = Bytes::with_capacity(samples.len(), 26);
    for sample in samples {
        match layout.fen {
            FenFormat::Packed => fens.push(|out| write_packed(&sample.position, out)),
            FenFormat::Compact => fens.push(|out| write_compact(&sample.position, sample.variant, out)),
            FenFormat::Text => {
                text.clear();
                write_full_fen(&sample.position, &mut text);
                fens.push(|out| out.extend_from_slice(text.as_bytes()));
            }
        }
    }
    put::<ByteArrayType>(&mut group, &fens.take(), None)?;
    let columns: [fn(&Sample) -> Option<i32>; 5] = [
        |sample| sample.score,
        |sample| sample.ply.map(|ply| i32::from(ply.min(i16::MAX as u16))),
        |sample| sample.elo_avg.map(|elo| i32::from(elo.min(i16::MAX as u16))),
        |sample| sample.result.map(i32::from),
        |sample| sample.depth.map(|depth| i32::from(depth.min(i8::MAX as u8))),
    ];
    for value in columns {
        let numbers: Numbers = samples.iter().map(value).collect();
        put::<Int32Type>(&mut group, &numbers.values, Some(&numbers.defined))?;
    }
    let mut moves = Bytes::with_capacity(samples.len(), 5);
    let mut defined = Vec::with_capacity(samples.len());
    for sample in samples {
        defined.push(i16::from(sample.played.is_some()));
        if let Some(m) = sample.played {
            moves.push(|out| out.extend_from_slice(to_uci(&sample.position, m).as_bytes()));
        }
    }
    put::<ByteArrayType>(&mut group, &moves.take(), Some(&defined))?;
    let mut games = Bytes::with_capacity(samples.len(), 16);
    for sample in samples {
        games.push(|out| out.extend_from_slice(sample.game_id.as_bytes()));
    }
    put::<ByteArrayType>(&mut group, &games.take(), None)?;
    if layout.variants {
        let names: Vec<ByteArray> = samples
            .iter()
            .map(|sample| ByteArray::from(sample.variant.as_str()))
            .collect();
        put::<ByteArrayType>(&mut group, &names, None)?;
    }
    group.close()?;
    Ok(())
}

fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    values: &[T::T],
    defined: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("the schema has fewer columns than a position".to_owned()))?;
    column.typed::<T>().write_batch(values, defined, None)?;
    column.close()
}
