//! The kept moves, replayed: positions get their ids, moves their names.

use std::thread;

use hashbrown::{HashMap, HashSet, hash_map::Entry};
use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{PositionId, epd, to_uci, write_san};

use crate::{CountError, Outline, PackedMove, PositionKey};

/// The lines that have names: where expansion starts, and the moves that lead there.
#[derive(Debug, Clone, Default)]
pub struct Skeleton {
    seeds: Vec<Chess>,
    moves: HashMap<u64, HashSet<PackedMove>>,
    longest: u32,
}

impl Skeleton {
    /// The initial position is always a seed.
    pub fn new() -> Skeleton {
        let mut skeleton = Skeleton::default();
        skeleton.seed(&Chess::default(), 0);
        skeleton
    }

    /// A position that expansion starts from, so many half-moves from the initial one.
    pub fn seed(&mut self, pos: &Chess, ply: u32) {
        self.moves.entry(PositionKey::of(pos).value(pos)).or_default();
        self.longest = self.longest.max(ply);
        self.seeds.push(pos.clone());
    }

    /// A move on the way to a seed.
    pub fn lead(&mut self, before: &Chess, m: Move) {
        let key = PositionKey::of(before).value(before);
        self.moves.entry(key).or_default().insert(PackedMove::of(m));
    }

    /// Half-moves from the initial position to the farthest seed.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// How many positions expansion starts from.
    pub fn seeds(&self) -> usize {
        self.seeds.len()
    }

    /// What is kept however few games it has.
    pub fn always(&self) -> &HashMap<u64, HashSet<PackedMove>> {
        &self.moves
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    pub id: PositionId,
    pub key: u64,
    pub epd: String,
    /// Half-moves from the initial position, by the shortest way in the graph.
    pub ply: u16,
    /// Half-moves since a capture or pawn move, along the nearest parents.
    pub halfmove: u16,
    /// Half-moves beyond the nearest seed.
    pub depth: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdge {
    /// Places in [`Graph::nodes`].
    pub parent: u32,
    pub child: u32,
    pub by: PackedMove,
    pub uci: String,
    pub san: String,
    pub zeroing: bool,
}

/// Positions and the moves between them. Nodes are ordered by id, edges by parent and UCI.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
}

impl Graph {
    /// Plays the kept moves up to `depth` half-moves beyond each seed; stops early, with more than `at_most` nodes,
    /// where that many are exceeded.
    pub fn replay(
        outline: &Outline,
        skeleton: &Skeleton,
        depth: u16,
        at_most: usize,
        threads: usize,
    ) -> Result<Graph, CountError> {
        let mut growing = Growing::default();
        let mut level = Vec::new();
        for seed in &skeleton.seeds {
            growing.meet(Met::of(seed.clone()), 0, &mut level)?;
        }
        for at in 0..=u16::MAX {
            let mut next = Vec::new();
            let moves = Moves {
                outline: (at < depth).then_some(outline),
                skeleton,
            };
            // Playing and naming moves is nearly all of the work, and needs nothing of what is entered meanwhile.
            for played in moves.play_all(&level, threads)? {
                growing.enter(played, at + 1, &mut next)?;
            }
            if growing.graph.nodes.len() > at_most {
                return Ok(growing.graph);
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        let mut graph = growing.graph;
        graph.settle();
        graph.sort();
        Ok(graph)
    }

    /// Finds each node's distance from the initial position and its counter along the nearest parents; of several
    /// parents, the one with the smaller text.
    fn settle(&mut self) {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            children[edge.parent as usize].push(number as u32);
        }
        let mut reached: Vec<Option<u32>> = vec![None; self.nodes.len()];
        // The initial position was met first.
        let mut level = vec![0];
        let mut is_settled = vec![false; self.nodes.len()];
        if let Some(root) = is_settled.first_mut() {
            *root = true;
        }
        for ply in 1..=u16::MAX {
            let mut next = Vec::new();
            for parent in level {
                for number in &children[parent as usize] {
                    let child = self.edges[*number as usize].child as usize;
                    if is_settled[child] {
                        continue;
                    }
                    match reached[child] {
                        None => next.push(child as u32),
                        Some(known) => {
                            let known = self.edges[known as usize].parent;
                            let (one, other) = (&self.nodes[parent as usize].epd, &self.nodes[known as usize].epd);
                            if one >= other {
                                continue;
                            }
                        }
                    }
                    reached[child] = Some(*number);
                }
            }
            if next.is_empty() {
                return;
            }
            for child in &next {
                let Some(edge) = reached[*child as usize] else { continue };
                let edge = &self.edges[edge as usize];
                let halfmove = self.nodes[edge.parent as usize].halfmove;
                let node = &mut self.nodes[*child as usize];
                node.ply = ply;
                node.halfmove = if edge.zeroing { 0 } else { halfmove + 1 };
                is_settled[*child as usize] = true;
            }
            level = next;
        }
    }

    /// What is compared is taken out first: nodes and edges lie all over the memory.
    fn sort(&mut self) {
        let ids = self.nodes.iter().map(|node| node.id);
        let mut order: Vec<(PositionId, u32)> = ids.zip(0..).collect();
        order.sort_unstable();
        let mut place = vec![0; order.len()];
        for (to, (_, from)) in order.iter().enumerate() {
            place[*from as usize] = to as u32;
        }
        self.nodes = arranged(&mut self.nodes, order.iter().map(|(_, from)| *from));
        let mut order = Vec::with_capacity(self.edges.len());
        for (edge, from) in self.edges.iter_mut().zip(0..) {
            edge.parent = place[edge.parent as usize];
            edge.child = place[edge.child as usize];
            order.push((edge.parent, first_bytes(&edge.uci), from));
        }
        order.sort_unstable();
        self.edges = arranged(&mut self.edges, order.iter().map(|(_, _, from)| *from));
    }
}

/// A UCI move has four letters or five.
fn first_bytes(uci: &str) -> [u8; 5] {
    let mut bytes = [0; 5];
    bytes.iter_mut().zip(uci.bytes()).for_each(|(to, from)| *to = from);
    bytes
}

/// Takes things in the order of these places, each of which is named once.
fn arranged<T>(things: &mut Vec<T>, order: impl Iterator<Item = u32>) -> Vec<T> {
    let mut things: Vec<Option<T>> = std::mem::take(things).into_iter().map(Some).collect();
    order.filter_map(|from| things[from as usize].take()).collect()
}

/// A position with everything that tells it from others.
struct Met {
    pos: Chess,
    key: u64,
    epd: String,
    id: PositionId,
}

impl Met {
    fn of(pos: Chess) -> Met {
        let epd = epd(&pos);
        Met {
            key: PositionKey::of(&pos).value(&pos),
            id: PositionId::from_text(&epd),
            epd,
            pos,
        }
    }
}

/// A position of the level at hand, with its number and key.
struct Standing {
    number: u32,
    key: u64,
    pos: Chess,
}

/// A kept move from the position of one number, played.
struct Played {
    parent: u32,
    by: PackedMove,
    uci: String,
    san: String,
    zeroing: bool,
    child: Met,
}

/// Below so many positions a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 64;

/// Which moves are kept.
#[derive(Clone, Copy)]
struct Moves<'a> {
    /// Where only named lines go on, nothing.
    outline: Option<&'a Outline>,
    skeleton: &'a Skeleton,
}

impl Moves<'_> {
    /// Plays all kept moves from the positions of a level, in their order.
    fn play_all(self, level: &[Standing], threads: usize) -> Result<Vec<Played>, CountError> {
        let share = level.len().div_ceil(threads.max(1)).max(WORTH_A_THREAD);
        thread::scope(|scope| {
            let shares: Vec<_> = level
                .chunks(share)
                .skip(1)
                .map(|share| scope.spawn(move || self.play_share(share)))
                .collect();
            let mut played = self.play_share(&level[..share.min(level.len())])?;
            for share in shares {
                played.extend(share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(played)
        })
    }

    fn play_share(self, share: &[Standing]) -> Result<Vec<Played>, CountError> {
        let mut played = Vec::with_capacity(share.len());
        let mut moves = Vec::new();
        for standing in share {
            moves.clear();
            moves.extend(self.skeleton.moves.get(&standing.key).into_iter().flatten());
            moves.extend(self.outline.map_or(&[][..], |outline| outline.moves(standing.key)));
            moves.sort_unstable();
            moves.dedup();
            for by in &moves {
                played.push(play(standing, *by)?);
            }
        }
        Ok(played)
    }
}

fn play(standing: &Standing, by: PackedMove) -> Result<Played, CountError> {
    let pos = &standing.pos;
    let Some(m) = by.unpack(pos) else {
        return Err(CountError::IllegalMove { epd: epd(pos) });
    };
    let mut child = pos.clone();
    child.play_unchecked(m);
    let mut san = String::with_capacity(7);
    write_san(pos, m, &child, &mut san);
    Ok(Played {
        parent: standing.number,
        by,
        uci: to_uci(pos, m),
        san,
        zeroing: m.is_zeroing(),
        child: Met::of(child),
    })
}

#[derive(Default)]
struct Growing {
    graph: Graph,
    by_key: HashMap<u64, u32>,
    by_id: HashMap<PositionId, u32>,
}

impl Growing {
    fn enter(&mut self, played: Played, depth: u16, next: &mut Vec<Standing>) -> Result<(), CountError> {
        let child = self.meet(played.child, depth, next)?;
        self.graph.edges.push(GraphEdge {
            parent: played.parent,
            child,
            by: played.by,
            uci: played.uci,
            san: played.san,
            zeroing: played.zeroing,
        });
        Ok(())
    }

    /// The position's number; a new one goes to the next level.
    fn meet(&mut self, met: Met, depth: u16, next: &mut Vec<Standing>) -> Result<u32, CountError> {
        let Met { pos, key, epd, id } = met;
        let collision = |other: &str, text: String| CountError::Collision {
            key,
            one: other.to_owned(),
            other: text,
        };
        let number = self.graph.nodes.len() as u32;
        match self.by_key.entry(key) {
            Entry::Occupied(known) => {
                let known = *known.get();
                let node = &self.graph.nodes[known as usize];
                if node.epd != epd {
                    return Err(collision(&node.epd, epd));
                }
                return Ok(known);
            }
            Entry::Vacant(free) => free.insert(number),
        };
        if let Some(other) = self.by_id.insert(id, number) {
            return Err(collision(&self.graph.nodes[other as usize].epd, epd));
        }
        self.graph.nodes.push(GraphNode {
            id,
            key,
            epd,
            ply: 0,
            halfmove: 0,
            depth,
        });
        next.push(Standing { number, key, pos });
        Ok(number)
    }
}
