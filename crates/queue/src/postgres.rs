//! PostgreSQL: the tables and the claim of apalis (`apalis.get_jobs`: by priority, then age, skipping locked rows), and
//! statements of our own around them.
//!
//! One statement at a time, never a transaction of several: if the line falls silent between two of them, the server keeps
//! the locks of the first for hours, and the worker would wait for itself.

use std::sync::atomic::{AtomicU64, Ordering};

use apalis_core::worker::context::WorkerContext;
use apalis_postgres::{Config, PostgresStorage, queries};
use async_trait::async_trait;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgPool};
use tokio::sync::RwLock;

use crate::backend::{Backend, FORGOTTEN_AFTER, Heartbeat, LISTED_FAILURES, LOST, NewJob, Outcome, Returned, Ticket};
use crate::backend::{OpenTrouble, Trouble};
use crate::status::{status_of, worker_list};
use crate::{QueueOptions, QueueStatus, WorkerStatus};

/// A worker needs one for its heartbeat and its claims, and now and then one for a job that ends.
const CONNECTIONS: u32 = 4;

#[derive(Debug)]
pub(crate) struct PostgresQueue {
    name: String,
    options: QueueOptions,
    connect: PgConnectOptions,
    pool: RwLock<PgPool>,
    line: AtomicU64,
}

pub(crate) async fn open(
    connect: &PgConnectOptions,
    name: &str,
    options: QueueOptions,
) -> Result<PostgresQueue, OpenTrouble> {
    let connect = connect
        .clone()
        .application_name("tabiya-queue")
        // A claim that waits for its server is no news to log.
        .disable_statement_logging();
    // The pool would try a refused connection again and again; the first one is to fail at once.
    let connecting = tokio::time::timeout(options.patience(), connect.connect());
    let mut first = match connecting.await {
        Ok(connection) => connection.map_err(|e| OpenTrouble::Unreachable(read(e)))?,
        Err(_) => return Err(OpenTrouble::Unreachable(Trouble::too_slow())),
    };
    // Nothing but notices that things exist already.
    let quiet = sqlx::query("SET client_min_messages = warning")
        .execute(&mut first)
        .await;
    quiet.map_err(|e| OpenTrouble::Setup(read(e)))?;
    PostgresStorage::migrations()
        .run_direct(None, &mut first, false)
        .await
        .map_err(|e| OpenTrouble::Setup(Trouble::Lasting(e.into())))?;
    // Only this once; if it goes wrong, the server sees a connection drop.
    let _ = first.close().await;
    let pool = pool(&connect, &options);
    Ok(PostgresQueue {
        name: name.to_owned(),
        options,
        connect,
        pool: RwLock::new(pool),
        line: AtomicU64::new(0),
    })
}

fn pool(connect: &PgConnectOptions, options: &QueueOptions) -> PgPool {
    // In case the line falls silent within a statement.
    let patience = i64::try_from(options.patience().as_millis()).unwrap_or(i64::MAX);
    PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(options.patience())
        .after_connect(move |connection, _| {
            Box::pin(async move {
                sqlx::query("SELECT set_config('idle_in_transaction_session_timeout', $1::text, false)")
                    .bind(patience.to_string())
                    .execute(connection)
                    .await?;
                Ok(())
            })
        })
        .connect_lazy_with(connect.clone())
}

/// Adds jobs in whatever transaction the connection is in.
pub(crate) async fn push_on(
    connection: &mut PgConnection,
    queue: &str,
    max_attempts: u32,
    jobs: &[NewJob],
) -> Result<u64, Trouble> {
    let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let payloads: Vec<&[u8]> = jobs.iter().map(|job| job.payload.as_slice()).collect();
    let priorities: Vec<i32> = jobs.iter().map(|job| job.priority).collect();
    let keys: Vec<&str> = jobs.iter().map(|job| job.key.as_str()).collect();
    // Rows are taken in the order of their keys, so that two who add the same jobs wait for each other and do not lock up.
    // apalis orders by time within a priority, and all rows of a transaction have one: hence the microseconds.
    let done = sqlx::query(
        "INSERT INTO apalis.jobs
             (id, job_type, job, status, attempts, max_attempts, run_at, priority, idempotency_key)
         SELECT v.id, $1, v.job, 'Pending', 0, $2,
                now() - (cardinality($3) - v.n) * interval '1 microsecond', v.priority, v.key
         FROM unnest($3::text[], $4::bytea[], $5::int[], $6::text[])
              WITH ORDINALITY AS v (id, job, priority, key, n)
         ORDER BY v.key
         ON CONFLICT (job_type, idempotency_key) DO UPDATE SET
             id = EXCLUDED.id, job = EXCLUDED.job, status = 'Pending', attempts = 0,
             max_attempts = EXCLUDED.max_attempts, run_at = EXCLUDED.run_at, priority = EXCLUDED.priority,
             last_result = NULL, lock_by = NULL, lock_at = NULL, done_at = NULL
         WHERE jobs.status IN ('Done', 'Killed')
            OR (jobs.status = 'Failed' AND jobs.attempts >= jobs.max_attempts)",
    )
    .bind(queue)
    .bind(i32::try_from(max_attempts).unwrap_or(i32::MAX))
    .bind(ids)
    .bind(payloads)
    .bind(priorities)
    .bind(keys)
    .execute(connection)
    .await
    .map_err(read)?;
    Ok(done.rows_affected())
}

impl PostgresQueue {
    async fn pool(&self) -> PgPool {
        self.pool.read().await.clone()
    }

    fn lost_after(&self) -> f64 {
        self.options.lost_after.as_secs_f64()
    }
}

#[async_trait]
impl Backend for PostgresQueue {
    async fn push(&self, jobs: &[NewJob]) -> Result<u64, Trouble> {
        let mut connection = self.pool().await.acquire().await.map_err(read)?;
        push_on(&mut connection, &self.name, self.options.max_attempts, jobs).await
    }

    async fn claim(&self, worker: &str, limit: usize) -> Result<Vec<Ticket>, Trouble> {
        let config = Config::default().queue(&self.name).batch_size(limit);
        let context = WorkerContext::new(worker);
        let mut connection = self.pool().await.acquire().await.map_err(read)?;
        let tasks = queries::fetch_next(&mut *connection, &config, &context)
            .await
            .map_err(|error| match error {
                apalis_postgres::Error::Database(error) => read(error),
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
            "UPDATE apalis.jobs SET
                 status = $4,
                 attempts = attempts + $5,
                 run_at = CASE WHEN $6 > 0 THEN now() + make_interval(secs => $6) ELSE run_at END,
                 last_result = CASE WHEN $7::text IS NULL THEN '{\"Ok\": null}'::jsonb
                                    ELSE jsonb_build_object('Err', $7::text) END,
                 done_at = CASE WHEN $4 = 'Pending' THEN NULL ELSE now() END,
                 job = CASE WHEN $4 = 'Done' THEN 'null'::bytea ELSE job END,
                 lock_by = NULL, lock_at = NULL
             WHERE id = $1 AND lock_by = $2 AND attempts = $3 AND status IN ('Queued', 'Running')",
        )
        .bind(&ticket.id)
        .bind(worker)
        .bind(i32::try_from(ticket.attempts).unwrap_or(i32::MAX))
        .bind(entry.status)
        .bind(entry.counts)
        .bind(entry.pause.as_secs_f64())
        .bind(entry.reason)
        .execute(&self.pool().await)
        .await
        .map_err(read)?;
        Ok(done.rows_affected() > 0)
    }

    async fn heartbeat(&self, beat: Heartbeat<'_>) -> Result<Returned, Trouble> {
        let strays = sqlx::query(
            "WITH beat AS (
                 INSERT INTO apalis.workers (id, worker_type, storage_name, layers, last_seen, started_at)
                 VALUES ($2, $1, 'tabiya-queue', $4, clock_timestamp(), now())
                 ON CONFLICT (id) DO UPDATE SET last_seen = clock_timestamp(), layers = EXCLUDED.layers
             )
             UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
             WHERE job_type = $1 AND lock_by = $2 AND status IN ('Queued', 'Running') AND id <> ALL ($3)",
        )
        .bind(&self.name)
        .bind(beat.worker)
        .bind(beat.held)
        .bind(beat.portrait)
        .execute(&self.pool().await)
        .await
        .map_err(read)?;
        let of_lost_workers = if beat.reap { self.reap().await? } else { 0 };
        Ok(Returned {
            strays: strays.rows_affected(),
            of_lost_workers,
        })
    }

    async fn leave(&self, worker: &str) -> Result<(), Trouble> {
        let pool = self.pool().await;
        for statement in [
            "UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL
             WHERE job_type = $1 AND lock_by = $2 AND status IN ('Queued', 'Running')",
            "DELETE FROM apalis.workers WHERE worker_type = $1 AND id = $2",
        ] {
            let left = sqlx::query(statement)
                .bind(&self.name)
                .bind(worker)
                .execute(&pool)
                .await;
            left.map_err(read)?;
        }
        Ok(())
    }

    async fn is_empty(&self) -> Result<bool, Trouble> {
        let busy: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM apalis.jobs
                            WHERE job_type = $1
                              AND (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts)))
                 OR EXISTS (SELECT FROM apalis.jobs
                            WHERE job_type = $1 AND lock_by IS NOT NULL AND status IN ('Queued', 'Running'))",
        )
        .bind(&self.name)
        .fetch_one(&self.pool().await)
        .await
        .map_err(read)?;
        Ok(!busy)
    }

    async fn status(&self) -> Result<QueueStatus, Trouble> {
        let pool = self.pool().await;
        let counts: Vec<(String, i64)> = sqlx::query_as(
            "SELECT CASE WHEN status IN ('Queued', 'Running') THEN 'running'
                         WHEN status = 'Done' THEN 'done'
                         WHEN status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts) THEN 'waiting'
                         ELSE 'failed' END AS state, count(*)
             FROM apalis.jobs WHERE job_type = $1 GROUP BY 1",
        )
        .bind(&self.name)
        .fetch_all(&pool)
        .await
        .map_err(read)?;
        let failures: Vec<(Option<String>, i32, Option<String>)> = sqlx::query_as(
            "SELECT idempotency_key, attempts, last_result ->> 'Err' FROM apalis.jobs
             WHERE job_type = $1 AND (status = 'Killed' OR (status = 'Failed' AND attempts >= max_attempts))
             ORDER BY done_at, id LIMIT $2",
        )
        .bind(&self.name)
        .bind(LISTED_FAILURES)
        .fetch_all(&pool)
        .await
        .map_err(read)?;
        Ok(status_of(&counts, failures))
    }

    async fn workers(&self) -> Result<Vec<WorkerStatus>, Trouble> {
        let pool = self.pool().await;
        let workers: Vec<(String, String, f64)> = sqlx::query_as(
            "SELECT id, layers, extract(epoch FROM now() - last_seen)::float8 FROM apalis.workers
             WHERE worker_type = $1 ORDER BY id",
        )
        .bind(&self.name)
        .fetch_all(&pool)
        .await
        .map_err(read)?;
        let jobs: Vec<(String, Option<String>, f64)> = sqlx::query_as(
            "SELECT lock_by, idempotency_key, extract(epoch FROM now() - lock_at)::float8 FROM apalis.jobs
             WHERE job_type = $1 AND lock_by IS NOT NULL AND status IN ('Queued', 'Running') ORDER BY lock_at, id",
        )
        .bind(&self.name)
        .fetch_all(&pool)
        .await
        .map_err(read)?;
        Ok(worker_list(workers, jobs, &self.options))
    }

    async fn retry_failed(&self) -> Result<u64, Trouble> {
        let done = sqlx::query(
            "UPDATE apalis.jobs SET status = 'Pending', attempts = 0, run_at = now(), done_at = NULL
             WHERE job_type = $1 AND (status = 'Killed' OR (status = 'Failed' AND attempts >= max_attempts))",
        )
        .bind(&self.name)
        .execute(&self.pool().await)
        .await
        .map_err(read)?;
        Ok(done.rows_affected())
    }

    async fn clear(&self) -> Result<u64, Trouble> {
        let done = sqlx::query("DELETE FROM apalis.jobs WHERE job_type = $1 AND status NOT IN ('Queued', 'Running')")
            .bind(&self.name)
            .execute(&self.pool().await)
            .await
            .map_err(read)?;
        Ok(done.rows_affected())
    }

    fn line(&self) -> u64 {
        self.line.load(Ordering::SeqCst)
    }

    /// A connection that a firewall has silently cut would block its place in the pool until the kernel gives up.
    async fn reconnect(&self, line: u64) {
        let mut current = self.pool.write().await;
        if self.line() == line {
            *current = pool(&self.connect, &self.options);
            self.line.fetch_add(1, Ordering::SeqCst);
        }
    }

    async fn close(&self) {
        self.pool().await.close().await;
    }
}

impl PostgresQueue {
    /// Takes the jobs of silent workers back, and forgets workers that have been silent for very long.
    async fn reap(&self) -> Result<u64, Trouble> {
        let pool = self.pool().await;
        let returned = sqlx::query(
            "WITH lost AS (
                 SELECT j.id FROM apalis.jobs j JOIN apalis.workers w ON j.lock_by = w.id
                 WHERE j.job_type = $1 AND j.status IN ('Queued', 'Running')
                   AND w.last_seen < now() - make_interval(secs => $2)
                 ORDER BY j.id
                 FOR UPDATE OF j SKIP LOCKED
             )
             UPDATE apalis.jobs j SET
                 attempts = attempts + 1,
                 status = CASE WHEN attempts + 1 >= max_attempts THEN 'Killed' ELSE 'Pending' END,
                 done_at = CASE WHEN attempts + 1 >= max_attempts THEN now() END,
                 last_result = jsonb_build_object('Err', $3::text),
                 lock_by = NULL, lock_at = NULL
             FROM lost WHERE j.id = lost.id",
        )
        .bind(&self.name)
        .bind(self.lost_after())
        .bind(LOST)
        .execute(&pool)
        .await
        .map_err(read)?;
        sqlx::query(
            "DELETE FROM apalis.workers w
             WHERE worker_type = $1 AND last_seen < now() - make_interval(secs => $2)
               AND NOT EXISTS (SELECT FROM apalis.jobs j WHERE j.lock_by = w.id)",
        )
        .bind(&self.name)
        .bind(self.lost_after() * f64::from(FORGOTTEN_AFTER))
        .execute(&pool)
        .await
        .map_err(read)?;
        Ok(returned.rows_affected())
    }
}

fn read(error: sqlx::Error) -> Trouble {
    let passes = match &error {
        sqlx::Error::Database(error) => error.code().is_some_and(|code| passes_by_itself(&code)),
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Protocol(_) => true,
        _ => false,
    };
    if passes {
        Trouble::Passing(error.into())
    } else {
        Trouble::Lasting(error.into())
    }
}

/// SQLSTATE codes: connections, resources, locks and deadlocks, shutdowns and restarts. A foreign key that is missing is
/// this worker's own entry, which others forgot while it was away; the next heartbeat makes it anew.
fn passes_by_itself(code: &str) -> bool {
    ["08", "53", "55", "40", "57"]
        .iter()
        .any(|class| code.starts_with(class))
        || code == "23503"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes() {
        for code in ["08006", "57P01", "57P03", "53300", "40P01", "55P03", "23503"] {
            assert!(passes_by_itself(code), "{code}");
        }
        for code in ["42P01", "42501", "23505", "22P02"] {
            assert!(!passes_by_itself(code), "{code}");
        }
    }
}
