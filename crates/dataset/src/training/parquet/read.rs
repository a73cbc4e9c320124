//! Reads training positions out of Parquet, whoever wrote them.

use std::{collections::VecDeque, fs::File};

use ::parquet::{
    basic::{ConvertedType, LogicalType, Type as Physical},
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{ByteArray, DataType},
    errors::ParquetError,
    file::reader::FileReader,
};
use tabiya_chess::{Variant, from_compact, from_packed, from_uci, parse_fen_with_mode};

use super::FEN_KEY;
use crate::{
    pages,
    training::{FenFormat, Sample, text},
};

/// A text longer than this is no position, no move and no name of a game. It may stand in the file once and be of every row; each sample, and
/// each error that quoted it, would have a copy.
const LONGEST_TEXT: usize = 512;

/// Columns, in the order in which they are read.
const NUMBERS: [&str; 5] = ["score", "ply", "elo_avg", "result", "depth"];
const TEXTS: [&str; 4] = ["fen", "move", "game_id", "variant"];

/// The samples of a file, one after the other.
pub(crate) struct ParquetSamples {
    file: pages::Reader,
    fen: FenFormat,
    numbers: [Option<usize>; 5],
    texts: [Option<usize>; 4],
    group: usize,
    chunks: Option<Chunks>,
    ready: VecDeque<Result<Sample, String>>,
}

struct Chunks {
    left: usize,
    numbers: [Option<ColumnReader>; 5],
    texts: [Option<ColumnReader>; 4],
}

impl ParquetSamples {
    pub(crate) fn open(file: File, fen: Option<FenFormat>) -> Result<ParquetSamples, String> {
        let file = pages::open(file).map_err(|error| error.to_string())?;
        let meta = file.metadata().file_metadata();
        let schema = meta.schema_descr();
        let place = |name: &str| (0..schema.num_columns()).find(|at| schema.column(*at).path().string() == name);
        let texts = TEXTS.map(place);
        let numbers = NUMBERS.map(place);
        let Some(fen_column) = texts[0] else {
            return Err("it has no column `fen`".to_owned());
        };
        for (at, wanted) in texts
            .iter()
            .flatten()
            .map(|at| (*at, Physical::BYTE_ARRAY))
            .chain(numbers.iter().flatten().map(|at| (*at, Physical::INT32)))
        {
            let column = schema.column(at);
            let long = wanted == Physical::INT32 && column.physical_type() == Physical::INT64;
            if (column.physical_type() != wanted && !long) || column.max_rep_level() > 0 || column.max_def_level() > 1 {
                let (name, kind) = (column.name().to_owned(), column.physical_type());
                return Err(format!(
                    "its column `{name}` is {kind}, which is not how positions are written"
                ));
            }
        }
        let said = meta
            .key_value_metadata()
            .and_then(|pairs| pairs.iter().find(|pair| pair.key == FEN_KEY))
            .and_then(|pair| pair.value.as_deref())
            .and_then(|name| name.parse().ok());
        let column = schema.column(fen_column);
        let is_text = matches!(column.logical_type_ref(), Some(LogicalType::String))
            || column.converted_type() == ConvertedType::UTF8;
        // Engines that rewrite a file keep its columns and lose what it says of itself.
        let guessed = if is_text { FenFormat::Text } else { FenFormat::Packed };
        Ok(ParquetSamples {
            fen: fen.or(said).unwrap_or(guessed),
            file,
            numbers,
            texts,
            group: 0,
            chunks: None,
            ready: VecDeque::new(),
        })
    }

    /// Those of the groups, which are what is read. The file says a number of its own, too.
    pub(crate) fn rows(&self) -> u64 {
        let groups = self.file.metadata().row_groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        rows.fold(0, u64::saturating_add)
    }

    pub(crate) fn fen(&self) -> FenFormat {
        self.fen
    }

    pub(crate) fn has_variants(&self) -> bool {
        self.texts[3].is_some()
    }

    /// The next sample; the outer error is about the file, the inner one about a row.
    pub(crate) fn next(&mut self) -> Result<Option<Result<Sample, String>>, String> {
        while self.ready.is_empty() {
            if !self.decode().map_err(|error| error.to_string())? {
                return Ok(None);
            }
        }
        Ok(self.ready.pop_front())
    }

    fn decode(&mut self) -> Result<bool, ParquetError> {
        let chunks = match &mut self.chunks {
            Some(chunks) if chunks.left > 0 => chunks,
            _ if self.group == self.file.num_row_groups() => return Ok(false),
            _ => {
                let group = self.file.get_row_group(self.group)?;
                self.group += 1;
                let room = pages::Room::default();
                let open = |place: Option<usize>| place.map(|at| pages::open_column(&*group, at, &room)).transpose();
                let mut chunks = Chunks {
                    left: usize::try_from(group.metadata().num_rows()).unwrap_or(0),
                    numbers: [const { None }; 5],
                    texts: [const { None }; 4],
                };
                for (slot, place) in chunks.numbers.iter_mut().zip(self.numbers) {
                    *slot = open(place)?;
                }
                for (slot, place) in chunks.texts.iter_mut().zip(self.texts) {
                    *slot = open(place)?;
                }
                self.chunks.insert(chunks)
            }
        };
        let rows = chunks.left.min(pages::BATCH);
        if rows == 0 {
            return Ok(true);
        }
        chunks.left -= rows;
        let mut numbers: [Vec<Option<i64>>; 5] = Default::default();
        for (values, reader) in numbers.iter_mut().zip(&mut chunks.numbers) {
            *values = match reader {
                None => vec![None; rows],
                Some(ColumnReader::Int32ColumnReader(reader)) => read(reader, rows, |value| i64::from(*value))?,
                Some(ColumnReader::Int64ColumnReader(reader)) => read(reader, rows, |value| *value)?,
                Some(_) => return Err(ParquetError::General("a column changed its type".to_owned())),
            };
        }
        let mut texts: [Vec<Option<ByteArray>>; 4] = Default::default();
        for (values, reader) in texts.iter_mut().zip(&mut chunks.texts) {
            *values = match reader {
                None => vec![None; rows],
                Some(ColumnReader::ByteArrayColumnReader(reader)) => read(reader, rows, ByteArray::clone)?,
                Some(_) => return Err(ParquetError::General("a column changed its type".to_owned())),
            };
        }
        for row in 0..rows {
            let numbers = [0, 1, 2, 3, 4].map(|column: usize| numbers[column][row]);
            let texts = [0, 1, 2, 3].map(|column: usize| texts[column][row].as_ref().map(ByteArray::data));
            self.ready.push_back(sample(self.fen, numbers, texts));
        }
        Ok(true)
    }
}

fn read<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    convert: impl Fn(&T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (values, defined) = pages::read_rows(reader, rows)?;
    let mut values = values.iter().map(convert);
    if defined.is_empty() {
        return Ok(values.map(Some).collect());
    }
    Ok(defined
        .iter()
        .map(|level| if *level > 0 { values.next() } else { None })
        .collect())
}

fn sample(fen: FenFormat, numbers: [Option<i64>; 5], texts: [Option<&[u8]>; 4]) -> Result<Sample, String> {
    let text = |bytes: &[u8]| {
        str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| "a text is not UTF-8".to_owned())
    };
    for (name, cell) in TEXTS.iter().zip(texts) {
        if let Some(length) = cell.map(<[u8]>::len).filter(|length| *length > LONGEST_TEXT) {
            return Err(format!("its {name} has {length} bytes, {LONGEST_TEXT} are allowed"));
        }
    }
    let bytes = texts[0].ok_or("it has no position")?;
    let variant: Option<Variant> = match texts[3] {
        None => None,
        Some(name) => Some(
            text(name)?
                .parse()
                .map_err(|error: tabiya_chess::OtherVariant| error.to_string())?,
        ),
    };
    let mode = variant.unwrap_or_default().castling_mode();
    let mut found = match fen {
        FenFormat::Packed => {
            let position = from_packed(bytes, mode).map_err(|error| error.to_string())?;
            Sample::bare(position, variant.unwrap_or_default())
        }
        FenFormat::Compact => {
            let (position, said) = from_compact(bytes).map_err(|error| error.to_string())?;
            Sample::bare(position, said)
        }
        FenFormat::Text => match variant {
            None => text::position(&text(bytes)?)?,
            Some(variant) => {
                let start = parse_fen_with_mode(&text(bytes)?, mode).map_err(|why| why.to_string())?;
                Sample::bare(start.position, variant)
            }
        },
    };
    let [score, ply, elo_avg, result, depth] = numbers;
    let too_large = |name: &str| format!("its {name} is out of range");
    found.score = score.map(i32::try_from).transpose().map_err(|_| too_large("score"))?;
    found.ply = ply.map(u16::try_from).transpose().map_err(|_| too_large("ply"))?;
    found.elo_avg = elo_avg
        .map(u16::try_from)
        .transpose()
        .map_err(|_| too_large("rating"))?;
    found.depth = depth.map(u8::try_from).transpose().map_err(|_| too_large("depth"))?;
    found.result = match result {
        None => None,
        Some(result @ -1..=1) => Some(result as i8),
        Some(other) => return Err(format!("{other} is no result")),
    };
    if let Some(uci) = texts[1] {
        let uci = text(uci)?;
        found.played = Some(from_uci(&found.position, &uci).map_err(|why| why.to_string())?);
    }
    if let Some(id) = texts[2] {
        found.game_id = text(id)?;
    }
    Ok(found)
}
