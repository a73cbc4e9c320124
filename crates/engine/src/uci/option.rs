//! `option`: what an engine lets us set.

use super::words;

/// The options an engine offered before `uciok`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offered(Vec<Offer>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Offer {
    name: String,
    kind: OptionKind,
}

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionKind {
    /// A number within bounds.
    Spin { min: i64, max: i64 },
    /// Nothing; it does something.
    Button,
    /// Anything else: a text, a choice, yes or no.
    Other,
}

impl Offered {
    /// Notes what followed the word `option`.
    pub(crate) fn note(&mut self, rest: &[u8]) {
        self.0.extend(parse(rest));
    }

    /// Names are compared without regard to case, as the protocol says.
    pub(crate) fn get(&self, name: &str) -> Option<OptionKind> {
        let offer = self.0.iter().find(|offer| offer.name.eq_ignore_ascii_case(name));
        offer.map(|offer| offer.kind)
    }

    /// Why the engine would not take this value, if it would not.
    pub(crate) fn objection(&self, name: &str, value: &str) -> Option<String> {
        match self.get(name) {
            None => Some(format!("the engine has no option `{name}`; it has {}", self.names())),
            Some(OptionKind::Spin { min, max }) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => None,
                _ => Some(format!("`{name}` takes a number from {min} to {max}, not `{value}`")),
            },
            Some(_) => None,
        }
    }

    fn names(&self) -> String {
        if self.0.is_empty() {
            return "none at all".to_owned();
        }
        let names: Vec<_> = self.0.iter().map(|offer| offer.name.as_str()).collect();
        names.join(", ")
    }
}

/// `name` and `default` may be of several words, so the words between the known ones belong together.
fn parse(rest: &[u8]) -> Option<Offer> {
    let (mut name, mut kind, mut min, mut max) = (String::new(), "", i64::MIN, i64::MAX);
    let mut field = "";
    for word in words(rest) {
        let word = std::str::from_utf8(word).ok()?;
        match (field, word) {
            ("", "name") | (_, "type" | "default" | "min" | "max" | "var") => field = word,
            ("name", _) => {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(word);
            }
            ("type", _) => kind = word,
            ("min", _) => min = word.parse().unwrap_or(min),
            ("max", _) => max = word.parse().unwrap_or(max),
            _ => {}
        }
    }
    let kind = match kind {
        "spin" => OptionKind::Spin { min, max },
        "button" => OptionKind::Button,
        _ => OptionKind::Other,
    };
    (!name.is_empty()).then_some(Offer { name, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(lines: &[&str]) -> Offered {
        let mut offered = Offered::default();
        lines.iter().for_each(|line| offered.note(line.as_bytes()));
        offered
    }

    #[test]
    fn options_are_read() {
        let offered = offered(&[
            "name Hash type spin default 16 min 1 max 33554432",
            "name Clear Hash type button",
            "name Debug Log File type string default <empty>",
            "name Style type combo default Normal var Solid var Normal",
            "nonsense",
        ]);
        assert_eq!(
            offered.get("hash"),
            Some(OptionKind::Spin {
                min: 1,
                max: 33_554_432
            })
        );
        assert_eq!(offered.get("Clear Hash"), Some(OptionKind::Button));
        assert_eq!(offered.get("Debug Log File"), Some(OptionKind::Other));
        assert_eq!(offered.get("Style"), Some(OptionKind::Other));
        assert_eq!(offered.get("nonsense"), None);
    }

    #[test]
    fn objections_name_the_way_out() {
        let offered = offered(&["name Threads type spin default 1 min 1 max 1", "name Ponder type check"]);
        assert_eq!(offered.objection("Threads", "1"), None);
        assert_eq!(
            offered.objection("Threads", "2").as_deref(),
            Some("`Threads` takes a number from 1 to 1, not `2`")
        );
        assert_eq!(
            offered.objection("Hash", "16").as_deref(),
            Some("the engine has no option `Hash`; it has Threads, Ponder")
        );
    }
}
