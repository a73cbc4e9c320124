//! Games on their way from files to whoever reviews them.

use std::{
    io::Cursor,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use pgn_import::{Game, GameAt, Input, Source, Start, Visitor, fingerprint, read_games, read_trees};
use shakmaty::Chess;
use tokio::sync::{mpsc, oneshot};

use crate::{AppError, interrupt};

/// A game on its way, or why there are no more.
pub(super) enum Arrived {
    Game {
        file: Arc<str>,
        number: u64,
        game: Box<Game>,
    },
    Broken(AppError),
}

/// How many games and positions there are.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Plan {
    pub(super) games: u64,
    pub(super) positions: u64,
}

impl Visitor for Plan {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.games += 1;
    }

    fn begin_moves(&mut self, _start: &Start) -> ControlFlow<()> {
        self.positions += 1;
        ControlFlow::Continue(())
    }

    fn reached(&mut self, _after: &Chess) {
        self.positions += 1;
    }
}

/// As [`plan`], unless the user wants to stop first. All inputs are read for it, on a thread that nobody waits for then.
pub(super) async fn planned(inputs: &[Input], stop: &AtomicBool) -> Result<Option<Plan>, AppError> {
    let (sender, counted) = oneshot::channel();
    let inputs = inputs.to_vec();
    thread::spawn(move || {
        // Nobody listening any more is fine: then nobody wants to know.
        let _ = sender.send(plan(&inputs));
    });
    match interrupt::unless_asked(stop, counted).await {
        None => Err(AppError::Interrupted),
        // It has ended without a word, so nothing is known.
        Some(counted) => Ok(counted.unwrap_or_default()),
    }
}

/// Counts what there is to do; nothing where an input can be read only once. One that cannot be read at all has no games, which
/// reading it will say.
fn plan(inputs: &[Input]) -> Option<Plan> {
    let mut plan = Plan::default();
    for input in inputs {
        match fingerprint(input) {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(_) => continue,
        }
        let Ok(source) = Source::open(input) else { continue };
        // A file that breaks off has so many games at least.
        let _ = read_games(source, &mut plan);
    }
    Some(plan)
}

/// Reads games on a thread of their own, no further ahead than they are wanted. The first `done` are passed over.
pub(super) fn read(inputs: Vec<Input>, done: u64, ahead: usize) -> mpsc::Receiver<Arrived> {
    let (sender, arriving) = mpsc::channel(ahead);
    thread::spawn(move || {
        let number = AtomicU64::new(0);
        for input in inputs {
            let name: Arc<str> = input.to_string().into();
            let source = match Source::open(&input) {
                Ok(source) => source,
                Err(source) => {
                    let error = AppError::Unreadable {
                        input: name.to_string(),
                        source,
                    };
                    // Nobody listening any more is fine: then nobody wants to know.
                    let _ = sender.blocking_send(Arrived::Broken(error));
                    continue;
                }
            };
            let end = read_trees(source, |game| {
                let number = number.fetch_add(1, Ordering::Relaxed) + 1;
                if number > done && !sender.is_closed() {
                    let game = Arrived::Game {
                        file: Arc::clone(&name),
                        number,
                        game: Box::new(game),
                    };
                    let _ = sender.blocking_send(game);
                }
            });
            if let Err(cut) = end {
                let error = AppError::GamesCutShort {
                    input: name.to_string(),
                    reason: cut.to_string(),
                };
                let _ = sender.blocking_send(Arrived::Broken(error));
            }
            if sender.is_closed() {
                return;
            }
        }
    });
    arriving
}

/// The first game of a text, or why there is none.
pub(super) fn first(pgn: &str) -> Result<Game, String> {
    let bytes = Box::new(Cursor::new(pgn.to_owned()));
    let source = Source::from_reader("the game".to_owned(), bytes, None, 0).map_err(|error| error.to_string())?;
    let mut first = None;
    let read = read_trees(source, |game| {
        first.get_or_insert(game);
    });
    read.map_err(|cut| cut.to_string())?;
    first.ok_or_else(|| "there is no game in it".to_owned())
}
