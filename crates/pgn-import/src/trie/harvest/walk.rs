//! The walk through a game, by what the game is to the import.

use std::ops::ControlFlow;

use shakmaty::{Chess, Move};
use tabiya_chess::ply_of;

use super::{Branch, Harvester, Mark, Role, edges::Met};
use crate::{
    Policy,
    read::{Fault, FaultKind, GameAt, GameFault, Start, StartKind, Tag, Visitor},
};

impl Visitor for Harvester {
    fn begin_game(&mut self, at: GameAt) {
        self.game = at;
        self.fault = None;
        self.more_faults = 0;
        self.null_move = None;
        self.goes_on_behind_it = false;
        self.legal_moves = 0;
        self.role = Role::LeftOut;
        self.outer.clear();
        self.study.clear();
        self.tactics.begin_game();
        let batch = &self.harvest.batch;
        self.mark = Mark {
            positions: batch.positions.len(),
            edges: batch.edges.len(),
            repertoire_edges: batch.repertoire_edges.len(),
            tactics: batch.tactics.len(),
            positions_seen: self.harvest.positions_seen,
            edges_seen: self.harvest.edges_seen,
        };
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        if self.rules.options.repertoire_from_study {
            self.study.note(tag);
        }
        self.tactics.note(tag);
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        self.role = self.role_of(start);
        if start.setup_missing && start.kind == StartKind::Fen {
            tracing::warn!(source = %self.rules.source, game = self.game.index, "a FEN tag stands without SetUp");
        }
        match self.role {
            Role::Tree => {
                self.label = self.label_number();
                let root = self.identify(&start.position);
                self.harvest.positions_seen += 1;
                // The initial position is handed on once a block, any other root with each of its games.
                if !self.initial_handed_on || start.kind != StartKind::Initial {
                    self.hand_on_position(root, &start.position);
                    self.initial_handed_on |= start.kind == StartKind::Initial;
                }
                let ply = ply_of(&start.position);
                self.at = Branch {
                    here: root,
                    before: root,
                    ply,
                    ..Branch::default()
                };
            }
            Role::Tactic => self.tactics.begin_moves(start),
            // The moves are read all the same: a game that is left out is still accounted for.
            Role::LeftOut => {}
        }
        ControlFlow::Continue(())
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        let is_lost = self.is_behind_null_move();
        self.legal_moves += u64::from(!is_lost);
        match self.role {
            Role::LeftOut => return ControlFlow::Continue(()),
            Role::Tactic => {
                self.goes_on_behind_it |= is_lost && self.is_on_main_line();
                self.tactics.playing(before, m);
                return ControlFlow::Continue(());
            }
            Role::Tree => {}
        }
        let too_deep = self.rules.config.max_depth.is_some_and(|most| self.at.depth >= most);
        if too_deep && self.outer.is_empty() {
            // Every variation that is shallow enough stands before this move.
            return ControlFlow::Break(());
        }
        self.goes_on_behind_it |= is_lost && self.is_on_main_line();
        self.met = if is_lost || too_deep {
            Met::Nothing
        } else {
            self.meet_edge(before, m)
        };
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        match self.role {
            Role::LeftOut => return,
            Role::Tactic => return self.tactics.reached(after),
            Role::Tree => {}
        }
        let met = std::mem::take(&mut self.met);
        let gathered = u64::from(!matches!(met, Met::Nothing));
        self.harvest.positions_seen += gathered;
        self.harvest.edges_seen += gathered;
        let next = match met {
            Met::Nothing => self.at.here,
            Met::Known { child, shorter } => {
                if shorter {
                    self.hand_on_position(child, after);
                }
                child
            }
            Met::New { key, uci, san } => self.add_edge(key, uci, san, after),
        };
        self.at = Branch {
            here: next,
            before: self.at.here,
            depth: self.at.depth + 1,
            ply: self.at.ply.saturating_add(1),
            dead: self.at.dead,
            dead_before: self.at.dead,
        };
    }

    fn passing(&mut self, at: &Fault<'_>) {
        let is_left_out = self.role == Role::LeftOut;
        if !is_left_out && self.null_move.is_none() && self.is_on_main_line() {
            self.null_move = Some(GameFault::of(at));
        }
    }

    fn passed(&mut self, _before: &Chess) {
        self.tactics.passed();
        self.at = Branch {
            before: self.at.here,
            depth: self.at.depth + 1,
            ply: self.at.ply.saturating_add(1),
            dead: true,
            dead_before: self.at.dead,
            ..self.at
        };
    }

    fn comment(&mut self, text: &[u8]) {
        if self.role == Role::Tactic {
            self.tactics.comment(text);
        }
    }

    fn begin_variation(&mut self) -> ControlFlow<()> {
        let wanted = match self.role {
            Role::Tree => self.rules.config.accept_variations,
            Role::Tactic => self.rules.options.tactic_variations,
            Role::LeftOut => false,
        };
        if !wanted {
            return ControlFlow::Break(());
        }
        if self.role == Role::Tactic {
            return self.tactics.begin_variation();
        }
        self.outer.push(self.at);
        self.at = Branch {
            here: self.at.before,
            depth: self.at.depth - 1,
            ply: self.at.ply - 1,
            dead: self.at.dead_before,
            ..self.at
        };
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        if self.role == Role::Tactic {
            self.tactics.end_variation();
        } else if let Some(outer) = self.outer.pop() {
            self.at = outer;
        }
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.note(GameFault::of(fault));
    }

    fn end_game(&mut self) {
        if self.role == Role::Tactic && self.tactics.has_left_out() {
            // Many tokens are to blame, so the game's beginning is named.
            self.note(GameFault {
                kind: FaultKind::TooManyVariations,
                offset: self.game.offset,
                ply: 0,
                token: String::new(),
                fen: None,
            });
        }
        // In a variation it is a threat that somebody shows; in the main line the game itself goes on behind it.
        if self.goes_on_behind_it
            && let Some(null_move) = self.null_move.take()
        {
            self.note(null_move);
        }
        let fault = self.fault.take();
        let whole = fault.is_none();
        if let Some(fault) = fault {
            // The limits are ours, and the ledger tells what is missing: nothing is wrong with the game that anybody could mend.
            let is_ours = matches!(fault.kind, FaultKind::TooManyVariations | FaultKind::NullMove);
            if self.rules.options.policy == Policy::FailFast && !is_ours {
                self.take_back_game();
                self.harvest.failure = Some((self.game, fault));
                return;
            }
            self.enter_in_ledger(fault);
        } else if self.role == Role::LeftOut {
            self.harvest.counters.pgn_games_left_out += 1;
        }
        self.harvest.counters.pgn_games_total += 1;
        if self.role == Role::Tactic {
            let found = self.tactics.finish(&self.rules.hint);
            if found.is_empty() && whole {
                self.harvest.counters.pgn_games_left_out += 1;
            }
            self.harvest.counters.tactics_extracted_fen += found.len() as u64;
            self.harvest.batch.tactics.extend(found);
        }
    }
}
