//! pgn-reader, alone and with shakmaty's own way from SAN to moves.

use std::{fs::File, ops::ControlFlow, path::PathBuf};

use anyhow::{Context, Result, ensure};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

use crate::contender::{Contender, Counts};

/// Plays every move after shakmaty's `San::to_move` found it.
#[derive(Debug)]
pub(crate) struct Checker {
    castling: CastlingMode,
    pub(crate) moves: u64,
    faults: u64,
}

impl Checker {
    pub(crate) fn of(castling: CastlingMode) -> Checker {
        Checker {
            castling,
            moves: 0,
            faults: 0,
        }
    }
}

impl Visitor for Checker {
    type Tags = Option<Chess>;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, start: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            *start = fen.and_then(|fen| fen.into_position(self.castling).ok());
            self.faults += u64::from(start.is_none());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(start.unwrap_or_default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        match san.san.to_move(position) {
            Ok(m) => {
                position.play_unchecked(m);
                self.moves += 1;
                ControlFlow::Continue(())
            }
            Err(_) => {
                self.faults += 1;
                ControlFlow::Break(())
            }
        }
    }

    fn end_game(&mut self, _position: Chess) {}
}

/// Cuts the text into tokens and looks at no position: a limit for whoever does.
#[derive(Debug, Default)]
struct Tokens {
    moves: u64,
}

impl Visitor for Tokens {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, _tags: ()) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, _movetext: &mut (), _san: SanPlus) -> ControlFlow<()> {
        self.moves += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _movetext: ()) {}
}

#[derive(Debug)]
pub(crate) struct PgnReader {
    path: PathBuf,
    bytes: u64,
    validating: bool,
    counted: Counts,
}

impl PgnReader {
    pub(crate) fn validating(path: PathBuf, bytes: u64) -> PgnReader {
        PgnReader {
            path,
            bytes,
            validating: true,
            counted: Counts::default(),
        }
    }

    pub(crate) fn tokenising(path: PathBuf, bytes: u64) -> PgnReader {
        PgnReader {
            validating: false,
            ..PgnReader::validating(path, bytes)
        }
    }

    fn read(&self) -> Result<Counts> {
        let mut reader = Reader::new(File::open(&self.path).with_context(|| self.path.display().to_string())?);
        let mut games = 0;
        if self.validating {
            let mut visitor = Checker::of(CastlingMode::Standard);
            while reader.read_game(&mut visitor)?.is_some() {
                games += 1;
            }
            ensure!(visitor.faults == 0, "{} games have faults", visitor.faults);
            return Ok(Counts {
                games,
                moves: visitor.moves,
            });
        }
        let mut visitor = Tokens::default();
        while reader.read_game(&mut visitor)?.is_some() {
            games += 1;
        }
        Ok(Counts {
            games,
            moves: visitor.moves,
        })
    }
}

impl Contender for PgnReader {
    fn name(&self) -> String {
        if self.validating {
            "pgn-reader + shakmaty to_move"
        } else {
            "pgn-reader, tokens only (limit)"
        }
        .to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.counted = self.read()?;
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.read()? == self.counted, "found other games than before");
        Ok(())
    }
}
