use std::{fs::File, path::Path};

use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;
use crate::whole_file::Place;

const COLUMNS: [Column; 2] = [Column::new("id", Kind::U64), Column::new("moves", Kind::TextList)];

/// Writes `rows` rows under `limits` and answers the rows of each row group.
fn row_groups(rows: u64, limits: Limits) -> Vec<i64> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.parquet");
    let (output, place) = Place::open(&path, true).unwrap();
    let mut table = ParquetTable::with_limits(&COLUMNS, output, limits).unwrap();
    let moves = |id: u64| vec!["e2e4".to_owned(); (id % 3) as usize];
    for id in 0..rows {
        table.write(&[Value::U64(id), Value::TextList(&moves(id))]).unwrap();
    }
    place.commit(table.finish().unwrap()).unwrap();

    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    for (id, row) in (0..).zip(reader.get_row_iter(None).unwrap()) {
        let expected = format!(
            "{{id: {id}, moves: [{}]}}",
            moves(id)
                .iter()
                .map(|m| format!("\"{m}\""))
                .collect::<Vec<_>>()
                .join(", ")
        );
        assert_eq!(row.unwrap().to_string(), expected);
    }
    reader
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect()
}

#[test]
fn row_groups_are_bounded_by_rows() {
    let limits = Limits {
        rows: 10,
        bytes: usize::MAX,
    };
    assert_eq!(row_groups(25, limits), [10, 10, 5]);
    assert_eq!(row_groups(20, limits), [10, 10]);
    assert_eq!(row_groups(0, limits), [] as [i64; 0]);
}

#[test]
fn row_groups_are_bounded_by_bytes() {
    let groups = row_groups(
        100,
        Limits {
            rows: usize::MAX,
            bytes: 1000,
        },
    );
    assert!(groups.len() > 3, "{groups:?}");
    assert_eq!(groups.iter().sum::<i64>(), 100);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_not_a_riddle() {
    let (output, _place) = Place::open(Path::new("/dev/full"), true).unwrap();
    let mut table = ParquetTable::new(&COLUMNS, output).unwrap();
    table.write(&[Value::U64(1), Value::TextList(&[])]).unwrap();
    assert_eq!(table.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);

    let (output, _place) = Place::open(Path::new("/dev/full"), true).unwrap();
    let mut table = ParquetTable::with_limits(
        &COLUMNS,
        output,
        Limits {
            rows: 2000,
            bytes: usize::MAX,
        },
    )
    .unwrap();
    let error = (0..2000)
        .find_map(|id| table.write(&[Value::U64(id << 40), Value::TextList(&[])]).err())
        .unwrap();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn numbers_that_may_be_missing_come_back_as_they_were() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.parquet");
    let columns = [
        Column::new("eval", Kind::OptionalI32),
        Column::new("percent", Kind::OptionalF64),
        Column::new("busted", Kind::Bool),
    ];
    let rows: [(Option<i32>, Option<f64>, bool); 4] = [
        (Some(-150), None, true),
        (None, Some(33.25), false),
        (None, None, true),
        (Some(i32::MAX), Some(0.5), false),
    ];
    let (output, place) = Place::open(&path, true).unwrap();
    let limits = Limits {
        rows: 3,
        bytes: 1 << 20,
    };
    let mut table = ParquetTable::with_limits(&columns, output, limits).unwrap();
    for (eval, percent, busted) in rows {
        table.write(&[eval.into(), percent.into(), busted.into()]).unwrap();
    }
    place.commit(table.finish().unwrap()).unwrap();

    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let read: Vec<String> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect();
    assert_eq!(
        read,
        [
            "{eval: -150, percent: null, busted: true}",
            "{eval: null, percent: 33.25, busted: false}",
            "{eval: null, percent: null, busted: true}",
            "{eval: 2147483647, percent: 0.5, busted: false}",
        ]
    );
}
