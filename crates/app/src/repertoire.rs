//! `repertoire`: what is in the store under a label, and back out as PGN.

use std::collections::{BTreeMap, HashMap, HashSet};

use pgn_import::{Game, NodeId, ROOT};
use shakmaty::Position as _;
use tabiya_chess::from_uci;
use tabiya_store::{RepertoireMove, RepertoireSummary};

use crate::{AppError, database, set_up::SetUp};

/// Whose repertoires there are.
pub async fn list(database: &str) -> Result<Vec<RepertoireSummary>, AppError> {
    let store = database::open(database).await?;
    let repertoires = store.repertoires().await?;
    store.close().await;
    Ok(repertoires)
}

/// A repertoire as games with variations: one game for each root, every move exactly once.
///
/// Where two move orders meet, the moves behind stand with the shorter one, and the other ends in a comment that says
/// so. Reading the games again gives the same edges.
pub async fn export(database: &str, label: &str, owner: Option<&str>) -> Result<Vec<Game>, AppError> {
    let store = database::open(database).await?;
    let moves = store.repertoire_graph(owner, label).await?;
    if moves.is_empty() {
        let known = store.repertoires().await?;
        let known = known
            .into_iter()
            .map(|known| format!("{:?} of {:?}", known.repertoire_key, known.owner))
            .collect();
        return Err(AppError::NoRepertoire {
            label: label.to_owned(),
            owner: owner.map(str::to_owned),
            known,
        });
    }
    store.close().await;
    Graph::new(&moves).games(label, owner)
}

/// A repertoire's moves, arranged so that every position is reached over one path.
struct Graph<'a> {
    moves_from: BTreeMap<u64, Vec<&'a RepertoireMove>>,
    /// A move from each position where lines begin, those first that no move leads to.
    roots: Vec<&'a RepertoireMove>,
    /// The one move over which a position is entered.
    entered_by: HashMap<u64, (u64, &'a str)>,
    /// How many moves stand behind a position.
    weight: HashMap<u64, usize>,
}

impl<'a> Graph<'a> {
    fn new(moves: &'a [RepertoireMove]) -> Graph<'a> {
        let mut moves_from: BTreeMap<u64, Vec<&RepertoireMove>> = BTreeMap::new();
        for m in moves {
            moves_from.entry(m.parent_id).or_default().push(m);
        }
        let children: HashSet<u64> = moves.iter().map(|m| m.child_id).collect();
        // Positions that no move leads to come first; the nearest to the start come first of all. A position that
        // is in a circle with no way in becomes a root when its turn comes.
        let mut parents: Vec<&RepertoireMove> = moves_from.values().map(|moves| moves[0]).collect();
        parents.sort_by_key(|m| (children.contains(&m.parent_id), m.ply, m.parent_id));
        let mut graph = Graph {
            moves_from,
            roots: Vec::new(),
            entered_by: HashMap::new(),
            weight: HashMap::new(),
        };
        let mut seen = HashSet::new();
        for parent in parents {
            if seen.insert(parent.parent_id) {
                graph.roots.push(parent);
                graph.spread(parent.parent_id, &mut seen);
            }
        }
        graph
    }

    /// Breadth first from a root, so that every position is entered over its shortest path.
    fn spread(&mut self, root: u64, seen: &mut HashSet<u64>) {
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&here) = order.get(next) {
            next += 1;
            for m in self.moves_from.get(&here).into_iter().flatten() {
                if seen.insert(m.child_id) {
                    self.entered_by.insert(m.child_id, (here, &m.move_uci));
                    order.push(m.child_id);
                }
            }
        }
        for here in order.into_iter().rev() {
            let behind = self.moves_from.get(&here).into_iter().flatten();
            let weight = behind
                .map(|m| 1 + if self.enters(m) { self.weight[&m.child_id] } else { 0 })
                .sum();
            self.weight.insert(here, weight);
        }
    }

    /// Whether the line goes on behind this move, or only meets another one.
    fn enters(&self, m: &RepertoireMove) -> bool {
        self.entered_by.get(&m.child_id) == Some(&(m.parent_id, m.move_uci.as_str()))
    }

    fn games(&self, label: &str, owner: Option<&str>) -> Result<Vec<Game>, AppError> {
        self.roots.iter().map(|root| self.game(root, label, owner)).collect()
    }

    fn game(&self, root: &RepertoireMove, label: &str, owner: Option<&str>) -> Result<Game, AppError> {
        let corrupt = |what: String| AppError::Corrupt(format!("{what}: the database does not hold together"));
        let SetUp { start, tags } = SetUp::of(&root.parent_fen).map_err(|e| corrupt(e.to_string()))?;
        let mut game = Game::new(Some(start.clone()));
        for (name, value) in [
            ("Event", label),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", "*"),
        ] {
            game.tags.push((name.to_owned(), value.to_owned()));
        }
        if let Some(owner) = owner {
            game.tags.push(("Annotator".to_owned(), owner.to_owned()));
        }
        game.tags
            .extend(tags.into_iter().map(|(name, value)| (name.to_owned(), value)));
        // An explicit stack: a repertoire of whole games is deeper than the thread's.
        let mut open = vec![(root.parent_id, ROOT, start.position)];
        while let Some((here, node, position)) = open.pop() {
            for m in self.in_order(here) {
                let played = from_uci(&position, &m.move_uci).map_err(|e| corrupt(e.to_string()))?;
                let child: NodeId = game.add(node, Some(played), m.move_san.clone());
                if self.enters(m) {
                    let mut after = position.clone();
                    after.play_unchecked(played);
                    open.push((m.child_id, child, after));
                } else {
                    game.node_mut(child).comments.push("transposes".to_owned());
                }
            }
        }
        Ok(game)
    }

    /// The moves from a position: the one with the most behind it is the main line.
    fn in_order(&self, here: u64) -> Vec<&'a RepertoireMove> {
        let mut moves = self.moves_from.get(&here).cloned().unwrap_or_default();
        let weight = |m: &RepertoireMove| if self.enters(m) { self.weight[&m.child_id] } else { 0 };
        moves.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.move_uci.cmp(&b.move_uci)));
        // With every owner's repertoires together, a move may come more than once.
        moves.dedup_by(|a, b| a.move_uci == b.move_uci);
        moves
    }
}
