//! Getting an engine ready: who it is, what it offers, and how it is set up.

use std::fmt::Write as _;

use crate::{
    EngineConfig, EngineId, Fault,
    process::{NoLine, Process},
    uci::{Offered, split_word},
};

/// Why an engine did not get ready.
pub(super) enum NotReady {
    Ended,
    Late,
    CalledOff,
    Fault(Fault),
    BadOption(String),
}

impl From<NoLine> for NotReady {
    fn from(no_line: NoLine) -> NotReady {
        match no_line {
            NoLine::End => NotReady::Ended,
            NoLine::Fault(fault) => NotReady::Fault(fault),
        }
    }
}

/// From the first word to `readyok`, with all options set.
pub(super) async fn greet(process: &mut Process, config: &EngineConfig) -> Result<(EngineId, Offered), NotReady> {
    process.write(b"uci\n").await.map_err(|_| NotReady::Ended)?;
    let (mut name, mut author, mut offered) = (None, None, Offered::default());
    loop {
        let line = process.output.next_line().await?;
        let (word, rest) = split_word(line);
        match word {
            b"id" => match split_word(rest) {
                (b"name", text) => name = Some(String::from_utf8_lossy(text).into_owned()),
                (b"author", text) => author = Some(String::from_utf8_lossy(text).into_owned()),
                _ => {}
            },
            b"option" => offered.note(rest),
            b"uciok" => break,
            _ => {}
        }
    }
    let file_name = || {
        config
            .command
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let id = EngineId {
        name: name.filter(|name| !name.is_empty()).unwrap_or_else(file_name),
        author,
    };
    process
        .write(set_up(config, &offered).map_err(NotReady::BadOption)?.as_bytes())
        .await
        .map_err(|_| NotReady::Ended)?;
    while split_word(process.output.next_line().await?).0 != b"readyok" {}
    Ok((id, offered))
}

/// The options, as commands. What an engine does not offer is left out where its absence changes nothing.
fn set_up(config: &EngineConfig, offered: &Offered) -> Result<String, String> {
    let mut commands = String::new();
    let mut set = |name: &str, value: &str| match offered.objection(name, value) {
        Some(objection) => Err(objection),
        None => {
            let _ = writeln!(commands, "setoption name {name} value {value}"); // cannot fail
            Ok(())
        }
    };
    if config.threads != 1 || offered.get("Threads").is_some() {
        set("Threads", &config.threads.to_string())?;
    }
    if offered.get("Hash").is_some() {
        set("Hash", &config.hash_mb.to_string())?;
    }
    if offered.get("UCI_ShowWDL").is_some() {
        set("UCI_ShowWDL", "true")?;
    }
    for (name, value) in &config.options {
        set(name, value)?;
    }
    commands.push_str("isready\n");
    Ok(commands)
}

/// Stockfish empties its hash on `ucinewgame`; telling it twice would cost as much as a short search when the hash is large. Of
/// others we cannot know.
pub(super) fn clears_by_itself(id: &EngineId) -> bool {
    id.name.starts_with("Stockfish")
}
