//! From the text a user gave to a database, and to a name for it that is safe to print.

use std::path::PathBuf;
use std::str::FromStr;

use tabiya_address::{BadAddress, PostgresAddress, ServerPlace, SqliteAddress, is_sqlite_file};

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
        if PostgresAddress::is_meant_by(url) {
            Ok(Scheme::Postgres)
        } else if url.starts_with("neo4j://") || url.starts_with("bolt://") {
            Ok(Scheme::Neo4j)
        } else if ["neo4j+", "bolt+"].iter().any(|scheme| url.starts_with(scheme)) {
            Err(bad(
                url,
                "encrypted connections to Neo4j are not spoken here; lead one through a tunnel",
            ))
        } else if url.starts_with("sqlite:") || is_sqlite_file(url) {
            Ok(Scheme::Sqlite)
        } else if url.contains("://") {
            Err(bad(url, "its scheme is none of sqlite, postgres and neo4j"))
        } else {
            Err(bad(url, "it has no scheme, and does not end in .db as a file would"))
        }
    }
}

/// The file that a database is, whether or not it is there; `None` for one in memory or on a server, and for what is no URL.
pub fn file_of(url: &str) -> Option<PathBuf> {
    url.parse::<SqliteAddress>().ok()?.file
}

/// The place of a database on a PostgreSQL server; `None` for any other.
pub fn server_of(url: &str) -> Option<ServerPlace> {
    Some(url.parse::<PostgresAddress>().ok()?.place)
}

/// Refuses a database that only holds a copy and takes nothing, before its server is asked.
pub fn check_takes(url: &str) -> Result<(), StoreError> {
    match Scheme::of(url)? {
        Scheme::Sqlite | Scheme::Postgres => Ok(()),
        Scheme::Neo4j => Err(StoreError::Projection {
            database: url.parse::<Neo4jTarget>()?.name,
        }),
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
    BadAddress::new(url, reason).into()
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
}
