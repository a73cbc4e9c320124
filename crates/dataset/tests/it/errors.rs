use std::{fs, io, path::Path};

use tabiya_dataset::table::{Column, Kind, TableError, TableWriter, Value};

use crate::rows::{self, COLUMNS};

fn refused(path: impl AsRef<Path>) -> TableError {
    TableWriter::create(path, &COLUMNS).unwrap_err()
}

#[test]
fn a_directory_is_not_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = directory.path().join("nowhere/");
    for path in [
        directory.path(),
        &nowhere,
        Path::new("/"),
        Path::new(".."),
        Path::new(""),
    ] {
        let error = refused(path);
        assert!(matches!(error, TableError::NotAFile { .. }), "{path:?}: {error}");
        assert!(error.hint().is_some());
    }
    assert!(!nowhere.exists());
}

#[test]
fn a_file_where_a_directory_is_needed_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "old").unwrap();
    for path in [file.join("table.jsonl"), file.join("deeper/table.jsonl")] {
        let error = refused(&path);
        assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
        assert!(
            error.hint().is_some_and(|hint| hint.contains("directory is needed")),
            "{error:?}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn another_format_is_refused_before_anything_is_touched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/table.csv");
    assert!(matches!(refused(&path), TableError::Unsupported { .. }));
    assert!(!path.parent().unwrap().exists());
}

/// Root may write everywhere, so there is nothing to see for it.
#[test]
#[cfg(unix)]
fn what_may_not_be_written_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let denied = |path: &Path| match refused(path) {
        error @ TableError::Io { .. } => {
            assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
            assert!(!error.to_string().contains(".tabiya-"), "{error}");
            assert!(error.hint().is_some_and(|hint| hint.contains("may write")), "{error:?}");
        }
        error => panic!("{error:?}"),
    };

    let file = directory.path().join("table.jsonl");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    if fs::File::options().write(true).open(&file).is_ok() {
        return;
    }
    denied(&file);
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");

    let closed = directory.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    denied(&closed.join("table.jsonl"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_and_the_table_cannot_be_finished() {
    let mut table = TableWriter::create("/dev/full", &COLUMNS).unwrap();
    let error = std::iter::repeat_with(rows::odd_rows)
        .flatten()
        .take(100_000)
        .find_map(|row| table.write(&rows::values(&row)).err())
        .unwrap();
    assert!(matches!(&error, TableError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull));
    assert!(error.hint().unwrap().contains("full"));
    assert_eq!(
        error.to_string(),
        "cannot write `/dev/full`: No space left on device (os error 28)"
    );

    assert!(matches!(
        table.write(&rows::values(&rows::odd_rows()[0])),
        Err(TableError::Abandoned { .. })
    ));
    assert!(matches!(table.finish(), Err(TableError::Abandoned { .. })));
}

#[test]
fn rows_that_do_not_fit_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.jsonl");
    let columns = [Column::new("id", Kind::U64), Column::new("fen", Kind::Text)];
    let mut table = TableWriter::create(&path, &columns).unwrap();
    table.write(&[Value::U64(1), Value::Text("a")]).unwrap();
    let short = table.write(&[Value::U64(2)]).unwrap_err().to_string();
    assert!(
        short.starts_with("row 2 ") && short.ends_with("1 values for 2 columns"),
        "{short}"
    );
    let wrong = table.write(&[Value::U32(2), Value::Text("b")]).unwrap_err().to_string();
    assert!(wrong.ends_with("`id` is u64, not u32"), "{wrong}");
    assert_eq!(table.finish().unwrap().rows, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"id\":1,\"fen\":\"a\"}\n");
}

#[test]
fn columns_need_names_of_their_own() {
    let column = |name| Column::new(name, Kind::U64);
    for columns in [&[][..], &[column("")], &[column("a"), column("b"), column("a")]] {
        let error = TableWriter::create("never.jsonl", columns).unwrap_err();
        assert!(matches!(error, TableError::Columns { .. }), "{error}");
    }
    assert!(!Path::new("never.jsonl").exists());
}
