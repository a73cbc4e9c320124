//! Pages for operators: what they tell people to type is there.

use super::text;
use crate::sandbox::Sandbox;

/// Every option that is written behind a command in these pages is one of that command's.
#[test]
fn pages_for_operators_name_options_that_exist() {
    let sandbox = Sandbox::new();
    let mut seen = 0;
    for page in ["docs/operations.md", "docs/threat-model.md", "compose.yaml"] {
        let text = text(page).replace("\\\n", " ");
        for command in text
            .split(['`', '\n'])
            .filter_map(|piece| piece.trim().strip_prefix("tabiya "))
        {
            let words: Vec<&str> = command.split_whitespace().collect();
            let verbs: Vec<&str> = (words.iter().copied())
                .take_while(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
                .collect();
            // A word behind the verb may be its first argument.
            let help = (1..=verbs.len().min(2)).rev().find_map(|length| {
                let ran = sandbox.tabiya(&[&verbs[..length], &["--help"]].concat());
                (ran.code == 0).then_some(ran.stdout)
            });
            let help = help.unwrap_or_else(|| panic!("{page}: `tabiya {command}` is no command"));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let name = option.split('=').next().expect("a name");
                assert!(help.contains(name), "{page}: `tabiya {command}` has no {name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "{seen}");
}
