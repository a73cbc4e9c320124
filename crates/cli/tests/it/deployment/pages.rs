//! Pages: what they tell people to type is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use super::{root, text};
use crate::sandbox::Sandbox;

/// Everything that people are told to read.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).expect("pages").flatten();
    let names = entries.map(|entry| entry.file_name().into_string().expect("a name"));
    let mut pages: Vec<String> = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    pages.extend(["README.md", "compose.yaml"].map(str::to_owned));
    pages.sort();
    pages
}

/// What is typed behind `tabiya`, without what is said of it behind a `#`.
fn commands(page: &str) -> Vec<String> {
    let whole = page.replace("\\\n", " ");
    let lines = whole.split(['`', '\n']).filter_map(|piece| {
        let piece = piece.trim().trim_start_matches(['$', '#']).trim_start();
        let typed = match piece.strip_prefix("docker compose run ") {
            Some(inside) => inside.split_once(" tabiya ")?.1,
            None => piece.strip_prefix("tabiya ")?,
        };
        typed.split(" #").next().map(str::to_owned)
    });
    lines.collect()
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-'
}

/// The options that a command's help speaks of, or none where there is no such command.
fn options(sandbox: &Sandbox, verbs: &[&str]) -> Option<BTreeSet<String>> {
    let ran = sandbox.tabiya(&[verbs, &["--help"]].concat());
    let words = ran.stdout.split(|letter| !is_of_a_name(letter));
    let names = words.filter(|word| word.starts_with("--")).map(str::to_owned);
    (ran.code == 0).then(|| names.collect())
}

/// Every option that is written behind a command in any page is one of that command's.
#[test]
fn pages_name_options_that_exist() {
    let sandbox = Sandbox::new();
    let mut known: BTreeMap<Vec<String>, Option<BTreeSet<String>>> = BTreeMap::new();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for page in pages() {
        for command in commands(&text(&page)) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let verbs: Vec<&str> = (words.iter().copied())
                .take_while(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
                .collect();
            // A word behind the verb may be its first argument.
            let own = (1..=verbs.len().min(2)).rev().find_map(|length| {
                let verbs = &verbs[..length];
                let key = verbs.iter().map(|verb| (*verb).to_owned()).collect();
                known.entry(key).or_insert_with(|| options(&sandbox, verbs)).clone()
            });
            let own = own.unwrap_or_else(|| panic!("{page}: `tabiya {command}` is no command"));
            for word in words.iter().filter(|word| word.starts_with("--")) {
                let name: String = word.chars().take_while(|letter| is_of_a_name(*letter)).collect();
                assert!(own.contains(&name), "{page}: `tabiya {command}` has no {name}");
                *seen.entry(page.clone()).or_default() += 1;
            }
        }
    }
    for page in ["README.md", "docs/operations.md", "docs/positions.md", "compose.yaml"] {
        assert!(seen.get(page) > Some(&1), "{page}: {seen:?}");
    }
    assert!(seen.values().sum::<u32>() > 100, "{seen:?}");
}
