//! The classes of moves, and the rule sets that give them.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// What a move is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Leaves a piece to the opponent, and is right.
    Brilliant,
    /// The only move that keeps the game as it is.
    Critical,
    /// As good as any.
    Best,
    /// Nearly as good.
    Excellent,
    /// Good enough.
    Okay,
    /// Gives something away.
    Inaccuracy,
    /// Gives much away.
    Mistake,
    /// Gives the game away, or a won one.
    Blunder,
    /// There was no other.
    Forced,
    /// Leads to a position with a name.
    Theory,
}

impl Class {
    /// All of them, as they are listed.
    pub const ALL: [Class; 10] = [
        Class::Brilliant,
        Class::Critical,
        Class::Best,
        Class::Excellent,
        Class::Okay,
        Class::Inaccuracy,
        Class::Mistake,
        Class::Blunder,
        Class::Forced,
        Class::Theory,
    ];

    /// The name in small letters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Brilliant => "brilliant",
            Class::Critical => "critical",
            Class::Best => "best",
            Class::Excellent => "excellent",
            Class::Okay => "okay",
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::Blunder => "blunder",
            Class::Forced => "forced",
            Class::Theory => "theory",
        }
    }

    /// The sign that goes into PGN, where there is one.
    #[must_use]
    pub const fn nag(self) -> Option<u8> {
        match self {
            Class::Critical => Some(1),
            Class::Mistake => Some(2),
            Class::Brilliant => Some(3),
            Class::Blunder => Some(4),
            Class::Inaccuracy => Some(6),
            _ => None,
        }
    }

    /// Whether an explanation is owed.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Class::Inaccuracy | Class::Mistake | Class::Blunder)
    }

    /// Whether it counts as much as the best move.
    #[must_use]
    pub const fn is_at_least_best(self) -> bool {
        matches!(
            self,
            Class::Brilliant | Class::Critical | Class::Best | Class::Forced | Class::Theory
        )
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no class of moves such as `best` or `blunder`")]
pub struct NotAClass(pub String);

impl FromStr for Class {
    type Err = NotAClass;

    fn from_str(text: &str) -> Result<Class, NotAClass> {
        let found = Class::ALL.into_iter().find(|class| class.as_str() == text);
        found.ok_or_else(|| NotAClass(text.to_owned()))
    }
}

/// By whose rules moves are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleSet {
    /// WintrChess's: all classes.
    #[default]
    Wintr,
    /// Lichess's: inaccuracies, mistakes and blunders, by evaluations alone.
    Lichess,
}

impl RuleSet {
    /// The name in small letters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RuleSet::Wintr => "wintr",
            RuleSet::Lichess => "lichess",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no rule set; there are `wintr` and `lichess`")]
pub struct NotARuleSet(pub String);

impl FromStr for RuleSet {
    type Err = NotARuleSet;

    fn from_str(text: &str) -> Result<RuleSet, NotARuleSet> {
        match text {
            "wintr" => Ok(RuleSet::Wintr),
            "lichess" => Ok(RuleSet::Lichess),
            _ => Err(NotARuleSet(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for class in Class::ALL {
            assert_eq!(class.to_string().parse(), Ok(class));
        }
        for rules in [RuleSet::Wintr, RuleSet::Lichess] {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        assert!("good".parse::<Class>().is_err() && "Wintr".parse::<RuleSet>().is_err());
    }

    #[test]
    fn signs_are_those_of_the_table() {
        let signs: Vec<_> = Class::ALL.iter().map(|class| class.nag().unwrap_or(0)).collect();
        assert_eq!(signs, [3, 1, 0, 0, 0, 6, 2, 4, 0, 0]);
    }
}
