//! Tables of names as text: CSV, TSV, and the one that ships inside.

use csv::{ReaderBuilder, StringRecord, Trim};
use thiserror::Error;

use super::{Eco, NamingSystem, NotAnEcoCode, OpeningLine, OpeningLineError, row::NotANamingSystem};

/// What is wrong with a table of names, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {fault}", column.as_ref().map(|column| format!(", column `{column}`")).unwrap_or_default())]
pub struct NamesError {
    /// The line of the text, counted from 1.
    pub line: u64,
    /// The column's name, where one is at fault.
    pub column: Option<String>,
    /// What is wrong there.
    pub fault: NamesFault,
}

/// What can be wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NamesFault {
    /// A column is missing altogether.
    #[error("the first row must name the columns `eco`, `name` and one of `pgn`, `moves` and `uci`; there is no `{0}`")]
    NoColumn(&'static str),
    /// The table has no rows.
    #[error("there are no rows")]
    Empty,
    /// The row does not have as many fields as the first one.
    #[error("{found} fields, but the first row has {expected}")]
    Fields {
        /// As many as the first row.
        expected: u64,
        /// As many as there are.
        found: u64,
    },
    /// The code is not an ECO code.
    #[error(transparent)]
    Eco(#[from] NotAnEcoCode),
    /// The naming system is unknown.
    #[error(transparent)]
    System(#[from] NotANamingSystem),
    /// The name or the moves are at fault.
    #[error(transparent)]
    Line(#[from] OpeningLineError),
    /// The text is not CSV at all.
    #[error("{0}")]
    Csv(String),
}

/// How the fields of a table are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesFormat {
    /// By commas; fields may be quoted.
    Csv,
    /// By tabs; quotes are letters like any other.
    Tsv,
}

/// Where the columns are.
struct Columns {
    eco: usize,
    name: usize,
    moves: usize,
    system: Option<usize>,
    header: StringRecord,
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Columns, NamesFault> {
        let at = |wanted: &str| header.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        Ok(Columns {
            eco: at("eco").ok_or(NamesFault::NoColumn("eco"))?,
            name: at("name").ok_or(NamesFault::NoColumn("name"))?,
            moves: ["pgn", "moves", "uci"]
                .into_iter()
                .find_map(at)
                .ok_or(NamesFault::NoColumn("pgn"))?,
            system: at("system"),
            header: header.clone(),
        })
    }

    /// Reads a row, or says which column is at fault.
    fn read(&self, row: &StringRecord, system: NamingSystem) -> Result<OpeningLine, (Option<usize>, NamesFault)> {
        let eco = row[self.eco].parse::<Eco>().map_err(|e| (Some(self.eco), e.into()))?;
        let system = match self.system {
            Some(column) => row[column]
                .parse()
                .map_err(|e: NotANamingSystem| (Some(column), e.into()))?,
            None => system,
        };
        OpeningLine::read(system, eco, &row[self.name], &row[self.moves]).map_err(|error| {
            let column = match error {
                OpeningLineError::NoName => self.name,
                _ => self.moves,
            };
            (Some(column), error.into())
        })
    }
}

/// Reads a table of names: the first row names the columns, in any order and with any others between them. `eco`, `name` and
/// one of `pgn`, `moves` and `uci` must be there; `system` may, and rows without one are `system`'s. A line that begins with
/// `#` is a comment.
///
/// ```
/// use tabiya_chess::{NamesFormat, NamingSystem, read_names};
///
/// let text = "name,pgn,eco\n\"Sicilian Defense: Old Sicilian\",1.e4 c5 2.Nf3 Nc6,B30\n";
/// let lines = read_names(text, NamesFormat::Csv, NamingSystem::Own)?;
/// assert_eq!(lines[0].name(), "Sicilian Defense: Old Sicilian");
///
/// let bad = "eco\tname\tpgn\nC50\tItalian Game\t1.e4 e5 2.Nf3 Nc6 3.Bc5\n";
/// let error = read_names(bad, NamesFormat::Tsv, NamingSystem::Own).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column `pgn`: 3.Bc5 is not a legal move (half-move 5)");
/// # Ok::<_, tabiya_chess::NamesError>(())
/// ```
///
/// # Errors
///
/// [`NamesError`] names the line and column of the first row that is at fault.
pub fn read_names(text: &str, format: NamesFormat, system: NamingSystem) -> Result<Vec<OpeningLine>, NamesError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new()
        .delimiter(match format {
            NamesFormat::Csv => b',',
            NamesFormat::Tsv => b'\t',
        })
        .quoting(format == NamesFormat::Csv)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let columns = reader.headers().map_err(not_csv).and_then(|header| {
        let line = header.position().map_or(1, csv::Position::line);
        Columns::find(header).map_err(|fault| NamesError {
            line,
            column: None,
            fault,
        })
    })?;
    let mut lines = Vec::new();
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(not_csv)? {
        let line = columns.read(&row, system).map_err(|(column, fault)| NamesError {
            line: row.position().map_or(0, csv::Position::line),
            column: column.map(|at| columns.header[at].to_owned()),
            fault,
        })?;
        lines.push(line);
    }
    if lines.is_empty() {
        return Err(NamesError {
            line: 1,
            column: None,
            fault: NamesFault::Empty,
        });
    }
    Ok(lines)
}

fn not_csv(error: csv::Error) -> NamesError {
    let line = error.position().map_or(1, csv::Position::line);
    let fault = match *error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => NamesFault::Fields {
            expected: expected_len,
            found: len,
        },
        _ => NamesFault::Csv(error.to_string()),
    };
    NamesError {
        line,
        column: None,
        fault,
    }
}

/// The names that ship with the program.
const EMBEDDED: &str = include_str!("../../data/openings.tsv");

/// Reads the embedded names.
///
/// # Panics
///
/// Never: a test reads them all.
pub(super) fn embedded() -> Vec<OpeningLine> {
    read_names(EMBEDDED, NamesFormat::Tsv, NamingSystem::Lichess).expect("the embedded names are sound")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, format: NamesFormat) -> Vec<String> {
        let lines = read_names(text, format, NamingSystem::Own).unwrap_or_else(|error| panic!("{error}"));
        lines
            .iter()
            .map(|line| {
                format!(
                    "{} {} {} {}",
                    line.system(),
                    line.eco(),
                    line.name(),
                    line.moves().len()
                )
            })
            .collect()
    }

    fn error(text: &str) -> String {
        read_names(text, NamesFormat::Csv, NamingSystem::Own)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn columns_may_stand_in_any_order() {
        let expected = ["own A00 Amar Opening 1", "own B20 Sicilian, \"old\" 2"];
        let csv = "\u{feff}# mine\r\nPGN,epd,ECO,Name\r\n1. Nh3,x,A00,Amar Opening\r\n1. e4 c5,y,b20,\"Sicilian, \"\"old\"\"\"\r\n";
        assert_eq!(names(csv, NamesFormat::Csv), expected);
        let tsv = "eco\tname\tuci\nA00\tAmar Opening\tg1h3\nB20\tSicilian, \"old\"\te2e4 c7c5\n";
        assert_eq!(names(tsv, NamesFormat::Tsv), expected);
        let system = "system,eco,name,moves\neco,A00,\"Paris\",Nh3\n";
        assert_eq!(names(system, NamesFormat::Csv), ["eco A00 Paris 1"]);
    }

    #[test]
    fn a_field_may_go_over_lines() {
        let csv = "eco,name,pgn\nA00,Amar,\"1. Nh3\nd5\"\nA00,Bad,1. Nh4\n";
        assert_eq!(
            error(csv),
            "line 4, column `pgn`: 1.Nh4 is not a legal move (half-move 1)"
        );
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        let row = |row: &str| error(&format!("eco,name,pgn\nA00,Amar,1. Nh3\n{row}\n"));
        assert_eq!(
            row("A0,Amar,1. Nh3"),
            "line 3, column `eco`: `A0` is not an ECO code from A00 to E99"
        );
        assert_eq!(row("A00,,1. Nh3"), "line 3, column `name`: the name is empty");
        assert_eq!(row("A00,Start,"), "line 3, column `pgn`: there are no moves");
        assert_eq!(
            row("A00,Amar,1. Nh3 Zz9"),
            "line 3, column `pgn`: 1...Zz9 is not a move"
        );
        assert_eq!(row("A00,Amar"), "line 3: 2 fields, but the first row has 3");
        assert_eq!(
            error("eco,title,pgn\nA00,Amar,Nh3\n"),
            "line 1: the first row must name the columns `eco`, `name` and one of `pgn`, `moves` and `uci`; there is no `name`"
        );
        assert_eq!(error("eco,name,pgn\n"), "line 1: there are no rows");
        assert_eq!(
            error("system,eco,name,pgn\nfide,A00,Amar,Nh3\n"),
            "line 2, column `system`: `fide` is not a naming system: own, lichess, eco or alias"
        );
    }

    #[test]
    fn every_embedded_line_is_sound() {
        assert!(read_names(EMBEDDED, NamesFormat::Tsv, NamingSystem::Lichess).is_ok_and(|lines| lines.len() > 5_600));
        assert!(EMBEDDED.lines().take(5).any(|line| line.starts_with("# version: ")));
    }
}
