//! Rows for tests: numbered nodes in place of boards.

use pgn_import::{Batch, Checkpoint, Edge, ImportJob, Position, Reject, RejectOutcome, RepertoireEdge, Tactic};

/// FNV-1a, as every id is made.
pub(crate) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

pub(crate) fn key(node: u32) -> String {
    // Scrambled, so that the order of keys is not that of nodes.
    let scrambled = node.wrapping_mul(2_654_435_761);
    format!("{scrambled:08x}/8/8/8/8/8/8/8 w - -")
}

pub(crate) fn node_id(node: u32) -> u64 {
    hash(key(node).bytes())
}

pub(crate) fn fen(key: &str, ply: u32, halfmove: u32) -> String {
    format!("{key} {halfmove} {}", ply / 2 + 1)
}

pub(crate) fn position(node: u32, ply: u32, halfmove: u32) -> Position {
    Position {
        id: node_id(node),
        fen: fen(&key(node), ply, halfmove),
        side_to_move: 'w',
        ply,
    }
}

/// Whether the move from `a` to `b` is a capture: any rule does, as long as it is always the same.
pub(crate) fn is_zeroing(a: u32, b: u32) -> bool {
    (a.wrapping_mul(31) ^ b.wrapping_mul(17)).is_multiple_of(5)
}

pub(crate) fn edge(a: u32, b: u32, hint: Option<&str>) -> Edge {
    let move_uci = format!("m{b}");
    Edge {
        id: hash(node_id(a).to_le_bytes().into_iter().chain(move_uci.bytes())),
        parent_id: node_id(a),
        child_id: node_id(b),
        move_san: format!("{}{b}", if is_zeroing(a, b) { "Nx" } else { "N" }),
        move_uci,
        source_hint: hint.map(str::to_owned),
    }
}

/// A line from a root, as an importer would write it.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub ply: u32,
    pub halfmove: u32,
    pub nodes: Vec<u32>,
}

impl Line {
    pub(crate) fn from_start(nodes: &[u32]) -> Line {
        Line {
            ply: 0,
            halfmove: 0,
            nodes: nodes.to_vec(),
        }
    }

    /// The positions of the line, with what they are on it.
    pub(crate) fn positions(&self) -> Vec<(u32, u32, u32)> {
        let mut halfmove = self.halfmove;
        let mut positions = vec![(self.nodes[0], self.ply, halfmove)];
        for (pair, ply) in self.nodes.windows(2).zip(self.ply + 1..) {
            halfmove = if is_zeroing(pair[0], pair[1]) { 0 } else { halfmove + 1 };
            positions.push((pair[1], ply, halfmove));
        }
        positions
    }

    pub(crate) fn batch(&self, hint: Option<&str>) -> Batch {
        Batch {
            positions: self
                .positions()
                .into_iter()
                .map(|(node, ply, halfmove)| position(node, ply, halfmove))
                .collect(),
            edges: self.nodes.windows(2).map(|pair| edge(pair[0], pair[1], hint)).collect(),
            ..Batch::default()
        }
    }
}

pub(crate) fn join(batches: impl IntoIterator<Item = Batch>) -> Batch {
    let mut all = Batch::default();
    for batch in batches {
        all.positions.extend(batch.positions);
        all.edges.extend(batch.edges);
        all.repertoire_edges.extend(batch.repertoire_edges);
        all.tactics.extend(batch.tactics);
        all.rejects.extend(batch.rejects);
    }
    all
}

pub(crate) fn membership(owner: &str, repertoire_key: &str, a: u32, b: u32) -> RepertoireEdge {
    RepertoireEdge {
        owner: owner.to_owned(),
        repertoire_key: repertoire_key.to_owned(),
        edge_id: edge(a, b, None).id,
    }
}

pub(crate) fn tactic(fen: &str, line: &[&str], tags: &[&str], hint: Option<&str>) -> Tactic {
    let texts = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    Tactic {
        id: hash(format!("{fen}\0{}", line.join(" ")).bytes()),
        fen: fen.to_owned(),
        pv_uci: texts(line),
        tags: texts(tags),
        source_hint: hint.map(str::to_owned),
    }
}

pub(crate) fn reject(source: &str, game_index: u64, reason: &str) -> Reject {
    Reject {
        source: source.to_owned(),
        game_index,
        byte_offset: game_index * 100,
        error_offset: game_index * 100 + 7,
        outcome: if game_index.is_multiple_of(2) {
            RejectOutcome::Rejected
        } else {
            RejectOutcome::Truncated
        },
        ply: 3,
        san: "Qxz9".to_owned(),
        fen: String::new(),
        reason: reason.to_owned(),
    }
}

pub(crate) fn job(source: &str) -> ImportJob {
    ImportJob {
        source: source.to_owned(),
        fingerprint: "f".to_owned(),
        config: "c".to_owned(),
    }
}

pub(crate) fn at(offset: u64) -> Checkpoint {
    Checkpoint {
        offset,
        games: offset / 10,
        ..Checkpoint::default()
    }
}

/// A small generator: the same numbers for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(limit)).unwrap()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(u32::try_from(i).unwrap() + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// Random lines over few nodes, most from the start, some from elsewhere: full of transpositions and loops.
pub(crate) fn random_lines(random: &mut Random) -> Vec<Line> {
    let nodes = 4 + random.below(40);
    let mut lines = vec![Line::from_start(&[0])];
    for _ in 0..1 + random.below(14) {
        let elsewhere = random.below(5) == 0;
        let mut line = if elsewhere {
            Line {
                ply: random.below(12),
                halfmove: random.below(14),
                nodes: vec![1 + random.below(nodes)],
            }
        } else {
            Line::from_start(&[0])
        };
        for _ in 0..random.below(16) {
            let last = line.nodes[line.nodes.len() - 1];
            let next = random.below(nodes);
            if next != last {
                line.nodes.push(next);
            }
        }
        lines.push(line);
    }
    lines
}
