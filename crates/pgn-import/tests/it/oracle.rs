//! Our reading against pgn-reader's and shakmaty's, on games that both must understand.

use std::{io::Cursor, ops::ControlFlow};

use pgn_import::{Visitor as OurVisitor, read_games};
use pgn_reader::{RawComment, Reader, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Move, Position as _, fen::Fen};

use crate::{
    round_trip::random_game,
    support::{Random, fixtures, source_of},
};

/// Main lines as pgn-reader and shakmaty's own SAN see them.
struct Oracle;

impl Visitor for Oracle {
    type Tags = Chess;
    type Movetext = (Chess, Vec<Move>);
    type Output = Vec<Move>;

    fn begin_tags(&mut self) -> ControlFlow<Vec<Move>, Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: pgn_reader::RawTag<'_>) -> ControlFlow<Vec<Move>> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
            *start = fen.into_position(CastlingMode::Standard).expect("a position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<Vec<Move>, (Chess, Vec<Move>)> {
        ControlFlow::Continue((start, Vec::new()))
    }

    fn begin_variation(&mut self, _: &mut (Chess, Vec<Move>)) -> ControlFlow<Vec<Move>, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn comment(&mut self, _: &mut (Chess, Vec<Move>), _: RawComment<'_>) -> ControlFlow<Vec<Move>> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (position, moves): &mut (Chess, Vec<Move>), san: SanPlus) -> ControlFlow<Vec<Move>> {
        if san.san == shakmaty::san::San::Null {
            *position = position.clone().swap_turn().expect("not in check");
            return ControlFlow::Continue(());
        }
        let m = san.san.to_move(position).expect("a legal move");
        position.play_unchecked(m);
        moves.push(m);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, moves): (Chess, Vec<Move>)) -> Vec<Move> {
        moves
    }
}

/// Main lines as we see them, and whether the positions we are shown follow from one another.
#[derive(Default)]
struct Ours {
    games: Vec<Vec<Move>>,
    next: Option<Chess>,
    faults: Vec<String>,
}

impl OurVisitor for Ours {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _: pgn_import::GameAt) {
        self.games.push(Vec::new());
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        assert!(
            before.is_legal(m),
            "shown {m:?} from another position than it was played in"
        );
        let mut next = before.clone();
        next.play_unchecked(m);
        self.next = Some(next);
        self.games.last_mut().expect("a game").push(m);
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        assert_eq!(self.next.take().as_ref(), Some(after));
    }

    fn fault(&mut self, fault: &pgn_import::Fault<'_>) {
        self.faults.push(format!("{fault:?}"));
    }
}

fn compare(pgn: &str) {
    let theirs: Vec<_> = Reader::new(Cursor::new(pgn))
        .read_games(&mut Oracle)
        .map(|game| game.expect("read"))
        .collect();
    let mut ours = Ours::default();
    read_games(source_of(pgn.as_bytes()), &mut ours).expect("whole");
    assert_eq!(ours.faults, [""; 0], "{pgn}");
    assert_eq!(ours.games.len(), theirs.len(), "{pgn}");
    for (ours, theirs) in ours.games.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{pgn}");
    }
}

#[test]
fn main_lines_are_those_of_pgn_reader() {
    for seed in 5_000..5_300 {
        compare(&random_game(&mut Random(seed)).to_string());
    }
}

#[test]
fn many_games_are_those_of_pgn_reader() {
    let games: Vec<_> = (7_000..7_100)
        .map(|seed| random_game(&mut Random(seed)).to_string())
        .collect();
    compare(&games.join("\n"));
}

/// Where the walker passes over variations it must still show each move from the position it was played in.
#[test]
fn moves_are_shown_from_where_they_are_played() {
    for (_, bytes) in fixtures() {
        read_games(source_of(&bytes), &mut Ours::default()).expect("whole");
    }
}
