//! Words set in lines.

use std::fmt::Write as _;

/// Breaks prose into lines of at most `width`; those after the first are indented as far as its `start` reaches.
pub(crate) fn write_prose(width: usize, start: &str, prose: &str, text: &mut String) {
    text.push_str(start);
    let indent = start.chars().count();
    let mut column = indent;
    for (number, word) in prose.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > width {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n{:indent$}", "");
            column = indent;
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

/// As much of a text as fits, with `…` where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words() {
        let mut text = String::new();
        let words = "word ".repeat(40).trim_end().replace("word", "ünï…");
        write_prose(96, "  From: ", &words, &mut text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("  From: ünï…"));
        assert!(lines[1].starts_with("        ünï…"));
        let fits = |line: &&str| line.chars().count() <= 96 && !line.ends_with(' ');
        assert!(lines.iter().all(fits));
        assert_eq!(text.matches("ünï…").count(), 40);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(cut("Grünfeld", 8), "Grünfeld");
        assert_eq!(cut("Grünfeld", 7), "Grünfe…");
        assert_eq!(cut("Two Knights", 5), "Two…");
    }
}
