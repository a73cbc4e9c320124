//! The PostgreSQL server the tests run on.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::servers;

/// The URL of the server's database `postgres`.
pub(crate) fn url() -> &'static str {
    servers::shared("postgres")
}

/// The URL of a new, empty database.
pub(crate) async fn new_database() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "tabiya_test_{}_{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    execute(url(), &format!("CREATE DATABASE {name}")).await;
    database(&name)
}

/// The URL of a database by name.
pub(crate) fn database(name: &str) -> String {
    let (server, _) = url().rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

/// Runs SQL beside the store.
pub(crate) async fn execute(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
    connection.close().await.unwrap();
}
