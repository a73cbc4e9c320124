//! Games out of bytes that come in pieces.

/// What has come and is not a whole game yet. The sites write games with their tags first, `Event` before all others, and a
/// blank line behind the moves; comments of theirs have none.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    /// Where the game at hand begins: those before it have been handed out.
    start: usize,
    /// Up to here there is no second beginning.
    looked: usize,
}

const BEGINNING: &[u8] = b"\n[Event ";

/// A hundred times as long as the longest game with all its clock times and evaluations. What is longer is no game, and may
/// have no end.
pub(super) const LONGEST: usize = 4 << 20;

impl Pieces {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.looked -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// What was not whole will come again.
    pub(super) fn begin_anew(&mut self) {
        *self = Pieces::default();
    }

    /// The next game that is followed by another.
    pub(super) fn next_whole(&mut self) -> Option<Vec<u8>> {
        loop {
            let next = self.next_beginning()?;
            let game = trimmed(&self.bytes[self.start..next]);
            self.start = next + 1;
            self.looked = self.start;
            if game.is_some() {
                return game;
            }
        }
    }

    /// The last game, where the answer is over.
    pub(super) fn rest(&mut self) -> Option<Vec<u8>> {
        let game = trimmed(&self.bytes[self.start..]);
        self.begin_anew();
        game
    }

    /// Whether more has come than a game can have.
    pub(super) fn is_too_long(&self) -> bool {
        self.bytes.len() - self.start > LONGEST
    }

    /// Where the game at hand ends, because the next begins behind that.
    fn next_beginning(&mut self) -> Option<usize> {
        match memchr::memmem::find(&self.bytes[self.looked..], BEGINNING) {
            Some(at) => Some(self.looked + at),
            None => {
                let end = self.bytes.len().saturating_sub(BEGINNING.len() - 1);
                self.looked = end.max(self.start);
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

    #[test]
    fn what_has_no_end_is_noticed() {
        let mut pieces = Pieces::default();
        let game = [
            b"\n[Event \"a\"]\n\n1. e4 {".as_slice(),
            &[b'x'; LONGEST / 4],
            b"} *\n\n",
        ]
        .concat();
        for _ in 0..10 {
            pieces.push(&game);
            while pieces.next_whole().is_some() {}
            assert!(!pieces.is_too_long());
        }
        pieces.push(&[b'x'; LONGEST]);
        assert!(pieces.next_whole().is_none() && pieces.is_too_long());
    }
}
