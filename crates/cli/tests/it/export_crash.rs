//! Exports that are interrupted: what was there before is there still.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use crate::{
    build::NAMES,
    crash::finish,
    export::EVERYWHERE,
    sandbox::{Sandbox, TABIYA},
};

pub(crate) fn command(sandbox: &Sandbox, format: &str, output: &str) -> Command {
    let args = ["export", "--format", format, "--output", output, "--threads", "2"];
    let mut command = sandbox.command(TABIYA, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// All files at a place, by name; of a directory's staging the name alone.
pub(crate) fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    if path.is_file() {
        return BTreeMap::from([(name(path), fs::read(path).expect("readable"))]);
    }
    let entries = fs::read_dir(path).expect("a directory");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths
        .map(|path| (name(&path), fs::read(&path).unwrap_or_default()))
        .collect()
}

/// A database, everything exported from it, and more games since: the next export of each is another.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("names.csv", NAMES);
    for (seed, name) in [(41, "a.pgn"), (42, "b.pgn")] {
        sandbox.write(name, crate::build_crash::games(seed, 400));
    }
    let how = ["--min-games", "1", "--threads", "2"];
    sandbox
        .tabiya(&[&["build", "all", "--pgn", "a.pgn", "--source", "names.csv"], &how[..]].concat())
        .exits_with(0);
    for (format, output) in EVERYWHERE {
        sandbox.run(command(&sandbox, format, output)).exits_with(0);
    }
    sandbox
        .tabiya(&[&["build", "expand", "--pgn", "b.pgn", "--add"], &how[..]].concat())
        .exits_with(0);
    sandbox
}

#[cfg(unix)]
#[test]
fn an_interrupted_export_leaves_what_was_there() {
    let sandbox = sandbox();
    for (format, output) in EVERYWHERE {
        let old = files(&sandbox.path(output));
        let mut delay = Duration::from_millis(60);
        let mut interrupted = false;
        for _ in 0..25 {
            let child = command(&sandbox, format, output).spawn().expect("the program runs");
            sleep(delay);
            // It may have ended meanwhile.
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            let ran = finish(child);
            match ran.code {
                // Before it listened.
                -1 => delay = delay.mul_f64(1.3),
                // After it was done: what was there has to be made anew.
                0 => {
                    delay = delay.mul_f64(0.7);
                    fs::remove_dir_all(sandbox.path(output))
                        .or_else(|_| fs::remove_file(sandbox.path(output)))
                        .expect("removable");
                    let path = sandbox.path(output);
                    if old.len() == 1 {
                        fs::write(path, old.values().next().expect("a file")).expect("writable");
                    } else {
                        fs::create_dir(&path).expect("writable");
                        for (name, content) in &old {
                            fs::write(path.join(name), content).expect("writable");
                        }
                    }
                }
                _ => {
                    let ran = ran.exits_with(130);
                    assert!(ran.stderr.contains("what was there before is there still"), "{ran}");
                    interrupted = true;
                    break;
                }
            }
        }
        assert!(
            interrupted,
            "{format} {output}: never in the middle, at last after {delay:?}"
        );
        assert!(files(&sandbox.path(output)) == old, "{format} {output}");
    }
}
