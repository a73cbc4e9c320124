use std::{fs, path::Path};

use tabiya_dataset::table::TableWriter;

use crate::rows::{self, COLUMNS};

fn names() -> Vec<&'static str> {
    let mut names = vec!["table.jsonl", "table.jsonl.zst", "table.jsonl.gz"];
    if cfg!(feature = "parquet") {
        names.push("table.parquet");
    }
    names
}

fn listing(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Starts a table and drops it half-way.
fn abandon(path: &Path) {
    let mut table = TableWriter::create(path, &COLUMNS).unwrap();
    for row in std::iter::repeat_with(rows::odd_rows).flatten().take(5000) {
        table.write(&rows::values(&row)).unwrap();
    }
    assert_eq!(table.rows(), 5000);
    assert!(
        listing(path.parent().unwrap())
            .iter()
            .any(|name| name.starts_with(".tabiya-"))
    );
}

#[test]
fn dropping_leaves_nothing() {
    for name in names() {
        let directory = tempfile::tempdir().unwrap();
        abandon(&directory.path().join(name));
        assert_eq!(listing(directory.path()), [] as [&str; 0], "{name}");
    }
}

#[test]
fn dropping_leaves_the_old_file() {
    for name in names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, "old").unwrap();
        abandon(&path);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old", "{name}");
        assert_eq!(listing(directory.path()), [name]);
    }
}

#[test]
fn the_old_file_is_there_until_the_new_one_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.jsonl");
    fs::write(&path, "old").unwrap();
    let mut table = TableWriter::create(&path, &COLUMNS).unwrap();
    table.write(&rows::values(&rows::odd_rows()[0])).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    table.finish().unwrap();
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\"id\":"));
    assert_eq!(listing(directory.path()), ["table.jsonl"]);
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    for name in names() {
        let (one, two) = (directory.path().join(name), directory.path().join("again").join(name));
        rows::write(&one, &rows::odd_rows());
        rows::write(&two, &rows::odd_rows());
        assert_eq!(fs::read(one).unwrap(), fs::read(two).unwrap(), "{name}");
    }
}

#[test]
fn missing_directories_are_created() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a/b/c/table.jsonl");
    rows::write(&path, &[]);
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_name_as_long_as_names_can_be_is_written() {
    let directory = tempfile::tempdir().unwrap();
    rows::write(&directory.path().join("x".repeat(255)), &[]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_table_is_as_readable_as_any_new_file() {
        let directory = tempfile::tempdir().unwrap();
        let (path, plain) = (directory.path().join("table.jsonl"), directory.path().join("plain"));
        rows::write(&path, &[]);
        fs::write(&plain, "").unwrap();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[test]
    fn a_replaced_table_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table.jsonl");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        rows::write(&path, &[]);
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let (link, file) = (directory.path().join("link.jsonl"), directory.path().join("file.jsonl"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        rows::write(&link, &rows::odd_rows());
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(fs::read_to_string(&file).unwrap().starts_with('{'));
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        let mut table = TableWriter::create("/dev/null", &COLUMNS).unwrap();
        table.write(&rows::values(&rows::odd_rows()[0])).unwrap();
        assert!(table.finish().unwrap().bytes > 0);
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
