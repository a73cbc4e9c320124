//! Texts made to cost whoever reads them the square of their length.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use pgn_import::{Fault, FaultKind, Visitor, read_games};

use crate::support::{source_of, trees};

/// Long enough that quadratic time is a minute and more where linear time is a second or two.
const LONG: usize = 9 << 20;

#[track_caller]
fn is_read_quickly(text: &str) {
    struct Nothing;
    impl Visitor for Nothing {}
    let begun = Instant::now();
    read_games(source_of(text.as_bytes()), &mut Nothing).expect("whole");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?} for {:?}…", &text[..60]);
}

fn repeated(text: &str) -> String {
    text.repeat(LONG / text.len())
}

#[test]
fn places_that_look_like_a_game_s_beginning_inside_one_comment() {
    is_read_quickly(&format!("1. e4 {{\n{}", repeated("1-0\n[Event \"\n")));
}

#[test]
fn comments_that_are_never_closed() {
    is_read_quickly(&repeated("[Event \"x\"]\n\n1. e4 {\n"));
}

#[test]
fn comments_that_are_closed_behind_the_last_of_them() {
    is_read_quickly(&format!("{}}}", repeated("[Event \"x\"]\n\n1. e4 {\n")));
    let far = " ".repeat(LONG / 2);
    let many = repeated("[Event \"x\"]\n\n1. e4 {\n");
    is_read_quickly(&format!("{}{far}}}", &many[..LONG / 2]));
}

/// How deep a game goes, and what is said against it.
#[derive(Default)]
struct Depth {
    now: usize,
    most: usize,
    faults: Vec<FaultKind>,
}

impl Visitor for Depth {
    fn begin_variation(&mut self) -> ControlFlow<()> {
        self.now += 1;
        self.most = self.most.max(self.now);
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        self.now -= 1;
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.faults.push(fault.kind.clone());
    }
}

fn nested(deep: usize) -> String {
    let deeper: String = ["(1. e4 ", "(1. d4 "].iter().cycle().take(deep).copied().collect();
    format!("1. e4 {deeper}{} 1... e5 1-0\n", ")".repeat(deep))
}

#[test]
fn a_variation_inside_thousands_of_others_is_passed_over() {
    for (deep, most, faults) in [
        (4_000, 4_000, vec![]),
        (4_001, 4_000, vec![FaultKind::TooDeep]),
        (200_000, 4_000, vec![FaultKind::TooDeep]),
    ] {
        let text = nested(deep);
        for fault in &faults {
            assert_eq!(fault.to_string(), "variations stand more than 4000 deep here");
        }
        let mut depth = Depth::default();
        read_games(source_of(text.as_bytes()), &mut depth).expect("whole");
        assert_eq!((depth.now, depth.most, depth.faults), (0, most, faults), "{deep}");
        // What stands behind it is read.
        let games = trees(format!("{text}\n1. d4 *\n").as_bytes());
        assert_eq!((games.len(), games[0].main_line().count()), (2, 2), "{deep}");
    }
}

#[test]
fn of_a_game_s_faults_a_thousand_are_kept() {
    let games = trees(format!("1. e4 {} 1... e5 *\n", "(1. Ke3) ".repeat(100_000)).as_bytes());
    assert_eq!((games[0].faults.len(), games[0].main_line().count()), (1_000, 2));
}
