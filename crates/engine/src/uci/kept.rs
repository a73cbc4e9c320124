//! Which of an engine's many lines are the answer.

use super::Info;

/// Collects the lines of a search and keeps the deepest whole set of them.
///
/// Engines print a set of lines, one for each index, whenever they finish a depth; and when they are stopped they print what
/// they have. Stockfish then repeats, for every index that the unfinished depth did not reach, the line of the depth before,
/// in the new order of moves: adopted into that older set it would put one move there twice and leave another out. So sets are
/// built apart and replace one another whole:
///
/// - a line of a greater depth begins a new set; a line of a smaller one is a repetition and is passed over;
/// - an index that comes again at the same depth begins its set anew from there on, and those before it stay;
/// - a bound does all this too, but leaves its place empty;
/// - a set counts once it has all its indexes, each with another first move.
///
/// Lines are kept as they came, in buffers that are used again; only those of the answer are taken apart in the end.
#[derive(Debug, Default)]
pub(crate) struct KeptLines {
    wanted: usize,
    kept: Set,
    growing: Set,
}

#[derive(Debug, Default)]
struct Set {
    depth: u8,
    lines: Vec<Vec<u8>>,
    /// The move each line begins with; nothing where there is no line.
    firsts: Vec<Option<FirstMove>>,
}

type FirstMove = [u8; 5];

impl Set {
    fn clear(&mut self, wanted: usize) {
        self.depth = 0;
        self.lines.resize_with(wanted, Vec::new);
        self.firsts.clear();
        self.firsts.resize(wanted, None);
    }

    fn forget_from(&mut self, slot: usize) {
        self.firsts[slot..].fill(None);
    }

    fn is_whole(&self) -> bool {
        self.firsts
            .iter()
            .enumerate()
            .all(|(slot, first)| first.is_some() && !self.firsts[..slot].contains(first))
    }
}

impl KeptLines {
    /// Begins a search for so many lines.
    pub(crate) fn begin(&mut self, wanted: usize) {
        self.wanted = wanted;
        self.kept.clear(wanted);
        self.growing.clear(wanted);
    }

    /// Takes what followed the word `info`, if it belongs to an answer.
    pub(crate) fn take(&mut self, info: &Info<'_>, rest: &[u8]) {
        let (Some(depth), Some(_), Some(first)) = (info.depth, info.score, info.moves().next()) else {
            return;
        };
        let slot = usize::from(info.multipv.unwrap_or(1)).wrapping_sub(1);
        if slot >= self.wanted || depth < self.growing.depth {
            return;
        }
        if depth > self.growing.depth {
            self.growing.depth = depth;
            self.growing.forget_from(0);
        } else if self.growing.firsts[slot].is_some() {
            self.growing.forget_from(slot);
        }
        if info.bound.is_some() {
            return;
        }
        let line = &mut self.growing.lines[slot];
        line.clear();
        line.extend_from_slice(rest);
        let mut key = FirstMove::default();
        key.iter_mut().zip(first).for_each(|(to, from)| *to = *from);
        self.growing.firsts[slot] = Some(key);
        if self.growing.is_whole() {
            self.keep();
        }
    }

    /// Copies, so that the set can go on growing from where it is: a later line may replace its last index alone.
    fn keep(&mut self) {
        self.kept.depth = self.growing.depth;
        self.kept.firsts.clone_from(&self.growing.firsts);
        for (kept, line) in self.kept.lines.iter_mut().zip(&self.growing.lines) {
            kept.clone_from(line);
        }
    }

    /// The lines of the answer by index, or nothing if no depth was finished.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let whole = self.wanted > 0 && self.kept.is_whole();
        self.kept.lines[..if whole { self.wanted } else { 0 }]
            .iter()
            .map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a transcript: depth, index and first move of each line.
    fn kept(wanted: usize, transcript: &str) -> Vec<(u8, u16, String)> {
        let mut lines = KeptLines::default();
        lines.begin(wanted);
        for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let Some(rest) = line.strip_prefix("info ") else {
                continue;
            };
            let info = Info::parse(rest.as_bytes()).expect(line);
            lines.take(&info, rest.as_bytes());
        }
        lines
            .lines()
            .map(|rest| {
                let info = Info::parse(rest).expect("a kept line");
                let first = info.moves().next().expect("a move");
                (
                    info.depth.expect("a depth"),
                    info.multipv.unwrap_or(1),
                    String::from_utf8_lossy(first).into_owned(),
                )
            })
            .collect()
    }

    #[track_caller]
    fn check(wanted: usize, transcript: &str, expected: &[(u8, u16, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(d, i, m)| (*d, *i, (*m).to_owned())).collect();
        assert_eq!(kept(wanted, transcript), expected);
    }

    /// Stockfish 19 on the Italian, `go nodes 100000`, two lines; the end of it.
    const STOPPED_IN_THE_SECOND_LINE: &str = "
        info depth 11 seldepth 14 multipv 1 score cp 37 nodes 38832 nps 106975 hashfull 10 time 363 pv d2d4 e5d4 f3d4 g8f6
        info depth 11 seldepth 18 multipv 2 score cp 23 nodes 38832 nps 106681 hashfull 10 time 364 pv f1b5 d8f6 e1g1 a7a6
        info depth 12 seldepth 24 multipv 1 score cp 26 nodes 65314 nps 148440 hashfull 20 time 440 pv b1c3 g8f6 d2d4 e5d4
        info depth 12 seldepth 24 multipv 2 score cp 25 nodes 65314 nps 147103 hashfull 20 time 444 pv d2d4 e5d4 f3d4 g8f6
        info depth 13 seldepth 17 multipv 1 score cp 28 nodes 100040 nps 199282 hashfull 32 time 502 pv d2d4 e5d4 f3d4 g8f6
        info depth 13 seldepth 29 multipv 2 score cp 18 upperbound nodes 100040 nps 199282 hashfull 32 time 502 pv b1c3 g8f6
        bestmove d2d4 ponder e5d4";

    #[test]
    fn a_deeper_set_that_is_not_whole_is_not_kept() {
        check(2, STOPPED_IN_THE_SECOND_LINE, &[(12, 1, "b1c3"), (12, 2, "d2d4")]);
    }

    #[test]
    fn the_same_transcript_read_for_one_line_goes_deeper() {
        check(1, STOPPED_IN_THE_SECOND_LINE, &[(13, 1, "d2d4")]);
    }

    #[test]
    fn a_bound_begins_a_depth_as_well() {
        // Stockfish 19 on the Ruy Lopez, stopped in the first line of depth 5: the second is what was the first at depth 4.
        let transcript = "
            info depth 3 seldepth 4 multipv 1 score cp 10 nodes 439 nps 219500 hashfull 0 time 2 pv g8e7
            info depth 3 seldepth 6 multipv 2 score cp 5 nodes 439 nps 219500 hashfull 0 time 2 pv g8f6 d2d3
            info depth 4 seldepth 9 multipv 1 score cp 6 nodes 2187 nps 84115 hashfull 0 time 26 pv g8f6 d1e2
            info depth 4 seldepth 8 multipv 2 score cp -6 nodes 2187 nps 84115 hashfull 0 time 26 pv g8e7 e1g1 a7a6 b5a4
            info depth 5 seldepth 10 multipv 1 score cp -20 upperbound nodes 4010 nps 52077 hashfull 0 time 77 pv g8e7 e1g1
            info depth 4 seldepth 6 multipv 2 score cp 6 nodes 4010 nps 52077 hashfull 0 time 77 pv g8f6 d1e2
            bestmove g8e7 ponder e1g1";
        check(2, transcript, &[(4, 1, "g8f6"), (4, 2, "g8e7")]);
    }

    #[test]
    fn no_set_has_a_move_twice() {
        let transcript = "
            info depth 4 multipv 1 score cp 6 pv g8f6
            info depth 4 multipv 2 score cp 5 pv g8e7
            info depth 4 multipv 2 score cp 6 pv g8f6";
        check(2, transcript, &[(4, 1, "g8f6"), (4, 2, "g8e7")]);
    }

    #[test]
    fn a_bound_empties_its_place() {
        let transcript = "
            info depth 4 multipv 1 score cp 6 pv g8f6
            info depth 4 multipv 1 score cp 9 lowerbound pv d7d5
            info depth 4 multipv 2 score cp 5 pv g8e7";
        check(2, transcript, &[]);
    }

    #[test]
    fn a_repetition_of_the_depth_before_does_not_enter_its_set() {
        // Stopped after the first line of depth 8: the second is repeated from depth 7, where it was the first.
        let transcript = "
            info depth 7 multipv 1 score cp 40 pv e2e4 e7e5
            info depth 7 multipv 2 score cp 30 pv d2d4 d7d5
            info depth 8 multipv 1 score cp 45 pv d2d4 g8f6
            info depth 7 multipv 2 score cp 40 pv e2e4 e7e5
            bestmove d2d4";
        check(2, transcript, &[(7, 1, "e2e4"), (7, 2, "d2d4")]);
    }

    #[test]
    fn long_searches_print_all_lines_after_each() {
        // Beyond ten million nodes Stockfish prints the whole list whenever one line is finished.
        let transcript = "
            info depth 20 multipv 1 score cp 10 pv a2a3
            info depth 20 multipv 2 score cp 9 pv b2b3
            info depth 20 multipv 3 score cp 8 pv c2c3
            info depth 21 multipv 1 score cp 11 pv a2a3
            info depth 20 multipv 2 score cp 9 pv b2b3
            info depth 20 multipv 3 score cp 8 pv c2c3
            info depth 21 multipv 1 score cp 12 pv b2b3
            info depth 21 multipv 2 score cp 11 pv a2a3
            info depth 20 multipv 3 score cp 8 pv c2c3
            info depth 21 multipv 1 score cp 12 pv b2b3
            info depth 21 multipv 2 score cp 11 pv a2a3
            info depth 21 multipv 3 score cp 7 pv d2d3";
        check(3, transcript, &[(21, 1, "b2b3"), (21, 2, "a2a3"), (21, 3, "d2d3")]);
    }

    #[test]
    fn the_last_word_at_a_depth_counts() {
        let transcript = "
            info depth 9 score cp 10 pv e2e4
            info depth 9 score cp 30 lowerbound pv d2d4
            info depth 9 score cp 35 pv d2d4 d7d5";
        check(1, transcript, &[(9, 1, "d2d4")]);
    }

    #[test]
    fn an_engine_may_repeat_itself_when_it_is_stopped() {
        let transcript = "
            info depth 9 multipv 1 score cp 10 pv e2e4
            info depth 9 multipv 2 score cp 5 pv d2d4
            info depth 9 multipv 1 score cp 10 pv e2e4
            info depth 9 multipv 2 score cp 5 pv d2d4
            bestmove e2e4";
        check(2, transcript, &[(9, 1, "e2e4"), (9, 2, "d2d4")]);
    }

    #[test]
    fn one_index_may_be_corrected_alone() {
        let transcript = "
            info depth 9 multipv 1 score cp 10 pv e2e4
            info depth 9 multipv 2 score cp 5 pv d2d4
            info depth 9 multipv 2 score cp 6 pv c2c4";
        check(2, transcript, &[(9, 1, "e2e4"), (9, 2, "c2c4")]);
    }

    #[test]
    fn lines_of_the_old_order_do_not_fill_up_a_new_one() {
        let transcript = "
            info depth 9 multipv 1 score cp 10 pv e2e4
            info depth 9 multipv 2 score cp 5 pv d2d4
            info depth 9 multipv 1 score cp 12 pv d2d4";
        check(2, transcript, &[(9, 1, "e2e4"), (9, 2, "d2d4")]);
    }

    #[test]
    fn nothing_whole_is_nothing() {
        check(2, "info depth 1 multipv 1 score cp 10 pv e2e4", &[]);
        check(1, "info depth 1 score cp 10 upperbound pv e2e4", &[]);
        check(0, "info depth 1 score cp 10 pv e2e4", &[]);
    }

    #[test]
    fn indexes_nobody_asked_for_are_passed_over() {
        let transcript = "
            info depth 3 multipv 0 score cp 1 pv a2a3
            info depth 3 multipv 1 score cp 1 pv e2e4
            info depth 3 multipv 2 score cp 1 pv d2d4
            info depth 3 multipv 65535 score cp 1 pv d2d4";
        check(1, transcript, &[(3, 1, "e2e4")]);
    }

    #[test]
    fn a_search_begins_with_nothing() {
        let mut lines = KeptLines::default();
        lines.begin(1);
        let rest = b"depth 30 score cp 1 pv e2e4";
        lines.take(&Info::parse(rest).expect("a line"), rest);
        assert_eq!(lines.lines().count(), 1);
        lines.begin(3);
        assert_eq!(lines.lines().count(), 0);
        lines.begin(1);
        let rest = b"depth 2 score cp 1 pv d2d4";
        lines.take(&Info::parse(rest).expect("a line"), rest);
        assert_eq!(lines.lines().next(), Some(&rest[..]));
    }

    proptest::proptest! {
        /// Whatever an engine prints: what is kept is of one depth, in order, without a bound, and no move begins two lines.
        #[test]
        fn what_is_kept_is_always_whole(
            wanted in 1_usize..4,
            transcript in proptest::collection::vec((1_u8..5, 0_u16..5, 0_u8..4, proptest::bool::weighted(0.2)), 0..40),
        ) {
            let mut lines = KeptLines::default();
            lines.begin(wanted);
            for (depth, index, file, bound) in transcript {
                let bound = if bound { " upperbound" } else { "" };
                let file = char::from(b'a' + file);
                let rest = format!("depth {depth} multipv {index} score cp 1{bound} pv {file}2{file}3");
                lines.take(&Info::parse(rest.as_bytes()).expect("a line"), rest.as_bytes());
            }
            let kept: Vec<_> = lines.lines().map(|rest| Info::parse(rest).expect("a line")).collect();
            proptest::prop_assert!(kept.is_empty() || kept.len() == wanted);
            for (slot, info) in kept.iter().enumerate() {
                proptest::prop_assert_eq!(info.multipv.map(usize::from), Some(slot + 1));
                proptest::prop_assert_eq!(info.depth, kept[0].depth);
                proptest::prop_assert_eq!(info.bound, None);
                proptest::prop_assert!(kept[..slot].iter().all(|other| other.pv != info.pv));
            }
        }
    }
}
