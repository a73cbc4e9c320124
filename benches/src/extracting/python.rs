//! The loop that the design sketches, in python-chess: read a game, play it through, keep one eligible position. On a slice.

use std::time::Duration;

use anyhow::{Result, ensure};

use crate::{
    clock::{Cost, timed},
    contender::{Contender, Counts},
    corpus::Slice,
    python::Python,
    reading,
};

/// Says games, positions and the seconds between the first and the last of them.
const SCRIPT: &str = r#"
import random, sys, time
import chess.pgn

MIN_PLY, END_MARGIN, TB_PIECES, MIN_GAME_LENGTH = 10, 5, 6, 20

def should_process(game, plies):
    if "BOT" in (game.headers.get("WhiteTitle"), game.headers.get("BlackTitle")):
        return False
    return plies >= MIN_GAME_LENGTH and game.headers.get("Termination") != "Abandoned"

games = taken = 0
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    begun = time.perf_counter()
    while (game := chess.pgn.read_game(file)) is not None:
        games += 1
        nodes = list(game.mainline())
        if not should_process(game, len(nodes)):
            continue
        eligible = []
        board = game.board()
        for ply, node in enumerate(nodes):
            evaluated = "[%eval" in (node.parent.comment or "")
            if not (evaluated or ply < MIN_PLY or ply > len(nodes) - END_MARGIN
                    or chess.popcount(board.occupied) <= TB_PIECES or board.is_game_over()):
                eligible.append((board.fen(), node.move.uci()))
            board.push(node.move)
        if eligible:
            random.Random(game.headers.get("Site")).choice(eligible)
            taken += 1
    seconds = time.perf_counter() - begun
print(games, taken, seconds)
"#;

#[derive(Debug)]
pub(super) struct PythonLoop {
    python: Python,
    slice: Slice,
}

impl PythonLoop {
    pub(super) fn new(slice: Slice) -> PythonLoop {
        PythonLoop {
            python: Python::find(),
            slice,
        }
    }

    fn read(&self) -> Result<(u64, Duration)> {
        let [games, taken, seconds] = self.python.numbers(SCRIPT, &self.slice.path)?;
        ensure!(taken > 0.0, "it takes no position of {games} games");
        Ok((games as u64, Duration::from_secs_f64(seconds)))
    }
}

impl Contender for PythonLoop {
    fn name(&self) -> String {
        "python-chess, the sketched loop".to_owned()
    }

    fn installed(&self) -> bool {
        self.python.installed()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        let (games, _) = self.read()?;
        Ok(Some(Counts { games, moves: 0 }))
    }

    fn expected(&self, whole: Counts) -> Counts {
        // A slice that cannot be read agrees with nothing, which is what it should do.
        reading::read(&self.slice.path).map_or(whole, |read| Counts {
            games: read.games,
            moves: 0,
        })
    }

    fn bytes(&self) -> u64 {
        self.slice.bytes
    }

    fn run(&mut self) -> Result<()> {
        self.read().map(drop)
    }

    fn measure(&mut self) -> Result<Cost> {
        let (read, cost) = timed(|| self.read());
        let (_, wall) = read?;
        Ok(Cost { wall, ..cost })
    }

    fn turns(&self) -> usize {
        2
    }
}
