//! Texts made to cost whoever reads them the square of their length.

use std::time::{Duration, Instant};

use pgn_import::{Visitor, read_games};

use crate::support::source_of;

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
