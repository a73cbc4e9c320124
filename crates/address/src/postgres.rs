//! Databases on PostgreSQL servers.

mod parameters;

use std::{fmt, str::FromStr};

use sqlx::postgres::PgConnectOptions;

use crate::BadAddress;

/// Where a PostgreSQL database is, be it said by its URL or by the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// `None` for a socket of this machine.
    pub host: Option<String>,
    pub port: u16,
    pub database: String,
}

/// A PostgreSQL database as it was asked for.
#[derive(Clone)]
pub struct PostgresAddress {
    /// What to call it.
    pub name: String,
    pub options: PgConnectOptions,
    pub place: ServerPlace,
}

/// The options hold the password.
impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresAddress({})", self.name)
    }
}

impl PostgresAddress {
    /// Whether a text is meant as one, be it well written or not.
    pub fn is_meant_by(url: &str) -> bool {
        url.starts_with("postgres://") || url.starts_with("postgresql://")
    }
}

impl FromStr for PostgresAddress {
    type Err = BadAddress;

    fn from_str(url: &str) -> Result<PostgresAddress, BadAddress> {
        if !PostgresAddress::is_meant_by(url) {
            return Err(BadAddress::new(url, "its scheme is not postgres"));
        }
        parameters::check(url).map_err(|reason| BadAddress::new(url, reason))?;
        let options = PgConnectOptions::from_str(url).map_err(|error| BadAddress::of(url, &error))?;
        let place = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let user = options.get_username();
        let database = options.get_database().unwrap_or(user);
        // A directory in PGHOST is taken for a socket's only when the connection is made.
        let is_socket = options.get_socket().is_some() || options.get_host().starts_with('/');
        Ok(PostgresAddress {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let place = |host: Option<&str>, port, database: &str| ServerPlace {
            host: host.map(str::to_owned),
            port,
            database: database.to_owned(),
        };
        for (url, expected) in [
            ("postgres://me:secret@db:5433/chess", place(Some("db"), 5433, "chess")),
            (
                "postgres://me@db:5433/chess?host=other&port=5434&dbname=book",
                place(Some("other"), 5434, "book"),
            ),
            (
                "postgresql://me@db:5433/chess?host=/run/postgresql",
                place(None, 5433, "chess"),
            ),
        ] {
            let address: PostgresAddress = url.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(address.place, expected, "{url}");
        }
        for url in ["chess.db", "postgres:/x", "mysql://x/y", ""] {
            assert!(url.parse::<PostgresAddress>().is_err(), "{url}");
        }
    }

    #[test]
    fn no_password_in_names_and_errors() {
        let address: PostgresAddress = "postgres://app:secret@db.example:6000/chess?password=secret"
            .parse()
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(address.name, "postgres://app@db.example:6000/chess");
        assert!(!format!("{address:?}").contains("secret"));
        for url in [
            "postgres://app:secret@host:port/chess",
            "postgres://app:sec@ret@host:port/chess",
            "postgres://app:secret",
            "postgres://host:1x/chess?password=secret",
            "postgres://app:secret/x@host/chess",
            "mysql://app:secret@host/chess",
        ] {
            let error = url.parse::<PostgresAddress>().expect_err(url);
            let text = format!("{error} {error:?}");
            assert!(!text.contains("sec") && !text.contains("ret"), "{text}");
        }
    }
}
