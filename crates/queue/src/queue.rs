//! The queue itself: adding, looking, clearing. Working is in `work`.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use ulid::{Generator, Ulid};

use crate::backend::{Backend, NewJob, OpenTrouble, Trouble};
use crate::job::clean;
use crate::url::{Kind, Target};
use crate::{Job, Pushed, QueueError, QueueOptions, QueueStatus, QueueUrl, WorkerStatus};
use crate::{postgres, sqlite};

/// Jobs in one statement or script. Each is a few kilobytes.
const CHUNK: usize = 1_000;

/// A queue of jobs of one kind. Clones share its connections.
pub struct Queue<J> {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) options: Arc<QueueOptions>,
    /// The queue's name for people: where it lies.
    pub(crate) place: Arc<str>,
    name: Arc<str>,
    ids: Arc<Mutex<Generator>>,
    kind: Kind,
    payload: PhantomData<fn() -> J>,
}

impl<J> Clone for Queue<J> {
    fn clone(&self) -> Queue<J> {
        Queue {
            backend: Arc::clone(&self.backend),
            options: Arc::clone(&self.options),
            place: Arc::clone(&self.place),
            name: Arc::clone(&self.name),
            ids: Arc::clone(&self.ids),
            kind: self.kind,
            payload: PhantomData,
        }
    }
}

impl<J> fmt::Debug for Queue<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({} at {})", self.name, self.place)
    }
}

/// A connection of the caller's, in a transaction of the caller's.
#[derive(Debug)]
pub enum Connection<'a> {
    Postgres(&'a mut sqlx::PgConnection),
    Sqlite(&'a mut sqlx::SqliteConnection),
}

impl<J> Queue<J> {
    /// Opens the queue of that name and makes its tables where they are missing. Different names at one place do not see
    /// each other.
    pub async fn open(url: &QueueUrl, name: &str, options: QueueOptions) -> Result<Queue<J>, QueueError> {
        options.check()?;
        let opened: Result<Arc<dyn Backend>, OpenTrouble> = match &url.target {
            Target::Sqlite(file) => sqlite::open(file.as_deref(), name, options.clone())
                .await
                .map(|queue| Arc::new(queue) as Arc<dyn Backend>),
            Target::Postgres(connect) => postgres::open(connect, name, options.clone())
                .await
                .map(|queue| Arc::new(queue) as Arc<dyn Backend>),
            #[cfg(feature = "redis")]
            Target::Redis(connect) => crate::redis::open(connect, name, options.clone())
                .await
                .map(|queue| Arc::new(queue) as Arc<dyn Backend>),
        };
        let queue = url.to_string();
        let backend = opened.map_err(|trouble| match trouble {
            OpenTrouble::Unreachable(Trouble::Passing(source) | Trouble::Lasting(source)) => QueueError::Unreachable {
                queue: queue.clone(),
                source,
            },
            OpenTrouble::CannotOpen(source) => QueueError::CannotOpen {
                queue: queue.clone(),
                source,
            },
            OpenTrouble::Setup(Trouble::Passing(source) | Trouble::Lasting(source)) => QueueError::Setup {
                queue: queue.clone(),
                source,
            },
        })?;
        Ok(Queue {
            backend,
            options: Arc::new(options),
            place: queue.into(),
            name: name.into(),
            ids: Arc::new(Mutex::new(Generator::new())),
            kind: url.kind(),
            payload: PhantomData,
        })
    }

    /// Counts what is there.
    pub async fn status(&self) -> Result<QueueStatus, QueueError> {
        self.backend.status().await.map_err(|t| self.explain(t))
    }

    /// Everyone who works, or did until lately.
    pub async fn workers(&self) -> Result<Vec<WorkerStatus>, QueueError> {
        self.backend.workers().await.map_err(|t| self.explain(t))
    }

    /// Lets jobs that were given up wait again, with all their attempts before them.
    pub async fn retry_failed(&self) -> Result<u64, QueueError> {
        self.backend.retry_failed().await.map_err(|t| self.explain(t))
    }

    /// Removes every job that nobody is working on, done and failed ones included.
    pub async fn clear(&self) -> Result<u64, QueueError> {
        self.backend.clear().await.map_err(|t| self.explain(t))
    }

    /// Closes the connections, which dropping the queue would do a little later.
    pub async fn close(self) {
        self.backend.close().await;
    }

    pub(crate) fn explain(&self, trouble: Trouble) -> QueueError {
        let queue = self.place.to_string();
        match trouble {
            Trouble::Passing(source) => QueueError::ConnectionLost { queue, source },
            Trouble::Lasting(source) => QueueError::Backend { queue, source },
        }
    }

    fn new_id(&self) -> String {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        // It fails after 2^80 of them within a millisecond.
        ids.generate().unwrap_or_else(|_| Ulid::generate()).to_string()
    }
}

impl<J: Serialize> Queue<J> {
    /// Adds jobs. One whose key is waiting or running already is not added again; one that is done or was given up is.
    ///
    /// After an error some may have been added; adding them all again does no harm.
    pub async fn push(&self, jobs: impl IntoIterator<Item = Job<J>>) -> Result<Pushed, QueueError> {
        let (jobs, repeated) = self.prepare(jobs)?;
        let mut added = 0;
        for chunk in jobs.chunks(CHUNK) {
            added += self.backend.push(chunk).await.map_err(|t| self.explain(t))?;
        }
        Ok(counted(&jobs, repeated, added))
    }

    /// Adds jobs in a transaction of the caller's, together with the data they are about: both are there, or neither. Only
    /// where the queue lies in that same database, opened by [`open`](Queue::open) before.
    pub async fn push_with(
        &self,
        connection: Connection<'_>,
        jobs: impl IntoIterator<Item = Job<J>>,
    ) -> Result<Pushed, QueueError> {
        let (jobs, repeated) = self.prepare(jobs)?;
        let max_attempts = self.options.max_attempts;
        let mut added = 0;
        match connection {
            Connection::Postgres(connection) if self.kind == Kind::Postgres => {
                for chunk in jobs.chunks(CHUNK) {
                    let pushed = postgres::push_on(connection, &self.name, max_attempts, chunk).await;
                    added += pushed.map_err(|t| self.explain(t))?;
                }
            }
            Connection::Sqlite(connection) if self.kind == Kind::Sqlite => {
                let pushed = sqlite::push_on(connection, &self.name, max_attempts, &jobs).await;
                added += pushed.map_err(|t| self.explain(t))?;
            }
            _ => {
                return Err(QueueError::WrongConnection {
                    queue: self.place.to_string(),
                });
            }
        }
        Ok(counted(&jobs, repeated, added))
    }

    /// The jobs of different keys, and how many repeat one of those.
    fn prepare(&self, jobs: impl IntoIterator<Item = Job<J>>) -> Result<(Vec<NewJob>, u64), QueueError> {
        let mut keys = HashSet::new();
        let mut prepared = Vec::new();
        let mut repeated = 0;
        for job in jobs {
            let job = Job {
                key: clean(job.key),
                ..job
            };
            if !keys.insert(job.key.clone()) {
                repeated += 1;
                continue;
            }
            let payload = serde_json::to_vec(&job.payload).map_err(|e| QueueError::Payload {
                queue: self.place.to_string(),
                key: job.key.clone(),
                source: e.into(),
            })?;
            prepared.push(NewJob {
                id: self.new_id(),
                key: job.key,
                priority: i32::try_from(job.priority).unwrap_or(if job.priority < 0 { i32::MIN } else { i32::MAX }),
                payload,
            });
        }
        Ok((prepared, repeated))
    }
}

fn counted(jobs: &[NewJob], repeated: u64, added: u64) -> Pushed {
    Pushed {
        added,
        already_there: (jobs.len() as u64).saturating_sub(added) + repeated,
    }
}
