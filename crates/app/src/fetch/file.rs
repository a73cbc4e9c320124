//! The file that games are added to.

use std::{
    collections::HashSet,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Cursor, Read as _, Seek as _, SeekFrom, Write as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use pgn_import::{Compression, GameAt, GameResult, Input, Source, Start, Tag, Visitor, read_games};
use tabiya_chess::fnv1a;
use tabiya_dataset::WholeFile;

use super::{pieces::LONGEST, time::seconds};
use crate::{AppError, lock::Lock};

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
    /// `None` for what is no game: the sites write tags before everything else.
    pub(super) fn of(game: &[u8]) -> Option<GameTags> {
        let mut reader = TagReader::default();
        let source = Source::from_reader(String::new(), Box::new(Cursor::new(game.to_vec())), None, 0);
        if let Ok(source) = source {
            // Reading memory does not break off.
            let _ = read_games(source, &mut reader);
        }
        if !game.starts_with(b"[") || reader.tags == 0 {
            return None;
        }
        let mut tags = reader.last.unwrap_or_default();
        if tags.id.is_empty() {
            // Two games without an address are the same if they are the same.
            tags.id = format!("{:016x}", fnv1a(game));
        }
        Some(tags)
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
    /// Behind its last byte.
    end: u64,
    is_whole: bool,
    /// How many there were.
    tags: u64,
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
        self.tags += 1;
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

    fn text(&mut self, bytes: &[u8]) {
        self.end = self.at + bytes.len() as u64;
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
    file: Option<Held>,
    /// Up to where it is whole.
    length: u64,
    /// What has to stand before the first game that is added.
    gap: &'static [u8],
    ids: HashSet<String>,
}

/// An open file that nobody else adds to.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    /// None on a disk without locks.
    _lock: Option<Lock>,
}

impl Held {
    fn take(path: &Path, file: File) -> Result<Held, AppError> {
        let copy = file.try_clone().map_err(cannot_write(path))?;
        let lock = match Lock::take(copy) {
            Ok(lock) => Some(lock),
            Err(TryLockError::WouldBlock) => return Err(AppError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(_)) => None,
        };
        Ok(Held { file, _lock: lock })
    }
}

/// The file, if it is there: two who add to it at once would both add the same games.
pub(super) fn find(path: &Path) -> Result<Option<Held>, AppError> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(cannot_write(path))?;
    }
    match OpenOptions::new().read(true).append(true).open(path) {
        Ok(file) => Held::take(path, file).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_write(path)(error)),
    }
}

fn cannot_write(path: &Path) -> impl Fn(io::Error) -> AppError {
    let path = path.to_owned();
    move |source| AppError::CannotWrite {
        path: path.clone(),
        source,
    }
}

impl GameFile {
    /// Learns what is in the file that was found, or finds out that one can be made. `ours` says from where on it has what
    /// earlier runs have written, where there were any.
    pub(super) fn open(path: &Path, found: Option<Held>, ours: Option<u64>) -> Result<GameFile, AppError> {
        let fail = cannot_write(path);
        let Some(mut held) = found else {
            return GameFile::to_be_made(path);
        };
        let file = &mut held.file;
        let known = read_known(path)?;
        let stump = known.stump(file).map_err(&fail)?;
        if let Some(stump) = stump.filter(|stump| ours.is_some_and(|ours| ours <= *stump)) {
            file.set_len(stump).map_err(&fail)?;
        }
        let (length, gap) = end_of(file).map_err(fail)?;
        Ok(GameFile {
            path: path.to_owned(),
            file: Some(held),
            length,
            gap,
            ids: known.ids,
        })
    }

    fn to_be_made(path: &Path) -> Result<GameFile, AppError> {
        WholeFile::check(path)?;
        Ok(GameFile {
            path: path.to_owned(),
            file: None,
            length: 0,
            gap: b"",
            ids: HashSet::new(),
        })
    }

    pub(super) fn exists(&self) -> bool {
        self.file.is_some()
    }

    /// Bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Adds a game; false where it is there.
    pub(super) fn add(&mut self, tags: &GameTags, game: &[u8]) -> Result<bool, AppError> {
        if !self.ids.insert(tags.id.clone()) {
            return Ok(false);
        }
        let text = [self.gap, game, b"\n\n"].concat();
        self.write(&text)?;
        self.gap = b"";
        Ok(true)
    }

    /// Makes all games that were added durable.
    pub(super) fn sync(&self) -> Result<(), AppError> {
        match &self.file {
            Some(held) => held.file.sync_data().map_err(cannot_write(&self.path)),
            None => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), AppError> {
        let fail = cannot_write(&self.path);
        let held = match &mut self.file {
            Some(held) => held,
            none => {
                let file = OpenOptions::new().append(true).create(true).open(&self.path);
                let held = Held::take(&self.path, file.map_err(&fail)?)?;
                // It was not there when it was looked for. Whoever has made it may have added the same games.
                if held.file.metadata().map_err(&fail)?.len() > 0 {
                    return Err(AppError::InUse {
                        path: self.path.clone(),
                    });
                }
                none.insert(held)
            }
        };
        if let Err(error) = held.file.write_all(bytes) {
            // Half a game must not stay; where it cannot be helped the next run does it.
            let _ = held.file.set_len(self.length);
            return Err(fail(error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// How long a file is, and what has to be added before a game can begin: whoever wrote it may have left out the blank line.
fn end_of(file: &mut File) -> io::Result<(u64, &'static [u8])> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(2)))?;
    file.read_to_end(&mut last)?;
    let gap: &[u8] = match last.as_slice() {
        b"" | b"\n\n" => b"",
        [.., b'\n'] => b"\n",
        _ => b"\n\n",
    };
    Ok((length, gap))
}

impl TagReader {
    /// Where a game begins at the end of the file that was being written when the last run was killed: one with an address and
    /// without an end, or the first tags of one.
    fn stump(&self, file: &mut File) -> io::Result<Option<u64>> {
        if !self.is_whole && self.last.as_ref().is_some_and(|last| !last.id.is_empty()) {
            return Ok(Some(self.at));
        }
        const TAG: &[u8] = b"[Event ";
        let from = if self.is_whole { self.end } else { self.at };
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(LONGEST as u64 + 1).read_to_end(&mut tail)?;
        let begun = tail.trim_ascii_start();
        let is_first_tags = !begun.is_empty()
            && begun.len() <= LONGEST
            && (begun.starts_with(TAG) || TAG.starts_with(begun))
            && memchr::memmem::find(begun, b"\n\n").is_none();
        Ok(is_first_tags.then(|| from + (tail.len() - begun.len()) as u64))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_takes_nothing_away() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("games.pgn");
        let there = "[Event \"a\"]\n\n1. e4 *\n\n";
        std::fs::write(&path, there).expect("a file");
        let found = find(&path).expect("a file");
        let mut file = GameFile::open(&path, found, None).expect("a file");
        // As good as a disk that is full.
        file.file = None;
        file.file = Some(Held::take(&path, File::open(&path).expect("a file")).expect("free"));
        let tags = GameTags::of(b"[Event \"b\"]\n\n1. d4 *").expect("a game");
        for _ in 0..2 {
            file.ids.clear();
            let error = file.add(&tags, b"[Event \"b\"]\n\n1. d4 *").expect_err("no room");
            assert!(matches!(error, AppError::CannotWrite { .. }), "{error}");
            assert!(file.exists());
            assert_eq!(std::fs::read_to_string(&path).expect("a file"), there);
        }
    }

    #[test]
    fn one_run_at_a_time_adds_games() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("games.pgn");
        let open = || find(&path).and_then(|found| GameFile::open(&path, found, None));
        let game = b"[Event \"b\"]\n\n1. d4 *";
        let tags = GameTags::of(game).expect("a game");
        // Nobody has made it yet, so both may begin. Whoever comes first has it.
        let (mut first, mut second) = (open().expect("none yet"), open().expect("none yet"));
        assert!(first.add(&tags, game).expect("added"));
        let refused = |error: &AppError| matches!(error, AppError::InUse { .. });
        assert!(second.add(&tags, game).is_err_and(|error| refused(&error)));
        assert!(open().is_err_and(|error| refused(&error)));
        drop(first);
        // The second does not know what the first has added.
        second.ids.clear();
        assert!(second.add(&tags, game).is_err_and(|error| refused(&error)));
        assert_eq!(open().expect("free again").length(), game.len() as u64 + 2);
    }

    #[test]
    fn pages_are_no_games() {
        for page in [
            "<!doctype html><html><body>Log in</body></html>",
            "<style>a[href \"x\"] { color: red }</style>",
            "[]",
            "1. e4 e5 *",
            "{\"error\": \"no\"}",
        ] {
            assert_eq!(GameTags::of(page.as_bytes()), None, "{page}");
        }
    }
}
