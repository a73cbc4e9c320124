//! Exact duplicates among any number of positions, in bounded memory.
//!
//! Keys are spilled into partitions by their hash, each partition is sorted by itself, and what was found out comes back in the
//! order of the positions. Nothing is guessed: the whole position is compared, not a hash of it.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use shakmaty::Chess;
use tabiya_chess::{PositionKey, fnv1a, position_key};

use super::{PositionReason, error::PositionsError};
use crate::{AppError, interrupt};

/// Partitions of each level; a partition that is too large for the memory is divided again.
const FAN: usize = 128;
const RECORD: usize = size_of::<PositionKey>() + 8;
const LARGEST: u64 = 48 << 20;

/// Records of a large partition that are divided before it is asked whether the user wants to stop: a few MB.
const DIVIDED: u64 = 1 << 17;

/// Positions whose fates lie in one file.
const BUCKET: u64 = 1 << 22;

/// Number 0 stands for all that is known from elsewhere.
const ELSEWHERE: u64 = 0;

/// Gathers positions.
#[derive(Debug)]
pub(super) struct Sieve {
    directory: PathBuf,
    partitions: Partitions,
    next: u64,
}

/// Says of each position, in order, whether it is a duplicate.
#[derive(Debug)]
pub(super) struct Fates {
    directory: PathBuf,
    next: u64,
    /// Two bits for each position of the bucket at hand.
    bucket: Vec<u8>,
}

#[derive(Debug)]
struct Partitions {
    paths: Vec<PathBuf>,
    files: Vec<BufWriter<File>>,
    level: u32,
}

impl Partitions {
    fn create(directory: &Path, level: u32) -> io::Result<Partitions> {
        let paths: Vec<PathBuf> = (0..FAN)
            .map(|number| directory.join(format!("keys-{level}-{number}")))
            .collect();
        let open = |path: &PathBuf| Ok(BufWriter::with_capacity(1 << 14, File::create(path)?));
        let files = paths.iter().map(open).collect::<io::Result<_>>()?;
        Ok(Partitions { paths, files, level })
    }

    fn add(&mut self, record: &[u8; RECORD]) -> io::Result<()> {
        let hash = fnv1a(&record[..RECORD - 8]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let partition = (hash >> (57 - 7 * self.level)) as usize % FAN;
        self.files[partition].write_all(record)
    }

    fn close(self) -> io::Result<Vec<PathBuf>> {
        for mut file in self.files {
            file.flush()?;
        }
        Ok(self.paths)
    }
}

impl Sieve {
    /// In a directory of its own, which is emptied first.
    pub(super) fn create(directory: &Path) -> Result<Sieve, PositionsError> {
        let create = || {
            match fs::remove_dir_all(directory) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::create_dir_all(directory)?;
            Partitions::create(directory, 0)
        };
        Ok(Sieve {
            partitions: create().map_err(|error| PositionsError::io("write", directory, error))?,
            directory: directory.to_owned(),
            next: 1,
        })
    }

    /// A position that must not come again.
    pub(super) fn know(&mut self, position: &Chess) -> Result<(), PositionsError> {
        self.put(position, ELSEWHERE)
    }

    /// The next position of the run.
    pub(super) fn add(&mut self, position: &Chess) -> Result<(), PositionsError> {
        let number = self.next;
        self.next += 1;
        self.put(position, number)
    }

    fn put(&mut self, position: &Chess, number: u64) -> Result<(), PositionsError> {
        // A board of more than 32 pieces has no key, and no twin that anybody would miss.
        let Some(key) = position_key(position) else {
            return Ok(());
        };
        let mut record = [0; RECORD];
        record[..key.len()].copy_from_slice(&key);
        record[key.len()..].copy_from_slice(&number.to_be_bytes());
        let added = self.partitions.add(&record);
        added.map_err(|error| PositionsError::io("write", &self.directory, error))
    }

    /// Finds the duplicates, unless the user wants to stop first.
    pub(super) fn sift(self, stop: &AtomicBool) -> Result<Fates, AppError> {
        let Sieve {
            directory, partitions, ..
        } = self;
        let spill = Spill {
            directory: directory.clone(),
            waiting: HashMap::new(),
        };
        let mut sifting = Sifting { spill, stop };
        let paths = partitions.close().map_err(|error| unwritable(&directory, error))?;
        for path in paths {
            sifting.sift(&path, 1, &directory)?;
        }
        let flushed = sifting.spill.flush_all();
        flushed.map_err(|error| unwritable(&directory, error))?;
        Ok(Fates {
            directory,
            next: 1,
            bucket: Vec::new(),
        })
    }
}

fn unwritable(directory: &Path, error: io::Error) -> PositionsError {
    PositionsError::io("write", directory, error)
}

struct Sifting<'a> {
    spill: Spill,
    stop: &'a AtomicBool,
}

impl Sifting<'_> {
    fn sift(&mut self, path: &Path, level: u32, directory: &Path) -> Result<(), AppError> {
        interrupt::go_on(self.stop)?;
        let unwritable = |error| unwritable(directory, error);
        let bytes = fs::metadata(path).map_err(unwritable)?.len();
        // Equal keys cannot be told apart by more bits of their hash: then there is nothing to divide.
        if bytes <= LARGEST || level >= 6 {
            settle(path, &mut self.spill).map_err(unwritable)?;
            return Ok(());
        }
        let inner = directory.join(format!("level-{level}"));
        fs::create_dir_all(&inner).map_err(unwritable)?;
        let mut partitions = Partitions::create(&inner, level).map_err(unwritable)?;
        let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(unwritable)?);
        let mut left = bytes / RECORD as u64;
        while left > 0 {
            interrupt::go_on(self.stop)?;
            let some = left.min(DIVIDED);
            divide(&mut file, some, &mut partitions).map_err(unwritable)?;
            left -= some;
        }
        fs::remove_file(path).map_err(unwritable)?;
        for path in partitions.close().map_err(unwritable)? {
            self.sift(&path, level + 1, &inner)?;
        }
        Ok(())
    }
}

fn divide(file: &mut impl io::Read, records: u64, partitions: &mut Partitions) -> io::Result<()> {
    let mut record = [0; RECORD];
    for _ in 0..records {
        file.read_exact(&mut record)?;
        partitions.add(&record)?;
    }
    Ok(())
}

/// Finds the duplicates of a partition that fits the memory.
fn settle(path: &Path, spill: &mut Spill) -> io::Result<()> {
    let content = fs::read(path)?;
    fs::remove_file(path)?;
    let (records, _) = content.as_chunks::<RECORD>();
    let mut records: Vec<&[u8; RECORD]> = records.iter().collect();
    // The number behind the key is big-endian, so whatever came first stands first.
    records.sort_unstable();
    for same in records.chunk_by(|one, other| one[..RECORD - 8] == other[..RECORD - 8]) {
        let number = |record: &[u8; RECORD]| u64::from_be_bytes(record.last_chunk().copied().unwrap_or_default());
        let known = number(same[0]) == ELSEWHERE;
        for record in &same[1..] {
            let number = number(record);
            if number != ELSEWHERE {
                spill.add(number, known)?;
            }
        }
    }
    Ok(())
}

/// What was found out, on its way to files by the positions' numbers.
struct Spill {
    directory: PathBuf,
    waiting: HashMap<u64, Vec<u8>>,
}

impl Spill {
    fn add(&mut self, number: u64, known: bool) -> io::Result<()> {
        let bucket = number / BUCKET;
        let waiting = self.waiting.entry(bucket).or_default();
        let entry = (number % BUCKET) as u32 * 2 + u32::from(known);
        waiting.extend_from_slice(&entry.to_le_bytes());
        if waiting.len() >= 1 << 14 {
            let bytes = std::mem::take(waiting);
            return append(&bucket_path(&self.directory, bucket), &bytes);
        }
        Ok(())
    }

    fn flush_all(self) -> io::Result<()> {
        for (bucket, bytes) in self.waiting {
            append(&bucket_path(&self.directory, bucket), &bytes)?;
        }
        Ok(())
    }
}

fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?
        .write_all(bytes)
}

fn bucket_path(directory: &Path, bucket: u64) -> PathBuf {
    directory.join(format!("fates-{bucket}"))
}

impl Fates {
    /// Why the next position is passed over, if it is.
    pub(super) fn next(&mut self) -> Result<Option<PositionReason>, PositionsError> {
        let number = self.next;
        self.next += 1;
        if number.is_multiple_of(BUCKET) || self.bucket.is_empty() {
            let path = bucket_path(&self.directory, number / BUCKET);
            self.bucket.clear();
            self.bucket.resize(BUCKET as usize / 4, 0);
            let content = match fs::read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                read => read.map_err(|error| PositionsError::io("read", &path, error))?,
            };
            let (entries, _) = content.as_chunks::<4>();
            for entry in entries {
                let entry = u32::from_le_bytes(*entry);
                let (place, known) = (entry / 2, entry % 2);
                self.bucket[place as usize / 4] |= (1 + known as u8) << (place % 4 * 2);
            }
        }
        let place = (number % BUCKET) as usize;
        Ok(match self.bucket[place / 4] >> (place % 4 * 2) & 3 {
            0 => None,
            1 => Some(PositionReason::Duplicate),
            _ => Some(PositionReason::KnownElsewhere),
        })
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::parse_fen;

    use super::*;

    static GO_ON: AtomicBool = AtomicBool::new(false);

    /// A position for each number, the same for numbers that are equal modulo `different`.
    fn position(number: u64, different: u64) -> Chess {
        let number = number % different;
        let square = |place: u64| place % 40;
        let mut board = ['1'; 40];
        board[square(number) as usize] = 'P';
        board[(square(number) as usize + 1 + square(number / 40) as usize % 38) % 40] = 'p';
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let fen = format!("8/{}/8/k1K5 w - - {} 9", ranks.join("/"), number % 50);
        parse_fen(&fen).expect(&fen).position
    }

    #[test]
    fn the_first_of_equals_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut sieve = Sieve::create(&directory.path().join("sieve")).expect("a sieve");
        for number in [3, 5, 5] {
            sieve.know(&position(number, 700)).expect("known");
        }
        for number in 0..2_000 {
            sieve.add(&position(number, 700)).expect("added");
        }
        let mut fates = sieve.sift(&GO_ON).expect("fates");
        for number in 0..2_000 {
            let expected = match number {
                _ if matches!(number % 700, 3 | 5) => Some(PositionReason::KnownElsewhere),
                0..700 => None,
                _ => Some(PositionReason::Duplicate),
            };
            assert_eq!(fates.next().expect("a fate"), expected, "{number}");
        }
    }

    #[test]
    fn counters_do_not_tell_positions_apart() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut sieve = Sieve::create(&directory.path().join("sieve")).expect("a sieve");
        for fen in ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 40"] {
            sieve.add(&parse_fen(fen).expect(fen).position).expect("added");
        }
        let mut fates = sieve.sift(&GO_ON).expect("fates");
        assert_eq!(fates.next().expect("a fate"), None);
        assert_eq!(fates.next().expect("a fate"), Some(PositionReason::Duplicate));
    }

    #[test]
    fn whoever_wants_to_stop_does_not_wait_for_the_partitions() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut sieve = Sieve::create(&directory.path().join("sieve")).expect("a sieve");
        sieve.add(&position(1, 700)).expect("added");
        let sifted = sieve.sift(&AtomicBool::new(true));
        assert!(matches!(sifted, Err(AppError::Interrupted)), "{sifted:?}");
    }
}
