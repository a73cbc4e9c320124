//! A transaction on either database, and how many rows go into it at once.
//!
//! The knowledge base is written and read by the same statements on both: whatever is large is brought into the database
//! as it is and worked on there, in SQL that both understand. Where they differ a statement says `{now}`, `{text(…)}` or
//! `{millis}`.

use std::ops::Range;

use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Postgres, Sqlite, Transaction};
use uuid::Uuid;

use crate::fault::Trouble;
use crate::rows::clean_owned;

#[derive(Debug)]
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// Runs a statement and gives the number of rows it wrote.
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let sql = sqlx::AssertSqlSafe($tx.dialect($sql));
        match $tx {
            $crate::knowledge::tx::Tx::Sqlite(tx) => {
                sqlx::query(sql)$(.bind($bind))*.execute(&mut **tx).await?.rows_affected()
            }
            $crate::knowledge::tx::Tx::Postgres(tx) => {
                sqlx::query(sql)$(.bind($bind))*.execute(&mut **tx).await?.rows_affected()
            }
        }
    }};
}

/// All rows of a query, as tuples of a type.
macro_rules! fetch {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {{
        let sql = sqlx::AssertSqlSafe($tx.dialect($sql));
        match $tx {
            $crate::knowledge::tx::Tx::Sqlite(tx) => {
                sqlx::query_as::<_, $row>(sql)$(.bind($bind))*.fetch_all(&mut **tx).await?
            }
            $crate::knowledge::tx::Tx::Postgres(tx) => {
                sqlx::query_as::<_, $row>(sql)$(.bind($bind))*.fetch_all(&mut **tx).await?
            }
        }
    }};
}

/// All rows of a query over a whole table, as tuples of a type. Where the statement says `{range}` it is given ranges of
/// ids, and what stands between `SELECT` and `FROM` is bound together to JSON: SQLite's driver takes longer to hand over a
/// row than SQLite to find it. So every column is a number or a text. While SQLite looks for the rows of one range, on a thread
/// of its own, those of the range before are read.
macro_rules! sweep {
    ($tx:expr, $row:ty, $columns:literal, $from:literal, $bind:expr) => {{
        let mut all: Vec<$row> = Vec::new();
        match $tx {
            $crate::knowledge::tx::Tx::Sqlite(tx) => {
                const SQL: &str = concat!("SELECT json_group_array(json_array(", $columns, ")) ", $from);
                let sql = SQL.replace("{range}", "BETWEEN $2 AND $3");
                let read = |json: &str| $crate::knowledge::openings::from_json::<Vec<$row>>(json);
                let mut before = String::from("[]");
                for (low, high) in $crate::knowledge::tx::ranges() {
                    let found = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.clone()))
                        .bind($bind)
                        .bind(low)
                        .bind(high)
                        .fetch_one(&mut **tx);
                    let (found, rows) = tokio::join!(found, async { read(&before) });
                    all.append(&mut rows?);
                    before = found?;
                }
                all.append(&mut read(&before)?);
            }
            $crate::knowledge::tx::Tx::Postgres(tx) => {
                const SQL: &str = concat!("SELECT ", $columns, " ", $from);
                let sql = SQL.replace("{range}", "IS NOT NULL");
                all = sqlx::query_as::<_, $row>(sqlx::AssertSqlSafe(sql))
                    .bind($bind)
                    .fetch_all(&mut **tx)
                    .await?;
            }
        }
        all
    }};
}

/// As [`sweep!`], of one range of ids. The statement may say what differs between the databases.
macro_rules! ranged {
    ($tx:expr, $row:ty, $columns:literal, $from:literal, $range:expr) => {{
        let (low, high): (i64, i64) = $range;
        match $tx {
            $crate::knowledge::tx::Tx::Sqlite(_) => {
                const SQL: &str = concat!("SELECT json_group_array(json_array(", $columns, ")) ", $from);
                let sql = $tx.dialect(SQL).replace("{range}", "BETWEEN $1 AND $2");
                let json = fetch!($tx, (String,), &sql, low, high);
                let json = json.first().map_or("[]", |row| row.0.as_str());
                $crate::knowledge::openings::from_json::<Vec<$row>>(json)?
            }
            $crate::knowledge::tx::Tx::Postgres(_) => {
                const SQL: &str = concat!("SELECT ", $columns, " ", $from);
                let sql = $tx.dialect(SQL).replace("{range}", "BETWEEN $1 AND $2");
                fetch!($tx, $row, &sql, low, high)
            }
        }
    }};
}

pub(super) use {execute, fetch, ranged, sweep};

/// All ids in 64 ranges of about as many rows each, for ids are hashes.
pub(crate) fn ranges() -> impl Iterator<Item = (i64, i64)> {
    (-32i64..32).map(|n| (n << 58, (n << 58) + ((1 << 58) - 1)))
}

/// Rows in one statement. SQLite takes values one by one, PostgreSQL arrays.
const SQLITE_ROWS: usize = 500;
const POSTGRES_ROWS: usize = 20_000;

/// Names of tables and columns are put into statements as they are, so they are part of the program: nobody else can bring one.
impl Tx {
    /// A statement as this database writes it: `{now}` is the time, `{text(…)}` a stored time as RFC 3339, `{millis}` the
    /// milliseconds since 1970, `{ids}` the ids of a group as JSON.
    pub(super) fn dialect(&self, sql: &str) -> String {
        if !sql.contains('{') {
            return sql.to_owned();
        }
        match self {
            Tx::Sqlite(_) => sql
                .replace("{now}", "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
                .replace("{millis}", "CAST(unixepoch('subsec') * 1000 AS integer)")
                .replace("{ids}", "json_group_array(id)")
                .replace("{text(", "(")
                .replace(")}", ")"),
            Tx::Postgres(_) => sql
                .replace("{now}", "now()")
                .replace(
                    "{millis}",
                    "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
                )
                .replace("{ids}", "CAST(json_agg(id) AS text)")
                .replace("{text(", "to_char(timezone('UTC', ")
                .replace(")}", r#"), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#),
        }
    }

    /// A table that is gone after the transaction, or at the latest with the next of the same name. Columns are written as
    /// for PostgreSQL.
    pub(super) async fn scratch(&mut self, name: &'static str, columns: &'static str) -> Result<(), Trouble> {
        match self {
            Tx::Sqlite(_) => {
                // What SQLite calls an integer is what it clusters a table by.
                let columns = columns
                    .replace("bigint PRIMARY KEY", "INTEGER PRIMARY KEY")
                    .replace(" COLLATE \"C\"", "");
                execute!(self, &format!("DROP TABLE IF EXISTS temp.{name}"));
                execute!(self, &format!("CREATE TEMP TABLE {name} ({columns})"));
            }
            Tx::Postgres(tx) => {
                // Both on one way to the server and back: somebody may wait for this transaction.
                let sql =
                    format!("DROP TABLE IF EXISTS pg_temp.{name}; CREATE TEMP TABLE {name} ({columns}) ON COMMIT DROP");
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **tx).await?;
            }
        }
        Ok(())
    }

    /// Tells PostgreSQL how large a table has become in this transaction: it would plan for an empty one.
    pub(super) async fn analyze(&mut self, table: &'static str) -> Result<(), Trouble> {
        if let Tx::Postgres(_) = self {
            execute!(self, &format!("ANALYZE {table}"));
        }
        Ok(())
    }

    /// Appends rows to a table, given as all of its columns in their order. Rows should come in the order of their key:
    /// B-trees are filled fastest that way.
    pub(super) async fn insert(&mut self, table: &'static str, columns: &[Column]) -> Result<(), Trouble> {
        self.insert_or(table, columns, "").await?;
        Ok(())
    }

    /// Adds rows as [`insert`](Tx::insert) does, and where a key is taken does what an `ON CONFLICT` clause says. No key may
    /// come twice. Gives the number of rows written.
    pub(super) async fn insert_or(
        &mut self,
        table: &'static str,
        columns: &[Column],
        conflict: &'static str,
    ) -> Result<u64, Trouble> {
        let rows = columns.first().map_or(0, Column::len);
        debug_assert!(columns.iter().all(|column| column.len() == rows));
        let step = match self {
            Tx::Sqlite(_) => SQLITE_ROWS,
            Tx::Postgres(_) => POSTGRES_ROWS,
        };
        let mut pieces = (0..rows).step_by(step).map(|start| start..rows.min(start + step));
        let mut written = 0;
        match self {
            Tx::Sqlite(tx) => {
                let mut next = pieces.next().map(|rows| sqlite_insert(table, columns, conflict, rows));
                while let Some(query) = next {
                    // SQLite works on a thread of its own: the next rows are got ready meanwhile.
                    let (done, ready) = tokio::join!(query.execute(&mut **tx), async {
                        pieces.next().map(|rows| sqlite_insert(table, columns, conflict, rows))
                    });
                    written += done?.rows_affected();
                    next = ready;
                }
            }
            Tx::Postgres(tx) => {
                for Range { start, end } in pieces {
                    let arrays: Vec<String> = columns
                        .iter()
                        .enumerate()
                        .map(|(n, column)| format!("${}::{}[]", n + 1, column.postgres_type()))
                        .collect();
                    let sql = format!(
                        "INSERT INTO {table} SELECT * FROM unnest({}) {conflict}",
                        arrays.join(",")
                    );
                    let mut query = sqlx::query(AssertSqlSafe(sql));
                    for column in columns {
                        query = match column {
                            Column::Ids(values) => query.bind(&values[start..end]),
                            Column::Ints(values) => query.bind(&values[start..end]),
                            Column::OptInts(values) => query.bind(&values[start..end]),
                            Column::Texts(values) => query.bind(&values[start..end]),
                            Column::OptTexts(values) => query.bind(&values[start..end]),
                            Column::Uuids(values) => query.bind(&values[start..end]),
                            Column::Bytes(values) => query.bind(&values[start..end]),
                        };
                    }
                    written += query.execute(&mut **tx).await?.rows_affected();
                }
            }
        }
        Ok(written)
    }
}

/// A statement that appends some of the rows. Values are copied into it, so that it can be made while another is at work.
fn sqlite_insert(
    table: &'static str,
    columns: &[Column],
    conflict: &'static str,
    rows: Range<usize>,
) -> Query<'static, Sqlite, SqliteArguments> {
    let row = format!("({})", vec!["?"; columns.len()].join(","));
    // `OR FAIL` spares SQLite a copy of every page; the whole transaction is undone anyway.
    let sql = format!(
        "INSERT OR FAIL INTO {table} VALUES {} {conflict}",
        vec![row; rows.len()].join(",")
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(rows.len() == SQLITE_ROWS);
    for row in rows {
        for column in columns {
            query = match column {
                Column::Ids(values) => query.bind(values[row]),
                Column::Ints(values) => query.bind(values[row]),
                Column::OptInts(values) => query.bind(values[row]),
                Column::Texts(values) => query.bind(values[row].as_str()),
                Column::OptTexts(values) => query.bind(values[row].as_deref()),
                Column::Uuids(values) => query.bind(values[row]),
                Column::Bytes(values) => query.bind(values[row].as_slice()),
            };
        }
    }
    query
}

/// The values of one column.
#[derive(Debug)]
pub(super) enum Column {
    Ids(Vec<i64>),
    Ints(Vec<i32>),
    OptInts(Vec<Option<i32>>),
    Texts(Vec<String>),
    OptTexts(Vec<Option<String>>),
    Uuids(Vec<Uuid>),
    Bytes(Vec<Vec<u8>>),
}

impl Column {
    pub(super) fn ids(values: impl Iterator<Item = i64>) -> Column {
        Column::Ids(values.collect())
    }

    pub(super) fn ints(values: impl Iterator<Item = impl Into<i32>>) -> Column {
        Column::Ints(values.map(Into::into).collect())
    }

    pub(super) fn opt_ints(values: impl Iterator<Item = Option<impl Into<i32>>>) -> Column {
        Column::OptInts(values.map(|value| value.map(Into::into)).collect())
    }

    pub(super) fn texts(values: impl Iterator<Item = impl Into<String>>) -> Column {
        Column::Texts(values.map(|text| clean_owned(text.into())).collect())
    }

    pub(super) fn opt_texts(values: impl Iterator<Item = Option<String>>) -> Column {
        Column::OptTexts(values.map(|text| text.map(clean_owned)).collect())
    }

    pub(super) fn uuids(values: impl Iterator<Item = Uuid>) -> Column {
        Column::Uuids(values.collect())
    }

    fn len(&self) -> usize {
        match self {
            Column::Ids(values) => values.len(),
            Column::Ints(values) => values.len(),
            Column::OptInts(values) => values.len(),
            Column::Texts(values) => values.len(),
            Column::OptTexts(values) => values.len(),
            Column::Uuids(values) => values.len(),
            Column::Bytes(values) => values.len(),
        }
    }

    fn postgres_type(&self) -> &'static str {
        match self {
            Column::Ids(_) => "bigint",
            Column::Ints(_) | Column::OptInts(_) => "integer",
            Column::Texts(_) | Column::OptTexts(_) => "text",
            Column::Uuids(_) => "uuid",
            Column::Bytes(_) => "bytea",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn ranges_leave_no_id_out() {
        let ranges: Vec<_> = ranges().collect();
        assert_eq!((ranges[0].0, ranges[63].1), (i64::MIN, i64::MAX));
        assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
    }
}
