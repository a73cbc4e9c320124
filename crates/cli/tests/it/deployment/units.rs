//! Units of systemd.

use std::process::Command;

use super::{assert_understood, text};
use crate::sandbox::{Sandbox, TABIYA};

#[test]
fn units_start_what_is_understood() {
    let sandbox = Sandbox::new();
    for unit in ["deploy/tabiya.service", "deploy/tabiya-worker@.service"] {
        let unit = text(unit);
        let start = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/tabiya "))
            .expect("a start");
        assert_understood(&sandbox, &start.split_whitespace().collect::<Vec<_>>());
        for line in [
            "NoNewPrivileges=yes",
            "DynamicUser=yes",
            "ProtectSystem=strict",
            "KillSignal=SIGINT",
            "KillMode=mixed",
        ] {
            assert!(unit.lines().any(|own| own == line), "{line}");
        }
    }
}

/// systemd passes over what it does not know, and says so to whoever asks.
#[test]
fn units_are_what_systemd_understands() {
    let asked = Command::new("systemd-analyze").arg("--version").output();
    if !asked.is_ok_and(|ran| ran.status.success()) {
        return;
    }
    let sandbox = Sandbox::new();
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--man=no"]);
    // Then what it has to say of ours alone shows in its exit code.
    let help = Command::new("systemd-analyze").arg("--help").output().expect("it runs");
    if String::from_utf8_lossy(&help.stdout).contains("--recursive-errors") {
        verify.arg("--recursive-errors=no");
    }
    for (unit, name) in [
        ("deploy/tabiya.service", "tabiya.service"),
        ("deploy/tabiya-worker@.service", "tabiya-worker@1.service"),
    ] {
        // It looks whether the program is there.
        sandbox.write(name, text(unit).replace("/usr/local/bin/tabiya", TABIYA));
        verify.arg(sandbox.path(name));
    }
    let told = verify.output().expect("it runs");
    let words = String::from_utf8_lossy(&told.stderr);
    // What it has to say of units that ours wait for is a matter of the machine.
    let of_ours = words.lines().filter(|line| line.contains("tabiya"));
    assert!(told.status.success() && of_ours.count() == 0, "{words}");
}

/// Units with users of their own must not share a directory: each start would give it to another.
#[test]
fn units_have_directories_of_their_own() {
    let directory = |unit: &str| {
        let unit = text(unit);
        let line = unit.lines().find_map(|line| line.strip_prefix("StateDirectory="));
        let own = line.expect("a directory").to_owned();
        assert!(unit.contains(&format!("WorkingDirectory=/var/lib/{own}\n")), "{own}");
        own
    };
    assert_eq!(directory("deploy/tabiya.service"), "tabiya");
    assert_eq!(directory("deploy/tabiya-worker@.service"), "tabiya-worker/%i");
    // A worker that was told to stop did not fail.
    let worker = text("deploy/tabiya-worker@.service");
    assert!(worker.contains("\nSuccessExitStatus=130\n"), "{worker}");
}
