//! What a move adds: its edge and the position behind it, once, and their membership of a repertoire.

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{
    PositionId, edge_id, ply_of, write_check_mark, write_epd, write_full_fen, write_san_unmarked, write_uci,
};

use super::{Harvester, NO_LABEL};
use crate::{
    Edge, Position, RepertoireEdge,
    trie::known::{EdgeKey, KnownEdge},
};

/// What the move about to be made is to the trie.
#[derive(Debug, Default)]
pub(super) enum Met {
    /// Too deep, or behind a null move.
    #[default]
    Nothing,
    Known {
        child: u64,
        shorter: bool,
    },
    New {
        key: EdgeKey,
        uci: String,
        san: String,
    },
}

impl Harvester {
    /// Writes the text a position is known by into `self.text` and gives its id.
    pub(super) fn identify(&mut self, position: &Chess) -> u64 {
        self.text.clear();
        if self.rules.config.dedupe_transpositions {
            write_epd(position, &mut self.text);
        } else {
            write_full_fen(position, &mut self.text);
        }
        PositionId::from_text(&self.text).get()
    }

    pub(super) fn hand_on_position(&mut self, id: u64, position: &Chess) {
        let mut fen = String::with_capacity(72);
        write_full_fen(position, &mut fen);
        self.harvest.batch.positions.push(Position {
            id,
            fen,
            side_to_move: position.turn().char(),
            ply: ply_of(position),
        });
    }

    fn hand_on_membership(&mut self, edge_id: u64) {
        if self.label != NO_LABEL {
            self.harvest.batch.repertoire_edges.push(RepertoireEdge {
                repertoire_key: self.labels[self.label as usize].clone(),
                owner: self.rules.config.owner.clone(),
                edge_id,
            });
        }
    }

    /// Finds the edge among those handed on already; otherwise notes what must be written before the move is made.
    pub(super) fn meet_edge(&mut self, before: &Chess, m: Move) -> Met {
        let key = EdgeKey::new(self.at.here, m);
        let child_ply = self.at.ply.saturating_add(1);
        if let Some(known) = self.known.get_mut(&key) {
            let (id, child) = (known.id, known.child);
            let shorter = child_ply < known.child_ply;
            let relabelled = known.label != self.label;
            known.child_ply = known.child_ply.min(child_ply);
            known.label = self.label;
            if relabelled {
                self.hand_on_membership(id);
            }
            return Met::Known { child, shorter };
        }
        let mut uci = String::with_capacity(5);
        write_uci(before, m, &mut uci);
        let mut san = String::with_capacity(7);
        write_san_unmarked(before, m, &mut san);
        Met::New { key, uci, san }
    }

    /// Hands on a new edge and its child; gives the child's id.
    pub(super) fn add_edge(&mut self, key: EdgeKey, uci: String, mut san: String, after: &Chess) -> u64 {
        let child = self.identify(after);
        let child_ply = self.at.ply.saturating_add(1);
        self.hand_on_position(child, after);
        write_check_mark(after, &mut san);
        let id = edge_id(PositionId::from(self.at.here), &uci);
        self.harvest.batch.edges.push(Edge {
            id,
            parent_id: self.at.here,
            move_uci: uci,
            move_san: san,
            child_id: child,
            source_hint: Some(self.rules.hint.clone()),
        });
        self.hand_on_membership(id);
        self.known.insert(
            key,
            KnownEdge {
                id,
                child,
                child_ply,
                label: self.label,
            },
        );
        child
    }
}
