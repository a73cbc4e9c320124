//! python-chess, with a visitor that builds no tree: its fastest way to check every move. On a slice, for time's sake.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::tabiya;
use crate::{
    clock::{Cost, timed},
    contender::{Contender, Counts},
    corpus::Slice,
    python::Python,
};

/// Says games, moves and the seconds of processor time between the first and the last of them.
const SCRIPT: &str = r#"
import sys, time
import chess.pgn

class Counter(chess.pgn.BaseVisitor):
    moves = 0
    faults = 0
    def begin_variation(self):
        return chess.pgn.SKIP
    def visit_move(self, board, move):
        Counter.moves += 1
    def handle_error(self, error):
        Counter.faults += 1
    def result(self):
        return True

games = 0
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    begun = time.process_time()
    while chess.pgn.read_game(file, Visitor=Counter):
        games += 1
    seconds = time.process_time() - begun
print(games, Counter.moves, Counter.faults, seconds)
"#;

#[derive(Debug)]
pub(crate) struct PythonChess {
    python: Python,
    slice: Slice,
}

impl PythonChess {
    pub(crate) fn new(slice: Slice) -> PythonChess {
        PythonChess {
            python: Python::find(),
            slice,
        }
    }

    fn read(&self) -> Result<(Counts, Duration)> {
        let [games, moves, faults, seconds] = self.python.numbers(SCRIPT, &self.slice.path)?;
        ensure!(faults == 0.0, "it finds {faults} faults");
        let counts = Counts {
            games: games as u64,
            moves: moves as u64,
        };
        Ok((counts, Duration::from_secs_f64(seconds)))
    }
}

impl Contender for PythonChess {
    fn name(&self) -> String {
        "python-chess, visitor".to_owned()
    }

    fn installed(&self) -> bool {
        self.python.installed()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        Ok(Some(self.read()?.0))
    }

    fn expected(&self, whole: Counts) -> Counts {
        // A slice that cannot be read agrees with nothing, which is what it should do.
        tabiya::read(&self.slice.path).unwrap_or(whole)
    }

    fn bytes(&self) -> u64 {
        self.slice.bytes
    }

    fn run(&mut self) -> Result<()> {
        self.read().map(drop)
    }

    fn measure(&mut self) -> Result<Cost> {
        let (read, cost) = timed(|| self.read());
        let (_, cpu) = read?;
        Ok(Cost { cpu, ..cost })
    }

    fn turns(&self) -> usize {
        3
    }
}
