//! Several real processes on real servers, and what can happen to them: killed, cut off, frozen, told to stop; and a server
//! that is killed and comes back. Afterwards every number is there, once.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use redis::AsyncCommands as _;
use sqlx::Connection as _;
use tabiya_queue::{Job, Queue, QueueOptions};

use crate::server::{self, SERVERS, Server};
use crate::servers::Private;

const NUMBERS_IN_A_JOB: u64 = 8;

/// A queue of numbers that are to be written down, on a server of its own.
struct Drill {
    server: Server,
    running: Private,
    queue: Queue<Vec<u64>>,
    numbers: u64,
}

/// A process of ours; it does not outlive its test.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Worker {
    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.0.id().to_string())
            .status()
            .unwrap();
        assert!(status.success());
    }

    async fn ends_well(mut self) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                assert!(status.success(), "a worker failed: {status}");
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "a worker does not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drill {
    async fn new(server: Server, jobs: u64) -> Drill {
        let running = server.start();
        if server == Server::Postgres {
            // Servers for tests say that something is written before it is, which is quick, and fine until they are killed.
            server::execute(&running.url, "ALTER DATABASE postgres SET synchronous_commit = on").await;
            let table =
                "CREATE TABLE drill_results (number bigint PRIMARY KEY, worker text NOT NULL, tries int NOT NULL)";
            server::execute(&running.url, table).await;
        }
        let url = running.url.parse().unwrap();
        let queue: Queue<Vec<u64>> = Queue::open(&url, "drill", QueueOptions::default()).await.unwrap();
        let batches = (0..jobs).map(|i| Job {
            key: format!("batch {i}"),
            priority: i64::try_from(i % 5).unwrap(),
            payload: (i * NUMBERS_IN_A_JOB..(i + 1) * NUMBERS_IN_A_JOB).collect(),
        });
        queue.push(batches).await.unwrap();
        Drill {
            server,
            running,
            queue,
            numbers: jobs * NUMBERS_IN_A_JOB,
        }
    }

    fn worker(&self, name: &str, millis: u64) -> Worker {
        let child = Command::new(env!("CARGO_BIN_EXE_queue-drill"))
            .arg(&self.running.url)
            .arg(name)
            .arg(millis.to_string())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Worker(child)
    }

    /// Numbers that were written down, with how often somebody tried to.
    async fn results(&self) -> Vec<(i64, i64)> {
        let mut results: Vec<(i64, i64)> = match self.server {
            Server::Postgres => {
                let mut connection = sqlx::PgConnection::connect(&self.running.url).await.unwrap();
                sqlx::query_as("SELECT number, tries::bigint FROM drill_results")
                    .fetch_all(&mut connection)
                    .await
                    .unwrap()
            }
            Server::Redis => {
                let mut connection = self.redis().await;
                connection.hgetall("drill-tries").await.unwrap()
            }
        };
        results.sort_unstable();
        results
    }

    async fn redis(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.running.url.as_str()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    async fn until_written(&self, least: usize) {
        let start = Instant::now();
        while self.results().await.len() < least {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "nothing goes on: {:?}",
                self.queue.status().await
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Cuts every connection that a worker has at the moment.
    async fn cut_connections(&self) {
        match self.server {
            Server::Postgres => {
                let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
                server::execute(&self.running.url, all).await;
            }
            Server::Redis => {
                let mut connection = self.redis().await;
                let mut kill = redis::cmd("CLIENT");
                kill.arg("KILL").arg("TYPE").arg("normal").arg("SKIPME").arg("yes");
                let _: i64 = kill.query_async(&mut connection).await.unwrap();
            }
        }
    }

    /// Everything is there, and nothing is left to do. Returns how often something was done a second time.
    async fn check(&self) -> i64 {
        let results = self.results().await;
        let status = self.queue.status().await.unwrap();
        let missing: Vec<u64> = (0..self.numbers)
            .filter(|number| {
                !results
                    .iter()
                    .any(|(written, _)| u64::try_from(*written) == Ok(*number))
            })
            .collect();
        assert_eq!(missing, [0; 0], "{:?}: {status:?}", self.server);
        assert_eq!(results.len() as u64, self.numbers, "{:?}", self.server);
        assert_eq!(
            (status.waiting, status.running, status.failed, status.done),
            (0, 0, 0, self.numbers / NUMBERS_IN_A_JOB),
            "{:?}: {status:?}",
            self.server
        );
        results.iter().map(|(_, tries)| tries - 1).sum()
    }
}

#[tokio::test]
async fn killed_workers_lose_nothing() {
    for server in SERVERS {
        let drill = Drill::new(server, 60).await;
        let survivor = drill.worker("survivor", 50);
        for round in 1..=3 {
            let victim = drill.worker(&format!("victim {round}"), 400);
            drill.until_written(round * 60).await;
            victim.signal("KILL");
        }
        survivor.ends_well().await;
        let again = drill.check().await;
        assert!(again > 0, "{server:?}: nobody was killed in the middle of a job");
        let workers = drill.queue.workers().await.unwrap();
        assert_eq!(workers.len(), 3, "those who were killed did not sign off: {workers:?}");
    }
}

/// A worker that is killed and comes back under its old name at once must not keep its former jobs alive.
#[tokio::test]
async fn the_same_name_is_not_the_same_worker() {
    for server in SERVERS {
        let drill = Drill::new(server, 4).await;
        let victim = drill.worker("twin", 60_000);
        drill.until_written(8).await;
        victim.signal("KILL");
        drill.worker("twin", 10).ends_well().await;
        drill.check().await;
    }
}

#[tokio::test]
async fn cut_connections_lose_nothing() {
    for server in SERVERS {
        let drill = Drill::new(server, 60).await;
        let workers = [
            drill.worker("one", 30),
            drill.worker("two", 30),
            drill.worker("three", 30),
        ];
        for round in 1..=8 {
            drill.until_written(round * 40).await;
            drill.cut_connections().await;
        }
        for worker in workers {
            worker.ends_well().await;
        }
        drill.check().await;
    }
}

#[tokio::test]
async fn a_server_that_restarts_loses_nothing() {
    for server in SERVERS {
        let drill = Drill::new(server, 60).await;
        let workers = [
            drill.worker("one", 50),
            drill.worker("two", 50),
            drill.worker("three", 50),
        ];
        for round in 1..=2 {
            drill.until_written(round * 120).await;
            server.restart(&drill.running.url);
        }
        for worker in workers {
            worker.ends_well().await;
        }
        drill.check().await;
    }
}

/// A worker that is frozen for too long, as by a laptop that is closed, goes on with jobs that others have done meanwhile.
#[tokio::test]
async fn two_workers_on_one_job_write_it_once() {
    for server in SERVERS {
        let drill = Drill::new(server, 6).await;
        let frozen = drill.worker("frozen", 1_000);
        drill.until_written(1).await;
        frozen.signal("STOP");
        drill.worker("other", 10).ends_well().await;
        let done = drill.queue.status().await.unwrap().done;
        assert_eq!(done, 6, "{server:?}: the others did everything");
        frozen.signal("CONT");
        frozen.ends_well().await;
        let again = drill.check().await;
        assert!(again > 0, "{server:?}: nothing was done by both");
    }
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_leaves_at_once_and_in_order() {
    for server in SERVERS {
        let drill = Drill::new(server, 40).await;
        let worker = drill.worker("polite", 300);
        drill.until_written(4).await;
        worker.signal("TERM");
        worker.ends_well().await;
        let status = drill.queue.status().await.unwrap();
        assert_eq!(status.running, 0, "{server:?}: {status:?}");
        assert!(status.done >= 1 && status.waiting >= 30, "{server:?}: {status:?}");
        assert_eq!(drill.queue.workers().await.unwrap(), [], "{server:?}");
        drill.worker("next", 1).ends_well().await;
        assert_eq!(drill.check().await, 0, "{server:?}: something was done twice");
    }
}

/// Everything at once, many times over. `TABIYA_SOAK` makes it long.
#[tokio::test]
async fn soak_of_all_misfortunes() {
    let rounds = if std::env::var_os("TABIYA_SOAK").is_some() {
        60
    } else {
        5
    };
    for server in SERVERS {
        let drill = Drill::new(server, rounds * 20).await;
        let steady = [drill.worker("steady", 20), drill.worker("steadier", 30)];
        let mut frozen: Option<Worker> = None;
        for round in 0..rounds {
            let victim = drill.worker(&format!("victim {round}"), 70);
            drill.until_written(usize::try_from((round + 1) * 100).unwrap()).await;
            match round % 5 {
                0 => drill.cut_connections().await,
                1 => {
                    victim.signal("STOP");
                    frozen = Some(victim);
                    continue;
                }
                2 => server.restart(&drill.running.url),
                3 => {
                    if let Some(worker) = frozen.take() {
                        worker.signal("CONT");
                        // Dropped, and so killed, a moment after it woke up.
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
                _ => {}
            }
            victim.signal("KILL");
        }
        for worker in steady {
            worker.ends_well().await;
        }
        drill.check().await;
    }
}
