//! From the text a user gave to a queue, and to a name for it that is safe to print.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use tabiya_address::{BadAddress, PostgresAddress, SqliteAddress, is_sqlite_file};

use crate::QueueError;

/// Where a queue lies: a SQLite file, a PostgreSQL database or a Redis server.
///
/// Prints without user's secrets, in `Debug` too.
#[derive(Clone)]
pub struct QueueUrl {
    pub(crate) target: Target,
    name: String,
}

#[derive(Clone)]
pub(crate) enum Target {
    /// `None` in memory.
    Sqlite(Option<PathBuf>),
    Postgres(Box<PgConnectOptions>),
    #[cfg(feature = "redis")]
    Redis(Box<redis::ConnectionInfo>),
}

/// Which of the three it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    #[cfg(feature = "redis")]
    Redis,
}

impl QueueUrl {
    pub(crate) fn kind(&self) -> Kind {
        match self.target {
            Target::Sqlite(_) => Kind::Sqlite,
            Target::Postgres(_) => Kind::Postgres,
            #[cfg(feature = "redis")]
            Target::Redis(_) => Kind::Redis,
        }
    }

    /// The queue that lies in a SQLite file.
    pub fn sqlite_file(path: &Path) -> QueueUrl {
        QueueUrl {
            name: path.display().to_string(),
            target: Target::Sqlite(Some(path.to_owned())),
        }
    }
}

impl fmt::Display for QueueUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for QueueUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueueUrl({})", self.name)
    }
}

impl FromStr for QueueUrl {
    type Err = QueueError;

    fn from_str(url: &str) -> Result<QueueUrl, QueueError> {
        match url.split_once(':').map_or("", |(scheme, _)| scheme) {
            "postgres" | "postgresql" => Ok(url.parse::<PostgresAddress>()?.into()),
            "redis" | "rediss" => redis_server(url),
            "sqlite" => Ok(url.parse::<SqliteAddress>()?.into()),
            _ if is_sqlite_file(url) => Ok(QueueUrl::sqlite_file(Path::new(url))),
            _ if url.contains("://") => Err(bad(url, "its scheme is none of sqlite, postgres and redis")),
            _ => Err(bad(url, "it has no scheme, and does not end in .db as a file would")),
        }
    }
}

impl From<SqliteAddress> for QueueUrl {
    fn from(address: SqliteAddress) -> QueueUrl {
        QueueUrl {
            name: match address.file {
                Some(_) => address.name,
                None => "sqlite::memory:".to_owned(),
            },
            target: Target::Sqlite(address.file),
        }
    }
}

impl From<PostgresAddress> for QueueUrl {
    fn from(address: PostgresAddress) -> QueueUrl {
        QueueUrl {
            name: address.name,
            target: Target::Postgres(Box::new(address.options)),
        }
    }
}

#[cfg(feature = "redis")]
fn redis_server(url: &str) -> Result<QueueUrl, QueueError> {
    use redis::{ConnectionAddr, IntoConnectionInfo as _};
    let info = url.into_connection_info().map_err(|e| bad(url, &e.to_string()))?;
    let place = match info.addr() {
        ConnectionAddr::Tcp(host, port) => format!("{host}:{port}"),
        ConnectionAddr::Unix(path) => path.display().to_string(),
        _ => return Err(bad(url, "this program was built without TLS for Redis")),
    };
    Ok(QueueUrl {
        name: format!("redis://{place}/{}", info.redis_settings().db()),
        target: Target::Redis(Box::new(info)),
    })
}

#[cfg(not(feature = "redis"))]
fn redis_server(url: &str) -> Result<QueueUrl, QueueError> {
    Err(bad(url, "this program was built without Redis"))
}

fn bad(url: &str, reason: &str) -> QueueError {
    BadAddress::new(url, reason).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(url: &str) -> String {
        url.parse::<QueueUrl>()
            .unwrap_or_else(|e| panic!("{url}: {e}"))
            .to_string()
    }

    #[test]
    fn what_is_printed() {
        assert_eq!(name("sqlite://a/b.db"), "sqlite://a/b.db");
        assert_eq!(name("b.db"), "b.db");
        assert_eq!(name("sqlite::memory:"), "sqlite::memory:");
        assert_eq!(
            name("postgres://app:secret@db.example:6000/chess?password=secret"),
            "postgres://app@db.example:6000/chess"
        );
        for url in ["mysql://x/y", "games.pgn", "", "sqlite:", "sqlite://"] {
            assert!(
                matches!(url.parse::<QueueUrl>(), Err(QueueError::BadUrl { .. })),
                "{url}"
            );
        }
    }

    #[cfg(feature = "redis")]
    #[test]
    fn redis_is_printed_without_its_password() {
        assert_eq!(
            name("redis://app:secret@cache.example:6380/2"),
            "redis://cache.example:6380/2"
        );
        let url: QueueUrl = "redis://:secret@cache".parse().expect("a password alone is fine");
        assert_eq!(format!("{url:?}"), "QueueUrl(redis://cache:6379/0)");
    }

    #[test]
    fn no_password_in_errors() {
        for url in [
            "postgres://app:secret@host:port/chess",
            "postgres://app:sec@ret@host:port/chess",
            "redis://app:secret@host:port/x",
            "redis://app:secret",
            "mysql://app:secret@host/chess",
        ] {
            let error = url.parse::<QueueUrl>().expect_err(url);
            let text = format!("{error} {error:?}");
            assert!(!text.contains("sec") && !text.contains("ret"), "{text}");
        }
    }
}
