//! Where a database is: from the text a user wrote to what a driver wants, and to a name that is safe to print.
//!
//! ```
//! use tabiya_address::{PostgresAddress, SqliteAddress};
//!
//! let server: PostgresAddress = "postgres://app:secret@db.example/chess".parse()?;
//! assert_eq!(server.name, "postgres://app@db.example:5432/chess");
//!
//! let file: SqliteAddress = "openings.db".parse()?;
//! assert_eq!(file.file.as_deref(), Some("openings.db".as_ref()));
//! # Ok::<(), tabiya_address::BadAddress>(())
//! ```
//!
//! What cannot be read is refused in words, and the refusal repeats nothing that may be a password.

mod postgres;
mod refused;
mod sqlite;

pub use postgres::{PostgresAddress, ServerPlace};
pub use refused::BadAddress;
pub use sqlite::{SqliteAddress, is_sqlite_file};
