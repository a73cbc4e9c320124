//! Tables of names in files: CSV, TSV, and PGN with a game for each line.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use pgn_import::{CutShort, Game, Input, Source, StartKind, read_trees};
use tabiya_chess::{NamesError, NamesFormat, NamingSystem, NotAnEcoCode, OpeningLine, OpeningLineError, read_names};

/// Why a table of names cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NamesFileError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },

    #[error("{}: names are read from .csv, .tsv and .pgn files", path.display())]
    UnknownFormat { path: PathBuf },

    #[error("{}: {source}", path.display())]
    Row { path: PathBuf, source: NamesError },

    #[error("{}: {}", path.display(), source.in_full())]
    CutShort { path: PathBuf, source: CutShort },

    /// `game` is counted from 1.
    #[error("{}: game {game}: {fault}", path.display())]
    Game {
        path: PathBuf,
        game: u64,
        fault: NamedGameError,
    },

    #[error("{}: there are no games", path.display())]
    NoGames { path: PathBuf },
}

/// Why a game does not name an opening.
#[derive(Debug, thiserror::Error)]
pub enum NamedGameError {
    #[error("there is no tag `{0}`")]
    NoTag(&'static str),

    #[error(transparent)]
    Eco(#[from] NotAnEcoCode),

    #[error("it does not start from the initial position")]
    Start,

    #[error("`{token}` at half-move {ply}: {reason}")]
    Fault { token: String, ply: u32, reason: String },

    #[error(transparent)]
    Line(#[from] OpeningLineError),
}

/// Reads a table; the name says in which form it is.
pub fn read_names_file(path: &Path, system: NamingSystem) -> Result<Vec<OpeningLine>, NamesFileError> {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("csv") => read_rows(path, NamesFormat::Csv, system),
        Some("tsv") => read_rows(path, NamesFormat::Tsv, system),
        Some("pgn") => read_games(path, system),
        _ => Err(NamesFileError::UnknownFormat { path: path.to_owned() }),
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> NamesFileError {
    let path = path.to_owned();
    |source| NamesFileError::Unreadable { path, source }
}

fn read_rows(path: &Path, format: NamesFormat, system: NamingSystem) -> Result<Vec<OpeningLine>, NamesFileError> {
    let text = fs::read_to_string(path).map_err(unreadable(path))?;
    read_names(&text, format, system).map_err(|source| NamesFileError::Row {
        path: path.to_owned(),
        source,
    })
}

fn read_games(path: &Path, system: NamingSystem) -> Result<Vec<OpeningLine>, NamesFileError> {
    let source = Source::open(&Input::Path(path.to_owned())).map_err(unreadable(path))?;
    let mut lines = Ok(Vec::new());
    let read = read_trees(source, |game| {
        // A file may begin with a comment that belongs to no game.
        if game.tags.is_empty() && game.moves().next().is_none() {
            return;
        }
        if let Ok(sound) = &mut lines {
            match named_line(&game, system) {
                Ok(line) => sound.push(line),
                Err(fault) => {
                    lines = Err(NamesFileError::Game {
                        path: path.to_owned(),
                        game: game.at.index + 1,
                        fault,
                    });
                }
            }
        }
    });
    read.map_err(|source| NamesFileError::CutShort {
        path: path.to_owned(),
        source,
    })?;
    match lines {
        Ok(lines) if lines.is_empty() => Err(NamesFileError::NoGames { path: path.to_owned() }),
        lines => lines,
    }
}

/// The main line under the name in the tags: `Opening: Variation, SubVariation`.
fn named_line(game: &Game, system: NamingSystem) -> Result<OpeningLine, NamedGameError> {
    let tag = |name: &'static str| {
        let value = game.tag(name).map(str::trim);
        value.filter(|value| !value.is_empty() && *value != "?")
    };
    if let Some(fault) = game.faults.first() {
        return Err(NamedGameError::Fault {
            token: fault.token.clone(),
            // The fault knows how many half-moves were played before it.
            ply: fault.ply + 1,
            reason: fault.kind.to_string(),
        });
    }
    if game.start.as_ref().is_none_or(|start| start.kind != StartKind::Initial) {
        return Err(NamedGameError::Start);
    }
    let eco = tag("ECO").ok_or(NamedGameError::NoTag("ECO"))?.parse()?;
    let mut name = tag("Opening").ok_or(NamedGameError::NoTag("Opening"))?.to_owned();
    for (separator, part) in [": ", ", "]
        .iter()
        .zip([tag("Variation"), tag("SubVariation")].iter().flatten())
    {
        name.push_str(separator);
        name.push_str(part);
    }
    let moves = game.main_line().filter_map(|node| game.node(node).m).collect();
    Ok(OpeningLine::new(system, eco, name, moves)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &str) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(name);
        fs::write(&path, content).expect("writable");
        let lines = read_names_file(&path, NamingSystem::Own);
        let shown = |line: &OpeningLine| format!("{} {} {}", line.eco(), line.name(), line.moves().len());
        lines
            .map(|lines| lines.iter().map(shown).collect())
            .map_err(|error| error.to_string().replace(&*path.display().to_string(), name))
    }

    #[test]
    fn a_game_is_a_line_with_its_name_in_the_tags() {
        let pgn = "{ whose these are }\n\n[ECO \"A00\"]\n[Opening \"Polish\"]\n[Variation \"Outflank\"]\n[SubVariation \"Deep\"]\n\n1. b4 c6 (1... d5) *\n\n[ECO \"C20\"]\n[Opening \"Open\"]\n\n1. e4 e5 *\n";
        assert_eq!(
            read("eco.PGN", pgn),
            Ok(vec!["A00 Polish: Outflank, Deep 2".to_owned(), "C20 Open 2".to_owned()])
        );
    }

    #[test]
    fn errors_name_the_game() {
        let error = |game: &str| {
            let good = "[ECO \"A00\"]\n[Opening \"Polish\"]\n\n1. b4 *\n\n";
            read("eco.pgn", &format!("{good}{game}")).unwrap_err()
        };
        assert_eq!(
            error("[ECO \"A00\"]\n\n1. b4 *\n"),
            "eco.pgn: game 2: there is no tag `Opening`"
        );
        assert_eq!(
            error("[Opening \"X\"]\n[ECO \"X1\"]\n\n1. b4 *\n"),
            "eco.pgn: game 2: `X1` is not an ECO code from A00 to E99"
        );
        assert_eq!(
            error("[ECO \"A00\"]\n[Opening \"X\"]\n\n1. b4 b4 *\n"),
            "eco.pgn: game 2: `b4` at half-move 2: no legal move is written like this here"
        );
        assert_eq!(
            error("[ECO \"A00\"]\n[Opening \"X\"]\n\n*\n"),
            "eco.pgn: game 2: there are no moves"
        );
        assert_eq!(read("eco.pgn", ""), Err("eco.pgn: there are no games".to_owned()));
    }
}
