//! Parquet files of strangers: opened and unpacked no further than what they say of themselves can be believed.
//!
//! The crate that reads Parquet takes the memory that a page claims before it looks at the page, takes numbers of its footer for places in the file, and
//! panics at what does not fit together.

mod header;
mod packed;

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Seek as _, SeekFrom},
};

use ::parquet::{
    basic::Encoding,
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::{ColumnReader, ColumnReaderImpl, get_column_reader},
    },
    data_type::DataType,
    errors::ParquetError,
    file::{
        metadata::{ParquetMetaData, RowGroupMetaData},
        reader::{ChunkReader, FileReader as _, Length, RowGroupReader, SerializedFileReader},
        serialized_reader::ReadOptionsBuilder,
    },
};
use bytes::Bytes;

use self::packed::Packed;
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
    let file = unharmed(|| SerializedFileReader::new_with_options(Input(file), ReadOptionsBuilder::new().build()))?;
    check_places(file.metadata())?;
    Ok(file)
}

/// The values of a column in a group.
pub(crate) fn open_column(group: &dyn RowGroupReader, column: usize) -> Result<ColumnReader, ParquetError> {
    let described = group.metadata().schema_descr().column(column);
    let pages = unharmed(|| group.get_column_page_reader(column))?;
    let checked = CheckedPages::new(pages, described.max_def_level() > 0);
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

/// Pages that hold what their heads say, and no more of them than a batch of rows can need.
struct CheckedPages {
    pages: Box<dyn PageReader>,
    /// Whether values may be missing, which each page says before its values.
    has_levels: bool,
    /// Values of the pages handed out since there was last a whole batch of them, and bytes.
    values: u64,
    held: u64,
}

impl CheckedPages {
    fn new(pages: Box<dyn PageReader>, has_levels: bool) -> CheckedPages {
        CheckedPages {
            pages,
            has_levels,
            values: 0,
            held: 0,
        }
    }

    fn check(&mut self, page: &Page) -> Result<(), ParquetError> {
        let bytes = check_page(page, self.has_levels)?;
        if page.is_data_page() {
            if self.values >= BATCH as u64 {
                (self.values, self.held) = (0, 0);
            }
            self.values += u64::from(page.num_values());
            self.held += bytes;
        }
        if self.held > MOST_HELD {
            let (values, most) = (self.values, MOST_HELD >> 20);
            return Err(damaged(format!("pages with {values} values have more than {most} MB")));
        }
        Ok(())
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        page.as_ref().map_or(Ok(()), |page| self.check(page))?;
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

/// The bytes that a page takes when it is read. Room for all values of a dictionary, and for all lengths of texts, is made before the first is read.
fn check_page(page: &Page, has_levels: bool) -> Result<u64, ParquetError> {
    let buffer = page.buffer();
    let bytes = buffer.len() as u64;
    let packed = match page.encoding() {
        _ if page.is_dictionary_page() => {
            return match page.num_values() {
                values if values > LARGEST_DICTIONARY => Err(damaged(format!(
                    "a dictionary has {values} values, {LARGEST_DICTIONARY} are allowed"
                ))),
                _ => Ok(bytes),
            };
        }
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Packed::Lengths,
        Encoding::DELTA_BYTE_ARRAY => Packed::Prefixes,
        _ => return Ok(bytes),
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
    Ok(bytes + unpacked.copied + lengths * LENGTH)
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
