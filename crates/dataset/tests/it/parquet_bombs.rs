//! Small files whose rows are not.

use std::{env, fs, fs::File, path::Path, process::Command, sync::Arc};

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
    read_columns(path, &["fen", "game_id"])
}

fn read_columns(path: &Path, names: &[&'static str]) -> Result<usize, String> {
    let columns: Vec<Column> = names.iter().map(|&name| Column::new(name, Kind::Text)).collect();
    let mut table = TableReader::open(path, &columns).map_err(|error| error.to_string())?;
    let mut rows = 0;
    while table.advance().map_err(|error| error.to_string())? {
        for column in 0..columns.len() {
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

/// Set in the processes that are made here.
const ALONE: &str = "TABIYA_TEST_ALONE";

/// Does the work of a test in a process of its own that gets so much memory: this program once more, with that test and no other. What ends a process,
/// as a lack of memory or of stack does, is a failed test then, and no end of all tests.
fn alone(test: &str, megabytes: u32, work: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return work();
    }
    let limited = format!("ulimit -v {}; exec \"$@\"", megabytes * 1024);
    let ran = Command::new("bash")
        .args(["-c", &limited, "bash"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    // A name that is nobody's would pass too.
    assert!(ran.status.success() && said.contains("1 passed"), "{test}: {said}");
}

/// A number as Thrift writes it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A group that says it has so many columns.
fn group(columns: u64) -> Vec<u8> {
    [&[0x35, 0, 0x18, 1, b'g', 0x15][..], &varint(2 * columns), &[0]].concat()
}

/// A file without rows, whose footer has so many columns and groups, and something behind them.
fn file_of_columns(count: u64, columns: &[u8], behind: &[u8]) -> Vec<u8> {
    let begin = [&[0x15, 2, 0x19, 0xfc][..], &varint(count)].concat();
    let footer = [&begin[..], columns, behind, &[0x16, 0, 0x19, 0x0c, 0]].concat();
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [&b"PAR1"[..], &footer, &length, b"PAR1"].concat()
}

#[test]
fn a_footer_does_not_end_the_process_that_reads_it() {
    alone(
        "parquet_bombs::a_footer_does_not_end_the_process_that_reads_it",
        1024,
        || {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("bomb.parquet");
            let fen = [0x15, 12, 0x25, 0, 0x18, 3, b'f', b'e', b'n', 0];
            // Room for 2^31 columns; a call for each group.
            let many = file_of_columns(1, &group(i32::MAX as u64), &[]);
            assert!(many.len() < 40, "{} bytes are no bomb", many.len());
            let deep = [&group(1).repeat(50_000)[..], &fen].concat();
            for (file, why) in [
                (many, "its groups have more columns than there are"),
                (
                    file_of_columns(50_001, &deep, &[]),
                    "its columns are nested more than 100 deep",
                ),
            ] {
                fs::write(&path, file).unwrap();
                for error in [read_samples(&path).unwrap_err(), read_table(&path).unwrap_err()] {
                    assert!(error.ends_with(why), "{error}");
                }
            }
            // The columns come twice, the second time by the number of their field.
            let columns = [&group(1)[..], &fen].concat();
            let again = [&[0x09, 4, 0x1c][..], &group(i32::MAX as u64)].concat();
            fs::write(&path, file_of_columns(2, &columns, &again)).unwrap();
            assert_eq!(read_samples(&path), Ok(0));
            assert_eq!(read_columns(&path, &["fen"]), Ok(0));
        },
    );
}

#[test]
fn columns_of_every_kind_may_stand_beside_ours() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.parquet");
    let schema = "message wide {
        required binary fen (UTF8);
        optional binary json (JSON);
        optional binary place (GEOGRAPHY);
        optional int32 small (INTEGER(8,true));
        optional int64 large (INTEGER(64,false));
        optional int32 decimal (DECIMAL(9,2));
        optional int32 day (DATE);
        optional int32 time (TIME(MILLIS,false));
        optional int64 stamp (TIMESTAMP(NANOS,true)) = 7;
        optional fixed_len_byte_array(16) id (UUID);
        optional double plain;
        optional group moves (LIST) { repeated group list { optional group element { required int32 ply; } } }
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(&path).unwrap();
    let writer = SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::default())).unwrap();
    writer.close().unwrap();
    assert_eq!(read_samples(&path), Ok(0));
    assert_eq!(read_columns(&path, &["json", "fen"]), Ok(0));
}

/// Two rows that have this text in each of the columns, each in a page of its own.
fn write_wide(path: &Path, columns: &[&str], text: &ByteArray) {
    let fields: String = columns
        .iter()
        .map(|name| format!("required binary {name} (UTF8);"))
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message wide {{ {fields} }}")).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_write_batch_size(1)
        .set_data_page_size_limit(1)
        .build();
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for _ in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&[text.clone(), text.clone()], None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn columns_that_are_read_together_have_no_more_than_there_is_room_for() {
    alone(
        "parquet_bombs::columns_that_are_read_together_have_no_more_than_there_is_room_for",
        1536,
        || {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("bomb.parquet");
            let columns = ["fen", "move", "game_id", "variant", "a", "b", "c", "d"];
            // None of them has more than a column may.
            write_wide(&path, &columns, &ByteArray::from(vec![b'x'; 100 << 20]));
            let size = path.metadata().unwrap().len();
            assert!(size < 1 << 20, "{size} bytes are no bomb");
            for error in [
                read_samples(&path).unwrap_err(),
                read_columns(&path, &columns).unwrap_err(),
            ] {
                let told = "pages that are read together have more than 512 MB";
                assert!(error.ends_with(told), "{error}");
            }
            // There is room for two of them. What they have is too long.
            write_wide(&path, &columns[..2], &ByteArray::from(vec![b'x'; 100 << 20]));
            let error = read_columns(&path, &columns[..2]).unwrap_err();
            assert!(
                error.ends_with("`fen` has 104857600 bytes, 65536 are allowed"),
                "{error}"
            );
        },
    );
}
