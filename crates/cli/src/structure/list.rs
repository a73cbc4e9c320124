//! All structures, to read or to load.

use std::fmt::Write as _;

use serde::Serialize;
use tabiya_chess::Structure;

use crate::{args::Format, prose::write_prose};

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
    write_prose(WIDTH, "  ", structure.description, text);
    write_prose(WIDTH, "  From: ", structure.arises_from, text);
    for (side, plans) in [("White", structure.plans_white), ("Black", structure.plans_black)] {
        let _ = writeln!(text, "  {side}:");
        for plan in plans {
            write_prose(WIDTH, "    - ", plan, text);
        }
    }
    for (row, rule) in structure.rules() {
        let _ = writeln!(text, "  Rule {row}: {rule}");
    }
}
