//! Games out of bytes that come in pieces.

use std::ops::Range;

/// What has come and is not a whole game yet. The sites write games with their tags first, `Event` before all others, and a
/// blank line behind the moves; comments of theirs have none.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    /// Up to here there is no second beginning.
    looked: usize,
}

const BEGINNING: &[u8] = b"\n[Event ";

impl Pieces {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// What was not whole will come again.
    pub(super) fn begin_anew(&mut self) {
        self.bytes.clear();
        self.looked = 0;
    }

    /// The next game that is followed by another.
    pub(super) fn next_whole(&mut self) -> Option<Vec<u8>> {
        let next = self.next_beginning()?;
        let game = trimmed(&self.bytes[..next.start]);
        self.bytes.drain(..=next.start);
        self.looked = 0;
        game.or_else(|| self.next_whole())
    }

    /// The last game, where the answer is over.
    pub(super) fn rest(&mut self) -> Option<Vec<u8>> {
        let game = trimmed(&self.bytes);
        self.begin_anew();
        game
    }

    /// Where the next game begins behind the one at hand.
    fn next_beginning(&mut self) -> Option<Range<usize>> {
        let found = self.bytes[self.looked..]
            .windows(BEGINNING.len())
            .position(|window| window == BEGINNING);
        match found {
            Some(at) => {
                let start = self.looked + at;
                Some(start..start + BEGINNING.len())
            }
            None => {
                self.looked = self.bytes.len().saturating_sub(BEGINNING.len() - 1);
                None
            }
        }
    }
}

fn trimmed(bytes: &[u8]) -> Option<Vec<u8>> {
    let game = bytes.trim_ascii();
    (!game.is_empty()).then(|| game.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_come_whole_however_the_bytes_are_cut() {
        let text = b"[Event \"a\"]\n\n1. e4 *\n\n\n[Event \"b\"]\n\n1. d4 *\n\n[Event \"c\"]\n\n*\n\n\n";
        for size in 1..text.len() {
            let mut pieces = Pieces::default();
            let mut games = Vec::new();
            for piece in text.chunks(size) {
                pieces.push(piece);
                while let Some(game) = pieces.next_whole() {
                    games.push(game);
                }
            }
            assert_eq!(games.len(), 2, "the third may go on");
            games.extend(pieces.rest());
            let games: Vec<_> = games.iter().map(|game| String::from_utf8_lossy(game)).collect();
            assert_eq!(
                games,
                [
                    "[Event \"a\"]\n\n1. e4 *",
                    "[Event \"b\"]\n\n1. d4 *",
                    "[Event \"c\"]\n\n*"
                ]
            );
        }
        assert_eq!(Pieces::default().rest(), None);
    }
}
