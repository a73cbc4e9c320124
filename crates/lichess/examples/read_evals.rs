//! Says how fast an archive of evaluations is read: `cargo run --release --example read_evals [THREADS [FILE.jsonl]]`.
//! Without a file one is made up, with lines like those of the real one.
#![expect(clippy::print_stdout, reason = "an example")]

use std::{
    env,
    error::Error,
    fs::File,
    io::{Cursor, Read},
    num::NonZeroUsize,
    ops::ControlFlow,
    time::Instant,
};

use shakmaty::{CastlingMode, Chess, Position as _, uci::UciMove};
use tabiya_chess::epd;
use tabiya_lichess::{EvalFilter, read_evals};

/// As many positions are made up.
const POSITIONS: u64 = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let threads = arguments.next().map_or(Ok(NonZeroUsize::MIN), |text| text.parse())?;
    let (reader, expected): (Box<dyn Read + Send>, _) = match arguments.next() {
        Some(path) => (Box::new(File::open(path)?), None),
        None => (Box::new(Cursor::new(made_up())), Some(POSITIONS)),
    };
    let begun = Instant::now();
    let (mut lines, mut positions, mut moves) = (0, 0_u64, 0);
    read_evals(reader, threads, &EvalFilter::default(), |block| {
        lines += block.lines;
        positions += block.positions.len() as u64;
        let analyses = block.positions.iter().flat_map(|found| &found.analyses);
        moves += analyses
            .flat_map(|found| &found.lines)
            .map(|line| line.moves.len())
            .sum::<usize>();
        ControlFlow::Continue(())
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(expected) = expected {
        assert_eq!((lines, positions), (expected, expected));
    }
    println!(
        "{positions} positions, {moves} moves in {seconds:.2} s: {:.0} positions/s",
        positions as f64 / seconds
    );
    Ok(())
}

/// Two searches a position, of one line and of two, ten half-moves each.
fn made_up() -> Vec<u8> {
    let mut text = String::new();
    // A linear congruence is random enough to walk by.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut line = |from: &Chess, first: usize| {
        let mut pos = from.clone();
        let mut moves = Vec::new();
        for number in 0..10 {
            let legal = pos.legal_moves();
            if legal.is_empty() {
                break;
            }
            let choice = if number == 0 { first } else { random(legal.len()) };
            moves.push(UciMove::from_move(legal[choice], CastlingMode::Chess960).to_string());
            pos.play_unchecked(legal[choice]);
        }
        (moves.join(" "), pos)
    };
    let mut pos = Chess::default();
    let mut made = 0;
    while made < POSITIONS {
        let (one, reached) = line(&pos, 0);
        if pos.legal_moves().len() > 1 {
            let (two, _) = line(&pos, 1);
            text += &format!(
                "{{\"fen\":\"{}\",\"evals\":[{{\"pvs\":[{{\"cp\":31,\"line\":\"{one}\"}}],\"knodes\":206765,\"depth\":36}},{{\"pvs\":[{{\"cp\":29,\"line\":\"{one}\"}},{{\"cp\":12,\"line\":\"{two}\"}}],\"knodes\":92958,\"depth\":34}}]}}\n",
                epd(&pos)
            );
            made += 1;
        }
        pos = if reached.is_game_over() || reached.fullmoves().get() > 60 {
            Chess::default()
        } else {
            reached
        };
    }
    text.into_bytes()
}
