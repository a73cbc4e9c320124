//! The process group that an engine leads, and how much it may take of the machine.

use std::{
    fs,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use crate::EngineConfig;

/// How often an engine is looked at. In between it can take no more than it can write to memory in that time.
const LOOK: Duration = Duration::from_millis(250);

/// An engine and what starts it are one or two.
const MOST_PROCESSES: usize = 32;

#[derive(Debug)]
pub(crate) struct Group {
    /// Set as long as the leader was not waited for: until then nobody else can have its number.
    leader: Mutex<Option<u32>>,
    verdict: OnceLock<String>,
}

impl Group {
    pub(crate) fn new(leader: Option<u32>) -> Arc<Group> {
        Arc::new(Group {
            leader: Mutex::new(leader),
            verdict: OnceLock::new(),
        })
    }

    fn leader(&self) -> MutexGuard<'_, Option<u32>> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of it; with `release` it is never touched again.
    pub(crate) fn kill(&self, release: bool) {
        let mut leader = self.leader();
        #[cfg(unix)]
        if let Some(pid) = leader.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
            // Fails only if nobody is left to be killed.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        if release {
            *leader = None;
        }
    }

    /// Why it was ended from here, if it was.
    pub(crate) fn verdict(&self) -> Option<&str> {
        self.verdict.get().map(String::as_str)
    }

    /// Ends an engine that takes too much memory or starts too many others. Only Linux tells.
    pub(crate) async fn watch(self: Arc<Group>, config: &EngineConfig) {
        let most = u64::from(config.hash_mb) + u64::from(config.max_memory_mb);
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(leader) = *self.leader() else { return };
            let taken = Taken::by(leader);
            let verdict = if taken.kilobytes >> 10 > most {
                format!("it took {} MB of memory, {most} MB are allowed", taken.kilobytes >> 10)
            } else if taken.processes > MOST_PROCESSES {
                format!("it started more than {MOST_PROCESSES} processes")
            } else {
                continue;
            };
            // Nobody else writes it.
            let _ = self.verdict.set(verdict);
            return self.kill(false);
        }
    }
}

/// What a process and those it started take.
#[derive(Debug, Default)]
struct Taken {
    kilobytes: u64,
    processes: usize,
}

impl Taken {
    fn by(leader: u32) -> Taken {
        let mut taken = Taken::default();
        let mut left = vec![leader];
        while let Some(process) = left.pop() {
            taken.kilobytes += resident(process).unwrap_or_default();
            taken.processes += 1;
            if taken.processes > MOST_PROCESSES {
                break;
            }
            left.extend(started_by(process));
        }
        taken
    }
}

/// Kilobytes in memory.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Processes that any thread of a process has started.
fn started_by(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}
