//! Sees games go by and gathers what they add to the trie and the tactics bank.

mod edges;
mod walk;

use std::sync::Arc;

use shakmaty::Position as _;

use self::edges::Met;
use super::known::KnownEdges;
use crate::{
    Batch, Counters, ImportOptions, IngestConfig, Reject, RejectOutcome,
    labels::StudyTags,
    read::{GameAt, GameFault, Start, StartKind},
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
    /// The main line's first null move, and whether that line has a move behind it.
    null_move: Option<GameFault>,
    goes_on_behind_it: bool,
    /// Those that are gathered, where the game is not left out.
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
            null_move: None,
            goes_on_behind_it: false,
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

    fn is_on_main_line(&self) -> bool {
        self.outer.is_empty() && !self.tactics.is_in_variation()
    }

    /// Behind a null move nothing is gathered.
    fn is_behind_null_move(&self) -> bool {
        match self.role {
            Role::Tree => self.at.dead,
            Role::Tactic => self.tactics.is_behind_null_move(),
            Role::LeftOut => false,
        }
    }

    /// Of a game's faults the first is told, and how many there are.
    fn note(&mut self, fault: GameFault) {
        match self.fault {
            None => self.fault = Some(fault),
            Some(_) => self.more_faults += 1,
        }
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
