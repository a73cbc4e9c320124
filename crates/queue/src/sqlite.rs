//! SQLite: the tables and the claim of apalis, and statements of our own around them. For the workers of one process;
//! times are whole seconds here.

use std::path::Path;
use std::time::{Duration, Instant};

use apalis_core::worker::context::WorkerContext;
use apalis_sqlite::{Config, SqliteStorage, queries};
use async_trait::async_trait;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection, SqlitePool};

use crate::backend::{Backend, FORGOTTEN_AFTER, Heartbeat, LISTED_FAILURES, LOST, NewJob, Outcome, Returned, Ticket};
use crate::backend::{OpenTrouble, Trouble, whole_seconds};
use crate::status::{status_of, worker_list};
use crate::{QueueOptions, QueueStatus, WorkerStatus};

/// Apart from sqlx's usual table, where the database's own migrations are.
const MIGRATIONS: &str = "_apalis_migrations";

/// Writers wait for the lock, and none of them keeps it for long.
const BUSY: Duration = Duration::from_secs(10);

const OPEN_RETRY: Duration = Duration::from_millis(20);

/// A lock is asked for before the first row is read: whoever reads first and writes later may not be let through.
const WRITING: &str = "BEGIN IMMEDIATE";

#[derive(Debug)]
pub(crate) struct SqliteQueue {
    name: String,
    options: QueueOptions,
    pool: SqlitePool,
}

pub(crate) async fn open(file: Option<&Path>, name: &str, options: QueueOptions) -> Result<SqliteQueue, OpenTrouble> {
    let start = Instant::now();
    let pool = loop {
        match try_open(file).await {
            // Two who make one file at the same time meet locks that SQLite does not wait for by itself.
            Err(OpenTrouble::Unreachable(Trouble::Passing(_)) | OpenTrouble::Setup(Trouble::Passing(_)))
                if start.elapsed() < BUSY =>
            {
                tokio::time::sleep(OPEN_RETRY).await;
            }
            tried => break tried?,
        }
    };
    Ok(SqliteQueue {
        name: name.to_owned(),
        options,
        pool,
    })
}

async fn try_open(file: Option<&Path>) -> Result<SqlitePool, OpenTrouble> {
    let connect = match file {
        Some(file) => SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal),
        None => SqliteConnectOptions::new().in_memory(true),
    };
    let pool = SqlitePoolOptions::new()
        // Each connection to memory would be a database of its own, gone with its connection.
        .max_connections(if file.is_some() { 4 } else { 1 })
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(connect.busy_timeout(BUSY).disable_statement_logging())
        .await
        .map_err(|e| match read(e) {
            Trouble::Lasting(cause) => OpenTrouble::CannotOpen(cause),
            passing => OpenTrouble::Unreachable(passing),
        })?;
    let setup = |e| OpenTrouble::Setup(read(e));
    // apalis' own setup would also turn off waiting for the disk. One lock over all of it; the migrator's own transactions
    // become savepoints.
    let mut migrations = SqliteStorage::migrations();
    migrations.dangerous_set_table_name(MIGRATIONS);
    let mut transaction = pool.begin_with(WRITING).await.map_err(setup)?;
    migrations
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(|error| match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => setup(error),
            other => OpenTrouble::Setup(Trouble::Lasting(other.into())),
        })?;
    transaction.commit().await.map_err(setup)?;
    Ok(pool)
}

/// Adds jobs in whatever transaction the connection is in.
pub(crate) async fn push_on(
    connection: &mut SqliteConnection,
    queue: &str,
    max_attempts: u32,
    jobs: &[NewJob],
) -> Result<u64, Trouble> {
    let mut added = 0;
    for job in jobs {
        let done = sqlx::query(
            "INSERT INTO Jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, idempotency_key)
             VALUES (?1, ?2, ?3, 'Pending', 0, ?4, unixepoch(), ?5, ?6)
             ON CONFLICT (job_type, idempotency_key) DO UPDATE SET
                 id = excluded.id, job = excluded.job, status = 'Pending', attempts = 0,
                 max_attempts = excluded.max_attempts, run_at = excluded.run_at, priority = excluded.priority,
                 last_result = NULL, lock_by = NULL, lock_at = NULL, done_at = NULL
             WHERE status IN ('Done', 'Killed') OR (status = 'Failed' AND attempts >= max_attempts)",
        )
        .bind(&job.id)
        .bind(queue)
        .bind(&job.payload)
        .bind(max_attempts)
        .bind(job.priority)
        .bind(&job.key)
        .execute(&mut *connection)
        .await
        .map_err(read)?;
        added += done.rows_affected();
    }
    Ok(added)
}

#[async_trait]
impl Backend for SqliteQueue {
    async fn push(&self, jobs: &[NewJob]) -> Result<u64, Trouble> {
        let mut transaction = self.pool.begin_with(WRITING).await.map_err(read)?;
        let added = push_on(&mut transaction, &self.name, self.options.max_attempts, jobs).await?;
        transaction.commit().await.map_err(read)?;
        Ok(added)
    }

    async fn claim(&self, worker: &str, limit: usize) -> Result<Vec<Ticket>, Trouble> {
        let config = Config::default().queue(&self.name).batch_size(limit);
        let context = WorkerContext::new(worker);
        let mut connection = self.pool.acquire().await.map_err(read)?;
        let tasks = queries::fetch_next(&mut *connection, &config, &context)
            .await
            .map_err(|error| match error {
                apalis_sqlite::Error::Database(error) => read(error),
                other => Trouble::Lasting(other.into()),
            })?;
        Ok(tasks
            .into_iter()
            .map(|task| Ticket {
                id: task.task_id().map(ToString::to_string).unwrap_or_default(),
                key: task.idempotency_key().unwrap_or_default().to_owned(),
                attempts: u32::try_from(task.attempt()).unwrap_or(u32::MAX),
                payload: task.args,
            })
            .collect())
    }

    async fn finish(&self, worker: &str, ticket: &Ticket, outcome: &Outcome) -> Result<bool, Trouble> {
        // The payload of a job that is done is of no use to anybody; its row stays, for the count and the key.
        let entry = outcome.entry();
        let done = sqlx::query(
            "UPDATE Jobs SET
                 status = ?4,
                 attempts = attempts + ?5,
                 run_at = CASE WHEN ?6 > 0 THEN unixepoch() + ?6 ELSE run_at END,
                 last_result = CASE WHEN ?7 IS NULL THEN json_object('Ok', NULL) ELSE json_object('Err', ?7) END,
                 done_at = CASE WHEN ?4 = 'Pending' THEN NULL ELSE unixepoch() END,
                 job = CASE WHEN ?4 = 'Done' THEN CAST('null' AS BLOB) ELSE job END,
                 lock_by = NULL, lock_at = NULL
             WHERE id = ?1 AND lock_by = ?2 AND attempts = ?3 AND status IN ('Queued', 'Running')",
        )
        .bind(&ticket.id)
        .bind(worker)
        .bind(ticket.attempts)
        .bind(entry.status)
        .bind(entry.counts)
        .bind(whole_seconds(entry.pause))
        .bind(entry.reason)
        .execute(&self.pool)
        .await
        .map_err(read)?;
        Ok(done.rows_affected() > 0)
    }

    async fn heartbeat(&self, beat: Heartbeat<'_>) -> Result<Returned, Trouble> {
        let mut transaction = self.pool.begin_with(WRITING).await.map_err(read)?;
        sqlx::query(
            "INSERT INTO Workers (id, worker_type, storage_name, layers, last_seen, started_at)
             VALUES (?1, ?2, 'tabiya-queue', ?3, unixepoch(), unixepoch())
             ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen, layers = excluded.layers",
        )
        .bind(beat.worker)
        .bind(&self.name)
        .bind(beat.portrait)
        .execute(&mut *transaction)
        .await
        .map_err(read)?;
        let strays = give_back(&mut transaction, &self.name, beat.worker, beat.held).await?;
        let of_lost_workers = if beat.reap {
            self.reap(&mut transaction).await?
        } else {
            0
        };
        transaction.commit().await.map_err(read)?;
        Ok(Returned {
            strays,
            of_lost_workers,
        })
    }

    async fn leave(&self, worker: &str) -> Result<(), Trouble> {
        let mut transaction = self.pool.begin_with(WRITING).await.map_err(read)?;
        give_back(&mut transaction, &self.name, worker, &[]).await?;
        sqlx::query("DELETE FROM Workers WHERE id = ?1")
            .bind(worker)
            .execute(&mut *transaction)
            .await
            .map_err(read)?;
        transaction.commit().await.map_err(read)
    }

    async fn is_empty(&self) -> Result<bool, Trouble> {
        let busy: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM Jobs WHERE job_type = ?1 AND status IN ('Pending', 'Queued', 'Running'))
                 OR EXISTS (SELECT 1 FROM Jobs WHERE job_type = ?1 AND status = 'Failed' AND attempts < max_attempts)",
        )
        .bind(&self.name)
        .fetch_one(&self.pool)
        .await
        .map_err(read)?;
        Ok(!busy)
    }

    async fn status(&self) -> Result<QueueStatus, Trouble> {
        let counts: Vec<(String, i64)> = sqlx::query_as(
            "SELECT CASE WHEN status IN ('Queued', 'Running') THEN 'running'
                         WHEN status = 'Done' THEN 'done'
                         WHEN status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts) THEN 'waiting'
                         ELSE 'failed' END AS state, count(*)
             FROM Jobs WHERE job_type = ?1 GROUP BY 1",
        )
        .bind(&self.name)
        .fetch_all(&self.pool)
        .await
        .map_err(read)?;
        let failures: Vec<(Option<String>, i64, Option<String>)> = sqlx::query_as(
            "SELECT idempotency_key, attempts, last_result ->> 'Err' FROM Jobs
             WHERE job_type = ?1 AND (status = 'Killed' OR (status = 'Failed' AND attempts >= max_attempts))
             ORDER BY done_at, id LIMIT ?2",
        )
        .bind(&self.name)
        .bind(LISTED_FAILURES)
        .fetch_all(&self.pool)
        .await
        .map_err(read)?;
        Ok(status_of(&counts, failures))
    }

    async fn workers(&self) -> Result<Vec<WorkerStatus>, Trouble> {
        let workers: Vec<(String, String, f64)> = sqlx::query_as(
            "SELECT id, coalesce(layers, ''), CAST(unixepoch() - last_seen AS REAL) FROM Workers
             WHERE worker_type = ?1 ORDER BY id",
        )
        .bind(&self.name)
        .fetch_all(&self.pool)
        .await
        .map_err(read)?;
        let jobs: Vec<(String, Option<String>, f64)> = sqlx::query_as(
            "SELECT lock_by, idempotency_key, CAST(unixepoch() - lock_at AS REAL) FROM Jobs
             WHERE job_type = ?1 AND lock_by IS NOT NULL AND status IN ('Queued', 'Running') ORDER BY lock_at, id",
        )
        .bind(&self.name)
        .fetch_all(&self.pool)
        .await
        .map_err(read)?;
        Ok(worker_list(workers, jobs, &self.options))
    }

    async fn retry_failed(&self) -> Result<u64, Trouble> {
        let done = sqlx::query(
            "UPDATE Jobs SET status = 'Pending', attempts = 0, run_at = unixepoch(), done_at = NULL
             WHERE job_type = ?1 AND (status = 'Killed' OR (status = 'Failed' AND attempts >= max_attempts))",
        )
        .bind(&self.name)
        .execute(&self.pool)
        .await
        .map_err(read)?;
        Ok(done.rows_affected())
    }

    async fn clear(&self) -> Result<u64, Trouble> {
        let done = sqlx::query("DELETE FROM Jobs WHERE job_type = ?1 AND status NOT IN ('Queued', 'Running')")
            .bind(&self.name)
            .execute(&self.pool)
            .await
            .map_err(read)?;
        Ok(done.rows_affected())
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

impl SqliteQueue {
    /// Takes the jobs of silent workers back, and forgets workers that have been silent for very long.
    async fn reap(&self, connection: &mut SqliteConnection) -> Result<u64, Trouble> {
        let lost_after = whole_seconds(self.options.lost_after);
        let returned = sqlx::query(
            "UPDATE Jobs SET
                 attempts = attempts + 1,
                 status = CASE WHEN attempts + 1 >= max_attempts THEN 'Killed' ELSE 'Pending' END,
                 done_at = CASE WHEN attempts + 1 >= max_attempts THEN unixepoch() END,
                 last_result = json_object('Err', ?3),
                 lock_by = NULL, lock_at = NULL
             WHERE job_type = ?1 AND status IN ('Queued', 'Running')
               AND lock_by IN (SELECT id FROM Workers WHERE unixepoch() - last_seen > ?2)",
        )
        .bind(&self.name)
        .bind(lost_after)
        .bind(LOST)
        .execute(&mut *connection)
        .await
        .map_err(read)?;
        sqlx::query(
            "DELETE FROM Workers
             WHERE worker_type = ?1 AND unixepoch() - last_seen > ?2
               AND id NOT IN (SELECT lock_by FROM Jobs WHERE lock_by IS NOT NULL)",
        )
        .bind(&self.name)
        .bind(lost_after.saturating_mul(i64::from(FORGOTTEN_AFTER)))
        .execute(connection)
        .await
        .map_err(read)?;
        Ok(returned.rows_affected())
    }
}

async fn give_back(
    connection: &mut SqliteConnection,
    queue: &str,
    worker: &str,
    except: &[String],
) -> Result<u64, Trouble> {
    let except = serde_json::to_string(except).map_err(|e| Trouble::Lasting(e.into()))?;
    let done = sqlx::query(
        "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
         WHERE job_type = ?1 AND lock_by = ?2 AND status IN ('Queued', 'Running')
           AND id NOT IN (SELECT value FROM json_each(?3))",
    )
    .bind(queue)
    .bind(worker)
    .bind(except)
    .execute(connection)
    .await
    .map_err(read)?;
    Ok(done.rows_affected())
}

fn read(error: sqlx::Error) -> Trouble {
    const BUSY: i32 = 5;
    const LOCKED: i32 = 6;
    /// This worker's own entry, which others forgot while it was away; the next heartbeat makes it anew.
    const FOREIGN_KEY: i32 = 787;
    let passes = match &error {
        sqlx::Error::Database(error) => {
            let code: i32 = error.code().and_then(|code| code.parse().ok()).unwrap_or(0);
            matches!(code & 0xff, BUSY | LOCKED) || code == FOREIGN_KEY
        }
        sqlx::Error::PoolTimedOut => true,
        _ => false,
    };
    if passes {
        Trouble::Passing(error.into())
    } else {
        Trouble::Lasting(error.into())
    }
}
