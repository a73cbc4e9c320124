use std::{fs::File, path::Path};

use parquet::{
    basic::Compression,
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, ListAccessor, RowAccessor},
    schema::printer::print_schema,
};
use proptest::prelude::*;
use tabiya_dataset::table::{VERSION, VERSION_KEY};

use crate::rows::{self, Row};

fn open(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

fn read(path: &Path) -> Vec<Row> {
    let read_row = |row: parquet::record::Row| {
        let list = row.get_list(4).unwrap();
        Row {
            id: row.get_ulong(0).unwrap(),
            ply: row.get_uint(1).unwrap(),
            fen: row.get_string(2).unwrap().clone(),
            source_hint: match row.get_column_iter().nth(3).unwrap().1 {
                Field::Null => None,
                Field::Str(text) => Some(text.clone()),
                other => panic!("{other:?}"),
            },
            pv_uci: (0..list.len())
                .map(|index| list.get_string(index).unwrap().clone())
                .collect(),
        }
    };
    open(path)
        .get_row_iter(None)
        .unwrap()
        .map(|row| read_row(row.unwrap()))
        .collect()
}

fn check(path: &Path, expected: &[Row]) {
    rows::write(path, expected);
    assert_eq!(read(path), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(rows in rows::rows()) {
        let directory = tempfile::tempdir().unwrap();
        check(&directory.path().join("table.parquet"), &rows);
    }
}

#[test]
fn odd_values_and_empty_tables_survive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.parquet");
    check(&path, &rows::odd_rows());
    check(&path, &[]);
}

#[test]
fn the_schema_is_exactly_this() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.parquet");
    rows::write(&path, &[]);
    let mut schema = Vec::new();
    print_schema(&mut schema, open(&path).metadata().file_metadata().schema());
    assert_eq!(
        String::from_utf8(schema).unwrap(),
        "message table {
  REQUIRED INT64 id (INTEGER(64,false));
  REQUIRED INT32 ply (INTEGER(32,false));
  REQUIRED BYTE_ARRAY fen (STRING);
  OPTIONAL BYTE_ARRAY source_hint (STRING);
  REQUIRED group pv_uci (LIST) {
    REPEATED group list {
      REQUIRED BYTE_ARRAY element (STRING);
    }
  }
}
"
    );
}

#[test]
fn the_file_says_who_wrote_it_and_how() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.parquet");
    rows::write(&path, &rows::odd_rows());
    let reader = open(&path);
    let metadata = reader.metadata().file_metadata();
    assert!(metadata.created_by().unwrap().starts_with("tabiya-dataset version "));
    let pairs = metadata.key_value_metadata().unwrap();
    assert!(
        pairs
            .iter()
            .any(|pair| pair.key == VERSION_KEY && pair.value.as_deref() == Some(VERSION))
    );
    for column in reader.metadata().row_group(0).columns() {
        assert!(
            matches!(column.compression(), Compression::ZSTD(_)),
            "{:?}",
            column.column_path()
        );
    }
}
