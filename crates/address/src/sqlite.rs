//! Databases in files.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use sqlx::sqlite::SqliteConnectOptions;

use crate::BadAddress;

/// A SQLite database as it was asked for, by a URL or by the name of its file.
#[derive(Debug, Clone)]
pub struct SqliteAddress {
    /// What to call it.
    pub name: String,
    pub options: SqliteConnectOptions,
    /// `None` in memory.
    pub file: Option<PathBuf>,
    pub read_only: bool,
    /// Somebody says that nobody will change it, so SQLite does not look.
    pub immutable: bool,
}

/// Whether a text without a scheme can be meant as a database's file.
pub fn is_sqlite_file(text: &str) -> bool {
    !text.contains("://")
        && Path::new(text)
            .extension()
            .is_some_and(|e| e == "db" || e == "sqlite" || e == "sqlite3")
}

impl SqliteAddress {
    /// The database in a file, whatever it is called.
    pub fn of_file(file: &Path) -> SqliteAddress {
        SqliteAddress {
            name: file.display().to_string(),
            options: SqliteConnectOptions::new().filename(file).create_if_missing(true),
            file: Some(file.to_owned()),
            read_only: false,
            immutable: false,
        }
    }
}

impl FromStr for SqliteAddress {
    type Err = BadAddress;

    fn from_str(url: &str) -> Result<SqliteAddress, BadAddress> {
        if !url.starts_with("sqlite:") {
            // A file name is taken as it is: a `%` in it is a `%`.
            return match is_sqlite_file(url) {
                true => Ok(SqliteAddress::of_file(Path::new(url))),
                false => Err(BadAddress::new(url, "its scheme is not sqlite")),
            };
        }
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let database = path.trim_start_matches("sqlite:").trim_start_matches("//");
        let mode = query.split('&').find_map(|parameter| parameter.strip_prefix("mode="));
        let in_memory = database == ":memory:" || mode == Some("memory");
        if database.is_empty() && !in_memory {
            return Err(BadAddress::new(url, "it names no file"));
        }
        let mut options = SqliteConnectOptions::from_str(url).map_err(|error| BadAddress::of(url, &error))?;
        if mode.is_none() {
            options = options.create_if_missing(true);
        }
        Ok(SqliteAddress {
            name: path.to_owned(),
            file: (!in_memory).then(|| options.get_filename().to_owned()),
            options,
            read_only: mode == Some("ro") || query.contains("immutable="),
            immutable: query
                .split('&')
                .any(|parameter| ["immutable=1", "immutable=true"].contains(&parameter)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> SqliteAddress {
        url.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn files() {
        for (url, file) in [
            ("sqlite:openings", Some("openings")),
            ("sqlite://a%20b.db?mode=ro", Some("a b.db")),
            ("a%20b.db", Some("a%20b.db")),
            ("100%.db", Some("100%.db")),
            ("a?b.db", Some("a?b.db")),
            ("sqlite::memory:", None),
            ("sqlite://a.db?mode=memory", None),
        ] {
            assert_eq!(address(url).file.as_deref(), file.map(Path::new), "{url}");
        }
        assert_eq!(address("sqlite://a.db?mode=ro").name, "sqlite://a.db");
    }

    #[test]
    fn what_is_asked_of_them() {
        let asked = |url| {
            let address = address(url);
            (address.read_only, address.immutable)
        };
        assert_eq!(asked("a.db"), (false, false));
        assert_eq!(asked("sqlite://a.db?mode=ro"), (true, false));
        assert_eq!(asked("sqlite://a.db?immutable=1"), (true, true));
        assert_eq!(asked("sqlite://a.db?immutable=0"), (true, false));
    }

    #[test]
    fn what_names_no_database() {
        for url in [
            "",
            "openings",
            "games.pgn",
            "sqlite:",
            "sqlite://",
            "sqlite://a.db?mode=sideways",
        ] {
            assert!(url.parse::<SqliteAddress>().is_err(), "{url}");
        }
    }
}
