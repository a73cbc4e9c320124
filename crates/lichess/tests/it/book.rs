//! An honest explorer over a few lines.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

use shakmaty::{Chess, Position};
use tabiya_chess::{PositionId, from_uci, parse_fen, parse_san, resolve, to_san, to_uci};

/// The position after a line in SAN.
pub(crate) fn after(line: &str) -> Chess {
    let mut pos = Chess::default();
    for san in line.split_whitespace() {
        let (san, ..) = parse_san(san.as_bytes()).expect(san);
        pos.play_unchecked(resolve(&pos, san).expect("a legal move"));
    }
    pos
}

/// White wins, draws, Black wins.
type Counts = [u64; 3];

/// Games by position and move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book(HashMap<PositionId, BTreeMap<String, Counts>>);

impl Book {
    /// Lines in SAN, each with its games.
    pub(crate) fn new(lines: &[(&str, Counts)]) -> Book {
        let mut book = Book::default();
        for (line, counts) in lines {
            let mut pos = Chess::default();
            for san in line.split_whitespace() {
                let (parsed, ..) = parse_san(san.as_bytes()).expect(san);
                let m = resolve(&pos, parsed).expect(san);
                let edges = book.0.entry(PositionId::of(&pos)).or_default();
                let edge = edges.entry(to_uci(&pos, m)).or_default();
                edge.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                pos.play_unchecked(m);
            }
        }
        book
    }

    /// The wire format of the answer about `fen`, most played first.
    pub(crate) fn answer(&self, fen: &str) -> String {
        self.answer_with(fen, "")
    }

    /// As `answer`, with more entries in the list of moves.
    pub(crate) fn answer_with(&self, fen: &str, more: &str) -> String {
        let pos = parse_fen(fen).expect(fen).position;
        let mut edges: Vec<_> = self.0.get(&PositionId::of(&pos)).into_iter().flatten().collect();
        edges.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<u64>()));
        let mut total = [0; 3];
        let mut moves = String::new();
        for (uci, counts) in edges {
            total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            let san = to_san(&pos, from_uci(&pos, uci).expect(uci));
            let [white, draws, black] = counts;
            write!(
                moves,
                r#"{{"uci":"{uci}","san":"{san}","averageRating":2400,"white":{white},"draws":{draws},"black":{black},"game":null}},"#
            )
            .expect("a string");
        }
        moves.push_str(more);
        let moves = moves.trim_end_matches(',');
        let [white, draws, black] = total;
        format!(
            r#"{{"white":{white},"draws":{draws},"black":{black},"averageRating":2450,"moves":[{moves}],"topGames":[],"opening":null}}"#
        )
    }
}

/// A small repertoire with transpositions, moves of few games and lines of different length.
pub(crate) fn sample() -> Book {
    Book::new(&[
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", [300, 200, 100]),
        ("e4 e5 Nf3 Nc6 Bb5 a6", [200, 300, 100]),
        ("e4 c5 Nf3 d6 d4 cxd4", [150, 120, 140]),
        ("d4 Nf6 c4 e6 Nf3 d5", [100, 150, 60]),
        ("Nf3 d5 d4 Nf6 c4 e6", [40, 60, 20]),
        ("c4 Nf6 d4 e6 Nf3 d5", [20, 30, 10]),
        ("b4 e5", [10, 10, 10]),
    ])
}
