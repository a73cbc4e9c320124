//! `name`: what positions and lines of moves are called.

mod file;

use std::path::PathBuf;

use tabiya_chess::{
    FenError, LineError, NamingSystem, Opening, OpeningTable, PositionId, full_fen, parse_fen, parse_line,
};

pub use file::{NamedGameError, NamesFileError, read_names_file};

use crate::AppError;

/// Where the names come from.
#[derive(Debug, Clone, Default)]
pub struct NameSources {
    /// A table to use instead of the one that ships with the program.
    pub source: Option<PathBuf>,
    /// Tables whose names are added as aliases.
    pub aliases: Vec<PathBuf>,
}

/// The names to answer from.
#[derive(Debug)]
pub struct Names(Table);

#[derive(Debug)]
enum Table {
    Embedded(&'static OpeningTable),
    Read(Box<OpeningTable>),
}

impl Names {
    /// Reads the tables that are asked for; without any, the names that ship with the program are used.
    pub fn open(sources: &NameSources) -> Result<Names, AppError> {
        if sources.source.is_none() && sources.aliases.is_empty() {
            return Ok(Names(Table::Embedded(OpeningTable::embedded())));
        }
        let mut lines = match &sources.source {
            Some(path) => read_names_file(path, NamingSystem::Own)?,
            None => OpeningTable::embedded_lines(),
        };
        for path in &sources.aliases {
            lines.extend(read_names_file(path, NamingSystem::Alias)?);
        }
        Ok(Names(Table::Read(Box::new(OpeningTable::from_lines(lines)))))
    }

    /// The table itself.
    pub fn table(&self) -> &OpeningTable {
        match &self.0 {
            Table::Embedded(table) => table,
            Table::Read(table) => table,
        }
    }

    /// What a FEN or a line of moves is called.
    ///
    /// A line has the name of the last position on it that has one of its own, however the table gets there. A FEN has the
    /// name of its position, or none.
    pub fn answer(&self, question: &str) -> Result<Answer<'_>, QuestionError> {
        if is_fen(question) {
            let position = parse_fen(question)?.position;
            let named = self.table().named_position(PositionId::of(&position));
            return Ok(Answer {
                plies: None,
                name: named.map(|named| Name {
                    opening: named.opening,
                    ply: named.ply,
                    matched_fen: full_fen(&position),
                }),
            });
        }
        let line = parse_line(question)?;
        let found = self.table().name_on_path(line.positions());
        Ok(Answer {
            plies: Some(line.moves().len()),
            name: found.map(|(index, opening)| Name {
                opening,
                ply: index + 1,
                matched_fen: full_fen(&line.positions()[index]),
            }),
        })
    }
}

/// No move has two slashes in its first word, and a FEN with a broken board should be told so.
fn is_fen(question: &str) -> bool {
    let first = question.split_whitespace().next().unwrap_or_default();
    first.eq_ignore_ascii_case("startpos") || first.matches('/').count() >= 2
}

/// Why a question cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    #[error(transparent)]
    Fen(#[from] FenError),

    #[error(transparent)]
    Line(#[from] LineError),
}

/// What there is to say to a question.
#[derive(Debug)]
pub struct Answer<'a> {
    /// How many half-moves the question has, if it is a line.
    pub plies: Option<usize>,
    /// The name, if there is one.
    pub name: Option<Name<'a>>,
}

/// A name, and what has it.
#[derive(Debug)]
pub struct Name<'a> {
    pub opening: &'a Opening,
    /// How many half-moves the named position is from the initial one: on the line in question, or for a FEN on the shortest
    /// line of the table.
    pub ply: usize,
    /// The position that has the name, as the question reaches it.
    pub matched_fen: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> String {
        let names = Names::open(&NameSources::default()).expect("the embedded names");
        match names.answer(question) {
            Ok(Answer { name: Some(name), .. }) => format!("{} {} {}", name.opening.name(), name.ply, name.matched_fen),
            Ok(Answer { name: None, .. }) => "-".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_line_is_called_by_its_last_named_position() {
        let italian = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        assert_eq!(asked("1.e4 e5 2.Nf3 Nc6 3.Bc4"), format!("Italian Game 5 {italian}"));
        assert_eq!(
            asked("1.e4 e5 2.Nf3 Nc6 3.Bc4 a5 4.a4"),
            format!("Italian Game 5 {italian}")
        );
        let other_order = asked("1.Bc4?? e5").split(' ').next().map(str::to_owned);
        assert_eq!(other_order.as_deref(), Some("1.Bc4??"), "an error names the move");
    }

    #[test]
    fn another_order_of_moves_finds_the_same_name() {
        assert!(asked("1.c4 e6 2.d4 d5").starts_with("Queen's Gambit Declined 4 "));
        assert!(asked("1.Nf3 Nc6 2.e4 e5 3.Bc4").starts_with("Italian Game 5 "));
    }

    #[test]
    fn a_fen_is_called_by_its_position_alone() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R_b_KQkq_-";
        assert!(asked(fen).starts_with("Italian Game 5 r1bqkbnr"), "{}", asked(fen));
        assert_eq!(asked("startpos"), "-");
        assert_eq!(asked(""), "-");
        assert_eq!(
            asked("8/8/8 w - -"),
            "the board `8/8/8` is not eight ranks of eight squares separated by `/`"
        );
    }
}
