//! Redis: the keys are laid out as apalis does it, the scripts are our own. Those of apalis know no priorities, take the
//! time from each worker's clock and count attempts up to a fixed number.
//!
//! For one server, not for a cluster: a script touches keys that it makes up itself. What a restart keeps is the server's
//! business: it wants `appendonly yes`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use apalis_redis::Config;
use async_trait::async_trait;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, ConnectionInfo, ErrorKind, FromRedisValue, RedisError, Script, ScriptInvocation, ServerErrorKind};
use tokio::sync::RwLock;

use crate::backend::{Backend, FORGOTTEN_AFTER, Heartbeat, LISTED_FAILURES, LOST, NewJob, Outcome, Returned, Ticket};
use crate::backend::{OpenTrouble, Trouble};
use crate::status::worker_list;
use crate::{FailedJob, QueueOptions, QueueStatus, WorkerStatus};

/// A push of many jobs is one script, and everybody else waits for it.
const JOBS_IN_A_SCRIPT: usize = 250;

pub(crate) struct RedisQueue {
    options: QueueOptions,
    keys: [String; 10],
    client: Client,
    /// Connects anew when it is cut, but takes a line that is merely silent for one that is slow.
    connection: RwLock<ConnectionManager>,
    line: AtomicU64,
    scripts: Scripts,
}

impl std::fmt::Debug for RedisQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisQueue")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

struct Scripts {
    push: Script,
    claim: Script,
    finish: Script,
    heartbeat: Script,
    leave: Script,
    status: Script,
    workers: Script,
    retry: Script,
    clear: Script,
}

/// Puts the common beginning before a script.
macro_rules! script {
    ($name:literal) => {
        Script::new(concat!(include_str!("prelude.lua"), include_str!($name)))
    };
}

pub(crate) async fn open(
    connect: &ConnectionInfo,
    name: &str,
    options: QueueOptions,
) -> Result<RedisQueue, OpenTrouble> {
    let client = Client::open(connect.clone()).map_err(|e| OpenTrouble::Unreachable(read(e)))?;
    let connection = ConnectionManager::new_with_config(client.clone(), manager(&options))
        .await
        .map_err(|e| OpenTrouble::Unreachable(read(e)))?;
    Ok(RedisQueue {
        options,
        keys: keys_of(name),
        client,
        connection: RwLock::new(connection),
        line: AtomicU64::new(0),
        scripts: Scripts {
            push: script!("push.lua"),
            claim: script!("claim.lua"),
            finish: script!("finish.lua"),
            heartbeat: script!("heartbeat.lua"),
            leave: script!("leave.lua"),
            status: script!("status.lua"),
            workers: script!("workers.lua"),
            retry: script!("retry.lua"),
            clear: script!("clear.lua"),
        },
    })
}

/// Few retries of its own: a worker waits in its own way, and everybody else wants to know.
fn manager(options: &QueueOptions) -> ConnectionManagerConfig {
    ConnectionManagerConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(2)))
        .set_response_timeout(Some(options.patience()))
        .set_number_of_retries(1)
}

/// In the order of `prelude.lua`: those of apalis, then those it has no use for.
fn keys_of(queue: &str) -> [String; 10] {
    let config = Config::default().queue(queue);
    [
        config.job_data_hash(),
        config.job_meta_hash(),
        config.workers_set(),
        config.inflight_jobs_set(),
        config.dead_jobs_set(),
        config.scheduled_jobs_set(),
        format!("{queue}:waiting"),
        format!("{queue}:keys"),
        format!("{queue}:counts"),
        format!("{queue}:portraits"),
    ]
}

impl RedisQueue {
    fn prepare<'a>(&self, script: &'a Script) -> ScriptInvocation<'a> {
        let mut invocation = script.prepare_invoke();
        for key in &self.keys {
            invocation.key(key);
        }
        invocation
    }

    async fn invoke<T: FromRedisValue>(&self, invocation: &ScriptInvocation<'_>) -> Result<T, Trouble> {
        let line = self.line();
        let mut connection = self.connection.read().await.clone();
        let answer = invocation.invoke_async(&mut connection).await;
        if answer.as_ref().is_err_and(RedisError::is_timeout) {
            self.reconnect(line).await;
        }
        answer.map_err(read)
    }

    /// For what may as well happen twice: a connection that was cut shows only when it is used, and is then made anew.
    async fn insist<T: FromRedisValue>(&self, invocation: &ScriptInvocation<'_>) -> Result<T, Trouble> {
        for pause in [50, 500] {
            match self.invoke(invocation).await {
                Err(Trouble::Passing(_)) => tokio::time::sleep(Duration::from_millis(pause)).await,
                answer => return answer,
            }
        }
        self.invoke(invocation).await
    }
}

#[async_trait]
impl Backend for RedisQueue {
    async fn push(&self, jobs: &[NewJob]) -> Result<u64, Trouble> {
        let mut added = 0;
        for chunk in jobs.chunks(JOBS_IN_A_SCRIPT) {
            let mut script = self.prepare(&self.scripts.push);
            script.arg(self.options.max_attempts);
            for job in chunk {
                script.arg(&job.id).arg(&job.key).arg(job.priority).arg(&job.payload);
            }
            added += self.insist::<u64>(&script).await?;
        }
        Ok(added)
    }

    async fn claim(&self, worker: &str, limit: usize) -> Result<Vec<Ticket>, Trouble> {
        let mut script = self.prepare(&self.scripts.claim);
        script.arg(worker).arg(limit);
        let claimed: Vec<(String, String, u32, Vec<u8>)> = self.invoke(&script).await?;
        Ok(claimed
            .into_iter()
            .map(|(id, key, attempts, payload)| Ticket {
                id,
                key,
                attempts,
                payload,
            })
            .collect())
    }

    async fn finish(&self, worker: &str, ticket: &Ticket, outcome: &Outcome) -> Result<bool, Trouble> {
        let entry = outcome.entry();
        let mut script = self.prepare(&self.scripts.finish);
        script.arg(worker).arg(&ticket.id).arg(ticket.attempts);
        script.arg(entry.status).arg(entry.reason.unwrap_or_default());
        script.arg(entry.pause.as_secs_f64());
        self.invoke(&script).await
    }

    async fn heartbeat(&self, beat: Heartbeat<'_>) -> Result<Returned, Trouble> {
        let lost_after = self.options.lost_after.as_secs_f64();
        let mut script = self.prepare(&self.scripts.heartbeat);
        script.arg(beat.worker).arg(beat.portrait);
        script.arg(if beat.reap { lost_after } else { 0.0 });
        script.arg(lost_after * f64::from(FORGOTTEN_AFTER)).arg(LOST);
        for id in beat.held {
            script.arg(id);
        }
        let (strays, of_lost_workers) = self.invoke(&script).await?;
        Ok(Returned {
            strays,
            of_lost_workers,
        })
    }

    async fn leave(&self, worker: &str) -> Result<(), Trouble> {
        let mut script = self.prepare(&self.scripts.leave);
        script.arg(worker);
        self.invoke(&script).await
    }

    async fn is_empty(&self) -> Result<bool, Trouble> {
        let status = self.status().await?;
        Ok(status.waiting == 0 && status.running == 0)
    }

    async fn status(&self) -> Result<QueueStatus, Trouble> {
        let mut script = self.prepare(&self.scripts.status);
        script.arg(LISTED_FAILURES);
        type Answer = (u64, u64, u64, u64, Vec<(String, u32, String)>);
        let (waiting, running, done, failed, failures): Answer = self.insist(&script).await?;
        Ok(QueueStatus {
            waiting,
            running,
            done,
            failed,
            failures: failures
                .into_iter()
                .map(|(key, attempts, reason)| FailedJob { key, attempts, reason })
                .collect(),
        })
    }

    async fn workers(&self) -> Result<Vec<WorkerStatus>, Trouble> {
        type Answer = (Vec<(String, String, f64)>, Vec<(String, Option<String>, f64)>);
        let (mut workers, mut jobs): Answer = self.insist(&self.prepare(&self.scripts.workers)).await?;
        workers.sort_by(|a, b| a.0.cmp(&b.0));
        jobs.sort_by(|a, b| b.2.total_cmp(&a.2));
        Ok(worker_list(workers, jobs, &self.options))
    }

    async fn retry_failed(&self) -> Result<u64, Trouble> {
        self.insist(&self.prepare(&self.scripts.retry)).await
    }

    async fn clear(&self) -> Result<u64, Trouble> {
        self.insist(&self.prepare(&self.scripts.clear)).await
    }

    fn line(&self) -> u64 {
        self.line.load(Ordering::SeqCst)
    }

    async fn reconnect(&self, line: u64) {
        let mut current = self.connection.write().await;
        if self.line() != line {
            return;
        }
        // It connects when it is first used, so there is nothing here that could fail but the address, which was fine.
        if let Ok(fresh) = ConnectionManager::new_lazy_with_config(self.client.clone(), manager(&self.options)) {
            *current = fresh;
            self.line.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn read(error: RedisError) -> Trouble {
    let passes = error.is_io_error()
        || error.is_connection_dropped()
        || error.is_connection_refusal()
        || error.is_timeout()
        || matches!(
            error.kind(),
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                    | ServerErrorKind::TryAgain
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::ReadOnly
            )
        );
    if passes {
        Trouble::Passing(error.into())
    } else {
        Trouble::Lasting(error.into())
    }
}
