//! PostgreSQL's SQLSTATE codes.

use crate::fault::Fault;

pub(super) fn read(error: &sqlx::Error) -> Fault {
    match error {
        sqlx::Error::Database(error) => error.code().map_or(Fault::Other, |code| of_code(&code)),
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => Fault::ConnectionLost,
        _ => Fault::Other,
    }
}

/// While connecting a broken line means that the server was never reached.
pub(super) fn read_while_connecting(error: &sqlx::Error) -> Fault {
    match (read(error), error) {
        (Fault::ConnectionLost, _) | (_, sqlx::Error::Tls(_)) => Fault::Unreachable,
        (fault, _) => fault,
    }
}

fn of_code(code: &str) -> Fault {
    match code {
        "28P01" | "28000" | "42501" => Fault::AccessDenied,
        "3D000" => Fault::MissingDatabase,
        "25006" => Fault::ReadOnly,
        "53100" => Fault::DiskFull,
        // Too many connections; a lock or a statement that took too long; deadlocks and serialization past retrying.
        "53300" | "55P03" | "57014" | "40P01" | "40001" => Fault::Busy,
        // Shut down, crashed, starting up; and the class of connection exceptions.
        "57P01" | "57P02" | "57P03" | "57P05" => Fault::ConnectionLost,
        // Our unique and not-null constraints are what a collision runs into.
        "23505" | "23502" => Fault::Collision,
        _ if code.starts_with("08") => Fault::ConnectionLost,
        _ => Fault::Other,
    }
}

/// Whether the same transaction may go through when tried again: a deadlock, a serialization failure, or a row that
/// another writer inserted at the same instant.
pub(super) fn is_worth_retrying(error: &sqlx::Error) -> bool {
    matches!(
        error.as_database_error().and_then(|e| e.code()).as_deref(),
        Some("40P01" | "40001" | "23505")
    )
}
