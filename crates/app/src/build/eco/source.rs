//! Names out of files.

use std::{fs, ops::ControlFlow, path::Path};

use pgn_import::{Fault, Input, Source, Start, StartKind, Tag, Visitor, read_games};
use shakmaty::{Chess, Move};
use tabiya_chess::{NamesFormat, NamingSystem, OpeningLine, OpeningTable, PolyglotBook, read_names};

use super::EcoRequest;
use crate::AppError;

/// The table that a request asks for.
pub(super) fn table(request: &EcoRequest) -> Result<OpeningTable, AppError> {
    let mut lines = match &request.source {
        Some(path) => lines(path, NamingSystem::Own)?,
        None => OpeningTable::embedded_lines(),
    };
    for path in &request.aliases {
        lines.extend(self::lines(path, NamingSystem::Alias)?);
    }
    Ok(OpeningTable::from_lines(lines))
}

pub(super) fn book(path: &Path) -> Result<PolyglotBook, AppError> {
    let bytes = fs::read(path).map_err(|source| AppError::Unreadable {
        input: path.display().to_string(),
        source,
    })?;
    PolyglotBook::from_bytes(&bytes).map_err(|error| bad(path, &error))
}

fn bad(path: &Path, reason: &dyn std::fmt::Display) -> AppError {
    AppError::BadNames {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

fn lines(path: &Path, system: NamingSystem) -> Result<Vec<OpeningLine>, AppError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let format = match extension.to_str() {
        Some("csv") => NamesFormat::Csv,
        Some("tsv" | "tab" | "txt") => NamesFormat::Tsv,
        Some("pgn") => return from_pgn(path, system),
        _ => return Err(bad(path, &"names are read from .csv, .tsv and .pgn files")),
    };
    let text = fs::read_to_string(path).map_err(|source| AppError::Unreadable {
        input: path.display().to_string(),
        source,
    })?;
    read_names(&text, format, system).map_err(|error| bad(path, &error))
}

/// Every game is a line: its `ECO` tag the code, `Opening` and `Variation` the name.
fn from_pgn(path: &Path, system: NamingSystem) -> Result<Vec<OpeningLine>, AppError> {
    let source = Source::open(&Input::Path(path.to_owned())).map_err(|source| AppError::Unreadable {
        input: path.display().to_string(),
        source,
    })?;
    let mut games = Games::new(system);
    read_games(source, &mut games).map_err(|cut| bad(path, &cut))?;
    match games.fault {
        Some(fault) => Err(bad(path, &fault)),
        None if games.lines.is_empty() => Err(bad(path, &"there are no games in it")),
        None => Ok(games.lines),
    }
}

struct Games {
    system: NamingSystem,
    number: u64,
    eco: String,
    opening: String,
    variation: Vec<String>,
    moves: Vec<Move>,
    lines: Vec<OpeningLine>,
    fault: Option<String>,
}

impl Games {
    fn new(system: NamingSystem) -> Games {
        Games {
            system,
            number: 0,
            eco: String::new(),
            opening: String::new(),
            variation: Vec::new(),
            moves: Vec::new(),
            lines: Vec::new(),
            fault: None,
        }
    }

    fn name(&self) -> String {
        match (self.opening.is_empty(), self.variation.join(", ")) {
            (false, variation) if !variation.is_empty() => format!("{}: {variation}", self.opening),
            (false, _) => self.opening.clone(),
            (true, variation) => variation,
        }
    }

    fn line(&self) -> Result<OpeningLine, String> {
        let eco = self
            .eco
            .parse()
            .map_err(|_| format!("the ECO tag {:?} is not a code", self.eco))?;
        OpeningLine::new(self.system, eco, self.name(), self.moves.clone()).map_err(|error| error.to_string())
    }
}

impl Visitor for Games {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: pgn_import::GameAt) {
        self.number += 1;
        self.eco.clear();
        self.opening.clear();
        self.variation.clear();
        self.moves.clear();
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let value = tag.value().trim().to_owned();
        match tag.name {
            b"ECO" => self.eco = value,
            b"Opening" => self.opening = value,
            b"Variation" | b"SubVariation" if !value.is_empty() => self.variation.push(value),
            _ => {}
        }
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        match start.kind {
            StartKind::Initial => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn playing(&mut self, _before: &Chess, m: Move) -> ControlFlow<()> {
        self.moves.push(m);
        ControlFlow::Continue(())
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        let token = String::from_utf8_lossy(fault.token).into_owned();
        let number = self.number;
        self.fault
            .get_or_insert_with(|| format!("game {number}, half-move {}: {token}: {}", fault.ply + 1, fault.kind));
    }

    fn end_game(&mut self) {
        match self.line() {
            Ok(line) => self.lines.push(line),
            Err(why) => {
                let number = self.number;
                self.fault.get_or_insert_with(|| format!("game {number}: {why}"));
            }
        }
    }
}
