//! What a lexer finds.

use shakmaty::san::San;

/// What movetext is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    Move(San),
    /// The text of a comment without its delimiters.
    Comment(&'a [u8]),
    Nag(u8),
    BeginVariation,
    EndVariation,
    Result(GameResult),
    /// Letters that are neither a move nor a usual annotation.
    Word(&'a [u8]),
    /// A comment that was never closed. The game ends here; the next one begins where its tags stand.
    OpenComment,
    EndOfGame,
}

/// The result at the end of a game's moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
    /// `*`: unfinished or unknown.
    Unknown,
}

impl GameResult {
    /// The result as PGN writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}
