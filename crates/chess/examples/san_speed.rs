//! How fast SAN becomes moves, beside shakmaty: `cargo run --release --example san_speed [PGN]`.
//!
//! Without a file it walks random games. Every way must reach the same positions before its
//! time is reported.

#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use shakmaty::{
    Chess, EnPassantMode, Position,
    fen::Epd,
    san::{San, SanPlus},
};
use tabiya_chess::{PositionId, parse_san, resolve, write_epd, write_san, write_uci};

type Game = Vec<(String, San)>;

fn random_games(count: usize) -> Vec<Game> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut game = || {
        let mut pos = Chess::default();
        let mut game = Vec::new();
        while game.len() < 80 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let m = moves[state as usize % moves.len()];
            let san = SanPlus::from_move_and_play_unchecked(&mut pos, m);
            game.push((san.to_string(), san.san));
        }
        game
    };
    (0..count).map(|_| game()).collect()
}

/// The main lines of a plain PGN without variations; whatever does not play ends its game.
fn read_games(pgn: &str) -> Vec<Game> {
    let mut games = Vec::new();
    for block in pgn.split("[Event ").skip(1) {
        let mut pos = Chess::default();
        let mut game = Vec::new();
        let mut in_comment = false;
        let moves = block.lines().filter(|line| !line.ends_with("\"]"));
        for token in moves.flat_map(str::split_whitespace) {
            in_comment |= token.starts_with('{');
            let skip = in_comment;
            in_comment &= !token.ends_with('}');
            if skip {
                continue;
            }
            let text = token.trim_start_matches(|ch: char| ch.is_ascii_digit() || ch == '.');
            let text = text.trim_end_matches(['!', '?']);
            let Ok(san) = SanPlus::from_ascii(text.as_bytes()) else {
                continue;
            };
            let Ok(m) = san.san.to_move(&pos) else {
                break;
            };
            pos.play_unchecked(m);
            game.push((text.to_owned(), san.san));
        }
        games.push(game);
    }
    games
}

/// Nanoseconds a move, of two ways that must agree.
///
/// Timed in slices shorter than a scheduler's, the best of nine each: on a busy machine a whole
/// run is never undisturbed, a slice often is.
fn compare(what: &str, games: &[Game], first: impl Fn(&[Game]) -> u64, second: impl Fn(&[Game]) -> u64) {
    let mut total = [Duration::ZERO; 2];
    for slice in games.chunks(40) {
        assert_eq!(first(slice), second(slice), "{what}: both ways must agree");
        let mut best = [Duration::MAX; 2];
        for _ in 0..9 {
            let start = Instant::now();
            black_box(first(slice));
            best[0] = best[0].min(start.elapsed());
            let start = Instant::now();
            black_box(second(slice));
            best[1] = best[1].min(start.elapsed());
        }
        total[0] += best[0];
        total[1] += best[1];
    }
    let moves = games.iter().map(Vec::len).sum::<usize>() as f64;
    let [theirs, ours] = total.map(|time| time.as_secs_f64() * 1e9 / moves);
    let ratio = theirs / ours;
    println!("{what:<34} shakmaty {theirs:7.1} ns   here {ours:7.1} ns   ratio {ratio:.2}");
}

/// Plays all games, and adds up something of every final position.
fn walk(games: &[Game], mut step: impl FnMut(&mut Chess, &(String, San))) -> u64 {
    let mut sum = 0u64;
    for game in games {
        let mut pos = Chess::default();
        for played in game {
            step(&mut pos, played);
        }
        sum = sum.wrapping_mul(31).wrapping_add(pos.board().occupied().0);
    }
    sum
}

fn main() {
    let games = match std::env::args().nth(1) {
        Some(path) => read_games(&std::fs::read_to_string(path).expect("a readable PGN")),
        None => random_games(5_000),
    };
    let moves = games.iter().map(Vec::len).sum::<usize>();
    println!("{} games, {moves} moves", games.len());

    compare(
        "San to move, played",
        &games,
        |games| {
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(san.to_move(pos).expect("legal"));
            })
        },
        |games| {
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(resolve(pos, *san).expect("legal"));
            })
        },
    );
    compare(
        "text to San",
        &games,
        |games| {
            let texts = games.iter().flatten();
            texts.fold(0, |sum, (text, _)| {
                let (san, end) = SanPlus::from_ascii_prefix(text.as_bytes()).expect("a move");
                black_box(san);
                sum + end as u64
            })
        },
        |games| {
            let texts = games.iter().flatten();
            texts.fold(0, |sum, (text, _)| {
                let (san, suffix, end) = parse_san(text.as_bytes()).expect("a move");
                black_box((san, suffix));
                sum + end as u64
            })
        },
    );
    compare(
        "move to San and UCI, played",
        &games,
        |games| {
            let mut line = String::new();
            walk(games, |pos, (_, san)| {
                let m = resolve(pos, *san).expect("legal");
                line.clear();
                m.to_uci(pos.castles().mode()).append_to_string(&mut line);
                SanPlus::from_move_and_play_unchecked(pos, m).append_to_string(&mut line);
            }) + line.len() as u64
        },
        |games| {
            let mut line = String::new();
            walk(games, |pos, (_, san)| {
                let m = resolve(pos, *san).expect("legal");
                let before = pos.clone();
                pos.play_unchecked(m);
                line.clear();
                write_uci(&before, m, &mut line);
                write_san(&before, m, pos, &mut line);
            }) + line.len() as u64
        },
    );
    compare(
        "EPD of every position, played",
        &games,
        |games| {
            let (mut text, mut sum) = (String::new(), 0);
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(resolve(pos, *san).expect("legal"));
                text.clear();
                Epd::from_position(pos, EnPassantMode::Legal).append_to_string(&mut text);
                sum += text.len() as u64;
            }) + sum
        },
        |games| {
            let (mut text, mut sum) = (String::new(), 0);
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(resolve(pos, *san).expect("legal"));
                text.clear();
                write_epd(pos, &mut text);
                sum += text.len() as u64;
            }) + sum
        },
    );
    compare(
        "PositionId of every position",
        &games,
        |games| {
            let (mut text, mut sum) = (String::new(), 0);
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(resolve(pos, *san).expect("legal"));
                text.clear();
                Epd::from_position(pos, EnPassantMode::Legal).append_to_string(&mut text);
                sum ^= PositionId::from_text(&text).get();
            }) ^ sum
        },
        |games| {
            let mut sum = 0;
            walk(games, |pos, (_, san)| {
                pos.play_unchecked(resolve(pos, *san).expect("legal"));
                sum ^= PositionId::of(pos).get();
            }) ^ sum
        },
    );
}
