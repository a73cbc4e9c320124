//! The file that games are added to.

use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{self, Cursor, Seek as _, SeekFrom, Write as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use pgn_import::{Compression, GameAt, GameResult, Input, Source, Start, Tag, Visitor, read_games};
use tabiya_chess::fnv1a;

use super::time::seconds;
use crate::AppError;

/// What tells a game from others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GameTags {
    pub(super) white: String,
    pub(super) black: String,
    /// Seconds since 1970, where it is known.
    pub(super) played_at: Option<u64>,
    /// Its address on the site.
    id: String,
}

impl GameTags {
    pub(super) fn of(game: &[u8]) -> GameTags {
        let mut reader = TagReader::default();
        let source = Source::from_reader(String::new(), Box::new(Cursor::new(game.to_vec())), None, 0);
        if let Ok(source) = source {
            // Reading memory does not break off.
            let _ = read_games(source, &mut reader);
        }
        let mut tags = reader.last.unwrap_or_default();
        if tags.id.is_empty() {
            // Two games without an address are the same if they are the same.
            tags.id = format!("{:016x}", fnv1a(game));
        }
        tags
    }
}

/// Reads the tags of every game, and notes whether the last one has an end.
#[derive(Debug, Default)]
struct TagReader {
    ids: HashSet<String>,
    last: Option<GameTags>,
    /// Date and time of the game at hand.
    date: String,
    time: String,
    site: String,
    link: String,
    at: u64,
    is_whole: bool,
}

impl Visitor for TagReader {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, at: GameAt) {
        self.last = Some(GameTags::default());
        for text in [&mut self.date, &mut self.time, &mut self.site, &mut self.link] {
            text.clear();
        }
        self.at = at.offset;
        self.is_whole = false;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let Some(game) = &mut self.last else {
            return;
        };
        let text = match tag.name {
            b"White" => &mut game.white,
            b"Black" => &mut game.black,
            b"UTCDate" => &mut self.date,
            b"UTCTime" => &mut self.time,
            b"Site" => &mut self.site,
            b"Link" => &mut self.link,
            _ => return,
        };
        tag.value().trim().clone_into(text);
    }

    fn begin_moves(&mut self, _start: &Start) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn result(&mut self, _result: GameResult) {
        self.is_whole = true;
    }

    fn end_game(&mut self) {
        let Some(game) = &mut self.last else {
            return;
        };
        game.played_at = seconds(&self.date, &self.time);
        let is_url = |text: &&String| text.starts_with("https://") || text.starts_with("http://");
        game.id = [&self.link, &self.site]
            .into_iter()
            .find(is_url)
            .cloned()
            .unwrap_or_default();
        if self.is_whole && !game.id.is_empty() {
            self.ids.insert(game.id.clone());
        }
    }
}

/// A PGN file that grows by whole games. It is made with the first one.
#[derive(Debug)]
pub(super) struct GameFile {
    path: PathBuf,
    file: Option<File>,
    ids: HashSet<String>,
}

impl GameFile {
    /// Opens a file and learns what is in it, or finds out that one can be made. `ours` is a file that an earlier run has
    /// written.
    pub(super) fn open(path: &Path, ours: bool) -> Result<GameFile, AppError> {
        let fail = |source: io::Error| AppError::Unwritable {
            output: path.to_owned(),
            source,
        };
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        let mut opened = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return GameFile::to_be_made(path),
            Err(error) => return Err(fail(error)),
        };
        let known = read_known(path)?;
        // A game of ours whose end is missing was being written when the last run was killed.
        let unfinished = |last: &GameTags| !known.is_whole && !last.id.is_empty();
        if ours && known.last.as_ref().is_some_and(unfinished) {
            opened.set_len(known.at).map_err(fail)?;
        }
        let end = opened.seek(SeekFrom::End(0)).map_err(fail)?;
        let mut file = GameFile {
            path: path.to_owned(),
            file: Some(opened),
            ids: known.ids,
        };
        if end > 0 && !ours {
            // Whoever wrote it may have left out the blank line.
            file.write(b"\n\n")?;
        }
        Ok(file)
    }

    fn to_be_made(path: &Path) -> Result<GameFile, AppError> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let tried = tempfile::NamedTempFile::new_in(directory);
        tried.map_err(|source| AppError::Unwritable {
            output: path.to_owned(),
            source,
        })?;
        Ok(GameFile {
            path: path.to_owned(),
            file: None,
            ids: HashSet::new(),
        })
    }

    pub(super) fn exists(&self) -> bool {
        self.file.is_some()
    }

    /// Adds a game; false where it is there.
    pub(super) fn add(&mut self, tags: &GameTags, game: &[u8]) -> Result<bool, AppError> {
        if !self.ids.insert(tags.id.clone()) {
            return Ok(false);
        }
        self.write(&[game, b"\n\n"].concat())?;
        Ok(true)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), AppError> {
        let made = match self.file.take() {
            Some(file) => Ok(file),
            None => File::create(&self.path),
        };
        made.and_then(|mut file| {
            file.write_all(bytes)?;
            self.file = Some(file);
            Ok(())
        })
        .map_err(|source| AppError::Unwritable {
            output: self.path.clone(),
            source,
        })
    }
}

/// The games of a file.
fn read_known(path: &Path) -> Result<TagReader, AppError> {
    let unreadable = |source: io::Error| AppError::Unreadable {
        input: path.display().to_string(),
        source,
    };
    let mut known = TagReader::default();
    let source = Source::open(&Input::Path(path.to_owned())).map_err(unreadable)?;
    if source.compression != Compression::None {
        return Err(AppError::OutOfRange(format!(
            "--output {}: a compressed file cannot grow",
            path.display()
        )));
    }
    read_games(source, &mut known).map_err(|cut| unreadable(cut.source))?;
    Ok(known)
}
