//! Parquet files of strangers: opened and unpacked no further than what they say of themselves can be believed.
//!
//! The crate that reads Parquet takes the memory that a page claims before it looks at the page, and that a footer claims before it looks at its columns,
//! takes numbers of its footer for places in the file, and panics at what does not fit together.

mod header;
mod packed;
mod room;
mod schema;

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Seek as _, SeekFrom},
};

use ::parquet::{
    basic::{Encoding, Type as Physical},
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::{ColumnReader, ColumnReaderImpl, get_column_reader},
    },
    data_type::{ByteArray, DataType},
    errors::ParquetError,
    file::{
        metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData},
        reader::{ChunkReader, FileReader as _, Length, RowGroupReader, SerializedFileReader},
        serialized_reader::ReadOptionsBuilder,
    },
    schema::types::SchemaDescPtr,
};
use bytes::Bytes;

pub(crate) use self::room::Room;

use self::{packed::Packed, room::Held};
use crate::caught::caught;

/// Rows that are decoded at a time.
pub(crate) const BATCH: usize = 4096;

/// What a page may have, packed or not. Writers make them of about 1 MB, our own of what one text may need; some put a whole row group into one.
const LARGEST_PAGE: u32 = 128 << 20;

/// Different values that a column chunk may share. Each takes 32 bytes, however short it is; writers stop far below.
const LARGEST_DICTIONARY: u32 = 1 << 21;

/// What the pages may have together of which a batch is decoded, which keeps them for as long as it is there: as many texts as it has of the longest
/// that anybody takes.
const MOST_HELD: u64 = 256 << 20;

/// What all columns of a row group may hold at a time, dictionaries too. Spark makes row groups of 128 MB, pyarrow, polars and DuckDB of a million rows at
/// the most unless they are told otherwise, which is about as much. Of groups that are larger only those pages are held that are being read.
const MOST_TOGETHER: u64 = 512 << 20;

/// A length of a text takes so many bytes once it is unpacked.
const LENGTH: u64 = 4;

/// The head of a page, with the least and the greatest text in it.
const LONGEST_HEADER: usize = 1 << 15;

/// The end of a file: how long its footer is, and four letters.
const END: u64 = 8;

pub(crate) type Reader = SerializedFileReader<Input>;

/// A file of which no page is handed out that is too large to be unpacked.
pub(crate) struct Input(File);

impl Length for Input {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Input {
    type T = BufReader<File>;

    /// Asked for the end of the file once, and for the head of each page from then on: without an index of pages, which is never read, and
    /// in columns that are not nested, nobody looks at a page before its turn.
    fn get_read(&self, start: u64) -> Result<BufReader<File>, ParquetError> {
        let mut file = self.0.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::with_capacity(LONGEST_HEADER, file);
        if start.saturating_add(END) != self.len() {
            check_header(reader.fill_buf()?)?;
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.0.get_bytes(start, length)
    }
}

/// Opens a file whose columns lie where a file has places.
pub(crate) fn open(file: File) -> Result<Reader, ParquetError> {
    let input = Input(file);
    let options = match schema(&input)? {
        // What the footer might say of its columns in another place is not read then.
        Some(schema) => ReadOptionsBuilder::new().with_parquet_schema(schema),
        None => ReadOptionsBuilder::new(),
    };
    let file = unharmed(|| SerializedFileReader::new_with_options(input, options.build()))?;
    check_places(file.metadata())?;
    Ok(file)
}

/// The columns of a file. None where the crate finds no footer that it reads, and says why.
fn schema(input: &Input) -> Result<Option<SchemaDescPtr>, ParquetError> {
    let Some(end) = input.len().checked_sub(END) else {
        return Ok(None);
    };
    let tail = FooterTail::try_from(&*input.get_bytes(end, END as usize)?)?;
    let start = end.checked_sub(tail.metadata_length() as u64);
    let Some(start) = start.filter(|_| !tail.is_encrypted_footer()) else {
        return Ok(None);
    };
    let footer = input.get_bytes(start, tail.metadata_length())?;
    schema::check(&footer).map_err(damaged)?;
    unharmed(|| ParquetMetaDataReader::decode_schema(&footer)).map(Some)
}

/// The values of a column in a group, beside its other columns that have the same room.
pub(crate) fn open_column(
    group: &dyn RowGroupReader,
    column: usize,
    room: &Room,
) -> Result<ColumnReader, ParquetError> {
    let described = group.metadata().schema_descr().column(column);
    let pages = unharmed(|| group.get_column_page_reader(column))?;
    let value = match described.physical_type() {
        Physical::BYTE_ARRAY => size_of::<ByteArray>(),
        _ => size_of::<i64>(),
    };
    let checked = CheckedPages::new(pages, described.max_def_level() > 0, Held::new(room, value as u64));
    Ok(get_column_reader(described, Box::new(checked)))
}

/// The next `rows` values of a column, and for columns that may have nulls a level for each row, 0 where there is none.
pub(crate) fn read_rows<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
    let (mut values, mut defined) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut read = 0;
    while read < rows {
        let (records, ..) = unharmed(|| column.read_records(rows - read, Some(&mut defined), None, &mut values))?;
        if records == 0 {
            return Err(ParquetError::EOF("a column has fewer values than rows".to_owned()));
        }
        read += records;
    }
    Ok((values, defined))
}

fn unharmed<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    caught(read).unwrap_or_else(|| Err(damaged("it does not fit together".to_owned())))
}

fn damaged(why: String) -> ParquetError {
    ParquetError::General(why)
}

fn check_places(file: &ParquetMetaData) -> Result<(), ParquetError> {
    let columns = file.row_groups().iter().flat_map(RowGroupMetaData::columns);
    for column in columns {
        let dictionary = column.dictionary_page_offset().unwrap_or(0);
        let least = column.compressed_size().min(column.data_page_offset()).min(dictionary);
        if least < 0 {
            let name = column.column_path().string();
            return Err(damaged(format!("its column `{name}` lies before its beginning")));
        }
    }
    Ok(())
}

fn check_header(bytes: &[u8]) -> Result<(), ParquetError> {
    let Some(sizes) = header::sizes(bytes) else {
        return Err(damaged("a page has no head that anybody writes".to_owned()));
    };
    let larger = sizes.unpacked.max(sizes.packed);
    if larger > LARGEST_PAGE {
        let (larger, most) = (larger.div_ceil(1 << 20), LARGEST_PAGE >> 20);
        return Err(damaged(format!("a page has {larger} MB, {most} are allowed")));
    }
    Ok(())
}

/// Pages that hold what their heads say, and no more of them than a batch of rows can need, and than there is room for beside other columns.
struct CheckedPages {
    pages: Box<dyn PageReader>,
    /// Whether values may be missing, which each page says before its values.
    has_levels: bool,
    /// Values of the pages handed out since there was last a whole batch of them, and bytes.
    values: u64,
    bytes: u64,
    held: Held,
}

impl CheckedPages {
    fn new(pages: Box<dyn PageReader>, has_levels: bool, held: Held) -> CheckedPages {
        CheckedPages {
            pages,
            has_levels,
            values: 0,
            bytes: 0,
            held,
        }
    }

    fn check(&mut self, page: &mut Page) -> Result<(), ParquetError> {
        let weight = check_page(page, self.has_levels)?;
        if page.is_data_page() {
            if self.values >= BATCH as u64 {
                (self.values, self.bytes) = (0, 0);
                self.held.next_batch();
            }
            self.values += u64::from(page.num_values());
            self.bytes += weight.of_data();
        }
        if self.bytes > MOST_HELD {
            let (values, most) = (self.values, MOST_HELD >> 20);
            return Err(damaged(format!("pages with {values} values have more than {most} MB")));
        }
        if self.held.hold(page, &weight) > MOST_TOGETHER {
            let most = MOST_TOGETHER >> 20;
            return Err(damaged(format!(
                "pages that are read together have more than {most} MB"
            )));
        }
        Ok(())
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let mut page = self.pages.get_next_page()?;
        page.as_mut().map_or(Ok(()), |page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Result<Page, ParquetError>> {
        self.get_next_page().transpose()
    }
}

/// What a page takes when it is read.
#[derive(Debug)]
struct Weight {
    /// Its own bytes.
    bytes: u64,
    /// Values of a dictionary, or lengths of packed texts. Room for all of them is made before the first is read.
    values: u64,
    packed: Option<Packed>,
    /// Of what is copied from one text into the next.
    copied: u64,
}

impl Weight {
    /// All in all, if it is no dictionary.
    fn of_data(&self) -> u64 {
        self.bytes + self.copied + self.values * LENGTH
    }
}

fn check_page(page: &Page, has_levels: bool) -> Result<Weight, ParquetError> {
    let buffer = page.buffer();
    let plain = Weight {
        bytes: buffer.len() as u64,
        values: 0,
        packed: None,
        copied: 0,
    };
    let packed = match page.encoding() {
        _ if page.is_dictionary_page() => {
            return match page.num_values() {
                values if values > LARGEST_DICTIONARY => Err(damaged(format!(
                    "a dictionary has {values} values, {LARGEST_DICTIONARY} are allowed"
                ))),
                values => Ok(Weight {
                    values: values.into(),
                    ..plain
                }),
            };
        }
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Packed::Lengths,
        Encoding::DELTA_BYTE_ARRAY => Packed::Prefixes,
        _ => return Ok(plain),
    };
    let values = u64::from(page.num_values());
    let texts = behind_levels(page, has_levels).and_then(|start| buffer.get(start..));
    let unpacked = texts
        .and_then(|texts| packed::unpacked(packed, texts, values.min(u64::from(LARGEST_PAGE) / LENGTH)))
        .ok_or_else(|| damaged("a page packs its texts as nobody does".to_owned()))?;
    let lengths = unpacked.lengths;
    if lengths > values {
        return Err(damaged(format!("a page of {values} values packs {lengths} texts")));
    }
    let taken = unpacked.copied.max(lengths * LENGTH);
    if taken > u64::from(LARGEST_PAGE) {
        let (taken, most) = (taken.div_ceil(1 << 20), LARGEST_PAGE >> 20);
        return Err(damaged(format!("a page unpacks to {taken} MB, {most} are allowed")));
    }
    Ok(Weight {
        values: lengths,
        packed: Some(packed),
        copied: unpacked.copied,
        ..plain
    })
}

/// Where the values of a page begin, of a column that is not nested.
fn behind_levels(page: &Page, has_levels: bool) -> Option<usize> {
    match page {
        Page::DataPage {
            buf,
            def_level_encoding: Encoding::RLE,
            ..
        } if has_levels => {
            let length = u32::from_le_bytes(*buf.first_chunk()?);
            usize::try_from(length).ok()?.checked_add(size_of_val(&length))
        }
        // An older way, of which nobody writes packed texts.
        Page::DataPage { .. } if has_levels => None,
        Page::DataPage { .. } | Page::DictionaryPage { .. } => Some(0),
        Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => usize::try_from(def_levels_byte_len.checked_add(*rep_levels_byte_len)?).ok(),
    }
}

#[cfg(test)]
mod tests;
