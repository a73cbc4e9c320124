//! From files to one trie.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{ForeignPacking, Input, Source, Watch, Watcher, read_games_parallel};

use super::{Analysis, LeftOut, corpus::Corpus, games::Games, reading::Recorder, trie::Trie};
use crate::AppError;

/// Games on their way into a set.
pub(super) struct Gathering {
    games: Games,
    files: Vec<String>,
    left_out: Vec<LeftOut>,
    threads: usize,
    pub(super) most_games: u32,
    /// Of a game.
    pub(super) most_plies: usize,
    stop: Arc<AtomicBool>,
}

impl Gathering {
    pub(super) fn new(threads: usize, stop: Arc<AtomicBool>) -> Gathering {
        Gathering {
            games: Games::new(),
            files: Vec::new(),
            left_out: Vec::new(),
            threads,
            // Ids have 32 bits, and one value means none.
            most_games: u32::MAX - 1,
            most_plies: usize::MAX,
            stop,
        }
    }

    pub(super) fn read(&mut self, input: &Input, watcher: Option<&Watcher>) -> Result<(), AppError> {
        let name = input.to_string();
        match Source::open(input) {
            Ok(source) => self.read_source(&name, source, watcher),
            Err(error) => {
                let reason = match ForeignPacking::behind(&error) {
                    Some(packing) => format!("{error}: {}", packing.hint()),
                    None => error.to_string(),
                };
                self.leave_out(&name, reason);
                Ok(())
            }
        }
    }

    fn leave_out(&mut self, file: &str, reason: String) {
        self.left_out.push(LeftOut {
            file: file.to_owned(),
            game: None,
            offset: None,
            reason,
        });
    }

    pub(super) fn read_source(
        &mut self,
        name: &str,
        source: Source,
        watcher: Option<&Watcher>,
    ) -> Result<(), AppError> {
        if let Some(watcher) = watcher {
            watcher(Watch::Opened {
                source: name,
                progress: source.progress(),
            });
        }
        self.files.push(name.to_owned());
        let (threads, stop, most) = (self.threads, Arc::clone(&self.stop), self.most_games);
        let most_plies = self.most_plies;
        let mut read = 0;
        let mut too_many = false;
        let recorder = move || Recorder::new(most_plies);
        let done = read_games_parallel(source, threads, recorder, |recorder, games| {
            // Games that are left out take memory too, and there may be millions of them.
            too_many = read + games > u64::from(most);
            if too_many {
                return ControlFlow::Break(());
            }
            let mut block = recorder.into_block();
            for left_out in std::mem::take(&mut block.left_out) {
                self.left_out.push(LeftOut {
                    file: name.to_owned(),
                    game: Some(read + left_out.index + 1),
                    offset: Some(left_out.offset),
                    reason: left_out.reason,
                });
            }
            read += games;
            self.games.add(block);
            too_many = self.games.len() > most;
            if let Some(watcher) = watcher {
                watcher(Watch::Games(read));
            }
            match too_many || stop.load(Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if self.stop.load(Relaxed) {
            return Err(AppError::Interrupted);
        }
        if too_many {
            return Err(AppError::TooMuchPgn {
                input: name.to_owned(),
                limit: format!("{most} games"),
            });
        }
        match done {
            Err(cut) => {
                let source = &cut.source;
                self.leave_out(name, format!("{cut} ({source}); the {read} games before that are read"));
            }
            Ok(_) if read == 0 => self.leave_out(name, "there are no games in it".to_owned()),
            Ok(_) => {}
        }
        Ok(())
    }

    pub(super) fn finish(self, corpus: Option<Corpus>) -> Analysis {
        Analysis {
            trie: Trie::of(&self.games, self.threads),
            games: self.games,
            keys: OnceLock::new(),
            shared: OnceLock::new(),
            sans: OnceLock::new(),
            threads: self.threads,
            corpus,
            files: self.files,
            left_out: self.left_out,
        }
    }
}
