//! Help, completions and manual pages.

use std::fs;

use crate::sandbox::{Sandbox, assert_said};

#[test]
fn without_arguments_help_is_shown() {
    let sandbox = Sandbox::new();
    assert_said!("tabiya_without_arguments", sandbox.tabiya(&[]));
    assert_said!("import_without_input", sandbox.tabiya(&["import"]));
    assert_said!("pgn_import_without_input", sandbox.pgn_import(&[]));
}

#[test]
fn help_teaches_the_tool() {
    let sandbox = Sandbox::new();
    assert_said!("tabiya_help", sandbox.tabiya(&["--help"]));
    assert_said!("import_help", sandbox.tabiya(&["import", "-h"]));
    assert_said!("pgn_import_help", sandbox.pgn_import(&["--help"]));
    assert_said!("name_help", sandbox.tabiya(&["name", "--help"]));
    assert_said!("count_help", sandbox.tabiya(&["count", "--help"]));
    assert_said!("repertoire_help", sandbox.tabiya(&["repertoire", "--help"]));
    assert_said!(
        "repertoire_export_help",
        sandbox.tabiya(&["repertoire", "export", "--help"])
    );
    assert_said!("evals_import_help", sandbox.tabiya(&["evals", "import", "--help"]));
    assert_said!("annotate_help", sandbox.tabiya(&["build", "annotate", "--help"]));
    assert_said!("export_help", sandbox.tabiya(&["export", "--help"]));
    assert_said!("analyze_help", sandbox.tabiya(&["analyze", "--help"]));
    assert_said!("fetch_help", sandbox.tabiya(&["fetch", "--help"]));
    assert_said!("serve_help", sandbox.tabiya(&["serve", "--help"]));
    assert_said!("lookup_help", sandbox.tabiya(&["lookup", "--help"]));
    assert_said!("review_help", sandbox.tabiya(&["review", "--help"]));
    assert_said!("doctor_help", sandbox.tabiya(&["doctor", "--help"]));
    assert_said!("project_help", sandbox.tabiya(&["project", "--help"]));
    assert_said!("positions_help", sandbox.tabiya(&["positions", "--help"]));
    assert_said!("structure_help", sandbox.tabiya(&["structure", "--help"]));
}

#[test]
fn every_shell_gets_its_completions() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = sandbox.tabiya(&["completions", shell]).exits_with(0);
        assert!(ran.stdout.contains("retry-rejects"), "{ran}");
        assert_eq!(ran.stderr, "");
        let ran = sandbox
            .tabiya(&["completions", shell, "--for", "pgn-import"])
            .exits_with(0);
        assert!(
            ran.stdout.contains("pgn-import") && ran.stdout.contains("out-edges"),
            "{ran}"
        );
    }
}

#[test]
fn every_command_gets_its_manual_page() {
    let sandbox = Sandbox::new();
    let page = sandbox.tabiya(&["man"]).exits_with(0).stdout;
    assert!(page.contains(".TH tabiya"), "{page}");

    assert_eq!(sandbox.tabiya(&["man", "-"]).exits_with(0).stdout, page);
    assert!(!sandbox.path("-").exists());
    sandbox.tabiya(&["man", "share/man1"]).exits_with(0);
    let mut names: Vec<String> = fs::read_dir(sandbox.path("share/man1"))
        .expect("the directory was made")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.contains("help"))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "pgn-import.1",
            "tabiya-analyze.1",
            "tabiya-build-all.1",
            "tabiya-build-annotate.1",
            "tabiya-build-audit.1",
            "tabiya-build-eco.1",
            "tabiya-build-expand.1",
            "tabiya-build-structures.1",
            "tabiya-build-transpositions.1",
            "tabiya-build-validate.1",
            "tabiya-build.1",
            "tabiya-completions.1",
            "tabiya-count.1",
            "tabiya-doctor.1",
            "tabiya-evals-import.1",
            "tabiya-evals.1",
            "tabiya-export.1",
            "tabiya-fetch.1",
            "tabiya-import.1",
            "tabiya-lookup.1",
            "tabiya-man.1",
            "tabiya-name.1",
            "tabiya-positions-convert.1",
            "tabiya-positions-decode.1",
            "tabiya-positions-dedupe.1",
            "tabiya-positions-inspect.1",
            "tabiya-positions-merge.1",
            "tabiya-positions-shuffle.1",
            "tabiya-positions.1",
            "tabiya-project.1",
            "tabiya-repertoire-export.1",
            "tabiya-repertoire-list.1",
            "tabiya-repertoire.1",
            "tabiya-review.1",
            "tabiya-serve.1",
            "tabiya-structure.1",
            "tabiya-worker.1",
            "tabiya-workers.1",
            "tabiya.1",
        ]
    );
    assert!(sandbox.read("share/man1/pgn-import.1").contains("max\\-depth"));
}

/// README promises it, and the snapshots are what errors look like.
#[test]
fn every_error_comes_with_a_way_out() {
    let snapshots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots");
    let mut errors = 0;
    for entry in std::fs::read_dir(snapshots).expect("snapshots") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let is_error = text.lines().any(|line| line.starts_with("error: "));
        let helps = text.contains("\nhint: ") || text.contains("try '--help'");
        assert!(!is_error || helps, "{}:\n{text}", path.display());
        errors += u32::from(is_error);
    }
    assert!(errors > 50, "{errors} are not all there are");
}
