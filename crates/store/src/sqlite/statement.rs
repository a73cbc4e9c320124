//! Statements of fixed text.

/// A statement and its values: `fixed!(query_as, "SELECT …", value, …)`. With the feature `checked-queries` the same text is
/// held against the schema when the crate is compiled: its syntax, its tables and columns, and the number of its values. What
/// does that never runs.
macro_rules! fixed {
    ($kind:ident, $sql:literal $(, $value:expr)* $(,)?) => {{
        #[cfg(feature = "checked-queries")]
        let _ = || drop(sqlx::query!($sql $(, $value)*));
        sqlx::$kind($sql)$(.bind($value))*
    }};
}

pub(super) use fixed;
