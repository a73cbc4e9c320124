//! Which format a path asks for.

use std::path::Path;

use super::TableError;

/// The formats a table can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// One JSON object per line.
    JsonLines,
    /// JSON lines in one Zstandard frame.
    JsonLinesZstd,
    /// JSON lines in one gzip member.
    JsonLinesGzip,
    /// Parquet with Zstandard-compressed pages.
    Parquet,
}

impl TableFormat {
    /// The format that the extension asks for, in any case.
    ///
    /// | extension | format |
    /// |---|---|
    /// | `.jsonl`, `.ndjson`, `.json` | JSON lines |
    /// | `.zst`, alone or after one of those | JSON lines, Zstandard |
    /// | `.gz`, alone or after one of those | JSON lines, gzip |
    /// | `.parquet`, `.pq` | Parquet |
    /// | none, or one nobody knows | JSON lines |
    ///
    /// # Errors
    ///
    /// [`TableError::Unsupported`] for extensions that certainly mean something else, such as `.csv`, `.db` or
    /// `.pgn`. The last guards against a slip of the keyboard that would replace the input by the output.
    pub fn from_path(path: &Path) -> Result<TableFormat, TableError> {
        let refuse = |reason: String| TableError::Unsupported {
            path: path.to_owned(),
            reason,
        };
        let extension = extension(path);
        let format = match extension.as_str() {
            "zst" | "zstd" => TableFormat::JsonLinesZstd,
            "gz" => TableFormat::JsonLinesGzip,
            "parquet" | "pq" if cfg!(feature = "parquet") => return Ok(TableFormat::Parquet),
            "parquet" | "pq" => return Err(refuse("this build has no Parquet support".into())),
            other => match foreign(other) {
                None => return Ok(TableFormat::JsonLines),
                Some(meaning) => return Err(refuse(format!(".{other} means {meaning}"))),
            },
        };
        let inner = self::extension(Path::new(path.file_stem().unwrap_or_default()));
        match inner.as_str() {
            // Its pages are compressed already, and a reader must be able to seek in it.
            "parquet" | "pq" => Err(refuse("Parquet is not compressed as a whole".into())),
            other => match foreign(other) {
                None => Ok(format),
                Some(meaning) => Err(refuse(format!(".{other}.{extension} means compressed {meaning}"))),
            },
        }
    }
}

fn extension(path: &Path) -> String {
    path.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase()
}

/// What an extension means, if it certainly means something that is not written here.
fn foreign(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "csv" | "tsv" => "comma- or tab-separated values",
        "db" | "db3" | "sqlite" | "sqlite3" | "duckdb" => "a database",
        "xls" | "xlsx" | "ods" => "a spreadsheet",
        "arrow" | "feather" | "avro" | "orc" => "another columnar or binary format",
        "pgn" | "epd" | "fen" => "chess notation",
        "xml" | "html" | "yaml" | "yml" | "toml" => "another text format",
        "bz2" | "xz" | "lz4" | "br" | "sz" => "a compression that is not written here",
        "zip" | "tar" | "tgz" | "7z" | "rar" => "an archive",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<TableFormat>) {
        assert_eq!(TableFormat::from_path(Path::new(path)).ok(), expected, "{path}");
    }

    #[test]
    fn extensions_choose_the_format() {
        for path in [
            "p.jsonl",
            "p.ndjson",
            "p.json",
            "P.JSONL",
            "p",
            "p.out",
            "a.b/p",
            ".jsonl",
            "/dev/null",
            "v1.2",
        ] {
            check(path, Some(TableFormat::JsonLines));
        }
        for path in ["p.jsonl.zst", "p.zst", "p.JSONL.ZST", "p.v2.zst"] {
            check(path, Some(TableFormat::JsonLinesZstd));
        }
        for path in ["p.jsonl.gz", "p.ndjson.gz", "p.gz"] {
            check(path, Some(TableFormat::JsonLinesGzip));
        }
    }

    #[test]
    fn parquet_is_there_exactly_with_its_feature() {
        let expected = cfg!(feature = "parquet").then_some(TableFormat::Parquet);
        for path in ["p.parquet", "a.b/P.Parquet", "p.pq", "p.jsonl.parquet"] {
            check(path, expected);
        }
    }

    #[test]
    fn what_means_something_else_is_refused() {
        for path in [
            "p.csv",
            "p.db",
            "p.CSV",
            "p.csv.gz",
            "p.pgn",
            "p.pgn.zst",
            "p.parquet.zst",
            "p.jsonl.bz2",
            "p.tar.gz",
        ] {
            check(path, None);
        }
    }

    #[test]
    fn the_refusal_names_path_meaning_and_a_way_out() {
        let error = TableFormat::from_path(Path::new("out/p.csv")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot write `out/p.csv`: .csv means comma- or tab-separated values"
        );
        assert!(error.hint().is_some_and(|hint| hint.contains(".jsonl")));
    }
}
