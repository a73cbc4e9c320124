//! Small files whose rows are not.

use std::{fs::File, path::Path, sync::Arc};

use parquet::{
    data_type::{ByteArray, ByteArrayType},
    file::{
        properties::{EnabledStatistics, WriterProperties},
        writer::SerializedFileWriter,
    },
    schema::parser::parse_message_type,
};
use tabiya_dataset::training::{SampleError, SampleReader};

const ROWS: usize = 64;
const FIRST: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A table in which all rows share one text in each column. The text is in the file once.
fn write(path: &Path, columns: [(&str, &str); 2]) {
    let [one, other] = columns.map(|(name, _)| format!("required binary {name} (UTF8);"));
    let schema = parse_message_type(&format!("message positions {{ {one} {other} }}")).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(8 << 20)
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
