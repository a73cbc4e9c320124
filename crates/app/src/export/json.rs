//! An opening as the app reads it: one JSON file, every line of play a path of nested nodes.

use std::io::Write as _;

use serde::Serialize;
use tabiya_chess::fen_at;
use tabiya_store::KnowledgeNode;

use super::{
    Limits, Subject,
    tree::Tree,
    weights::{shares, write_share},
};
use crate::explore::{Catalogue, Step, View};

/// The least a node takes, for guessing how many fit into a file.
const SMALLEST_NODE: usize = 100;

const CHILDREN: &[u8] = b",\"children\":[";

/// An opening, written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppTree {
    pub json: Vec<u8>,
    /// How many nodes it has.
    pub nodes: u64,
    /// Half-moves below the opening's own position.
    pub depth: u16,
    /// Whether it would go deeper but for its size.
    pub cut: bool,
}

/// Writes an opening in the app's form: its stem, and below it what `limits` allow. Depth is cut until it fits.
pub fn app_tree(view: &View, catalogue: &Catalogue, subject: &Subject<'_>, limits: &Limits) -> AppTree {
    let tree = Tree::grow(view, subject, limits, (limits.max_bytes / SMALLEST_NODE).max(1));
    let mut page = Page::new(view, catalogue, subject, &tree);
    let grown = tree.last_level();
    let mut last = grown;
    page.write(last);
    if page.out.len() > limits.max_bytes {
        last = page.fitting(limits.max_bytes);
        page.write(last);
    }
    let stem = subject.stem.len();
    // What the last level could be answered with, and nobody wrote down.
    let more = tree.level(last).any(|index| !tree.responses(index).is_empty());
    let wanted = limits
        .max_depth
        .is_none_or(|max| last - stem.min(last) < usize::from(max));
    AppTree {
        json: page.out,
        nodes: page.nodes,
        depth: (last - stem.min(last)) as u16,
        cut: more && wanted,
    }
}

struct Page<'a> {
    view: &'a View,
    catalogue: &'a Catalogue,
    subject: &'a Subject<'a>,
    tree: &'a Tree<'a>,
    out: Vec<u8>,
    nodes: u64,
    /// Bytes of each level's nodes, and of the brackets and commas around their children.
    own: Vec<usize>,
    around: Vec<usize>,
}

impl<'a> Page<'a> {
    fn new(view: &'a View, catalogue: &'a Catalogue, subject: &'a Subject<'a>, tree: &'a Tree<'a>) -> Page<'a> {
        Page {
            view,
            catalogue,
            subject,
            tree,
            out: Vec::new(),
            nodes: 0,
            own: Vec::new(),
            around: Vec::new(),
        }
    }

    /// The deepest level with which the page would fit; the stem in any case.
    fn fitting(&self, max_bytes: usize) -> usize {
        let levels = self.own.len();
        let mut bytes = self.out.len();
        let mut last = levels - 1;
        while bytes > max_bytes && last > self.subject.stem.len() {
            bytes -= self.own[last] + self.around[last - 1];
            last -= 1;
        }
        last
    }

    /// Writes the page anew, down to a level.
    fn write(&mut self, last: usize) {
        self.out.clear();
        self.nodes = 0;
        self.own = vec![0; last + 1];
        self.around = vec![0; last + 1];
        let given = self.subject.given;
        self.head(given);
        self.out.extend_from_slice(b",\"moves\":[");
        // An explicit stack: lines may be longer than a thread's reaches.
        let first = if given < last { self.tree.children(given) } else { 0..0 };
        let mut open = vec![first];
        loop {
            let level = given + open.len();
            let Some(siblings) = open.last_mut() else { break };
            let Some(index) = siblings.next() else {
                open.pop();
                if let Some(siblings) = open.last() {
                    self.out.extend_from_slice(b"]}");
                    if !siblings.is_empty() {
                        self.out.push(b',');
                    }
                }
                continue;
            };
            let is_last = siblings.start >= siblings.end;
            let before = self.out.len();
            self.node(index);
            self.nodes += 1;
            self.own[level] += self.out.len() - before + 1;
            let children = if level < last { self.tree.children(index) } else { 0..0 };
            if children.is_empty() {
                self.out.push(b'}');
                if !is_last {
                    self.out.push(b',');
                }
            } else {
                self.around[level] += CHILDREN.len() + children.len();
                self.out.extend_from_slice(CHILDREN);
                open.push(children);
            }
        }
        self.out.extend_from_slice(b"]}\n");
    }

    fn head(&mut self, given: usize) {
        let subject = self.subject;
        self.out.push(b'{');
        for (key, value) in [
            ("id", &*subject.id),
            ("name", &subject.name),
            ("eco", &subject.eco),
            ("color", subject.color.fold_wb("white", "black")),
            ("difficulty", subject.difficulty.as_str()),
            ("description", &subject.description),
        ] {
            self.key(key);
            self.value(value);
            self.out.push(b',');
        }
        self.key("rootFen");
        self.fen(given);
        let responses = self.tree.responses(given);
        self.responses("rootResponses", "rootWeights", &responses);
    }

    /// A node without its closing brace.
    fn node(&mut self, index: usize) {
        let branch = self.tree.branch(index);
        let node = self.view.node(branch.place);
        self.out.push(b'{');
        self.key("san");
        self.value(branch.step.map_or("", |step| step.edge.san.as_str()));
        self.out.push(b',');
        self.key("fen");
        self.fen(index);
        let name = node.opening.filter(|_| node.named);
        if let Some(opening) = name.and_then(|id| self.catalogue.opening(id)) {
            self.field("commentary", &opening.opening.name);
        }
        let responses = self.tree.responses(index);
        self.responses("engineResponses", "responseWeights", &responses);
        self.extended(node);
    }

    /// What the app may know and need not; absent where there is nothing to say.
    fn extended(&mut self, node: &KnowledgeNode) {
        if let Some(shown) = &node.evaluation {
            self.field("stockfish_eval", &shown.eval.cp);
            if let Some(best) = &shown.best_move {
                self.field("best_move", &best.san);
            }
            if shown.is_dubious {
                self.field("is_dubious", &true);
            }
            if shown.is_busted {
                self.field("is_busted", &true);
            }
        }
        if let Some(percent) = node.stats.white_percent() {
            self.field("game_count", &node.stats.games());
            self.field("white_win_pct", &rounded(percent));
        }
        if let Some(structure) = &node.structure {
            self.field("resulting_structure", structure);
        }
    }

    fn responses(&mut self, names: &str, weights: &str, responses: &[Step<'_>]) {
        self.out.push(b',');
        self.key(names);
        self.out.push(b'[');
        for (number, step) in responses.iter().enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            self.value(step.edge.san.as_str());
        }
        self.out.extend_from_slice(b"],");
        self.key(weights);
        self.out.push(b'[');
        let games: Vec<u64> = responses.iter().map(|step| step.edge.stats.games()).collect();
        for (number, share) in shares(&games).into_iter().enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            write_share(share, &mut self.out);
        }
        self.out.push(b']');
    }

    /// The position with the counters of this line.
    fn fen(&mut self, index: usize) {
        let branch = self.tree.branch(index);
        let epd = &self.view.node(branch.place).epd;
        // Writing to memory cannot fail.
        let _ = write!(self.out, "\"{}\"", fen_at(epd, branch.halfmove, branch.ply));
    }

    fn key(&mut self, key: &str) {
        let _ = write!(self.out, "\"{key}\":");
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.out.push(b',');
        self.key(key);
        self.value(value);
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        // Texts and numbers can always be written.
        let _ = serde_json::to_writer(&mut self.out, value);
    }
}

/// Two decimals are more than games can tell.
pub(super) fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
