use std::{fs, sync::Arc};

use ::parquet::{
    basic::Repetition,
    data_type::{ByteArrayType, DoubleType, Int32Type, Int64Type},
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};
use proptest::prelude::*;

use super::*;
use crate::table::{TableWriter, Value};

const COLUMNS: [Column; 3] = [
    Column::new("games", Kind::U64),
    Column::new("year", Kind::U32),
    Column::new("epd", Kind::Text),
];

type Row = (u64, u32, String);

fn read(path: &Path) -> Result<Vec<Row>, TableError> {
    let mut reader = TableReader::open(path, &COLUMNS)?;
    let mut rows = Vec::new();
    while reader.advance()? {
        assert_eq!(reader.row(), rows.len() as u64 + 1);
        rows.push((reader.number(0), reader.number(1) as u32, reader.text(2)?.to_owned()));
    }
    assert!(!reader.advance()?, "the end stays the end");
    Ok(rows)
}

fn write(path: &Path, rows: &[Row]) {
    let mut table = TableWriter::create(path, &COLUMNS).unwrap();
    for (games, year, epd) in rows {
        table
            .write(&[Value::U64(*games), Value::U32(*year), Value::Text(epd)])
            .unwrap();
    }
    table.describe("said", "of all");
    table.finish().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec((any::<u64>(), any::<u32>(), ".*"), 0..60)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        write(&path, &rows);
        prop_assert_eq!(read(&path).unwrap(), rows);
    }
}

#[test]
fn texts_without_measure_are_refused_and_not_quoted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    write(&path, &[(1, 1, "x".repeat(LONGEST_TEXT))]);
    assert_eq!(read(&path).unwrap().len(), 1);
    write(&path, &[(1, 1, "e".to_owned()), (1, 1, "x".repeat(LONGEST_TEXT + 1))]);
    let error = read(&path).unwrap_err();
    assert!(matches!(error, TableError::BadRow { row: 2, .. }), "{error}");
    assert!(
        error.to_string().ends_with("`epd` has 65537 bytes, 65536 are allowed"),
        "{error}"
    );
}

#[test]
fn many_batches_and_row_groups_are_read_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let rows: Vec<Row> = (0..205_000).map(|n| (n, n as u32 % 7, format!("p{n}"))).collect();
    write(&path, &rows);
    assert!(read(&path).unwrap() == rows);
    let reader = TableReader::open(&path, &COLUMNS).unwrap();
    assert_eq!(reader.metadata("said"), Some("of all"));
    assert_eq!(reader.metadata("unsaid"), None);
}

/// A table as another program might write it: other order, other widths, nullable.
fn foreign(path: &Path, games: &[Option<i32>], year: &str) {
    let schema = format!(
        "message t {{ optional binary epd (UTF8); optional double other; {year} year; optional int32 games; }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    assert_eq!(
        schema.get_fields()[0].get_basic_info().repetition(),
        Repetition::OPTIONAL
    );
    let file = fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::default())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let all = vec![1i16; games.len()];
    let mut column = group.next_column().unwrap().unwrap();
    let texts = vec!["text".into(); games.len()];
    column
        .typed::<ByteArrayType>()
        .write_batch(&texts, Some(&all), None)
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<DoubleType>()
        .write_batch(&vec![0.5; games.len()], Some(&all), None)
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    if year.contains("int64") {
        column
            .typed::<Int64Type>()
            .write_batch(&vec![1999; games.len()], None, None)
            .unwrap();
    } else {
        column
            .typed::<DoubleType>()
            .write_batch(&vec![1999.0; games.len()], None, None)
            .unwrap();
    }
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<i32> = games.iter().copied().flatten().collect();
    let defined: Vec<i16> = games.iter().map(|games| games.is_some().into()).collect();
    column
        .typed::<Int32Type>()
        .write_batch(&values, Some(&defined), None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn tables_of_others_are_read_and_their_nulls_and_negatives_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let message = |games: &[Option<i32>], year: &str| {
        foreign(&path, games, year);
        read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "t.parquet"))
    };
    let row = |games| (games, 1999, "text".to_owned());
    assert_eq!(message(&[Some(3), Some(4)], "required int64"), Ok(vec![row(3), row(4)]));
    assert_eq!(
        message(&[Some(3), None], "required int64"),
        Err("`t.parquet`, row 2: `games` has no value".to_owned())
    );
    assert_eq!(
        message(&[Some(3), Some(4), Some(-1)], "required int64"),
        Err("`t.parquet`, row 3: `games` does not fit u64".to_owned())
    );
    assert_eq!(
        message(&[Some(3)], "required double"),
        Err("cannot read `t.parquet`: its column `year` is DOUBLE, not u32".to_owned())
    );
}

#[test]
fn what_is_no_such_table_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let refused = |path: &Path| read(path).unwrap_err();
    assert!(matches!(refused(&path), TableError::Io { .. }));
    assert!(matches!(refused(directory.path()), TableError::Io { .. }));
    for content in ["", "text\n", &"PAR1".repeat(100)] {
        fs::write(&path, content).unwrap();
        assert!(matches!(refused(&path), TableError::NotATable { .. }), "{content:?}");
    }
    write(&path, &[(1, 2, "x".to_owned())]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    assert!(matches!(refused(&path), TableError::NotATable { .. }));
    fs::write(&path, whole).unwrap();
    let missing = TableReader::open(&path, &[Column::new("uci", Kind::Text)]).unwrap_err();
    assert!(missing.to_string().ends_with("it has no column `uci`"), "{missing}");
}
