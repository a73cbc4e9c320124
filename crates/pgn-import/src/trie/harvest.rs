//! Sees games go by and gathers what they add to the trie and the tactics bank.

use std::{ops::ControlFlow, sync::Arc};

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{
    PositionId, edge_id, ply_of, write_check_mark, write_epd, write_full_fen, write_san_unmarked, write_uci,
};

use super::known::{EdgeKey, KnownEdge, KnownEdges};
use crate::{
    Batch, Counters, Edge, ImportOptions, IngestConfig, Policy, Position, Reject, RejectOutcome, RepertoireEdge,
    labels::StudyTags,
    read::{Fault, GameAt, GameFault, Start, StartKind, Tag, Visitor},
    tactic::FenTactics,
};
#[cfg(feature = "comment-tactic")]
use crate::{
    read::{TreeBuilder, Walker},
    tactic::tactics_in_comments,
};

/// What one block of games came to.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    pub(crate) batch: Batch,
    pub(crate) counters: Counters,
    /// Positions and edges met, repetitions included.
    pub(crate) positions_seen: u64,
    pub(crate) edges_seen: u64,
    /// Under fail-fast: the game that ends the import, and why.
    pub(crate) failure: Option<(GameAt, GameFault)>,
}

/// The rules one import goes by, shared by its workers.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) config: IngestConfig,
    pub(crate) options: ImportOptions,
    /// The source's full name, for the ledger.
    pub(crate) source: String,
    /// Its short name, for hints.
    pub(crate) hint: String,
}

/// What a game is to an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Role {
    #[default]
    LeftOut,
    Tree,
    Tactic,
}

/// What the move about to be made is to the trie.
#[derive(Debug, Default)]
enum Met {
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

/// The place in the tree where the walk stands.
#[derive(Debug, Clone, Copy, Default)]
struct Branch {
    here: u64,
    before: u64,
    /// Half-moves from the root.
    depth: u32,
    /// The ply of the position here.
    ply: u32,
    /// Behind a null move nothing is gathered.
    dead: bool,
    dead_before: bool,
}

/// A visitor that gathers. Lives as long as its worker; [`Harvester::take`] empties it after each block.
#[derive(Debug)]
pub(crate) struct Harvester {
    rules: Arc<Rules>,
    known: KnownEdges,
    harvest: Harvest,
    labels: Vec<String>,
    label: u32,
    study: StudyTags,
    tactics: FenTactics,
    role: Role,
    met: Met,
    at: Branch,
    outer: Vec<Branch>,
    game: GameAt,
    fault: Option<GameFault>,
    more_faults: u32,
    legal_moves: u64,
    /// Lengths of the batch before the game at hand, to take it back under fail-fast.
    mark: Mark,
    initial_handed_on: bool,
    text: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    positions: usize,
    edges: usize,
    repertoire_edges: usize,
    tactics: usize,
    positions_seen: u64,
    edges_seen: u64,
}

/// No repertoire at all.
const NO_LABEL: u32 = u32::MAX;

impl Harvester {
    pub(crate) fn new(rules: Arc<Rules>) -> Harvester {
        Harvester {
            rules,
            known: KnownEdges::default(),
            harvest: Harvest::default(),
            labels: Vec::new(),
            label: NO_LABEL,
            study: StudyTags::default(),
            tactics: FenTactics::default(),
            role: Role::LeftOut,
            met: Met::Nothing,
            at: Branch::default(),
            outer: Vec::new(),
            game: GameAt { index: 0, offset: 0 },
            fault: None,
            more_faults: 0,
            legal_moves: 0,
            mark: Mark::default(),
            initial_handed_on: false,
            text: String::new(),
        }
    }

    /// Hands over what was gathered since the last time.
    pub(crate) fn take(&mut self) -> Harvest {
        self.initial_handed_on = false;
        std::mem::take(&mut self.harvest)
    }

    /// Whether fail-fast has struck.
    pub(crate) fn failed(&self) -> bool {
        self.harvest.failure.is_some()
    }

    /// Whether the game that was just walked is to be searched for tactics in its comments.
    #[cfg(feature = "comment-tactic")]
    pub(crate) fn wants_comments(&self) -> bool {
        self.rules.config.tactic_from_comments && self.role == Role::Tree && !self.failed()
    }

    /// Walks the game again as a tree and takes the tactics its annotator marked.
    #[cfg(feature = "comment-tactic")]
    pub(crate) fn add_from_comments(&mut self, mut walker: Walker<'_>) {
        let mut tree = TreeBuilder::default();
        walker.walk(&mut tree);
        let found = tactics_in_comments(&tree.take(), &self.rules.hint);
        self.harvest.counters.tactics_extracted_comments += found.len() as u64;
        self.harvest.batch.tactics.extend(found);
    }

    fn role_of(&self, start: &Start) -> Role {
        let in_trie = match start.kind {
            StartKind::Initial => true,
            StartKind::Fen => self.rules.options.include_fen_in_trie,
            StartKind::Chess960 => self.rules.options.include_chess960,
        };
        if in_trie {
            let accepted = self.rules.config.side_filter.accepts(start.position.turn());
            return if accepted { Role::Tree } else { Role::LeftOut };
        }
        if start.kind == StartKind::Fen && self.rules.config.tactic_from_fen {
            Role::Tactic
        } else {
            Role::LeftOut
        }
    }

    /// The number of the repertoire label that the game at hand goes under.
    fn label_number(&mut self) -> u32 {
        let study = if self.rules.options.repertoire_from_study {
            self.study.label()
        } else {
            None
        };
        let Some(label) = study.or_else(|| self.rules.config.repertoire.clone()) else {
            return NO_LABEL;
        };
        let known = self.labels.iter().position(|known| *known == label);
        let number = known.unwrap_or_else(|| {
            self.labels.push(label);
            self.labels.len() - 1
        });
        number as u32
    }

    /// Writes the text a position is known by into `self.text` and gives its id.
    fn identify(&mut self, position: &Chess) -> u64 {
        self.text.clear();
        if self.rules.config.dedupe_transpositions {
            write_epd(position, &mut self.text);
        } else {
            write_full_fen(position, &mut self.text);
        }
        PositionId::from_text(&self.text).get()
    }

    fn hand_on_position(&mut self, id: u64, position: &Chess) {
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
    fn meet_edge(&mut self, before: &Chess, m: Move) -> Met {
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
    fn add_edge(&mut self, key: EdgeKey, uci: String, mut san: String, after: &Chess) -> u64 {
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

    fn enter_in_ledger(&mut self, fault: GameFault) {
        self.harvest.counters.pgn_games_failed += 1;
        let kept = self.legal_moves > 0 && self.role != Role::LeftOut;
        let outcome = if kept {
            RejectOutcome::Truncated
        } else {
            RejectOutcome::Rejected
        };
        if kept {
            self.harvest.counters.pgn_games_truncated += 1;
        }
        let mut reason = fault.kind.to_string();
        if self.more_faults > 0 {
            reason.push_str(&format!(" (and {} more in this game)", self.more_faults));
        }
        self.harvest.batch.rejects.push(Reject {
            source: self.rules.source.clone(),
            game_index: self.game.index,
            byte_offset: self.game.offset,
            error_offset: fault.offset,
            outcome,
            ply: fault.ply,
            san: fault.token,
            fen: fault.fen.unwrap_or_default(),
            reason,
        });
    }

    fn take_back_game(&mut self) {
        self.harvest.batch.positions.truncate(self.mark.positions);
        self.harvest.batch.edges.truncate(self.mark.edges);
        self.harvest.batch.repertoire_edges.truncate(self.mark.repertoire_edges);
        self.harvest.batch.tactics.truncate(self.mark.tactics);
        self.harvest.positions_seen = self.mark.positions_seen;
        self.harvest.edges_seen = self.mark.edges_seen;
    }
}

impl Visitor for Harvester {
    fn begin_game(&mut self, at: GameAt) {
        self.game = at;
        self.fault = None;
        self.more_faults = 0;
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
        self.legal_moves += 1;
        match self.role {
            Role::LeftOut => return ControlFlow::Continue(()),
            Role::Tactic => {
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
        self.met = if self.at.dead || too_deep {
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
            self.tactics.begin_variation();
            return ControlFlow::Continue(());
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
        match self.fault {
            None => self.fault = Some(GameFault::of(fault)),
            Some(_) => self.more_faults += 1,
        }
    }

    fn end_game(&mut self) {
        let fault = self.fault.take();
        let whole = fault.is_none();
        if let Some(fault) = fault {
            if self.rules.options.policy == Policy::FailFast {
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
