//! The words of the rule language.

use std::fmt;

use shakmaty::{Bitboard, File, Rank};

/// One condition on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `d4`, `c23`, `e*`, `Bg7`, `[c5 e5]`: something stands on at least one of these.
    OneOf(Vec<Place>),
    /// `-ce`: no pawn on these files.
    NoneOnFiles(Files),
    /// `-e45`: no pawn on these squares.
    NoneOn(Squares),
}

/// Squares for a pawn or for a bishop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) bishop: bool,
    pub(super) squares: Squares,
}

/// Squares of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Squares {
    pub(super) file: File,
    pub(super) ranks: Ranks,
}

/// A set of files, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Files(u8);

/// A set of ranks, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranks(u8);

impl Files {
    pub(super) fn insert(&mut self, file: File) {
        self.0 |= 1 << file as u8;
    }

    fn iter(self) -> impl Iterator<Item = File> {
        File::ALL.into_iter().filter(move |&file| self.0 >> file as u8 & 1 == 1)
    }
}

impl Ranks {
    pub(super) const ALL: Ranks = Ranks(0xff);

    pub(super) fn insert(&mut self, rank: Rank) {
        self.0 |= 1 << rank as u8;
    }

    fn iter(self) -> impl Iterator<Item = Rank> {
        Rank::ALL.into_iter().filter(move |&rank| self.0 >> rank as u8 & 1 == 1)
    }
}

impl Squares {
    fn mask(self) -> Bitboard {
        let ranks: Bitboard = self
            .ranks
            .iter()
            .fold(Bitboard::EMPTY, |all, rank| all | Bitboard::from_rank(rank));
        ranks & Bitboard::from_file(self.file)
    }
}

impl Token {
    /// The squares on which this asks about pawns.
    pub(super) fn pawns(&self) -> Bitboard {
        match self {
            Token::OneOf(places) => union(places, false),
            Token::NoneOnFiles(files) => files
                .iter()
                .fold(Bitboard::EMPTY, |all, file| all | Bitboard::from_file(file)),
            Token::NoneOn(squares) => squares.mask(),
        }
    }

    /// The squares on which this asks about bishops.
    pub(super) fn bishops(&self) -> Bitboard {
        match self {
            Token::OneOf(places) => union(places, true),
            _ => Bitboard::EMPTY,
        }
    }
}

fn union(places: &[Place], bishop: bool) -> Bitboard {
    places
        .iter()
        .filter(|place| place.bishop == bishop)
        .fold(Bitboard::EMPTY, |all, place| all | place.squares.mask())
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::OneOf(places) => match &places[..] {
                [place] => place.fmt(f),
                places => {
                    for (number, place) in places.iter().enumerate() {
                        let before = if number == 0 { "[" } else { " " };
                        write!(f, "{before}{place}")?;
                    }
                    f.write_str("]")
                }
            },
            Token::NoneOnFiles(files) => {
                f.write_str("-")?;
                files.iter().try_for_each(|file| write!(f, "{}", file.char()))
            }
            Token::NoneOn(squares) => write!(f, "-{squares}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bishop = if self.bishop { "B" } else { "" };
        write!(f, "{bishop}{}", self.squares)
    }
}

impl fmt::Display for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.char())?;
        match self.ranks {
            Ranks::ALL => f.write_str("*"),
            ranks => ranks.iter().try_for_each(|rank| write!(f, "{}", rank.char())),
        }
    }
}
