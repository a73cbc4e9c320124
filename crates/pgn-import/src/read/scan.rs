//! Where games begin, found without looking at their moves.

use super::lexer::Lexer;
use super::token::Token;

/// The places where games begin. Ends early where a comment stands open that more bytes might close.
pub(crate) fn game_starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut lexer = Lexer::new(bytes);
    let mut open = false;
    std::iter::from_fn(move || {
        if open || !lexer.begin_game() {
            return None;
        }
        let start = lexer.pos();
        while lexer.next_tag().is_some() {}
        open = !pass_moves(&mut lexer);
        Some(start)
    })
}

/// Whether the bytes are one game that shows its result, so that nothing of it can be missing.
pub(crate) fn is_whole_game(bytes: &[u8]) -> bool {
    let mut lexer = Lexer::new(bytes);
    if !lexer.begin_game() {
        return false;
    }
    while lexer.next_tag().is_some() {}
    pass_moves(&mut lexer) && lexer.result_seen()
}

/// Goes to the end of the game. False if that end is not known yet.
fn pass_moves(lexer: &mut Lexer<'_>) -> bool {
    loop {
        match lexer.next_token() {
            Token::EndOfGame => return true,
            Token::OpenComment => return !lexer.comment_may_close(),
            _ => {}
        }
    }
}
