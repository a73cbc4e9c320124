//! The departures of all partitions in one file, a piece of one behind a piece of another.
//!
//! A file for each partition would be simpler, and was: making 256 of them took up to a tenth of the time that counting does where
//! many files had been removed lately, which file systems remember for minutes.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use crate::{
    CountError,
    departure::{DEPARTURE_BYTES, Departure, PARTITIONS},
    files::{BUFFER, Writer, read_rows},
};

/// Departures of one partition that lie together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    at: u64,
    bytes: u32,
}

/// Bytes of a piece in the index, which tells whose it is and how long. Pieces lie in the order of the index, so it need not say where.
const PIECE_BYTES: usize = 8;

/// Where departures go.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Writer,
    index: Writer,
    pieces: Vec<Vec<Piece>>,
    /// What is in no piece yet.
    held: Vec<Vec<u8>>,
    /// Bytes of each partition in pieces.
    lengths: Vec<u64>,
}

/// How much of it is there for good.
#[derive(Debug)]
pub(crate) struct Spilled {
    pub(crate) pieces: u64,
    /// Bytes of each partition.
    pub(crate) lengths: Vec<u64>,
}

impl Spill {
    pub(crate) fn open(dir: &Path, pieces: u64, lengths: &[u64]) -> Result<Spill, CountError> {
        let index = Writer::open(dir.join("pieces"), pieces * PIECE_BYTES as u64)?;
        let mut of_parts = vec![Vec::new(); PARTITIONS];
        let mut found = vec![0; PARTITIONS];
        let mut at = 0;
        read_rows::<PIECE_BYTES>(&index.path, index.len, |row| {
            let row = u64::from_le_bytes(*row);
            let (part, bytes) = (row as u8 as usize, (row >> 8) as u32);
            of_parts[part].push(Piece { at, bytes });
            found[part] += u64::from(bytes);
            at += u64::from(bytes);
        })?;
        if found != lengths {
            return Err(CountError::Damaged { path: index.path });
        }
        Ok(Spill {
            file: Writer::open(dir.join("departures"), at)?,
            index,
            pieces: of_parts,
            held: vec![Vec::new(); PARTITIONS],
            lengths: found,
        })
    }

    pub(crate) fn write(
        &mut self,
        part: usize,
        rows: impl Iterator<Item = [u8; DEPARTURE_BYTES]>,
    ) -> Result<(), CountError> {
        // Room is made once, for as many rows as there can be.
        let most = rows.size_hint().1.unwrap_or(0) * DEPARTURE_BYTES;
        if self.held[part].len() + most > self.held[part].capacity() {
            self.close_piece(part)?;
            self.held[part].reserve_exact(most.max(BUFFER));
        }
        let held = &mut self.held[part];
        rows.for_each(|row| held.extend_from_slice(&row));
        Ok(())
    }

    fn close_piece(&mut self, part: usize) -> Result<(), CountError> {
        let held = &mut self.held[part];
        if held.is_empty() {
            return Ok(());
        }
        let piece = Piece {
            at: self.file.len,
            bytes: held.len() as u32,
        };
        self.file.write_now(held)?;
        held.clear();
        self.index
            .write(&(u64::from(piece.bytes) << 8 | part as u64).to_le_bytes())?;
        self.pieces[part].push(piece);
        self.lengths[part] += u64::from(piece.bytes);
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<Spilled, CountError> {
        (0..PARTITIONS).try_for_each(|part| self.close_piece(part))?;
        Ok(Spilled {
            pieces: self.index.flush()? / PIECE_BYTES as u64,
            lengths: self.lengths.clone(),
        })
    }

    /// One partition's, to be gone through more than once.
    pub(crate) fn departures(&self, part: usize) -> Result<Departures<'_>, CountError> {
        Departures::open(&self.file.path, part, &self.pieces[part])
    }
}

/// A partition's departures: few are held, many are read each time.
#[derive(Debug)]
pub(crate) struct Departures<'a> {
    path: &'a Path,
    part: usize,
    pieces: &'a [Piece],
    held: Option<Vec<u8>>,
}

/// The most bytes of a partition that are held.
const MOST_HELD: u64 = 4 << 20;

impl<'a> Departures<'a> {
    fn open(path: &'a Path, part: usize, pieces: &'a [Piece]) -> Result<Departures<'a>, CountError> {
        let mut departures = Departures {
            path,
            part,
            pieces,
            held: None,
        };
        let bytes: u64 = pieces.iter().map(|piece| u64::from(piece.bytes)).sum();
        if bytes <= MOST_HELD {
            let mut all = vec![0; bytes as usize];
            let mut rest = all.as_mut_slice();
            let mut file = departures.file()?;
            for piece in pieces {
                let (here, after) = rest.split_at_mut(piece.bytes as usize);
                departures.read(*piece, file.as_mut(), here)?;
                rest = after;
            }
            departures.held = Some(all);
        }
        Ok(departures)
    }

    /// None where there is nothing to read, and maybe no file either.
    fn file(&self) -> Result<Option<File>, CountError> {
        if self.pieces.is_empty() {
            return Ok(None);
        }
        File::open(self.path)
            .map(Some)
            .map_err(CountError::io("open", self.path))
    }

    fn read(&self, piece: Piece, file: Option<&mut File>, bytes: &mut [u8]) -> Result<(), CountError> {
        let Some(file) = file else { return Ok(()) };
        if !bytes.len().is_multiple_of(DEPARTURE_BYTES) {
            return Err(self.damaged());
        }
        let read = file
            .seek(SeekFrom::Start(piece.at))
            .and_then(|_| file.read_exact(bytes));
        match read {
            Err(short) if short.kind() == io::ErrorKind::UnexpectedEof => Err(self.damaged()),
            read => read.map_err(CountError::io("read", self.path)),
        }
    }

    pub(crate) fn damaged(&self) -> CountError {
        CountError::Damaged {
            path: PathBuf::from(self.path),
        }
    }

    pub(crate) fn each(&self, mut each: impl FnMut(Departure)) -> Result<(), CountError> {
        let mut each_of = |bytes: &[u8]| {
            let rows = bytes.as_chunks::<DEPARTURE_BYTES>().0.iter();
            rows.for_each(|row| each(Departure::read(row, self.part)));
        };
        if let Some(bytes) = &self.held {
            each_of(bytes);
            return Ok(());
        }
        let mut file = self.file()?;
        let mut buffer = Vec::new();
        for piece in self.pieces {
            buffer.resize(piece.bytes as usize, 0);
            self.read(*piece, file.as_mut(), &mut buffer)?;
            each_of(&buffer);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PackedMove;

    fn departure(part: usize, game: u32) -> Departure {
        Departure {
            key: (part as u64) << 56 | u64::from(game),
            by: PackedMove::NONE,
            game,
        }
    }

    fn games(spill: &Spill, part: usize) -> Vec<u32> {
        let mut games = Vec::new();
        let departures = spill.departures(part).expect("readable");
        departures
            .each(|departure| games.push(departure.game))
            .expect("readable");
        games
    }

    #[test]
    fn partitions_come_back_apart_and_in_order_also_after_what_was_not_committed() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut spill = Spill::open(dir.path(), 0, &[0; PARTITIONS]).expect("a new one");
        let write = |spill: &mut Spill, from: u32, to: u32| {
            for game in from..to {
                for part in [0, 7, 255] {
                    let rows = std::iter::once(departure(part, game).bytes());
                    spill.write(part, rows).expect("room on the disk");
                }
            }
        };
        // More than what is held back, so that there are several pieces of each.
        write(&mut spill, 0, 20_000);
        let done = spill.flush().expect("room on the disk");
        assert!(done.pieces > 6, "{done:?}");
        write(&mut spill, 20_000, 40_000);
        drop(spill);

        let mut spill = Spill::open(dir.path(), done.pieces, &done.lengths).expect("as it was");
        assert_eq!(games(&spill, 7), Vec::from_iter(0..20_000));
        write(&mut spill, 20_000, 20_010);
        let done = spill.flush().expect("room on the disk");
        for part in [0, 7, 255] {
            assert_eq!(games(&spill, part), Vec::from_iter(0..20_010), "{part}");
        }
        assert!(games(&spill, 1).is_empty());
        let length = std::fs::metadata(dir.path().join("departures")).expect("a file").len();
        assert_eq!(
            length,
            done.lengths.iter().sum::<u64>(),
            "nothing lies between or behind"
        );
    }

    #[test]
    fn what_is_too_much_to_be_held_is_read_each_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut spill = Spill::open(dir.path(), 0, &[0; PARTITIONS]).expect("a new one");
        let all = (MOST_HELD as usize / DEPARTURE_BYTES + 1) as u32;
        let rows = (0..all).map(|game| departure(3, game).bytes());
        spill.write(3, rows).expect("room on the disk");
        spill.flush().expect("room on the disk");
        let departures = spill.departures(3).expect("readable");
        assert!(departures.held.is_none());
        for _ in 0..2 {
            let mut sum = 0;
            departures
                .each(|departure| sum += u64::from(departure.game))
                .expect("readable");
            assert_eq!(sum, u64::from(all) * u64::from(all - 1) / 2);
        }
    }

    #[test]
    fn an_index_that_tells_another_story_is_damage() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut spill = Spill::open(dir.path(), 0, &[0; PARTITIONS]).expect("a new one");
        let row = std::iter::once(departure(3, 1).bytes());
        spill.write(3, row).expect("room on the disk");
        let done = spill.flush().expect("room on the disk");
        drop(spill);
        let index = dir.path().join("pieces");
        for row in [13 << 8 | 4, 14 << 8 | 3, 0_u64] {
            std::fs::write(&index, row.to_le_bytes()).expect("writable");
            let error = Spill::open(dir.path(), done.pieces, &done.lengths).expect_err("damaged");
            assert!(
                matches!(&error, CountError::Damaged { path } if *path == index),
                "{error}"
            );
        }
    }
}
