//! From a driver's error to ours: what a backend recognises, before the database's name is known.

use crate::error::Cause;
use crate::{Identity, StoreError};

/// The kind of a driver's error, as a backend reads it off its codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    AccessDenied,
    MissingDatabase,
    Unreachable,
    CannotOpen,
    NotADatabase,
    ReadOnly,
    DiskFull,
    Busy,
    ConnectionLost,
    Collision,
    Other,
}

impl Fault {
    pub(crate) fn into_error(self, database: &str, source: sqlx::Error) -> StoreError {
        let database = database.to_owned();
        let text = match &source {
            sqlx::Error::Database(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        let source: Cause = Box::new(source);
        match self {
            Fault::AccessDenied => StoreError::AccessDenied { database, source },
            Fault::MissingDatabase => StoreError::MissingDatabase { database, source },
            Fault::Unreachable => StoreError::Unreachable { database, source },
            Fault::CannotOpen => StoreError::CannotOpen { database, reason: text },
            Fault::NotADatabase => StoreError::NotADatabase { database, source },
            Fault::ReadOnly => StoreError::ReadOnly { database, source },
            Fault::DiskFull => StoreError::DiskFull { database, source },
            Fault::Busy => StoreError::Busy { database, source },
            Fault::ConnectionLost => StoreError::ConnectionLost { database, source },
            Fault::Collision => StoreError::Collision { database, detail: text },
            Fault::Other => StoreError::Database { database, source },
        }
    }
}

/// What stops a read or a write, as far as the code that meets it can tell.
#[derive(Debug)]
pub(crate) enum Trouble {
    Sql(sqlx::Error),
    /// Two things under one hash: both, in words.
    Collision(String),
    Malformed(String),
    Identity {
        stored: Identity,
        asked: Identity,
    },
    NoCollection(String),
    /// A file that nobody was to change.
    Changed,
    /// What was to be written could not be had.
    Source(Cause),
}

impl From<sqlx::Error> for Trouble {
    fn from(error: sqlx::Error) -> Trouble {
        Trouble::Sql(error)
    }
}

impl Trouble {
    /// Names the database; `read` is how its backend reads a driver's error.
    pub(crate) fn into_error(self, database: &str, read: impl FnOnce(&sqlx::Error) -> Fault) -> StoreError {
        let named = database.to_owned();
        match self {
            Trouble::Sql(error) => read(&error).into_error(database, error),
            Trouble::Collision(detail) => StoreError::Collision {
                database: named,
                detail,
            },
            Trouble::Malformed(what) => StoreError::Malformed { database: named, what },
            Trouble::NoCollection(collection) => StoreError::NoCollection {
                database: named,
                collection,
            },
            Trouble::Changed => StoreError::Changed { database: named },
            Trouble::Source(source) => StoreError::Source {
                database: named,
                source,
            },
            Trouble::Identity { stored, asked } => StoreError::IdentityMismatch {
                database: named,
                stored,
                asked,
            },
        }
    }
}

/// Reads a migrator's error: a version it does not know was applied by a newer program.
pub(crate) fn migration_error(
    database: &str,
    error: sqlx::migrate::MigrateError,
    known: i64,
    read: impl FnOnce(&sqlx::Error) -> Fault,
) -> StoreError {
    use sqlx::migrate::MigrateError;
    let database_name = database.to_owned();
    match error {
        MigrateError::VersionMissing(found) => StoreError::NewerSchema {
            database: database_name,
            found,
            known,
        },
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => match read(&error) {
            Fault::Other | Fault::Collision => StoreError::Migration {
                database: database_name,
                source: Box::new(error),
            },
            fault => fault.into_error(database, error),
        },
        other => StoreError::Migration {
            database: database_name,
            source: Box::new(other),
        },
    }
}
