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

use pgn_import::{Game, GameAt, Input, ROOT, Source, Start, Visitor, fingerprint, read_games, read_trees};
use shakmaty::Chess;
use tokio::sync::{mpsc, oneshot};

use super::tree::is_rubbish;
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

/// How many games and positions there are. What has no moves is no game here: rubbish behind a game is looked at like one.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Plan {
    pub(super) games: u64,
    pub(super) positions: u64,
    /// Whether the game at hand has a move.
    moved: bool,
}

impl Visitor for Plan {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.moved = false;
    }

    fn begin_moves(&mut self, _start: &Start) -> ControlFlow<()> {
        self.positions += 1;
        ControlFlow::Continue(())
    }

    fn reached(&mut self, _after: &Chess) {
        self.positions += 1;
        self.games += u64::from(!std::mem::replace(&mut self.moved, true));
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
                    reason: cut.in_full(),
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

/// The first game of a text, or why there is none. What is nothing at all (words, tags alone) is passed over where a game comes behind it, a
/// broken game is not: whoever handed it in has to hear of it. What breaks off behind it is none of its business.
pub(super) fn first(pgn: &str) -> Result<Game, String> {
    let bytes = Box::new(Cursor::new(pgn.to_owned()));
    let source = Source::from_reader("the game".to_owned(), bytes, None, 0).map_err(|error| error.to_string())?;
    let is_nothing = |game: &Game| is_rubbish(game) || (game.children(ROOT).is_empty() && game.faults.is_empty());
    let mut first: Option<Game> = None;
    let read = read_trees(source, |game| {
        if first
            .as_ref()
            .is_none_or(|first| is_nothing(first) && !is_nothing(&game))
        {
            first = Some(game);
        }
    });
    match (first, read) {
        (Some(first), _) => Ok(first),
        (None, Err(cut)) => Err(cut.in_full()),
        (None, Ok(_)) => Err("there is no game in it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(pgn: &str) -> (u64, u64) {
        let mut plan = Plan::default();
        let bytes = Box::new(Cursor::new(pgn.to_owned()));
        let source = Source::from_reader("games".to_owned(), bytes, None, 0).expect("readable");
        read_games(source, &mut plan).expect("whole");
        (plan.games, plan.positions)
    }

    #[test]
    fn what_has_no_moves_is_no_game() {
        let game = "[Event \"x\"]\n\n1. e4 e5 1-0\n\n";
        assert_eq!(counted(game).0, 1);
        assert_eq!(counted(&format!("{game}Thank you for playing!\n")).0, 1);
        assert_eq!(counted(&format!("{game}[Event \"y\"]\n\n*\n\n{game}")).0, 2);
    }

    #[test]
    fn the_first_game_is_one_with_moves() {
        let played = |pgn: &str| first(pgn).map(|game| game.main_line().count());
        assert_eq!(played("My best game:\n\n[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n"), Ok(3));
        assert_eq!(played("1. e4 *\n\n1. d4 d5 *\n"), Ok(1));
        // Nobody is told of another game than the one that was handed in.
        assert_eq!(played("[FEN \"x\"]\n\n1. e4 *\n\n[Event \"y\"]\n\n1. d4 *\n"), Ok(0));
        assert_eq!(played("[White \"a\"]\n\n*\n\n1. d4 d5 *\n"), Ok(2));
        assert_eq!(played("[Event \"x\"]\n\n*\n"), Ok(0));
        assert!(played("").is_err());
        // A whole game is not lost for what comes behind it.
        let endless = format!("1. e4 *\n\n{}", "x".repeat(17 << 20));
        assert_eq!(played(&endless), Ok(1));
    }
}
