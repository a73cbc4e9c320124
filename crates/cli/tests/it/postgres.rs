//! Databases on the PostgreSQL server that tests run on.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::servers;

/// The URL of a new, empty database.
pub(crate) fn new_database() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("tabiya_cli_{}_{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
    let server = servers::shared("postgres");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = PgConnection::connect(server).await.expect("the server answers");
        for statement in [
            format!("drop database if exists {name}"),
            format!("create database {name}"),
        ] {
            sqlx::raw_sql(AssertSqlSafe(statement))
                .execute(&mut connection)
                .await
                .expect("a database can be made");
        }
        connection.close().await.expect("the connection closes");
    });
    let (place, _) = server.rsplit_once('/').expect("a URL has a path");
    format!("{place}/{name}")
}
