//! What somebody typed.

use std::ops::RangeInclusive;

use super::words::words;

/// Letters that are read. The longest name has 90.
const MAX_LETTERS: usize = 200;
/// Words that are looked for.
const MAX_WORDS: usize = 12;

/// A question taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// Codes that are asked for, as the first and the last.
    pub(super) codes: Option<RangeInclusive<String>>,
    pub(super) words: Vec<String>,
    /// Words beside `codes` that mean the same question: `e4` is E40 to E49, and a move.
    pub(super) other_words: Vec<String>,
}

impl Query {
    pub(super) fn read(text: &str) -> Query {
        let text: String = text.chars().take(MAX_LETTERS).collect();
        let parts: Vec<&str> = text.split_whitespace().collect();
        let mut query = Query {
            codes: None,
            words: Vec::new(),
            other_words: Vec::new(),
        };
        for part in &parts {
            match codes(part) {
                Some(Codes::Sure(range)) => query.codes = Some(range),
                Some(Codes::Perhaps(range)) if parts.len() == 1 => {
                    query.codes = Some(range);
                    query.other_words = words(part);
                }
                _ => query.words.extend(words(part)),
            }
        }
        query.words.truncate(MAX_WORDS);
        query
    }
}

enum Codes {
    Sure(RangeInclusive<String>),
    /// It may be a square as well.
    Perhaps(RangeInclusive<String>),
}

/// `C50`, `c5`, `B90-B99`, `B90-99`, `B9-C1`.
fn codes(part: &str) -> Option<Codes> {
    let part = part
        .trim_matches(|ch: char| ch.is_ascii_punctuation())
        .to_ascii_uppercase();
    let cut = ["..", "-", "–", "—"].into_iter().find_map(|dash| part.split_once(dash));
    match cut {
        Some((first, last)) => {
            let letter = first.get(..1)?;
            let last = match last.starts_with(|ch: char| ch.is_ascii_digit()) {
                true => format!("{letter}{last}"),
                false => last.trim_start_matches('.').to_owned(),
            };
            Some(Codes::Sure(ends(first)?.0..=ends(&last)?.1))
        }
        None => {
            let (first, last) = ends(&part)?;
            Some(match first == last {
                true => Codes::Sure(first..=last),
                false => Codes::Perhaps(first..=last),
            })
        }
    }
}

/// The first and the last code that begin with this.
fn ends(code: &str) -> Option<(String, String)> {
    match code.as_bytes() {
        [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9'] => Some((code.to_owned(), code.to_owned())),
        [b'A'..=b'E', b'0'..=b'9'] => Some((format!("{code}0"), format!("{code}9"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_from_words() {
        for (text, codes, rest) in [
            ("C50", Some(("C50", "C50")), ""),
            ("c50 italian", Some(("C50", "C50")), "italian"),
            ("c5", Some(("C50", "C59")), ""),
            ("B90-B99", Some(("B90", "B99")), ""),
            ("b90..99 attack", Some(("B90", "B99")), "attack"),
            ("D7–E1", Some(("D70", "E19")), ""),
            ("Caro-Kann", None, "caro kann"),
            ("with e4", None, "with e4"),
            ("F10", None, "f10"),
            ("C500", None, "c500"),
            ("-", None, ""),
            ("é-1", None, "e 1"),
        ] {
            let query = Query::read(text);
            let expected = codes.map(|(first, last): (&str, &str)| first.to_owned()..=last.to_owned());
            assert_eq!(query.codes, expected, "{text}");
            assert_eq!(query.words.join(" "), rest, "{text}");
        }
    }

    #[test]
    fn a_question_has_an_end() {
        assert!(Query::read(&"a b ".repeat(10_000)).words.len() <= MAX_WORDS);
        assert!(Query::read(&"ü".repeat(10_000)).words[0].len() <= MAX_LETTERS);
        for text in ["", "  ", "?!.,;:", "\0\u{7}\n", "\u{202e}", "'''"] {
            let query = Query::read(text);
            assert!(query.words.is_empty() && query.codes.is_none(), "{text:?}");
        }
    }
}
