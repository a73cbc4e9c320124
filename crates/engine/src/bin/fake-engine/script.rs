//! A conversation, word for word.

use std::{
    io::{self, BufRead, Write},
    process::exit,
};

/// Plays a script: lines `< command` are waited for, word for word (`*` at the end stands for anything), lines `> answer`
/// are written. What comes unexpected ends the engine with the difference on standard error; after the script everything but
/// the end is ignored.
pub(crate) fn play(script: &str) -> io::Result<()> {
    let mut input = io::stdin().lock().lines();
    for line in script.lines().map(str::trim) {
        if let Some(answer) = line.strip_prefix('>') {
            crate::say(answer.trim())?;
        } else if let Some(expected) = line.strip_prefix('<').map(str::trim) {
            let Some(command) = input.next().transpose()? else {
                return Ok(());
            };
            let as_expected = match expected.strip_suffix('*') {
                Some(beginning) => command.starts_with(beginning),
                None => command == expected,
            };
            if !as_expected {
                writeln!(io::stderr(), "expected `{expected}`, got `{command}`")?;
                exit(70);
            }
        }
    }
    for line in input {
        if line? == "quit" {
            break;
        }
    }
    Ok(())
}
