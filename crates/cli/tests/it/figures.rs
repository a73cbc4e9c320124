//! Figures stand in one place, and elsewhere as they stand there.

use std::{fs, path::Path};

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(name)).expect(name)
}

/// Numbers of four digits and more, without what parts their thousands; years are none.
fn figures(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_digit() && c != ',')
        .map(|word| word.trim_matches(',').replace(',', ""))
        .filter(|word| word.len() > 3 && word != "2026")
        .collect()
}

/// The tables between a heading and the next one.
fn tables(text: &str, heading: &str) -> String {
    let (_, behind) = text.split_once(heading).expect(heading);
    let section = behind.split_once("\n## ").map_or(behind, |(section, _)| section);
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_said_to_be_measured_was() {
    let measured = figures(&read("docs/benchmarks.md"));
    for (page, heading) in [
        ("README.md", "## Beside the tools people use today"),
        ("docs/operations.md", "## What the machine needs"),
    ] {
        let told = figures(&tables(&read(page), heading));
        assert!(told.len() > 5, "{page}: {told:?}");
        for figure in told {
            assert!(
                measured.contains(&figure),
                "{page}: {figure} is not in docs/benchmarks.md"
            );
        }
    }
}
