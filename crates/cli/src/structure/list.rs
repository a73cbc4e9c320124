//! All structures, to read or to load.

use std::fmt::Write as _;

use serde::Serialize;
use tabiya_chess::Structure;

use crate::args::Format;

/// How wide prose is set.
const WIDTH: usize = 96;

/// All structures, in the order in which their rules are tried.
pub(super) fn all(format: Format) -> String {
    let write = match format {
        Format::Text => write_text,
        Format::Json => write_json,
    };
    let mut text = String::new();
    for structure in Structure::all() {
        write(structure, &mut text);
    }
    text
}

#[derive(Debug, Serialize)]
struct Row {
    structure_id: String,
    name: &'static str,
    slug: &'static str,
    description: &'static str,
    arises_from: &'static str,
    typical_plans_white: &'static [&'static str],
    typical_plans_black: &'static [&'static str],
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
struct Rule {
    row: usize,
    rule: &'static str,
}

fn write_json(structure: &Structure, text: &mut String) {
    let row = Row {
        structure_id: structure.id().to_string(),
        name: structure.name,
        slug: structure.slug,
        description: structure.description,
        arises_from: structure.arises_from,
        typical_plans_white: structure.plans_white,
        typical_plans_black: structure.plans_black,
        rules: structure.rules().map(|(row, rule)| Rule { row, rule }).collect(),
    };
    // Plain values with text keys can always be written.
    text.push_str(&serde_json::to_string(&row).unwrap_or_default());
    text.push('\n');
}

fn write_text(structure: &Structure, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{} ({})", structure.name, structure.slug);
    write_prose("  ", structure.description, text);
    write_prose("  From: ", structure.arises_from, text);
    for (side, plans) in [("White", structure.plans_white), ("Black", structure.plans_black)] {
        let _ = writeln!(text, "  {side}:");
        for plan in plans {
            write_prose("    - ", plan, text);
        }
    }
    for (row, rule) in structure.rules() {
        let _ = writeln!(text, "  Rule {row}: {rule}");
    }
}

/// Breaks prose into lines; those after the first are indented as far as its `start` reaches.
fn write_prose(start: &str, prose: &str, text: &mut String) {
    text.push_str(start);
    let mut column = start.len();
    for (number, word) in prose.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > WIDTH {
            let _ = write!(text, "\n{:indent$}", "", indent = start.len());
            column = start.len();
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words() {
        let mut text = String::new();
        write_prose(
            "  From: ",
            &"word ".repeat(40).trim_end().replace("word", "ünï…"),
            &mut text,
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("  From: ünï…"));
        assert!(lines[1].starts_with("        ünï…"));
        assert!(
            lines
                .iter()
                .all(|line| line.chars().count() <= WIDTH && !line.ends_with(' '))
        );
        assert_eq!(text.matches("ünï…").count(), 40);
    }
}
