//! Repertoires: trees of moves with variations in variations, and no two of them alike.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use hashbrown::HashSet;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, fen::Epd, san::SanPlus, uci::UciMove};
use tabiya_chess::fnv1a;

use super::{digest::Digesting, movetext::Movetext};
use crate::rng::Rng;

const CHAPTERS: usize = 1_000;
const SEED: u64 = 1_851;
const DIGEST: u64 = 0x50b6_ec41_b8ea_aeee;
/// Variations stand in variations up to this many deep.
const DEEPEST: usize = 5;
/// How likely a move has an alternative, in percent.
const BRANCHING: usize = 22;

/// A file of repertoires, and what is in it.
#[derive(Debug)]
pub(crate) struct Repertoire {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) chapters: u64,
    /// Distinct moves from distinct positions, counted with shakmaty's own EPD.
    pub(crate) edges: u64,
    /// Moves as they are written, repetitions included.
    pub(crate) moves: u64,
}

/// Writes the repertoires to `dir`.
pub(crate) fn repertoire(dir: &Path) -> Result<Repertoire> {
    let path = dir.join("repertoire.pgn");
    let mut out = Digesting::new(BufWriter::new(File::create(&path)?));
    let mut tree = TreeWriter {
        rng: Rng::seeded(SEED),
        text: Movetext::default(),
        edges: HashSet::new(),
        moves: 0,
    };
    for chapter in 1..=CHAPTERS {
        writeln!(
            out,
            "[Event \"Repertoire: chapter {chapter}\"]\n[Site \"?\"]\n[Date \"????.??.??\"]"
        )?;
        writeln!(out, "[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n")?;
        let length = tree.rng.between(30, 50);
        tree.line(Chess::default(), 0, length, 0);
        tree.text.word("*");
        writeln!(out, "{}\n", tree.text.take())?;
    }
    out.flush()?;
    let digest = out.digest();
    ensure!(
        digest == DIGEST,
        "the repertoires have the digest {digest:#018x} and not {DIGEST:#018x}"
    );
    let edges = tree.edges.len() as u64;
    Ok(Repertoire {
        path,
        bytes: out.bytes(),
        chapters: CHAPTERS as u64,
        edges,
        moves: tree.moves,
    })
}

#[derive(Debug)]
struct TreeWriter {
    rng: Rng,
    text: Movetext,
    edges: HashSet<(u64, UciMove)>,
    moves: u64,
}

impl TreeWriter {
    /// Writes a line from `ply` to `end` and the variations on the way.
    fn line(&mut self, mut position: Chess, mut ply: usize, end: usize, level: usize) {
        let mut numbered = true;
        while ply < end && !position.is_game_over() {
            let moves = position.legal_moves();
            let chosen = self.rng.below(moves.len());
            let before = position.clone();
            self.write_move(&mut position, moves[chosen], ply, numbered);
            numbered = false;
            if level < DEEPEST && moves.len() > 1 && self.rng.percent(BRANCHING) {
                let other = (chosen + 1 + self.rng.below(moves.len() - 1)) % moves.len();
                self.variation(before, moves[other], ply, end, level);
                numbered = true;
            }
            ply += 1;
        }
    }

    fn variation(&mut self, mut position: Chess, first: Move, ply: usize, end: usize, level: usize) {
        self.text.word("(");
        self.write_move(&mut position, first, ply, true);
        let end = end.min(ply + self.rng.between(4, 20));
        self.line(position, ply + 1, end, level + 1);
        self.text.word(")");
    }

    fn write_move(&mut self, position: &mut Chess, m: Move, ply: usize, numbered: bool) {
        let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
        self.edges
            .insert((fnv1a(epd.as_bytes()), UciMove::from_move(m, CastlingMode::Standard)));
        self.moves += 1;
        match position.turn() {
            Color::White => self.text.word(format_args!("{}.", ply / 2 + 1)),
            Color::Black if numbered => self.text.word(format_args!("{}...", ply / 2 + 1)),
            Color::Black => {}
        }
        self.text.word(SanPlus::from_move_and_play_unchecked(position, m));
    }
}
