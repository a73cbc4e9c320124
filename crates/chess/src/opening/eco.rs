//! Codes of the Encyclopaedia of Chess Openings.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// An ECO code, A00 to E99. Codes sort as they stand in the book.
///
/// ```
/// use tabiya_chess::Eco;
///
/// let italian: Eco = "C50".parse()?;
/// assert_eq!(italian.to_string(), "C50");
/// assert_eq!(Eco::all().count(), 500);
/// # Ok::<_, tabiya_chess::NotAnEcoCode>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Eco(u16);

impl Eco {
    /// All 500 codes, in order.
    pub fn all() -> impl Iterator<Item = Eco> {
        (0..500).map(Eco)
    }

    /// The volume, `A` to `E`.
    #[must_use]
    pub const fn volume(self) -> char {
        (b'A' + (self.0 / 100) as u8) as char
    }

    /// The number within the volume, 0 to 99.
    #[must_use]
    pub const fn number(self) -> u8 {
        (self.0 % 100) as u8
    }
}

/// A text that is not an ECO code.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an ECO code from A00 to E99")]
pub struct NotAnEcoCode(pub String);

/// Small letters are read too.
impl FromStr for Eco {
    type Err = NotAnEcoCode;

    fn from_str(text: &str) -> Result<Eco, NotAnEcoCode> {
        match *text.as_bytes() {
            [
                volume @ (b'A'..=b'E' | b'a'..=b'e'),
                tens @ b'0'..=b'9',
                ones @ b'0'..=b'9',
            ] => {
                let volume = u16::from(volume.to_ascii_uppercase() - b'A');
                Ok(Eco(volume * 100 + u16::from(tens - b'0') * 10 + u16::from(ones - b'0')))
            }
            _ => Err(NotAnEcoCode(text.to_owned())),
        }
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:02}", self.volume(), self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_as_it_is_written() {
        let texts: Vec<String> = Eco::all().map(|eco| eco.to_string()).collect();
        assert_eq!(
            (&*texts[0], &*texts[99], &*texts[100], &*texts[499]),
            ("A00", "A99", "B00", "E99")
        );
        for (eco, text) in Eco::all().zip(&texts) {
            assert_eq!(text.parse(), Ok(eco));
            assert_eq!(text.to_lowercase().parse(), Ok(eco));
        }
    }

    #[test]
    fn other_texts_are_refused_by_name() {
        for text in ["", "F00", "A0", "A000", "A 1", "C5x", "É10"] {
            let error = text.parse::<Eco>().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is not an ECO code from A00 to E99"));
        }
    }
}
