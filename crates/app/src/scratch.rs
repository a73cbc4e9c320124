//! Directories for what is needed until an output is whole.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tabiya_dataset::{WholeFileError, is_special};

use crate::lock::Lock;

const PREFIX: &str = ".tabiya-";
const LOCK: &str = "lock";
const NEW_LOCK: &str = "lock.new";

/// What their names end with.
pub(crate) const COUNTS: &str = ".counts";
pub(crate) const POSITIONS: &str = ".positions";
pub(crate) const SHUFFLE: &str = ".shuffle";
pub(crate) const SIEVE: &str = ".sieve";
const SUFFIXES: [&str; 4] = [COUNTS, POSITIONS, SHUFFLE, SIEVE];

/// A directory that is removed with all that is in it when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
    /// Held for as long as it is used: whoever finds it free knows that its run was killed. None on a disk without locks, where
    /// nobody will find it free either.
    lock: Option<Lock>,
}

impl Scratch {
    /// On the disk that the output is on, unless that is no file and has no place beside it. What killed runs have left there
    /// takes more room than what they wrote, and is removed.
    pub(crate) fn beside(output: &Path, suffix: &str) -> Result<Scratch, WholeFileError> {
        let parent = match output.parent() {
            _ if is_special(output) => std::env::temp_dir(),
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&parent).map_err(cannot("create the directory", &parent))?;
        sweep(&parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(suffix);
        let dir = builder
            .tempdir_in(&parent)
            .map_err(cannot("create a directory in", &parent))?;
        // Under another name until it is locked: one that is seen and free passes for a killed run's.
        let (new, path) = (dir.path().join(NEW_LOCK), dir.path().join(LOCK));
        let file = File::create(&new).map_err(cannot("create", &new))?;
        let lock = Lock::take(file).ok();
        fs::rename(&new, &path).map_err(cannot("create", &path))?;
        Ok(Scratch { dir, lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// As dropping it, but tells when it could not be removed.
    pub(crate) fn close(self) -> Result<(), WholeFileError> {
        // The lock is held until then, or another run would remove it at the same time.
        let Scratch { dir, lock: _held } = self;
        let path = dir.path().to_owned();
        dir.close().map_err(cannot("remove", &path))
    }
}

/// Whatever cannot be looked at or removed is left for the next run.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) || !SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
            continue;
        }
        let path = entry.path().join(LOCK);
        // Beside devices that is where everybody may write, and to open a pipe is to wait for somebody at its other end.
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let lock = File::open(path);
        if lock.is_ok_and(|lock| Lock::take(lock).is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn cannot(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WholeFileError {
    let path = path.to_owned();
    move |source| WholeFileError { action, path, source }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    #[test]
    fn what_killed_runs_left_is_removed_and_what_a_run_has_just_made_is_not() {
        let home = tempfile::tempdir().expect("a directory");
        let killed = SUFFIXES.map(|suffix| home.path().join(format!(".tabiya-killed{suffix}")));
        for killed in &killed {
            fs::create_dir(killed).expect("a directory");
            fs::write(killed.join(LOCK), "").expect("written");
        }
        let out = home.path().join("part.parquet");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    sweep(home.path());
                }
            });
            let made: Vec<bool> = (0..2_000)
                .map(|_| Scratch::beside(&out, COUNTS).is_ok_and(|scratch| scratch.path().join(LOCK).exists()))
                .collect();
            over.store(true, Relaxed);
            assert!(made.iter().all(|there| *there), "somebody took it away");
        });
        assert!(killed.iter().all(|killed| !killed.exists()));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_waits_for_a_pipe_that_is_called_like_a_lock() {
        let home = tempfile::tempdir().expect("a directory");
        let odd = home.path().join(".tabiya-odd.counts");
        fs::create_dir(&odd).expect("a directory");
        let made = std::process::Command::new("mkfifo").arg(odd.join(LOCK)).status();
        assert!(made.expect("it runs").success());
        let (done, swept) = std::sync::mpsc::channel();
        let place = home.path().to_owned();
        std::thread::spawn(move || {
            sweep(&place);
            // Whoever waited may have given up.
            let _ = done.send(());
        });
        swept.recv_timeout(std::time::Duration::from_secs(60)).expect("an end");
        assert!(odd.exists());
    }

    #[test]
    fn it_lies_beside_files_alone() {
        let home = tempfile::tempdir().expect("a directory");
        let scratch = Scratch::beside(&home.path().join("new/deep/p.parquet"), SIEVE).expect("made");
        assert!(scratch.path().starts_with(home.path().join("new/deep")));
        let device = Scratch::beside(Path::new("/dev/null"), SIEVE).expect("made");
        assert!(device.path().starts_with(std::env::temp_dir()));
        for scratch in [scratch, device] {
            let path = scratch.path().to_owned();
            scratch.close().expect("removed");
            assert!(!path.exists());
        }
    }
}
