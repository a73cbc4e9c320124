//! From what Neo4j says to our errors.

use super::bolt::BoltError;
use crate::StoreError;

pub(super) fn explain(database: &str, error: BoltError) -> StoreError {
    let named = database.to_owned();
    match &error {
        BoltError::Connect(_) => StoreError::Unreachable {
            database: named,
            source: Box::new(error),
        },
        BoltError::Foreign(_) => StoreError::Unreachable {
            database: named,
            source: Box::new(error),
        },
        BoltError::Silent(_) | BoltError::Broken(_) => StoreError::ConnectionLost {
            database: named,
            source: Box::new(error),
        },
        BoltError::Unreadable(what) => StoreError::Malformed {
            database: named,
            what: what.clone(),
        },
        BoltError::Refused { code, .. } => refused(named, code.clone(), error),
    }
}

fn refused(database: String, code: String, error: BoltError) -> StoreError {
    let source = Box::new(error);
    match code.as_str() {
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"
        | "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase" => StoreError::ReadOnly { database, source },
        "Neo.ClientError.Database.DatabaseNotFound" => StoreError::MissingDatabase { database, source },
        "Neo.TransientError.General.DatabaseUnavailable" | "Neo.TransientError.Database.DatabaseUnavailable" => {
            StoreError::Unreachable { database, source }
        }
        // Our own guard divides by the number of runs that are ours.
        "Neo.ClientError.Statement.ArithmeticError" => StoreError::Superseded { database },
        code if code.starts_with("Neo.ClientError.Security.") => StoreError::AccessDenied { database, source },
        code if code.starts_with("Neo.TransientError.") => StoreError::Busy { database, source },
        _ => StoreError::Database { database, source },
    }
}
