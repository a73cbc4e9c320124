//! Who an engine says it is.

use std::fmt;

/// The oldest Stockfish whose answers are worth keeping beside today's.
const RECOMMENDED: u32 = 16;

/// An engine's own name and author.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EngineId {
    /// Name and version, as in `id name`. Stored with every evaluation.
    pub name: String,
    /// As in `id author`.
    pub author: Option<String>,
}

impl EngineId {
    /// The version that the name ends in or contains: 15 and 1 of `Stockfish 15.1`. Development builds are dated, not numbered, and
    /// have none.
    #[must_use]
    pub fn version(&self) -> Option<(u32, u32)> {
        self.name.split_whitespace().skip(1).find_map(|word| {
            let (major, minor) = word.split_once('.').unwrap_or((word, "0"));
            let major = major.parse().ok().filter(|major| *major < 1000)?;
            Some((major, minor.split('.').next()?.parse().ok()?))
        })
    }

    /// What to tell the user of an engine that works but is out of date.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let stockfish = self.name.to_ascii_lowercase().starts_with("stockfish");
        let old = self.version().is_some_and(|(major, _)| major < RECOMMENDED);
        (stockfish && old).then(|| {
            format!(
                "{} is old; it works, but Stockfish {RECOMMENDED} or newer sees more in the same time",
                self.name
            )
        })
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, version: Option<(u32, u32)>, old: bool) {
        let id = EngineId {
            name: name.to_owned(),
            author: None,
        };
        assert_eq!(id.version(), version);
        assert_eq!(id.warning().is_some(), old);
    }

    #[test]
    fn names_and_versions() {
        check("Stockfish 17", Some((17, 0)), false);
        check("Stockfish 17.1", Some((17, 1)), false);
        check("Stockfish 15.1", Some((15, 1)), true);
        check("Stockfish 11 64 POPCNT", Some((11, 0)), true);
        check("Stockfish 19 Lite WASM", Some((19, 0)), false);
        check("Stockfish dev-20260704-ee2f9ad3", None, false);
        check("Stockfish 270421", None, false);
        check("Crafty 9.0", Some((9, 0)), false);
        check("Lc0 v0.31.2", None, false);
        check("", None, false);
    }
}
