//! Exports: until the new files are all there, the old ones are.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use super::{KILLS_IN_SOAK, Victim, kill_so_often};
use crate::{
    crash::soak,
    export::EVERYWHERE,
    export_crash::{command, files, sandbox},
    sandbox::Sandbox,
};

type Files = BTreeMap<String, Vec<u8>>;

struct Export<'a> {
    sandbox: &'a Sandbox,
    format: &'a str,
    /// What was exported before there were more games.
    output: &'a str,
}

impl Export<'_> {
    /// Where a run writes: of the same kind as `output`, a file or a directory, with the old content.
    fn place(&self, place: &str) -> String {
        format!("{place}/{}", self.output)
    }

    /// What people see, and whether there is anything else.
    fn seen(&self, place: &str) -> (Files, bool) {
        let mut found = files(&self.sandbox.path(&self.place(place)));
        let all = found.len();
        found.retain(|name, _| !name.starts_with(".tabiya-"));
        let beside = files(&self.sandbox.path(place));
        let is_hidden = beside.keys().any(|name| name.starts_with(".tabiya-"));
        (found.clone(), found.len() < all || is_hidden)
    }
}

impl Victim for Export<'_> {
    type Left = Files;

    fn begin(&self, place: &str) {
        let (old, new) = (self.sandbox.path(self.output), self.sandbox.path(&self.place(place)));
        fs::create_dir_all(new.parent().expect("a directory")).expect("writable");
        copy(&old, &new);
    }

    fn command(&self, place: &str) -> Command {
        command(self.sandbox, self.format, &self.place(place))
    }

    fn left(&self, place: &str) -> Files {
        let (files, is_hidden) = self.seen(place);
        assert!(!is_hidden, "{}: nothing of the killed runs is left", self.output);
        files
    }

    fn assert_same(&self, left: &Files, expected: &Files) {
        assert!(left == expected, "{}", self.output);
    }

    fn is_begun(&self, place: &str, new: &Files) -> bool {
        let old = files(&self.sandbox.path(self.output));
        assert!(old != *new, "{}: the export would change nothing", self.output);
        let (found, is_hidden) = self.seen(place);
        assert!(
            found == old || found == *new,
            "{}: neither the old files nor the new ones",
            self.output
        );
        is_hidden
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).expect("a copy");
        return;
    }
    fs::create_dir(to).expect("writable");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("readable");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

#[test]
fn exports_soak() {
    let sandbox = sandbox();
    let each = match soak() {
        true => KILLS_IN_SOAK.div_ceil(EVERYWHERE.len() as u32),
        false => 2,
    };
    for (seed, (format, output)) in EVERYWHERE.into_iter().enumerate() {
        let victim = Export {
            sandbox: &sandbox,
            format,
            output,
        };
        kill_so_often(&victim, 51 + seed as u64, each);
        for place in fs::read_dir(sandbox.directory()).expect("readable").flatten() {
            let name = place.file_name().to_string_lossy().into_owned();
            if name.starts_with("killed") || name == "undisturbed" {
                fs::remove_dir_all(place.path()).expect("removable");
            }
        }
    }
}
