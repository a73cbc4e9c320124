//! The secret that a server knows us by.

use std::{fmt, str::FromStr};

use reqwest::header::HeaderValue;
use thiserror::Error;

/// An access token. Where it comes from, a file or the environment, is the caller's business; from here on it
/// leaves the process in one header only.
#[derive(Clone)]
pub struct Token(String);

/// The text cannot be a token. It is not repeated here, since it may be one with a slip of the pen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadToken {
    /// Nothing but white space.
    #[error("the token is empty")]
    Empty,
    /// Something that cannot stand in a header, or more than one word.
    #[error("the token must be one word of letters, digits and signs; character {position} is none of these")]
    Character {
        /// Counted from 1, without surrounding white space.
        position: usize,
    },
}

/// White space around the token is dropped: files end in a line feed.
impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Token, BadToken> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadToken::Empty);
        }
        match text.chars().position(|ch| !ch.is_ascii_graphic()) {
            Some(before) => Err(BadToken::Character { position: before + 1 }),
            None => Ok(Token(text.to_owned())),
        }
    }
}

impl Token {
    pub(crate) fn bearer(&self) -> Option<HeaderValue> {
        let mut header = HeaderValue::try_from(format!("Bearer {}", self.0)).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// `text` without the token, for servers that repeat what they were sent.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_shown() {
        let token: Token = "lip_secret\n".parse().expect("a token");
        assert_eq!(format!("{token:?}"), "Token(…)");
        let header = token.bearer().expect("a header");
        assert_eq!(header, "Bearer lip_secret");
        assert!(!format!("{header:?}").contains("secret"));
        assert_eq!(token.redact("no user lip_secret here"), "no user … here");
    }

    #[test]
    fn one_word() {
        let parse = |text: &str| text.parse::<Token>().map(|token| token.0);
        assert_eq!(parse(" \t\n"), Err(BadToken::Empty));
        assert_eq!(parse("lip x"), Err(BadToken::Character { position: 4 }));
        assert_eq!(parse("lip_é"), Err(BadToken::Character { position: 5 }));
        assert_eq!(parse("\nlip_x\r\n"), Ok("lip_x".to_owned()));
    }
}
