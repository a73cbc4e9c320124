//! What an import of evaluations has to say for itself, for people and for machines.

use serde::Serialize;

use super::read::Piece;

/// As many troubles of a file are kept; all are counted.
const KEPT: usize = 1000;

/// An import of evaluations in numbers: what was committed.
#[derive(Debug, Clone, Serialize)]
pub struct EvalsReport {
    /// The database's name, without a password.
    pub database: String,
    /// Positions that were evaluated; one that is met twice counts twice.
    pub positions: u64,
    /// Their evaluations: a position may have a deep one and one of several lines.
    pub evaluations: u64,
    /// Those of them that the database did not have, or not as deep.
    pub new: u64,
    /// Positions that were not asked for.
    pub passed_over: u64,
    /// Lines and games with something that makes no sense.
    pub bad: u64,
    pub files: Vec<EvalsFile>,
    /// Ended early because somebody asked for it.
    pub interrupted: bool,
    /// Ended because there are as many positions as were asked for.
    pub limit_reached: bool,
}

/// One file in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct EvalsFile {
    pub name: String,
    pub kind: FileKind,
    /// Lines of an archive, games of PGN.
    pub read: u64,
    pub positions: u64,
    pub evaluations: u64,
    pub passed_over: u64,
    /// Chess960 games, whose castling means something else.
    pub games_left_out: u64,
    pub bad: u64,
    /// The first of the bad ones.
    pub problems: Vec<Problem>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Lichess's archive of evaluations.
    Jsonl,
    /// Games with `[%eval]` in their comments.
    Pgn,
}

/// Something that makes no sense, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `line 12`, or `byte 4711`.
    pub place: String,
    pub reason: String,
}

impl EvalsReport {
    pub(super) fn new(database: String) -> EvalsReport {
        EvalsReport {
            database,
            positions: 0,
            evaluations: 0,
            new: 0,
            passed_over: 0,
            bad: 0,
            files: Vec::new(),
            interrupted: false,
            limit_reached: false,
        }
    }

    /// Pieces come in order, file by file.
    pub(super) fn add(&mut self, piece: Piece) {
        if self.files.len() <= piece.file {
            self.files.push(EvalsFile {
                name: piece.name.to_string(),
                kind: piece.kind,
                read: 0,
                positions: 0,
                evaluations: 0,
                passed_over: 0,
                games_left_out: 0,
                bad: 0,
                problems: Vec::new(),
            });
        }
        let Some(file) = self.files.last_mut() else { return };
        file.read += piece.read;
        file.positions += piece.positions;
        file.evaluations += piece.found;
        file.passed_over += piece.passed_over;
        file.games_left_out += piece.games_left_out;
        file.bad += piece.bad;
        let room = KEPT.saturating_sub(file.problems.len());
        file.problems.extend(piece.problems.into_iter().take(room));
        self.positions += piece.positions;
        self.evaluations += piece.found;
        self.passed_over += piece.passed_over;
        self.bad += piece.bad;
    }
}
