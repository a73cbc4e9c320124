//! The process group that an engine leads, and how much it may take of the machine.

use std::{
    fs,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
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
    /// Who was seen to have left the group, by number and beginning.
    strays: Mutex<Vec<(u32, u64)>>,
}

impl Group {
    pub(crate) fn new(leader: Option<u32>) -> Arc<Group> {
        Arc::new(Group {
            leader: Mutex::new(leader),
            verdict: OnceLock::new(),
            strays: Mutex::default(),
        })
    }

    fn leader(&self) -> MutexGuard<'_, Option<u32>> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of it; with `release` it is never touched again.
    pub(crate) fn kill(&self, release: bool) {
        let mut leader = self.leader();
        #[cfg(unix)]
        if let Some((id, pid)) = leader.and_then(|id| Some((id, pid(id)?))) {
            use rustix::process::{Signal, kill_process, kill_process_group};
            // Who left the group is asked for before those are gone by whom it is known.
            let family = self.family(id, &Seen::everybody());
            // Both fail only if nobody is left to be killed.
            let _ = kill_process_group(pid, Signal::KILL);
            for stray in family.iter().filter(|one| one.group != id) {
                let _ = self::pid(stray.process).map(|stray| kill_process(stray, Signal::KILL));
            }
        }
        if release {
            *leader = None;
        }
    }

    /// Everybody that belongs to it; who has left the group is remembered.
    fn family(&self, leader: u32, everybody: &[Seen]) -> Vec<Seen> {
        let mut strays = self.strays.lock().unwrap_or_else(PoisonError::into_inner);
        let family = family(leader, everybody, &strays);
        *strays = family
            .iter()
            .filter(|one| one.group != leader)
            .map(|one| (one.process, one.begun))
            .collect();
        family
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
            let family = self.family(leader, &Seen::lately());
            let known = family.iter().map(|one| one.process).take(MOST_PROCESSES);
            let kilobytes: u64 = known.filter_map(resident).sum();
            let verdict = if kilobytes >> 10 > most {
                format!("it took {} MB of memory, {most} MB are allowed", kilobytes >> 10)
            } else if family.len() > MOST_PROCESSES {
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

#[cfg(unix)]
fn pid(id: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(id.cast_signed())
}

/// Everybody that belongs to the group of `leader`, or was started by somebody who does. Who has left the group and whose parents
/// are gone cannot be told from a stranger any more, unless it was seen before.
fn family(leader: u32, everybody: &[Seen], strays: &[(u32, u64)]) -> Vec<Seen> {
    let is_known = |one: &Seen| {
        let is_stray = strays.contains(&(one.process, one.begun));
        one.process == leader || one.group == leader || is_stray
    };
    let (mut family, mut others): (Vec<Seen>, Vec<Seen>) = everybody.iter().copied().partition(is_known);
    let mut at = 0;
    while let Some(parent) = family.get(at).map(|one| one.process) {
        let (children, rest) = others.into_iter().partition(|one| one.parent == parent);
        family.extend::<Vec<Seen>>(children);
        others = rest;
        at += 1;
    }
    family
}

/// A process as Linux shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    process: u32,
    parent: u32,
    group: u32,
    /// When it was started, which tells it from a later one of the same number.
    begun: u64,
}

impl Seen {
    /// Of `/proc/PID/stat`: `PID (NAME) STATE PARENT GROUP …`, where the name may contain anything.
    fn read(process: u32, stat: &str) -> Option<Seen> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace().skip(1);
        Some(Seen {
            process,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            begun: fields.nth(16)?.parse().ok()?,
        })
    }

    /// All there are; nobody where it cannot be asked.
    fn everybody() -> Arc<[Seen]> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter_map(|id| Seen::read(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?))
            .collect()
    }

    /// The same, as somebody saw it a moment ago: many engines need not all look through everything.
    fn lately() -> Arc<[Seen]> {
        static LAST: Mutex<Option<(Instant, Arc<[Seen]>)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((when, everybody)) if when.elapsed() < LOOK => Arc::clone(everybody),
            _ => {
                let everybody = Seen::everybody();
                *last = Some((Instant::now(), Arc::clone(&everybody)));
                everybody
            }
        }
    }
}

/// Kilobytes in memory.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(process: u32, parent: u32, group: u32) -> Seen {
        Seen {
            process,
            parent,
            group,
            begun: 1,
        }
    }

    #[test]
    fn a_line_of_the_system_is_read() {
        let stat = "42 (a) b) S 7 42 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 55 0";
        let read = Seen::read(42, stat).expect("a line");
        assert_eq!(
            read,
            Seen {
                process: 42,
                parent: 7,
                group: 42,
                begun: 98765
            }
        );
        assert_eq!(Seen::read(1, "1 (init"), None);
    }

    #[test]
    fn a_family_is_the_group_and_whom_it_started() {
        let everybody = [
            seen(1, 0, 1),
            seen(10, 1, 10),
            seen(11, 10, 10),
            // Whose parent is gone.
            seen(12, 1, 10),
            // With a group of its own, and its child.
            seen(13, 12, 13),
            seen(14, 13, 13),
            // The same, and orphaned.
            seen(15, 1, 15),
            seen(20, 1, 20),
        ];
        let ids = |strays: &[(u32, u64)]| {
            let mut ids: Vec<u32> = family(10, &everybody, strays).iter().map(|one| one.process).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&[]), [10, 11, 12, 13, 14]);
        assert_eq!(ids(&[(15, 1)]), [10, 11, 12, 13, 14, 15]);
        assert_eq!(ids(&[(20, 2)]), [10, 11, 12, 13, 14], "another one of that number");
    }
}
