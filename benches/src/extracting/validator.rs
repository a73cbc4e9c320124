//! zstd and pgn-reader with every move checked by shakmaty, and nothing else: a thread decompresses and cuts blocks of games,
//! others read them.

use std::{
    fs::File,
    io::{BufReader, Read as _},
    path::PathBuf,
    sync::{Mutex, PoisonError, mpsc},
};

use anyhow::{Context, Result, ensure};
use memchr::memmem;
use pgn_reader::Reader;
use shakmaty::CastlingMode;

use crate::{
    contender::{Contender, Counts},
    reading::Checker,
};

const BLOCK: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Validator {
    packed: PathBuf,
    bytes: u64,
    threads: usize,
    counted: (u64, u64),
}

impl Validator {
    pub(super) fn new(packed: PathBuf, bytes: u64, threads: usize) -> Validator {
        Validator {
            packed,
            bytes,
            threads,
            counted: (0, 0),
        }
    }

    /// Games and moves.
    fn read(&self) -> Result<(u64, u64)> {
        let file = File::open(&self.packed).with_context(|| self.packed.display().to_string())?;
        let mut decoder = zstd::Decoder::new(BufReader::with_capacity(1 << 17, file))?;
        let (send, receive) = mpsc::sync_channel::<Vec<u8>>(self.threads * 2);
        let receive = Mutex::new(receive);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| -> Result<(u64, u64)> {
                        let (mut games, mut checker) = (0, Checker::of(CastlingMode::Chess960));
                        loop {
                            let block = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
                            let Ok(block) = block else {
                                return Ok((games, checker.moves));
                            };
                            let mut reader = Reader::new(&block[..]);
                            while reader.read_game(&mut checker)?.is_some() {
                                games += 1;
                            }
                        }
                    })
                })
                .collect();
            let mut rest = Vec::new();
            loop {
                let mut block = std::mem::take(&mut rest);
                let wanted = BLOCK.saturating_sub(block.len()) as u64;
                let got = decoder.by_ref().take(wanted).read_to_end(&mut block)?;
                if got == 0 {
                    send.send(block)?;
                    break;
                }
                if let Some(cut) = memmem::rfind(&block, b"\n[Event ") {
                    rest = block.split_off(cut + 1);
                    send.send(block)?;
                } else {
                    rest = block;
                }
            }
            drop(send);
            let mut total = (0, 0);
            for worker in workers {
                let (games, moves) = worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
                total = (total.0 + games, total.1 + moves);
            }
            Ok(total)
        })
    }
}

impl Contender for Validator {
    fn name(&self) -> String {
        "zstd + pgn-reader + shakmaty, moves checked".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.counted = self.read()?;
        Ok(Some(Counts {
            games: self.counted.0,
            moves: 0,
        }))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.read()? == self.counted, "found other games than before");
        Ok(())
    }
}
