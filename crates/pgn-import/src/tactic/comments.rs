//! Tactics from what annotators wrote: `!` and `!!`, `#tactic`, `tactic: "pin, fork"`. Nothing is calculated beyond the
//! moves the file gives, so only lines that end in mate or in material that stays won are taken.

use std::collections::{BTreeSet, HashSet};

use shakmaty::{Chess, Color, Move, Position as _, Role};
use tabiya_chess::{full_fen, tactic_id, to_uci};

use super::{from_fen::mate_tag, motifs::collect_motifs};
use crate::{
    Tactic,
    read::{Game, NodeId, ROOT},
};

/// What must be won: more than a pawn, so that an ordinary exchange is not taken for a tactic.
const GAIN: i32 = 2;

/// How much an annotation is trusted: the half-moves within which its line must show a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    Good = 5,
    Brilliant = 9,
    Named = 15,
}

/// A place that an annotator marked: the line that begins with `first`, from the position before it.
struct Marked<'a> {
    first: NodeId,
    before: &'a Chess,
    trust: Trust,
    motifs: BTreeSet<String>,
}

/// The tactics of a game. A move that belongs to one already does not begin another.
pub(crate) fn tactics_in_comments(game: &Game, source: &str) -> Vec<Tactic> {
    let Some(start) = &game.start else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut covered = HashSet::new();
    let mut open = vec![(ROOT, start.position.clone())];
    while let Some((node, here)) = open.pop() {
        for (nth, &child) in game.children(node).iter().enumerate() {
            if let Some(marked) = mark_of(game, node, child, nth == 0, &here)
                && !covered.contains(&child)
            {
                found.extend(marked.line(game, source, &mut covered));
            }
        }
        // The main line is taken up first, so it is put on the stack last.
        for &child in game.children(node).iter().rev() {
            if let Some(m) = game.node(child).m {
                let mut after = here.clone();
                after.play_unchecked(m);
                open.push((child, after));
            }
        }
    }
    found
}

/// Whether the line that begins with `child` is marked, and how.
fn mark_of<'a>(game: &Game, node: NodeId, child: NodeId, is_main: bool, before: &'a Chess) -> Option<Marked<'a>> {
    let nags = &game.node(child).nags;
    let mut trust = if nags.contains(&3) {
        Some(Trust::Brilliant)
    } else if nags.contains(&1) {
        Some(Trust::Good)
    } else {
        None
    };
    let mut motifs = BTreeSet::new();
    // Words behind the move before speak of what is coming, unless that move was itself the marked one.
    let announced = is_main && !game.node(node).nags.iter().any(|nag| matches!(nag, 1 | 3));
    let announcing = if announced {
        game.node(node).comments.as_slice()
    } else {
        &[]
    };
    let own = if trust.is_some() {
        game.node(child).comments.as_slice()
    } else {
        &[]
    };
    for comment in announcing.iter().chain(&game.node(child).comments_before).chain(own) {
        if let Some(named) = named_motifs(comment) {
            trust = Some(Trust::Named);
            motifs.extend(named);
        }
    }
    Some(Marked {
        first: child,
        before,
        trust: trust?,
        motifs,
    })
}

impl Marked<'_> {
    /// Follows the line until it shows a result.
    fn line(mut self, game: &Game, source: &str, covered: &mut HashSet<NodeId>) -> Option<Tactic> {
        let solver = self.before.turn();
        let level = material(self.before, solver);
        let mut position = self.before.clone();
        let mut line = Vec::new();
        let mut pv = Vec::new();
        let mut next = Some(self.first);
        while let (Some(id), true) = (next, line.len() < self.trust as usize) {
            let m = game.node(id).m?;
            pv.push(to_uci(&position, m));
            line.push(id);
            position.play_unchecked(m);
            for comment in &game.node(id).comments {
                collect_motifs(comment, &mut self.motifs);
            }
            next = game.children(id).first().copied();
            if position.turn() == solver {
                continue;
            }
            if position.is_checkmate() {
                self.motifs.insert(mate_tag(pv.len()));
                return Some(self.tactic(pv, line, source, covered));
            }
            let reply = next.and_then(|id| game.node(id).m);
            if stays_won(&position, m, reply, solver, level) {
                return Some(self.tactic(pv, line, source, covered));
            }
        }
        None
    }

    fn tactic(self, pv: Vec<String>, line: Vec<NodeId>, source: &str, covered: &mut HashSet<NodeId>) -> Tactic {
        covered.extend(line);
        let fen = full_fen(self.before);
        Tactic {
            id: tactic_id(&fen, &pv),
            fen,
            pv_uci: pv,
            tags: self.motifs.into_iter().collect(),
            source_hint: Some(source.to_owned()),
        }
    }
}

/// Whether enough has been won and the reply that is given, or any capture on the square, leaves it so.
fn stays_won(position: &Chess, last: Move, reply: Option<Move>, solver: Color, level: i32) -> bool {
    if material(position, solver) - level < GAIN {
        return false;
    }
    let keeps = |m: Move| {
        let mut after = position.clone();
        after.play_unchecked(m);
        material(&after, solver) - level >= GAIN
    };
    reply.is_none_or(keeps)
        && position
            .legal_moves()
            .iter()
            .filter(|m| m.is_capture() && m.to() == last.to())
            .all(|m| keeps(*m))
}

/// What a side has more than the other, in pawns.
fn material(position: &Chess, side: Color) -> i32 {
    let value = |role: Role| match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    };
    position
        .board()
        .clone()
        .into_iter()
        .map(|(_, piece)| {
            if piece.color == side {
                value(piece.role)
            } else {
                -value(piece.role)
            }
        })
        .sum()
}

/// The motifs of a comment that says outright that it speaks of a tactic; None if it does not.
fn named_motifs(comment: &str) -> Option<BTreeSet<String>> {
    let lower = comment.to_lowercase();
    let behind = ["#tactic", "tactic:", "tactics:"]
        .iter()
        .find_map(|mark| lower.split_once(mark).map(|(_, rest)| rest))?;
    let mut motifs = BTreeSet::new();
    collect_motifs(behind, &mut motifs);
    // Between quotes stand the annotator's own keys, known to us or not.
    if let Some(list) = behind
        .trim_start()
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'))
    {
        let keys = list.0.split(',').map(str::trim).filter(|key| !key.is_empty());
        motifs.extend(keys.map(|key| key.split_whitespace().collect::<Vec<_>>().join("-")));
    }
    Some(motifs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{TreeBuilder, Walker};

    fn tactics(pgn: &str) -> Vec<Tactic> {
        let mut tree = TreeBuilder::default();
        assert!(Walker::new(pgn.as_bytes(), 0, 0).walk(&mut tree));
        tactics_in_comments(&tree.take(), "test.pgn")
    }

    #[test]
    fn a_brilliant_mate_is_a_tactic() {
        let found = tactics("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5!! Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pv_uci, ["f3e5", "g4d1", "c4f7", "e8e7", "c3d5"]);
        assert_eq!(found[0].tags, ["mate-in-3"]);
    }

    #[test]
    fn an_announced_fork_takes_its_keys_as_tags() {
        let found = tactics(
            "1. e4 Nf6 2. e5 d5 3. Nc3 { tactic: \"fork, free pawn\" } d4 4. exf6 dxc3 5. fxg7 cxd2+ 6. Qxd2 *",
        );
        assert_eq!(found.len(), 0, "nothing is won: {found:?}");
        let found = tactics("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 { #tactic mate on f7 } 4. Qxf7# 1-0");
        assert_eq!(found[0].pv_uci, ["h5f7"]);
        assert_eq!(found[0].tags, ["mate", "mate-in-1"]);
    }

    #[test]
    fn material_that_is_taken_back_is_not_won() {
        assert_eq!(tactics("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2! 4. Bxg2 *"), []);
    }

    #[test]
    fn a_good_opening_move_is_no_tactic() {
        assert_eq!(tactics("1. d4! Nf6 2. c4!! e6 3. Nc3 Bb4 *"), []);
    }

    #[test]
    fn a_piece_that_stays_won_ends_the_line() {
        let found = tactics("1. e4 e5 2. Nf3 Qg5 3. Nxg5! h6 4. Nf3 *");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pv_uci, ["f3g5"]);
    }
}
