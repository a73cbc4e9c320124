//! Walks one game: tags, then every move checked for legality, its variations in file order.

use std::ops::ControlFlow;

use shakmaty::{Chess, Move, Position as _, san::San};
use tabiya_chess::{SanError, resolve};

use super::{
    lexer::Lexer,
    skim::Glimpse,
    start::{Start, StartError, StartTags},
    tag::Tag,
    token::{GameResult, Token},
};
use crate::tactic::MOST_COPIED;

/// Where a game stands in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameAt {
    /// Counted from 0 within the source.
    pub index: u64,
    /// Bytes of the (decompressed) source before it.
    pub offset: u64,
}

/// Variations that stand deeper are none that anybody has written. Each of them that is open holds two positions: without
/// a limit three bytes of a file take a hundred times as many of memory.
const DEEPEST: usize = 4_000;

/// Sees a game go by. Every method has a default that does nothing, so a visitor says only what it cares for.
pub trait Visitor {
    /// Whether variations are walked. Where they are not, they are passed over without a look at their moves.
    const VARIATIONS: bool = true;

    fn begin_game(&mut self, _at: GameAt) {}

    fn tag(&mut self, _tag: &Tag<'_>) {}

    /// All tags have been seen. Breaking here passes over the moves.
    fn begin_moves(&mut self, _start: &Start) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A legal move is about to be made. Breaking leaves it and passes over the rest of the game.
    ///
    /// The position before a move and the one behind it come in two calls, because holding both would cost a copy for
    /// every move of every game.
    fn playing(&mut self, _before: &Chess, _m: Move) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The move has been made.
    fn reached(&mut self, _after: &Chess) {}

    /// A move of the main line behind the one that [`playing`](Visitor::playing) left: nobody has asked whether it is
    /// legal.
    fn unplayed(&mut self, _seen: Glimpse) {}

    /// A null move stands here, which [`passed`](Visitor::passed) is told of next. It is no fault; what is said of it here is for those
    /// who leave out what follows it, and have to say so.
    fn passing(&mut self, _at: &Fault<'_>) {}

    /// `--`: the other side is to move.
    fn passed(&mut self, _before: &Chess) {}

    fn comment(&mut self, _text: &[u8]) {}

    fn nag(&mut self, _nag: u8) {}

    /// What follows replaces the last move. Breaking passes over this variation.
    fn begin_variation(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {}

    fn result(&mut self, _result: GameResult) {}

    /// Something could not be understood; the branch it stands in ends there.
    fn fault(&mut self, _fault: &Fault<'_>) {}

    /// The game's own bytes, from its first to its last, just before it ends.
    fn text(&mut self, _bytes: &[u8]) {}

    fn end_game(&mut self) {}

    /// No games follow in this block. Where blocks are read side by side, this is the last thing done on the worker's thread.
    fn end_block(&mut self) {}
}

/// What could not be understood, and where.
#[derive(Debug, Clone)]
pub struct Fault<'a> {
    pub kind: FaultKind,
    /// Bytes of the (decompressed) source before it.
    pub offset: u64,
    /// Half-moves from the game's start to it.
    pub ply: u32,
    /// The text itself.
    pub token: &'a [u8],
    /// The position it was met in, if there was one.
    pub position: Option<&'a Chess>,
}

/// The ways in which a game can be beyond understanding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    #[error("no legal move is written like this here")]
    IllegalMove,
    #[error("more than one legal move is written like this here")]
    AmbiguousMove,
    #[error("this is not a move")]
    NotAMove,
    #[error("a null move is not possible while in check")]
    NullMoveInCheck,
    /// Nothing is wrong with it, but an import gathers nothing behind it.
    #[error("a null move: what follows it is left out")]
    NullMove,
    #[error("the comment that begins here is never closed")]
    OpenComment,
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("there are neither tags nor moves here")]
    NotAGame,
    #[error("variations stand more than {DEEPEST} deep here")]
    TooDeep,
    /// Of a puzzle, all moves that lead to each variation are kept with it.
    #[error("variations of it were left out: what leads to them has more than {MOST_COPIED} moves together")]
    TooManyVariations,
}

/// The line that is being walked: the position now and the one before its last move.
#[derive(Debug, Clone)]
struct Line {
    before: Chess,
    now: Chess,
    ply: u32,
    /// Whether a move has been played on it, so that a variation has something to replace.
    moved: bool,
}

/// Walks games out of one piece of a source.
#[derive(Debug, Clone)]
pub(crate) struct Walker<'a> {
    lexer: Lexer<'a>,
    base: u64,
    index: u64,
    start_tags: StartTags,
    stack: Vec<Line>,
}

impl<'a> Walker<'a> {
    /// `bytes` holds whole games; `base` and `index` are its place in the source.
    pub(crate) fn new(bytes: &'a [u8], base: u64, index: u64) -> Walker<'a> {
        Walker {
            lexer: Lexer::new(bytes),
            base,
            index,
            start_tags: StartTags::default(),
            stack: Vec::new(),
        }
    }

    /// Walks the next game. False when there is none.
    pub(crate) fn walk<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        if !self.lexer.begin_game() {
            return false;
        }
        let begin = self.lexer.pos();
        visitor.begin_game(GameAt {
            index: self.index,
            offset: self.base + begin as u64,
        });
        self.index += 1;
        self.start_tags.clear();
        let mut tagged = false;
        while let Some(tag) = self.lexer.next_tag() {
            tagged = true;
            self.start_tags.note(&tag, self.lexer.token_start());
            visitor.tag(&tag);
        }
        match self.start_tags.start() {
            Ok(start) => match visitor.begin_moves(&start) {
                ControlFlow::Continue(()) => self.moves(start.position, begin, tagged, visitor),
                ControlFlow::Break(()) => self.lexer.skip_game(),
            },
            Err(why) => {
                let (at, token) = self.start_tags.culprit(&why);
                let fault = Fault {
                    offset: self.base + at as u64,
                    ply: 0,
                    token: token.as_bytes(),
                    position: None,
                    kind: FaultKind::Start(why),
                };
                visitor.fault(&fault);
                self.lexer.skip_game();
            }
        }
        visitor.text(self.lexer.since(begin).trim_ascii());
        visitor.end_game();
        true
    }

    fn moves<V: Visitor>(&mut self, start: Chess, begin: usize, tagged: bool, visitor: &mut V) {
        self.stack.clear();
        let mut line = Line {
            before: start.clone(),
            now: start,
            ply: 0,
            moved: false,
        };
        let mut empty = !tagged;
        loop {
            let kind = match self.lexer.next_token() {
                Token::Move(San::Null) => match line.now.clone().swap_turn() {
                    Ok(turned) => {
                        visitor.passing(&Fault {
                            kind: FaultKind::NullMove,
                            offset: self.base + self.lexer.token_start() as u64,
                            ply: line.ply,
                            token: beginning(self.lexer.token_text()),
                            position: Some(&line.now),
                        });
                        visitor.passed(&line.now);
                        line.before = std::mem::replace(&mut line.now, turned);
                        line.ply += 1;
                        line.moved = true;
                        empty = false;
                        continue;
                    }
                    Err(_) => FaultKind::NullMoveInCheck,
                },
                Token::Move(san) => match resolve(&line.now, san) {
                    Ok(m) => {
                        if visitor.playing(&line.now, m).is_break() {
                            self.pass_over(visitor);
                            return;
                        }
                        if V::VARIATIONS {
                            line.before.clone_from(&line.now);
                        }
                        line.now.play_unchecked(m);
                        line.ply += 1;
                        line.moved = true;
                        empty = false;
                        visitor.reached(&line.now);
                        continue;
                    }
                    Err(SanError::Ambiguous) => FaultKind::AmbiguousMove,
                    Err(SanError::Illegal) => FaultKind::IllegalMove,
                },
                Token::Comment(text) => {
                    visitor.comment(text);
                    continue;
                }
                Token::Nag(nag) => {
                    visitor.nag(nag);
                    continue;
                }
                Token::BeginVariation => {
                    let too_deep = line.moved && self.stack.len() >= DEEPEST;
                    if too_deep {
                        self.report(FaultKind::TooDeep, &line, empty, visitor);
                    }
                    if V::VARIATIONS && line.moved && !too_deep && visitor.begin_variation().is_continue() {
                        let branch = Line {
                            before: line.before.clone(),
                            now: line.before.clone(),
                            ply: line.ply - 1,
                            moved: false,
                        };
                        self.stack.push(std::mem::replace(&mut line, branch));
                    } else if self.skipped_to_end() {
                        break;
                    }
                    continue;
                }
                Token::EndVariation => {
                    if let Some(outer) = self.stack.pop() {
                        line = outer;
                        visitor.end_variation();
                    }
                    continue;
                }
                Token::Result(result) => {
                    visitor.result(result);
                    empty = false;
                    continue;
                }
                Token::Word(_) => FaultKind::NotAMove,
                Token::OpenComment => FaultKind::OpenComment,
                Token::EndOfGame => break,
            };
            self.report(kind.clone(), &line, empty, visitor);
            if kind == FaultKind::OpenComment {
                break;
            }
            // The branch ends here: on with the line it left, or with the next game.
            match self.stack.pop() {
                None => {
                    self.lexer.skip_game();
                    return;
                }
                Some(outer) => {
                    let ended = self.skipped_to_end();
                    line = outer;
                    visitor.end_variation();
                    if ended {
                        break;
                    }
                }
            }
        }
        while self.stack.pop().is_some() {
            visitor.end_variation();
        }
        if empty {
            // No token is to blame, so the game's beginning is named.
            visitor.fault(&Fault {
                kind: FaultKind::NotAGame,
                offset: self.base + begin as u64,
                ply: 0,
                token: b"",
                position: Some(&line.now),
            });
        }
    }

    /// Goes to the game's end without a look at what its moves mean.
    fn pass_over<V: Visitor>(&mut self, visitor: &mut V) {
        loop {
            while let Some(seen) = self.lexer.skim() {
                visitor.unplayed(seen);
            }
            match self.lexer.next_token() {
                Token::EndOfGame | Token::OpenComment => return,
                Token::BeginVariation if self.skipped_to_end() => return,
                Token::Move(san) => visitor.unplayed(Glimpse::of(san)),
                Token::Result(result) => visitor.result(result),
                _ => {}
            }
        }
    }

    fn report<V: Visitor>(&self, kind: FaultKind, line: &Line, empty: bool, visitor: &mut V) {
        let kind = if empty && kind == FaultKind::NotAMove {
            FaultKind::NotAGame
        } else {
            kind
        };
        let text = self.lexer.token_text();
        visitor.fault(&Fault {
            offset: self.base + self.lexer.token_start() as u64,
            ply: line.ply,
            token: if kind == FaultKind::OpenComment {
                b"{"
            } else {
                beginning(text)
            },
            position: Some(&line.now),
            kind,
        });
    }

    /// Passes over the innermost variation; true if the game ended before it did.
    fn skipped_to_end(&mut self) -> bool {
        !matches!(self.lexer.skip_variation(), Token::EndVariation)
    }
}

/// As much of what cannot be read as is repeated, without half a letter at its end: that would make another encoding of the whole.
fn beginning(text: &[u8]) -> &[u8] {
    let mut end = text.len().min(40);
    // In UTF-8 a letter has three such bytes at the most; more of them are Latin-1.
    while end < text.len() && end > 37 && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn letters_are_repeated_whole() {
        let long = "Кf3+,сильнейшее-продолжение-атаки".as_bytes();
        assert!(long.len() > 40 && std::str::from_utf8(&long[..40]).is_err());
        assert_eq!(std::str::from_utf8(beginning(long)), Ok("Кf3+,сильнейшее-продол"));
        assert_eq!(beginning("♞".repeat(20).as_bytes()).len(), 39);
        assert_eq!(beginning(&[0xb5; 60]).len(), 37);
        assert_eq!(beginning(b"Sf3"), b"Sf3");
    }
}
