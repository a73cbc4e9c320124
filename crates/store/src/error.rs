//! What can go wrong with a database, split where the reaction splits.

use tabiya_address::BadAddress;

use crate::Identity;

/// Whatever lies beneath, as it was reported.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a database could not do what was asked. Every message names the database, none contains a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("`{url}` is not a database URL: {reason}")]
    BadUrl { url: String, reason: String },

    #[error("{database}: the server refused this user or password")]
    AccessDenied {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the server has no such database")]
    MissingDatabase {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the server cannot be reached")]
    Unreachable {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the file cannot be opened: {reason}")]
    CannotOpen { database: String, reason: String },

    #[error("{database}: this is not a SQLite database, or it is damaged")]
    NotADatabase {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the database is read-only")]
    ReadOnly {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the file was opened as one that nobody changes, and has changed since")]
    Changed { database: String },

    #[error("{database}: the disk is full")]
    DiskFull {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: another process kept the database locked for too long")]
    Busy {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the connection was lost")]
    ConnectionLost {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the schema is of version {found}, this program knows versions up to {known}")]
    NewerSchema { database: String, found: i64, known: i64 },

    #[error("{database}: the schema could not be brought up to date")]
    Migration {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: positions are told apart by `{stored}` here, but `{asked}` was asked for")]
    IdentityMismatch {
        database: String,
        stored: Identity,
        asked: Identity,
    },

    #[error("{database}: there is no collection `{collection}`")]
    NoCollection { database: String, collection: String },

    #[error("{database}: this is Neo4j, which holds a copy of a knowledge base that is only looked at")]
    Projection { database: String },

    #[error("{database}: there is no knowledge base here, or it was never written to its end")]
    NotProjected { database: String },

    #[error("{database}: there is something else in this database: {found}")]
    Occupied { database: String, found: String },

    #[error("{database}: another process has begun to write here")]
    Superseded { database: String },

    #[error("{database}: hash collision: {detail}")]
    Collision { database: String, detail: String },

    #[error("{database}: {what}")]
    Malformed { database: String, what: String },

    #[error("{database}: what was to be written could not be read")]
    Source {
        database: String,
        #[source]
        source: Cause,
    },

    #[error("{database}: the database reported an error")]
    Database {
        database: String,
        #[source]
        source: Cause,
    },
}

impl From<BadAddress> for StoreError {
    fn from(bad: BadAddress) -> StoreError {
        StoreError::BadUrl {
            url: bad.url,
            reason: bad.reason,
        }
    }
}

impl StoreError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            StoreError::BadUrl { .. } => {
                "use sqlite://path/to/file.db, sqlite::memory:, a file name ending in .db, \
                 postgres://user:password@host:5432/database, or (to look at) neo4j://user:password@host:7687; \
                 write special characters in a password as %XX"
            }
            StoreError::AccessDenied { database, .. } if database.starts_with("neo4j://") => {
                "check user name and password in the URL, neo4j://USER:PASSWORD@HOST, and that the user may write"
            }
            StoreError::AccessDenied { .. } => {
                "check user name and password in the URL (or PGUSER, PGPASSWORD), and that the user may write"
            }
            StoreError::MissingDatabase { .. } => "create it first (createdb NAME), or check the name",
            StoreError::Unreachable { .. } => "check that the server runs and that host and port are right",
            StoreError::CannotOpen { .. } => {
                "check that the path names a file in an existing directory that you may write to"
            }
            StoreError::NotADatabase { .. } => {
                "check the path; move the file away to start a new database in its place"
            }
            StoreError::ReadOnly { .. } => {
                "check the permissions of the file and its directory, or choose another database"
            }
            StoreError::Changed { .. } => {
                "start the program again to read what is there now; one that may write to the file's directory notices by itself"
            }
            StoreError::DiskFull { .. } => {
                "make room (on the disk, or in what a quota or `ulimit -f` leaves) and run the same command again; \
                 everything committed before is kept; where there is room, the system's log says whether the disk is failing"
            }
            StoreError::Busy { .. } => "wait for the other process, or stop it, and run again",
            StoreError::ConnectionLost { .. } => "run the same command again; everything committed before is kept",
            StoreError::NewerSchema { .. } => "use the newer version of this program that wrote it",
            StoreError::Migration { .. } => {
                "check that the user may create tables, and that no one else's tables are in this database"
            }
            StoreError::IdentityMismatch { .. } => {
                "use another database, or import with the --[no-]dedupe-transpositions it was built with"
            }
            StoreError::NoCollection { .. } => "check the name, or build the collection first",
            StoreError::Projection { .. } => {
                "work on the SQLite or PostgreSQL database it was made of, then: tabiya project --to neo4j://…"
            }
            StoreError::NotProjected { .. } => {
                "write it with: tabiya project --db DATABASE --to neo4j://…; a run that was broken off goes on where it was"
            }
            StoreError::Occupied { .. } => "name an empty database, or remove these nodes if nobody needs them",
            StoreError::Superseded { .. } => "let the other one finish; one at a time is enough",
            StoreError::Collision { .. } => "nothing of this batch was written; please report both texts",
            StoreError::Malformed { .. } => "this is a fault in the program; please report it",
            StoreError::Source { .. } => {
                "nothing of it was written; mend what is named above and run the same command again"
            }
            StoreError::Database { .. } => {
                "the database's own words are above; everything committed before is kept, and `tabiya doctor` looks at the rest"
            }
        }
    }

    /// Whether it was the caller's choice that was wrong, rather than the outside world.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            StoreError::BadUrl { .. }
                | StoreError::IdentityMismatch { .. }
                | StoreError::NoCollection { .. }
                | StoreError::Projection { .. }
        )
    }

    /// Whether the same call may succeed later without anyone changing anything.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            StoreError::Unreachable { .. } | StoreError::Busy { .. } | StoreError::ConnectionLost { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_fits_the_server_that_refused() {
        let refused = |database: &str| {
            let database = database.to_owned();
            let source = "no".into();
            StoreError::AccessDenied { database, source }.hint()
        };
        assert!(refused("postgres://me@host:5432/chess").contains("PGPASSWORD"));
        let hint = refused("neo4j://me@host:7687");
        assert!(
            hint.contains("neo4j://USER:PASSWORD@HOST") && !hint.contains("PG"),
            "{hint}"
        );
    }
}
