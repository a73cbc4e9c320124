//! From the text a user gave to a database, and to a name for it that is safe to print.

mod parameters;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use crate::StoreError;
use crate::neo4j::{Address, Credentials};

/// Which backend a URL is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Sqlite,
    Postgres,
    Neo4j,
}

impl Scheme {
    pub(crate) fn of(url: &str) -> Result<Scheme, StoreError> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Ok(Scheme::Postgres)
        } else if url.starts_with("neo4j://") || url.starts_with("bolt://") {
            Ok(Scheme::Neo4j)
        } else if ["neo4j+", "bolt+"].iter().any(|scheme| url.starts_with(scheme)) {
            Err(bad(
                url,
                "encrypted connections to Neo4j are not spoken here; lead one through a tunnel",
            ))
        } else if url.starts_with("sqlite:") || is_bare_file(url) {
            Ok(Scheme::Sqlite)
        } else if url.contains("://") {
            Err(bad(url, "its scheme is none of sqlite, postgres and neo4j"))
        } else {
            Err(bad(url, "it has no scheme, and does not end in .db as a file would"))
        }
    }
}

fn is_bare_file(url: &str) -> bool {
    !url.contains("://")
        && Path::new(url)
            .extension()
            .is_some_and(|e| e == "db" || e == "sqlite" || e == "sqlite3")
}

/// A SQLite database as it was asked for.
#[derive(Debug)]
pub(crate) struct SqliteTarget {
    pub name: String,
    pub options: SqliteConnectOptions,
    /// `None` in memory.
    pub file: Option<PathBuf>,
    pub read_only: bool,
    /// Somebody says that nobody will change it, so SQLite does not look.
    pub immutable: bool,
}

impl FromStr for SqliteTarget {
    type Err = StoreError;

    fn from_str(url: &str) -> Result<SqliteTarget, StoreError> {
        if Scheme::of(url)? != Scheme::Sqlite {
            return Err(bad(url, "its scheme is not sqlite"));
        }
        if !url.starts_with("sqlite:") {
            // A file name is taken as it is: a `%` in it is a `%`.
            return Ok(SqliteTarget {
                name: url.to_owned(),
                options: SqliteConnectOptions::new().filename(url).create_if_missing(true),
                file: Some(PathBuf::from(url)),
                read_only: false,
                immutable: false,
            });
        }
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let database = path.trim_start_matches("sqlite:").trim_start_matches("//");
        let mode = query.split('&').find_map(|parameter| parameter.strip_prefix("mode="));
        let in_memory = database == ":memory:" || mode == Some("memory");
        if database.is_empty() && !in_memory {
            return Err(bad(url, "it names no file"));
        }
        let mut options = SqliteConnectOptions::from_str(url).map_err(|e| bad(url, &reason(&e)))?;
        if mode.is_none() {
            options = options.create_if_missing(true);
        }
        Ok(SqliteTarget {
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

/// The file that a database is, whether or not it is there; `None` for one in memory or on a server, and for what is no URL.
pub fn file_of(url: &str) -> Option<PathBuf> {
    url.parse::<SqliteTarget>().ok()?.file
}

/// Where a PostgreSQL database is, be it said by its URL or by the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// `None` for a socket of this machine.
    pub host: Option<String>,
    pub port: u16,
    pub database: String,
}

/// The place of a database on a PostgreSQL server; `None` for any other.
pub fn server_of(url: &str) -> Option<ServerPlace> {
    Some(url.parse::<PostgresTarget>().ok()?.place)
}

/// A PostgreSQL database as it was asked for. No `Debug`: the options hold the password.
pub(crate) struct PostgresTarget {
    pub name: String,
    pub options: PgConnectOptions,
    pub place: ServerPlace,
}

impl FromStr for PostgresTarget {
    type Err = StoreError;

    fn from_str(url: &str) -> Result<PostgresTarget, StoreError> {
        if Scheme::of(url)? != Scheme::Postgres {
            return Err(bad(url, "its scheme is not postgres"));
        }
        parameters::check(url).map_err(|reason| bad(url, &reason))?;
        let options = PgConnectOptions::from_str(url).map_err(|e| bad(url, &reason(&e)))?;
        let place = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let user = options.get_username();
        let database = options.get_database().unwrap_or(user);
        // A directory in PGHOST is taken for a socket's only when the connection is made.
        let is_socket = options.get_socket().is_some() || options.get_host().starts_with('/');
        Ok(PostgresTarget {
            name: format!("postgres://{user}@{place}/{database}"),
            place: ServerPlace {
                host: (!is_socket).then(|| options.get_host().to_owned()),
                port: options.get_port(),
                database: database.to_owned(),
            },
            options,
        })
    }
}

/// A Neo4j database as it was asked for. No `Debug`: the address holds the password.
pub(crate) struct Neo4jTarget {
    pub name: String,
    pub address: Address,
}

impl FromStr for Neo4jTarget {
    type Err = StoreError;

    /// `neo4j://user:password@host:7687/database`, everything but the host left out at will.
    fn from_str(url: &str) -> Result<Neo4jTarget, StoreError> {
        if Scheme::of(url)? != Scheme::Neo4j {
            return Err(bad(url, "its scheme is not neo4j"));
        }
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (rest, query) = rest
            .split_once('?')
            .map_or((rest, None), |(rest, query)| (rest, Some(query)));
        if query.is_some() {
            return Err(bad(url, "parameters behind a ? mean nothing to Neo4j"));
        }
        let (place, database) = match rest.rsplit_once('@') {
            // A slash before the last @ is the password's.
            Some((user, place)) => {
                let (place, database) = place.split_once('/').unwrap_or((place, ""));
                (format!("{user}@{place}"), database)
            }
            None => {
                let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
                (place.to_owned(), database)
            }
        };
        let (user, place) = place
            .rsplit_once('@')
            .map_or((None, place.as_str()), |(user, place)| (Some(user), place));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let port = port
                    .parse()
                    .map_err(|_| bad(url, "what stands behind the last colon is no port"))?;
                (host, port)
            }
            _ => (place, 7687),
        };
        if host.is_empty() {
            return Err(bad(url, "it names no host"));
        }
        let credentials = match user {
            None => None,
            Some(user) => {
                let (user, password) = user.split_once(':').unwrap_or((user, ""));
                let plain = |text| unescape(text).ok_or_else(|| bad(url, "a % in it is not followed by two digits"));
                Some(Credentials {
                    user: plain(user)?,
                    password: plain(password)?,
                })
            }
        };
        let user = credentials
            .as_ref()
            .map_or(String::new(), |known| format!("{}@", known.user));
        let shown = if database.is_empty() {
            String::new()
        } else {
            format!("/{database}")
        };
        Ok(Neo4jTarget {
            name: format!("neo4j://{user}{host}:{port}{shown}"),
            address: Address {
                host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
                port,
                credentials,
                database: (!database.is_empty()).then(|| database.to_owned()),
            },
        })
    }
}

/// `%40` as `@`.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2)?;
        // The parser of numbers takes a sign as well.
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        bytes.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

fn bad(url: &str, reason: &str) -> StoreError {
    StoreError::BadUrl {
        url: redact(url),
        reason: reason.to_owned(),
    }
}

fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Configuration(cause) => cause.to_string(),
        other => other.to_string(),
    }
}

/// A URL that could not be read, without anything that may be a password: whatever stands before the last `@` of a
/// server's address, the parameters, and the whole address if it has no `@` but a `:`.
fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // Somebody may have forgotten the scheme, or its slashes.
        return if url.contains('@') {
            "…".to_owned()
        } else {
            url.to_owned()
        };
    };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://…@{place}"),
        None if rest.contains(':') => format!("{scheme}://…"),
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes() {
        for url in [
            "sqlite://a/b.db",
            "sqlite:b.db",
            "sqlite::memory:",
            "b.db",
            "/x/y.sqlite3",
        ] {
            assert_eq!(Scheme::of(url).unwrap(), Scheme::Sqlite, "{url}");
        }
        for url in ["postgres://localhost/x", "postgresql://localhost/x"] {
            assert_eq!(Scheme::of(url).unwrap(), Scheme::Postgres, "{url}");
        }
        for url in ["neo4j://localhost", "bolt://localhost:7687/chess"] {
            assert_eq!(Scheme::of(url).unwrap(), Scheme::Neo4j, "{url}");
        }
        for url in ["neo4j+s://x/y", "mysql://x/y", "games.pgn", "", "postgres:/x"] {
            assert!(matches!(Scheme::of(url), Err(StoreError::BadUrl { .. })), "{url}");
        }
    }

    #[test]
    fn sqlite_targets() {
        let target: SqliteTarget = "sqlite://a%20b.db".parse().unwrap();
        assert_eq!(target.file.as_deref(), Some(Path::new("a b.db")));
        let target: SqliteTarget = "a%20b.db".parse().unwrap();
        assert_eq!(target.file.as_deref(), Some(Path::new("a%20b.db")));
        let target: SqliteTarget = "sqlite::memory:".parse().unwrap();
        assert_eq!(target.file, None);
        let target: SqliteTarget = "sqlite://a.db?mode=ro".parse().unwrap();
        assert!(target.read_only);
        assert_eq!(target.name, "sqlite://a.db");
        for url in ["sqlite:", "sqlite://", "sqlite://a.db?mode=sideways"] {
            assert!(url.parse::<SqliteTarget>().is_err(), "{url}");
        }
    }

    #[test]
    fn files_and_servers() {
        for (url, file) in [
            ("sqlite:openings", Some("openings")),
            ("sqlite://a%20b.db?mode=ro", Some("a b.db")),
            ("100%.db", Some("100%.db")),
            ("a?b.db", Some("a?b.db")),
            ("sqlite::memory:", None),
            ("openings", None),
            ("postgres://host/x.db", None),
        ] {
            assert_eq!(file_of(url).as_deref(), file.map(Path::new), "{url}");
        }
        let place = |host: Option<&str>, port, database: &str| {
            Some(ServerPlace {
                host: host.map(str::to_owned),
                port,
                database: database.to_owned(),
            })
        };
        for (url, expected) in [
            ("postgres://me:secret@db:5433/chess", place(Some("db"), 5433, "chess")),
            (
                "postgres://me@db:5433/chess?host=other&port=5434&dbname=book",
                place(Some("other"), 5434, "book"),
            ),
            (
                "postgres://me@db:5433/chess?host=/run/postgresql",
                place(None, 5433, "chess"),
            ),
            ("chess.db", None),
        ] {
            assert_eq!(server_of(url), expected, "{url}");
        }
    }

    #[test]
    fn neo4j_targets() {
        let target = |url: &str| url.parse::<Neo4jTarget>().unwrap_or_else(|error| panic!("{error}"));
        let found = target("neo4j://app:se%40cr:e/t@db.example:7000/chess");
        assert_eq!(found.name, "neo4j://app@db.example:7000/chess");
        assert_eq!((found.address.host.as_str(), found.address.port), ("db.example", 7000));
        assert_eq!(found.address.database.as_deref(), Some("chess"));
        let credentials = found.address.credentials.clone().unwrap();
        assert_eq!(
            (credentials.user.as_str(), credentials.password.as_str()),
            ("app", "se@cr:e/t")
        );
        assert!(!format!("{:?}", found.address).contains("cr"));

        let found = target("neo4j://localhost");
        assert_eq!(
            (found.name.as_str(), found.address.port),
            ("neo4j://localhost:7687", 7687)
        );
        assert!(found.address.credentials.is_none() && found.address.database.is_none());
        assert_eq!(target("bolt://[::1]:7000").address.host, "::1");
        assert_eq!(target("bolt://[::1]").address.port, 7687);
        for url in [
            "neo4j://",
            "neo4j://:7687",
            "neo4j://a:secret@host:x",
            "neo4j://a:%zz@host",
            "neo4j://a:%+b@host",
            "neo4j://host?secret",
        ] {
            let Err(error) = url.parse::<Neo4jTarget>() else {
                panic!("{url} was taken");
            };
            let text = format!("{error} {error:?}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn no_password_in_names_and_errors() {
        let target: PostgresTarget = "postgres://app:secret@db.example:6000/chess?password=secret"
            .parse()
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(target.name, "postgres://app@db.example:6000/chess");
        for url in [
            "postgres://app:secret@host:port/chess",
            "postgres://app:sec@ret@host:port/chess",
            "postgres://app:secret",
            "postgres://host:1x/chess?password=secret",
            "postgres://app:secret/x@host/chess",
            "mysql://app:secret@host/chess",
        ] {
            let Err(error) = Scheme::of(url).and_then(|_| url.parse::<PostgresTarget>()) else {
                panic!("{url} was taken");
            };
            let text = format!("{error} {error:?}");
            assert!(!text.contains("sec") && !text.contains("ret"), "{text}");
        }
    }
}
