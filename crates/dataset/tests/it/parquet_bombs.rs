//! Small files whose rows are not.

use std::{fs, fs::File, path::Path, sync::Arc};

use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    data_type::{ByteArray, ByteArrayType},
    file::{
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion},
        writer::SerializedFileWriter,
    },
    schema::parser::parse_message_type,
};
use proptest::prelude::*;
use shakmaty::Chess;
use tabiya_chess::Variant;
use tabiya_dataset::{
    table::{Column, Kind, TableReader},
    training::{FenFormat, Layout, Sample, SampleError, SampleFormat, SampleReader, SampleWriter, join},
};

const ROWS: usize = 64;
const FIRST: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A table in which all rows share one text in each column. The text is in the file once.
fn write(path: &Path, columns: [(&str, &str); 2]) {
    write_as(path, columns, WriterProperties::builder());
}

fn write_as(path: &Path, columns: [(&str, &str); 2], properties: WriterPropertiesBuilder) {
    let [one, other] = columns.map(|(name, _)| format!("required binary {name} (UTF8);"));
    let schema = parse_message_type(&format!("message positions {{ {one} {other} }}")).unwrap();
    let properties = properties
        .set_dictionary_page_size_limit(1 << 30)
        .set_statistics_enabled(EnabledStatistics::None);
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (_, text) in columns {
        let values = vec![ByteArray::from(text); ROWS];
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn a_text_that_all_rows_share_is_not_copied_for_each() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb.parquet");
    let long = "x".repeat(1 << 20);
    for (columns, name) in [
        ([("fen", long.as_str()), ("game_id", "a")], "fen"),
        ([("fen", FIRST), ("game_id", &long)], "game_id"),
        ([("fen", FIRST), ("move", &long)], "move"),
        ([("fen", FIRST), ("variant", &long)], "variant"),
    ] {
        write(&path, columns);
        let size = path.metadata().unwrap().len();
        assert!(size < 2 << 20, "{name}: {size} bytes are no bomb");
        let rows: Vec<_> = SampleReader::open(&path, None, None).unwrap().collect();
        assert_eq!(rows.len(), ROWS, "{name}");
        for row in rows {
            let error = row.unwrap_err();
            assert!(matches!(error, SampleError::BadRow { .. }), "{name}: {error:?}");
            let told = format!("its {name} has 1048576 bytes, 512 are allowed");
            assert!(error.to_string().ends_with(&told), "{name}: {error}");
            assert!(format!("{error:?}").len() < 1000, "{name}: {error}");
        }
    }
}

#[test]
fn texts_as_long_as_they_may_be_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fair.parquet");
    let id = "x".repeat(512);
    write(&path, [("fen", FIRST), ("game_id", &id)]);
    let rows: Vec<_> = SampleReader::open(&path, None, None).unwrap().collect();
    assert_eq!(rows.len(), ROWS);
    assert!(rows.into_iter().all(|row| row.unwrap().game_id == id));
}

/// What is left of the samples or rows of a file behind the first error.
fn read_samples(path: &Path) -> Result<usize, String> {
    let samples = SampleReader::open(path, None, None).map_err(|error| error.to_string())?;
    let rows: Result<Vec<_>, _> = samples.collect();
    rows.map(|rows| rows.len()).map_err(|error| error.to_string())
}

fn read_table(path: &Path) -> Result<usize, String> {
    let columns = ["fen", "game_id"].map(|name| Column::new(name, Kind::Text));
    let mut table = TableReader::open(path, &columns).map_err(|error| error.to_string())?;
    let mut rows = 0;
    while table.advance().map_err(|error| error.to_string())? {
        for column in 0..2 {
            table.text(column).map_err(|error| error.to_string())?;
        }
        rows += 1;
    }
    Ok(rows)
}

#[test]
fn pages_that_unpack_to_more_than_anybody_writes_are_not_unpacked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb.parquet");
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
    // One text fills the dictionary, or as many as fit would fill a page.
    for (dictionary, length) in [(true, 129 << 20), (false, (129 << 20) / ROWS)] {
        let properties = WriterProperties::builder()
            .set_compression(zstd)
            .set_dictionary_enabled(dictionary)
            .set_data_page_size_limit(1 << 30);
        write_as(&path, [("fen", FIRST), ("game_id", &"x".repeat(length))], properties);
        let size = path.metadata().unwrap().len();
        assert!(size < 1 << 20, "{size} bytes are no bomb");
        for error in [read_samples(&path).unwrap_err(), read_table(&path).unwrap_err()] {
            assert!(error.ends_with("a page has 130 MB, 128 are allowed"), "{error}");
        }
    }
}

/// Pages of the text column alone are packed in this way.
fn packed(encoding: Encoding) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_column_encoding("game_id".into(), encoding)
}

#[test]
fn texts_that_are_packed_by_their_lengths_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("packed.parquet");
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        for id in ["", "a", &"x".repeat(512)] {
            write_as(&path, [("fen", FIRST), ("game_id", id)], packed(encoding));
            let rows: Vec<_> = SampleReader::open(&path, None, None).unwrap().collect();
            assert_eq!(rows.len(), ROWS);
            assert!(rows.into_iter().all(|row| row.unwrap().game_id == id), "{encoding}");
            assert_eq!(read_table(&path), Ok(ROWS), "{encoding}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Lengths are told before the texts are unpacked, by other code than unpacks them.
    #[test]
    fn whatever_a_writer_packs_is_read(
        texts in prop::collection::vec(prop_oneof!["[ab]{0,9}", "x{0,300}", "\\PC{0,20}"], 1..700),
        prefixes in any::<bool>(),
        optional in any::<bool>(),
        second in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("packed.parquet");
        let encoding = match prefixes {
            true => Encoding::DELTA_BYTE_ARRAY,
            false => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        };
        let version = if second { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
        let repetition = if optional { "optional" } else { "required" };
        let schema = parse_message_type(&format!("message m {{ {repetition} binary text (UTF8); }}")).unwrap();
        let properties = packed(encoding).set_column_encoding("text".into(), encoding).set_writer_version(version);
        let file = File::create(&path).unwrap();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build())).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = texts.iter().map(|text| ByteArray::from(text.as_str())).collect();
        let defined = vec![1; texts.len()];
        column.typed::<ByteArrayType>().write_batch(&values, optional.then_some(&defined), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let mut table = TableReader::open(&path, &[Column::new("text", Kind::Text)]).unwrap();
        let mut read = Vec::new();
        while table.advance().unwrap() {
            read.push(table.text(0).unwrap().to_owned());
        }
        prop_assert_eq!(read, texts);
    }
}

#[test]
fn a_text_that_all_others_begin_with_is_not_copied_into_each() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb.parquet");
    let id = "x".repeat(8 << 20);
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
    let properties = packed(Encoding::DELTA_BYTE_ARRAY).set_compression(zstd);
    write_as(&path, [("fen", FIRST), ("game_id", &id)], properties);
    let size = path.metadata().unwrap().len();
    assert!(size < 1 << 20, "{size} bytes are no bomb");
    for error in [read_samples(&path).unwrap_err(), read_table(&path).unwrap_err()] {
        // One text is there, and the other 63 are copies.
        assert!(error.ends_with("a page unpacks to 504 MB, 128 are allowed"), "{error}");
    }
}

#[test]
fn lengths_without_number_are_not_unpacked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb.parquet");
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        write_as(&path, [("fen", FIRST), ("game_id", &"x".repeat(100))], packed(encoding));
        let mut bytes = fs::read(&path).unwrap();
        // Blocks of 128 in 4 parts, and a length for each of 64 rows.
        let head = [0x80, 0x01, 0x04, ROWS as u8];
        let at = bytes.windows(4).position(|seen| seen == head).expect("lengths");
        // One block of 2^30 in one part, 2^28 lengths, the first 0, and no difference anywhere.
        let claim = [0x80, 0x80, 0x80, 0x80, 4, 1, 0x80, 0x80, 0x80, 0x80, 1, 0, 0, 0];
        bytes[at..at + claim.len()].copy_from_slice(&claim);
        fs::write(&path, bytes).unwrap();
        for error in [read_samples(&path).unwrap_err(), read_table(&path).unwrap_err()] {
            assert!(error.ends_with("a page of 64 values packs 268435456 texts"), "{error}");
        }
    }
}

#[test]
fn whatever_is_damaged_is_an_error_at_the_worst() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.parquet");
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let properties = WriterProperties::builder().set_compression(compression);
        write_as(&path, [("fen", FIRST), ("game_id", "a")], properties);
        let whole = fs::read(&path).unwrap();
        let check = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            // Any answer will do.
            let _ = (read_samples(&path), read_table(&path));
        };
        check(&whole);
        for at in 0..whole.len() {
            for flipped in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                check(&bytes);
            }
            let mut bytes = whole.clone();
            bytes.remove(at);
            check(&bytes);
        }
    }
}

#[test]
fn damaged_parts_are_joined_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (part, joined) = (
        directory.path().join("part.parquet"),
        directory.path().join("joined.parquet"),
    );
    let layout = Layout {
        format: SampleFormat::Parquet,
        fen: FenFormat::Text,
        ..Layout::default()
    };
    let mut writer = SampleWriter::create(&part, layout).unwrap();
    let sample = Sample::bare(Chess::default(), Variant::Standard);
    writer.write_group(&vec![sample; ROWS]).unwrap();
    writer.finish().unwrap();
    let whole = fs::read(&part).unwrap();
    join(&[&part], &joined, layout, ROWS as u64).unwrap();
    assert_eq!(read_samples(&joined), Ok(ROWS));
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(&part, bytes).unwrap();
        // Pages are copied as they are, so what is wrong in one is found by whoever reads it.
        match join(&[&part], &joined, layout, ROWS as u64) {
            Ok(_) => drop(read_samples(&joined)),
            Err(_) => refused += 1,
        }
    }
    assert!((100..whole.len()).contains(&refused), "{refused} of {}", whole.len());
}

#[test]
fn a_column_that_lies_before_its_beginning_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.parquet");
    write(&path, [("fen", FIRST), ("game_id", "a")]);
    let whole = fs::read(&path).unwrap();
    let mut refused = 0;
    // Numbers are written so that their last bit is their sign.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        refused += usize::from(read_samples(&path).is_err_and(|error| error.contains("lies before its beginning")));
    }
    // The length of each of both columns, and where their pages and dictionaries begin.
    assert!(refused >= 4, "{refused}");
}
