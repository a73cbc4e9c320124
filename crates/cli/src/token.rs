//! Tokens, which are never repeated to anybody.

use std::{fs, path::Path};

use tabiya_app::fetch::Token;

use crate::failure::{CHECK_NAME, Failure};

/// From the file, else from a variable of the environment, where there is one for it.
pub(crate) fn read_token(file: Option<&Path>, variable: Option<&str>) -> Result<Option<Token>, Failure> {
    let (text, place) = match file {
        Some(path) => {
            let name = path.display().to_string();
            let text = fs::read_to_string(path).map_err(|error| {
                Failure::usage(format!("cannot read the token in {name}: {error}")).hint(CHECK_NAME)
            })?;
            (text, name)
        }
        None => match variable.map(|name| (std::env::var(name), name)) {
            Some((Ok(text), name)) if !text.trim().is_empty() => (text, name.to_owned()),
            _ => return Ok(None),
        },
    };
    text.parse()
        .map(Some)
        .map_err(|error| Failure::usage(format!("{place}: {error}")).hint("it holds the token and nothing else"))
}
