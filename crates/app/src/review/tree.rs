//! Stage 1: a game as a tree of states. Stage 3: the tree as a chain.

use pgn_import::{FaultKind, Game, NodeId, ROOT, StartKind};
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _};
use tabiya_chess::{full_fen, to_uci};

use super::{
    lines::Line,
    report::{FailedGame, MoveText},
};

/// A position and the move that led to it.
#[derive(Debug, Clone)]
pub struct StateNode {
    /// Of the tree's nodes.
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub mainline: bool,
    /// Half-moves from the game's first position.
    pub ply: u32,
    pub position: Chess,
    pub fen: String,
    pub played: Option<Played>,
    pub lines: Vec<Line>,
    /// What the move was worth when it was searched again.
    pub again: Option<Line>,
    /// The same node in the game it came from.
    pub(super) origin: NodeId,
}

/// A move that was played, by whom.
#[derive(Debug, Clone)]
pub struct Played {
    pub m: Move,
    pub color: Color,
    pub text: MoveText,
}

/// A game as positions. Node 0 is the first position; parents come before their children, the main line before variations.
#[derive(Debug, Clone)]
pub struct StateTree {
    pub nodes: Vec<StateNode>,
    pub chess960: bool,
}

/// Why a game cannot be reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The half-move at fault, from 1.
    pub ply: Option<u32>,
    pub fen: Option<String>,
    pub reason: String,
}

impl Unfit {
    pub(super) fn of(reason: impl Into<String>) -> Unfit {
        Unfit {
            ply: None,
            fen: None,
            reason: reason.into(),
        }
    }

    /// What reads as a game and is none.
    pub(super) fn rubbish() -> Unfit {
        Unfit::of(FaultKind::NotAGame.to_string())
    }

    pub(super) fn report(self, file: &str, game: &Game) -> FailedGame {
        let name = |tag| game.tag(tag).unwrap_or("?").to_owned();
        FailedGame {
            file: file.to_owned(),
            game: game.at.index + 1,
            offset: game.at.offset,
            white: name("White"),
            black: name("Black"),
            ply: self.ply,
            fen: self.fen,
            reason: self.reason,
        }
    }
}

impl StateTree {
    /// The tree of a game; variations only where they are asked for. An illegal move anywhere makes a game unfit: what was
    /// played after it is not known.
    pub fn of(game: &Game, variations: bool) -> Result<StateTree, Unfit> {
        if let Some(fault) = game.faults.iter().find(|fault| fault.kind != FaultKind::OpenComment) {
            let reason = match fault.token.is_empty() {
                true => fault.kind.to_string(),
                false => format!("`{}`: {}", fault.token, fault.kind),
            };
            return Err(Unfit {
                ply: (!matches!(fault.kind, FaultKind::Start(_) | FaultKind::NotAGame)).then_some(fault.ply + 1),
                fen: fault.fen.clone(),
                reason,
            });
        }
        let start = game
            .start
            .as_ref()
            .ok_or_else(|| Unfit::of("its first position is not known"))?;
        let chess960 = start.kind == StartKind::Chess960 || start.position.castles().mode() == CastlingMode::Chess960;
        let mut tree = StateTree {
            nodes: vec![StateNode {
                parent: None,
                children: Vec::new(),
                mainline: true,
                ply: 0,
                fen: full_fen(&start.position),
                position: start.position.clone(),
                played: None,
                lines: Vec::new(),
                again: None,
                origin: ROOT,
            }],
            chess960,
        };
        tree.grow(game, variations)?;
        Ok(tree)
    }

    /// Line after line, the main one first; the variations of a line wait until it is done.
    fn grow(&mut self, game: &Game, variations: bool) -> Result<(), Unfit> {
        let mut waiting: std::collections::VecDeque<(usize, NodeId)> = std::collections::VecDeque::new();
        let mut next = game.children(ROOT).first().map(|first| (0, *first));
        let mut mainline = true;
        waiting.extend(others(game, ROOT).map(|other| (0, other)));
        loop {
            while let Some((parent, origin)) = next {
                let Some(place) = self.add(game, parent, origin, mainline) else {
                    if mainline {
                        let ply = self.nodes[parent].ply + 1;
                        return Err(Unfit {
                            ply: Some(ply),
                            fen: Some(self.nodes[parent].fen.clone()),
                            reason: "a null move was played, which no engine can judge".to_owned(),
                        });
                    }
                    break;
                };
                waiting.extend(others(game, origin).map(|other| (place, other)));
                next = game.children(origin).first().map(|first| (place, *first));
            }
            mainline = false;
            next = waiting.pop_front().filter(|_| variations);
            if next.is_none() {
                return Ok(());
            }
        }
    }

    /// Adds a move; nothing for a null move.
    fn add(&mut self, game: &Game, parent: usize, origin: NodeId, mainline: bool) -> Option<usize> {
        let node = game.node(origin);
        let m = node.m?;
        let before = &self.nodes[parent].position;
        let text = MoveText {
            san: node.san.clone(),
            uci: to_uci(before, m),
        };
        let played = Played {
            m,
            color: before.turn(),
            text,
        };
        let mut position = before.clone();
        position.play_unchecked(m);
        let place = self.nodes.len();
        self.nodes.push(StateNode {
            parent: Some(parent),
            children: Vec::new(),
            mainline,
            ply: self.nodes[parent].ply + 1,
            fen: full_fen(&position),
            position,
            played: Some(played),
            lines: Vec::new(),
            again: None,
            origin,
        });
        self.nodes[parent].children.push(place);
        Some(place)
    }

    /// Stage 3: every node, parents first; the main line first, then the variations as they come.
    pub fn chain(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    /// The nodes of the main line, the first position included.
    pub fn main_line(&self) -> impl Iterator<Item = &StateNode> {
        self.nodes.iter().take_while(|node| node.mainline)
    }
}

/// The tags by which a game is known for one, whoever played it: the chapter of a study that is text alone names its event and site,
/// a position that somebody set up its FEN.
const TAGS_OF_GAMES: [&str; 10] = [
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant",
];

/// Text that reads as a game because of a lone result or a bracket amid it: it has no tag that games have, and nothing in it is a
/// move, not even an illegal one. Any other tag may be a bracket and a quote that stood next to each other.
pub(super) fn is_rubbish(game: &Game) -> bool {
    let is_tagged = |tag| game.tag(tag).is_some_and(|value| !value.trim().is_empty());
    let is_no_move =
        |kind: &FaultKind| matches!(kind, FaultKind::NotAGame | FaultKind::NotAMove | FaultKind::OpenComment);
    !TAGS_OF_GAMES.into_iter().any(is_tagged)
        && game.children(ROOT).is_empty()
        && game.faults.iter().all(|fault| is_no_move(&fault.kind))
}

/// The alternatives to the main continuation.
fn others(game: &Game, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    game.children(node).iter().skip(1).copied()
}

/// A node's name.
pub(super) fn id(place: usize) -> String {
    format!("node_{place}")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use pgn_import::{Source, read_trees};

    use super::*;

    pub(crate) fn game(pgn: &str) -> Game {
        let source = Source::from_reader("test".to_owned(), Box::new(Cursor::new(pgn.to_owned())), None, 0);
        let mut games = Vec::new();
        read_trees(source.expect("a source"), |game| games.push(game)).expect("whole");
        games.remove(0)
    }

    fn chain(pgn: &str, variations: bool) -> String {
        let tree = StateTree::of(&game(pgn), variations).expect("a fit game");
        let name = |place: usize| {
            let node = &tree.nodes[place];
            let parent = node.parent.map_or(String::new(), |parent| format!("{parent}"));
            let san = node.played.as_ref().map_or("root", |played| &played.text.san);
            format!("{parent}{san}{}", if node.mainline { "" } else { "'" })
        };
        tree.chain().map(name).collect::<Vec<_>>().join(" ")
    }

    const SEED: &str = "1. e4 (1. d4) 1... e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 (2. Bc4) *";

    #[test]
    fn the_main_line_comes_first() {
        assert_eq!(chain("1. e4 e5 (1... c5) 2. Nf3 *", true), "root 0e4 1e5 2Nf3 1c5'");
        assert_eq!(chain("1. e4 e5 (1... c5) 2. Nf3 *", false), "root 0e4 1e5 2Nf3");
        assert_eq!(chain(SEED, true), "root 0e4 1e5 2Nf3 0d4' 1c5' 5Nf3' 2Bc4' 5c3'");
        assert_eq!(chain("*", true), "root");
    }

    #[test]
    fn nodes_know_what_the_seed_asks_for() {
        let tree = StateTree::of(&game(SEED), true).expect("a fit game");
        let [root, e4] = [&tree.nodes[0], &tree.nodes[1]];
        assert_eq!(
            (root.parent, root.children.as_slice(), root.ply),
            (None, &[1, 4][..], 0)
        );
        assert_eq!(e4.fen, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        let played = e4.played.as_ref().expect("a move");
        assert_eq!((played.text.uci.as_str(), played.color), ("e2e4", Color::White));
        assert!(e4.lines.is_empty() && e4.mainline && !tree.nodes[4].mainline);
        assert_eq!(tree.main_line().count(), 4);
    }

    #[test]
    fn a_fen_is_a_start_like_any_other() {
        let pgn = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4p3/1K6 b - - 0 40\"]\n\n40... e1=Q+ 41. Kb2 *\n";
        let tree = StateTree::of(&game(pgn), false).expect("a fit game");
        let played = tree.nodes[1].played.as_ref().expect("a move");
        assert_eq!((played.text.san.as_str(), played.color), ("e1=Q+", Color::Black));
        assert!(!tree.chess960);
    }

    #[test]
    fn what_is_unfit_says_why() {
        let unfit = |pgn: &str| StateTree::of(&game(pgn), false).expect_err("unfit");
        let illegal = unfit("1. e4 e5 2. Ke3 *");
        assert_eq!(
            (illegal.ply, illegal.reason.contains("`Ke3`")),
            (Some(3), true),
            "{illegal:?}"
        );
        let variant = unfit("[Variant \"Atomic\"]\n\n1. e4 *\n");
        assert!(
            variant.ply.is_none() && variant.reason.contains("atomic"),
            "{variant:?}"
        );
        let null = unfit("1. e4 -- 2. d4 *");
        assert!(null.ply == Some(2) && null.reason.contains("null move"), "{null:?}");
    }
}
