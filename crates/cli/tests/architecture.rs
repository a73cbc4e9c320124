//! The rules of the house, read from the manifests: dependencies point down, every crate has a place, and all of
//! them share one licence and one set of lints.

use std::{fs, path::Path};

use toml::{Table, Value};

/// The rows of ARCHITECTURE.md, top to bottom, by directory name.
const ROWS: [&[&str]; 5] = [
    &["cli"],
    &["server"],
    &["app"],
    &["pgn-import", "counts", "lichess", "engine", "store", "dataset", "queue"],
    &["chess", "address"],
];

/// The one look sideways: `store` implements the `Storage` trait that `pgn-import` publishes.
const SIDEWAYS: (&str, &str) = ("store", "pgn-import");

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 9] = [
    "common", "util", "utils", "helper", "helpers", "manager", "managers", "misc", "shared",
];

const LICENCE: &str = "GPL-3.0-or-later";

#[test]
fn the_workspace_keeps_its_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = read(&root.join("Cargo.toml"));
    let mut crates: Vec<(String, Table)> = fs::read_dir(root.join("crates"))
        .expect("crates/ is readable")
        .map(|entry| entry.expect("crates/ is readable"))
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .map(|entry| {
            let manifest = read(&entry.path().join("Cargo.toml"));
            (entry.file_name().to_string_lossy().into_owned(), manifest)
        })
        .collect();
    crates.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(
        crates.iter().any(|(dir, _)| dir == "cli"),
        "this test belongs to a crate it did not find"
    );

    let broken = broken_rules(&workspace, &crates);
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

fn read(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
    text.parse().unwrap_or_else(|err| panic!("{}: {err}", path.display()))
}

/// One sentence for every rule that a crate breaks.
fn broken_rules(workspace: &Table, crates: &[(String, Table)]) -> Vec<String> {
    let mut broken = Vec::new();
    if string_at(workspace, &["workspace", "package", "license"]) != Some(LICENCE) {
        broken.push(format!("the workspace must be licensed {LICENCE}"));
    }
    for (dir, manifest) in crates {
        broken.extend(broken_habits(dir, manifest));
        let Some(row) = row_of(dir) else {
            broken.push(format!(
                "`{dir}` has no row: give it one in ARCHITECTURE.md and in this test"
            ));
            continue;
        };
        for (dependency, for_tests) in dependencies(workspace, crates, manifest) {
            let Some(below) = row_of(dependency) else {
                continue; // reported for the crate itself
            };
            let sideways = row == below && (for_tests || (dir.as_str(), dependency) == SIDEWAYS);
            if dir != dependency && row >= below && !sideways {
                broken.push(format!("`{dir}` must not depend on `{dependency}`"));
            }
        }
    }
    broken
}

fn broken_habits(dir: &str, manifest: &Table) -> Vec<String> {
    let mut broken = Vec::new();
    let package = string_at(manifest, &["package", "name"]).unwrap_or_default();
    if let Some(word) = [dir, package]
        .iter()
        .flat_map(|name| name.split(['-', '_']))
        .find(|word| EMPTY_NAMES.contains(word))
    {
        broken.push(format!("`{dir}` is called \"{word}\": name it after what it knows"));
    }
    if !is_true_at(manifest, &["lints", "workspace"]) {
        broken.push(format!("`{dir}` must set `[lints] workspace = true`"));
    }
    if !is_true_at(manifest, &["package", "license", "workspace"])
        && string_at(manifest, &["package", "license"]) != Some(LICENCE)
    {
        broken.push(format!("`{dir}` must set `license.workspace = true`"));
    }
    broken
}

/// Counted from the top.
fn row_of(dir: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&dir))
}

/// The crates of the workspace that a manifest names, by directory, and whether only its tests need them.
fn dependencies<'a>(workspace: &Table, crates: &'a [(String, Table)], manifest: &Table) -> Vec<(&'a str, bool)> {
    let platforms = manifest.get("target").and_then(Value::as_table);
    let everywhere = [manifest];
    let tables = everywhere.into_iter().chain(
        platforms
            .into_iter()
            .flat_map(|t| t.values())
            .filter_map(Value::as_table),
    );

    let mut found = Vec::new();
    for table in tables {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let Some(entries) = table.get(section).and_then(Value::as_table) else {
                continue;
            };
            for (key, entry) in entries {
                let package = package_named(workspace, key, entry);
                let dir = crates
                    .iter()
                    .find(|(_, other)| string_at(other, &["package", "name"]) == Some(package));
                if let Some((dir, _)) = dir {
                    found.push((dir.as_str(), section == "dev-dependencies"));
                }
            }
        }
    }
    found
}

/// A dependency may be renamed where it is used or in the workspace's list; the rule looks through both.
fn package_named<'a>(workspace: &'a Table, key: &'a str, entry: &'a Value) -> &'a str {
    let here = entry.get("package").and_then(Value::as_str);
    let inherited = || string_at(workspace, &["workspace", "dependencies", key, "package"]);
    here.or_else(inherited).unwrap_or(key)
}

fn value_at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

fn string_at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a str> {
    value_at(table, path)?.as_str()
}

fn is_true_at(table: &Table, path: &[&str]) -> bool {
    value_at(table, path).and_then(Value::as_bool) == Some(true)
}

/// The rules themselves, on made-up workspaces.
mod rules {
    use super::*;

    const WORKSPACE: &str = r#"
        [workspace.package]
        license = "GPL-3.0-or-later"
        [workspace.dependencies]
        memory = { package = "tabiya-store", path = "crates/store" }
    "#;

    fn table(text: &str) -> Table {
        text.parse().expect("a made-up manifest is valid TOML")
    }

    fn manifest(package: &str, rest: &str) -> Table {
        table(&format!(
            "[package]\nname = \"{package}\"\nlicense.workspace = true\n[lints]\nworkspace = true\n{rest}"
        ))
    }

    /// Checks crates given as (directory, what follows the usual head of the manifest).
    #[track_caller]
    fn check(crates: &[(&str, &str)], expected: &[&str]) {
        let crates: Vec<(String, Table)> = crates
            .iter()
            .map(|(dir, rest)| {
                let package = match *dir {
                    "pgn-import" => "pgn-import".to_owned(),
                    "cli" => "tabiya".to_owned(),
                    dir => format!("tabiya-{dir}"),
                };
                ((*dir).to_owned(), manifest(&package, rest))
            })
            .collect();
        assert_eq!(broken_rules(&table(WORKSPACE), &crates), expected);
    }

    #[test]
    fn downwards_is_fine() {
        check(
            &[
                (
                    "cli",
                    "[dependencies]\ntabiya-server.workspace = true\ntabiya-app.workspace = true",
                ),
                ("server", "[dependencies]\ntabiya-app.workspace = true"),
                ("app", "[dependencies]\ntabiya-store.workspace = true\nserde = \"1\""),
                ("store", "[dependencies]\ntabiya-chess.workspace = true"),
                ("chess", ""),
            ],
            &[],
        );
    }

    #[test]
    fn upwards_is_not() {
        check(
            &[
                ("chess", "[dependencies]\ntabiya-app = { path = \"../app\" }"),
                ("app", ""),
            ],
            &["`chess` must not depend on `app`"],
        );
        check(
            &[("server", "[dependencies]\ntabiya.workspace = true"), ("cli", "")],
            &["`server` must not depend on `cli`"],
        );
    }

    #[test]
    fn adapters_do_not_see_each_other() {
        check(
            &[
                ("engine", "[dependencies]\ntabiya-store.workspace = true"),
                ("store", ""),
            ],
            &["`engine` must not depend on `store`"],
        );
    }

    #[test]
    fn store_sees_pgn_import_and_not_the_other_way_round() {
        check(
            &[
                ("store", "[dependencies]\npgn-import.workspace = true"),
                ("pgn-import", ""),
            ],
            &[],
        );
        check(
            &[
                ("pgn-import", "[dependencies]\ntabiya-store.workspace = true"),
                ("store", ""),
            ],
            &["`pgn-import` must not depend on `store`"],
        );
    }

    #[test]
    fn tests_may_look_sideways_but_not_up() {
        check(
            &[
                ("dataset", "[dev-dependencies]\npgn-import.workspace = true"),
                ("pgn-import", ""),
            ],
            &[],
        );
        check(
            &[
                ("dataset", "[dev-dependencies]\ntabiya-app.workspace = true"),
                ("app", ""),
            ],
            &["`dataset` must not depend on `app`"],
        );
    }

    #[test]
    fn a_new_name_hides_nothing() {
        for rest in [
            "[dependencies]\nmemory.workspace = true",
            "[dependencies]\nbooks = { package = \"tabiya-store\", path = \"../store\" }",
            "[build-dependencies]\ntabiya-store.workspace = true",
            "[target.'cfg(unix)'.dependencies]\ntabiya-store.workspace = true",
        ] {
            check(
                &[("engine", rest), ("store", "")],
                &["`engine` must not depend on `store`"],
            );
        }
    }

    #[test]
    fn every_crate_has_a_row() {
        check(
            &[("novelties", "")],
            &["`novelties` has no row: give it one in ARCHITECTURE.md and in this test"],
        );
    }

    #[test]
    fn names_say_what_is_inside() {
        let broken = broken_habits("chess-utils", &manifest("tabiya-chess-utils", ""));
        assert_eq!(
            broken,
            ["`chess-utils` is called \"utils\": name it after what it knows"]
        );
    }

    #[test]
    fn licence_and_lints_are_shared() {
        let broken = broken_habits("chess", &table("[package]\nname = \"tabiya-chess\"\nlicense = \"MIT\""));
        assert_eq!(
            broken,
            [
                "`chess` must set `[lints] workspace = true`",
                "`chess` must set `license.workspace = true`"
            ]
        );
        let unlicensed = broken_rules(&table("[workspace]"), &[]);
        assert_eq!(unlicensed, ["the workspace must be licensed GPL-3.0-or-later"]);
    }
}
