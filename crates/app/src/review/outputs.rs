//! The files a review is written to. Each is there whole or not at all.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use tabiya_dataset::{WholeFile, is_special};

use super::{
    Entry,
    csv::{CSV_HEADER, rows},
    graph::{png, svg},
    json::Document,
    report::{FailedGame, FileSummary, GameReview},
};
use crate::AppError;

/// Where to write to; nothing that is not named is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewOutputs {
    pub json: Option<PathBuf>,
    pub pgn: Option<PathBuf>,
    pub csv: Option<PathBuf>,
    /// An .svg or .png file for one game, a directory for many.
    pub graph: Option<PathBuf>,
    /// Of the files in that directory.
    pub graph_kind: GraphKind,
    /// The lines that were used.
    pub record: Option<PathBuf>,
}

impl ReviewOutputs {
    fn files(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.json, &self.pgn, &self.csv, &self.record];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

    /// Two files under one name would be one: the last that is put in its place. And what is named as a picture is meant as one.
    pub(super) fn check(&self, journal: Option<&Path>) -> Result<(), AppError> {
        if let Some(path) = self.graph.as_deref().filter(|path| is_other_picture(path)) {
            return Err(AppError::NoGraphFormat { path: path.to_owned() });
        }
        let graph = self.one_graph().map(|(path, _)| path);
        let mut seen = Vec::new();
        for path in self.files().chain(graph).chain(journal) {
            let place = path.canonicalize().or_else(|_| std::path::absolute(path));
            let place = place.unwrap_or_else(|_| path.to_owned());
            if !is_special(path) && seen.contains(&place) {
                return Err(AppError::OneOutput { path: path.to_owned() });
            }
            seen.push(place);
        }
        Ok(())
    }

    /// Where the journal lies when nobody says: beside the first file. What is special has no place beside it.
    pub(super) fn journal(&self) -> Option<PathBuf> {
        let mut places = self.files().chain(self.graph.as_deref());
        let beside = places.find(|path| !is_special(path))?;
        let mut name = beside.file_name()?.to_owned();
        name.push(".journal");
        Some(beside.with_file_name(name))
    }

    /// A graph's name in its directory.
    fn graph_name(&self, game: u64) -> String {
        format!("game-{game}.{}", self.graph_kind.extension())
    }

    /// The graph's file, where it is one and no directory.
    pub(super) fn one_graph(&self) -> Option<(&Path, GraphKind)> {
        let path = self.graph.as_deref()?;
        let kind = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => GraphKind::Svg,
            "png" => GraphKind::Png,
            _ => return None,
        };
        Some((path, kind))
    }
}

/// Whether a name is that of a picture as nobody draws one here, and not of a directory that is there.
fn is_other_picture(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["avif", "bmp", "gif", "jpeg", "jpg", "pdf", "tif", "tiff", "webp"]
        .iter()
        .any(|other| ending.eq_ignore_ascii_case(other))
        && !path.is_dir()
}

/// How an evaluation graph is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GraphKind {
    #[default]
    Svg,
    Png,
}

impl GraphKind {
    fn extension(self) -> &'static str {
        match self {
            GraphKind::Svg => "svg",
            GraphKind::Png => "png",
        }
    }
}

/// Files that are being written.
#[derive(Debug)]
pub(super) struct Writing {
    document: Document,
    json: Option<WholeFile>,
    pgn: Option<WholeFile>,
    csv: Option<csv::Writer<WholeFile>>,
    record: Option<WholeFile>,
    outputs: ReviewOutputs,
    /// Games that were handed over, those among them that were reviewed, and those among these that have moves.
    games: u64,
    reviewed: u64,
    played: u64,
}

fn cannot_write(path: &Path, source: io::Error) -> AppError {
    AppError::CannotWrite {
        path: path.to_owned(),
        source,
    }
}

impl Writing {
    /// Begins all files, which shows whether they can be written.
    pub(super) fn begin(outputs: &ReviewOutputs, document: Document) -> Result<Writing, AppError> {
        let begin = |path: &Option<PathBuf>| path.as_deref().map(WholeFile::create).transpose();
        let mut json = begin(&outputs.json)?;
        if let Some(part) = &mut json {
            let head = document.head();
            part.write_all(head.as_bytes())
                .map_err(|error| part_error(part, error))?;
        }
        let mut csv = begin(&outputs.csv)?.map(csv::Writer::from_writer);
        if let Some(csv) = &mut csv {
            csv.write_record(CSV_HEADER).map_err(|error| csv_error(csv, error))?;
        }
        match (outputs.one_graph(), &outputs.graph) {
            (Some((path, _)), _) => WholeFile::check(path)?,
            (None, Some(path)) => {
                fs::create_dir_all(path).map_err(|error| cannot_write(path, error))?;
                WholeFile::check(path.join(outputs.graph_name(1)))?;
            }
            (None, None) => {}
        }
        Ok(Writing {
            document,
            json,
            pgn: begin(&outputs.pgn)?,
            csv,
            record: begin(&outputs.record)?,
            outputs: outputs.clone(),
            games: 0,
            reviewed: 0,
            played: 0,
        })
    }

    /// Adds a game to all of them.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), AppError> {
        self.games += 1;
        let Entry::Reviewed(reviewed) = entry else {
            return Ok(());
        };
        let review = &reviewed.review;
        let is_first = self.reviewed == 0;
        self.reviewed += 1;
        self.played += u64::from(!review.moves.is_empty());
        if let Some(part) = &mut self.json {
            let text = self.document.game(review, is_first).map_err(io::Error::from);
            let written = text.and_then(|text| part.write_all(text.as_bytes()));
            written.map_err(|error| part_error(part, error))?;
        }
        if let Some(part) = &mut self.pgn {
            let gap = if is_first { "" } else { "\n" };
            write!(part, "{gap}{}", reviewed.pgn).map_err(|error| part_error(part, error))?;
        }
        if let Some(csv) = &mut self.csv {
            for row in rows(review) {
                csv.write_record(&row).map_err(|error| csv_error(csv, error))?;
            }
        }
        if let Some(part) = &mut self.record {
            for position in &reviewed.used {
                let line = serde_json::to_string(position).map_err(io::Error::from);
                let written = line.and_then(|line| writeln!(part, "{line}"));
                written.map_err(|error| part_error(part, error))?;
            }
        }
        self.draw(review)
    }

    fn draw(&self, review: &GameReview) -> Result<(), AppError> {
        let Some(path) = &self.outputs.graph else {
            return Ok(());
        };
        let (mut part, kind) = match self.outputs.one_graph() {
            // Beside another game there is nothing to see of one without moves.
            Some(_) if self.reviewed > 1 && review.moves.is_empty() => return Ok(()),
            // How many games come over a pipe is known only when they are there.
            Some((path, _)) if self.played > 1 => return Err(AppError::OneGraph { path: path.to_owned() }),
            Some((path, kind)) => (WholeFile::create(path)?, kind),
            None => {
                // The number of the game among all that were read, whether the others could be reviewed or not.
                let path = path.join(self.outputs.graph_name(self.games));
                (WholeFile::create_among_many(path)?, self.outputs.graph_kind)
            }
        };
        let drawn = match kind {
            GraphKind::Svg => Ok(svg(review).into_bytes()),
            GraphKind::Png => png(review),
        };
        let written = drawn.and_then(|bytes| part.write_all(&bytes));
        written.map_err(|error| part_error(&part, error))?;
        part.commit()?;
        Ok(())
    }

    /// Puts all files in their places.
    pub(super) fn finish(mut self, failures: &[FailedGame], summary: &FileSummary) -> Result<(), AppError> {
        if let Some(part) = &mut self.json {
            let tail = self.document.tail(failures, summary, false);
            part.write_all(tail.as_bytes())
                .map_err(|error| part_error(part, error))?;
        }
        let csv = match self.csv {
            Some(mut csv) => {
                csv.flush().map_err(|error| part_error(csv.get_ref(), error))?;
                let path = csv.get_ref().path().to_owned();
                let inner = csv.into_inner();
                Some(inner.map_err(|error| cannot_write(&path, io::Error::other(error.to_string())))?)
            }
            None => None,
        };
        for part in [self.json, self.pgn, csv, self.record].into_iter().flatten() {
            part.commit()?;
        }
        Ok(())
    }
}

fn part_error(part: &WholeFile, error: io::Error) -> AppError {
    cannot_write(part.path(), error)
}

fn csv_error(csv: &csv::Writer<WholeFile>, error: csv::Error) -> AppError {
    let source = match error.into_kind() {
        csv::ErrorKind::Io(source) => source,
        other => io::Error::other(format!("{other:?}")),
    };
    part_error(csv.get_ref(), source)
}
