//! One place in the trie: its board, what was played there, by whom, and where it leads.

use shakmaty::{Chess, File, Position as _, Rank, Square};
use tabiya_chess::{PackedSan, full_fen, parse_line};
use tabiya_counts::PackedMove;

use super::{Analysis, PopularLine, openings::Names, replay, sums::Results, trie::ROOT};
use crate::AppError;

/// A place that at least one game went through.
#[derive(Debug)]
pub struct Subtree {
    pub path: Vec<String>,
    pub fen: String,
    /// As White sees it, with letters for pieces.
    pub board: String,
    pub games: u32,
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    /// Code and name, where the place or one before it has a name.
    pub opening: Option<(String, String)>,
    /// In the order of first appearance.
    pub continuations: Vec<Continuation>,
    /// Where many of its games go.
    pub lines: Vec<PopularLine>,
    /// The ids of the first games that came here.
    pub first_games: Vec<u32>,
}

/// A move that was played there.
#[derive(Debug, Clone)]
pub struct Continuation {
    pub san: String,
    pub games: u32,
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    pub is_novelty: bool,
    /// Empty where no date is known.
    pub first_date: String,
    /// Who played it how often, those who did so most first.
    pub played_by: Vec<(String, u32)>,
}

/// So many games are named.
const NAMED: usize = 10;

/// Where a line leads.
enum Place {
    Node(u32),
    /// Behind the node where the game is alone.
    Tail {
        game: u32,
        ply: usize,
    },
}

impl Analysis {
    /// The place a line of moves leads to.
    pub fn subtree(&self, line: &str, min_games: u32) -> Result<Subtree, AppError> {
        let parsed = parse_line(line).map_err(|error| AppError::BadLine {
            line: line.to_owned(),
            reason: error.to_string(),
        })?;
        let mut position = Chess::default();
        let mut path = Vec::new();
        for (m, after) in parsed.moves().iter().zip(parsed.positions()) {
            path.push(PackedMove::of(*m));
            position = after.clone();
        }
        let place = self.find(&path)?;
        Ok(self.show(place, &path, position, min_games))
    }

    /// The moves that were played at a node, as they are written.
    fn played_at(&self, at: u32) -> Vec<String> {
        self.trie
            .children(at)
            .map(|child| self.path(child).pop().unwrap_or_default())
            .collect()
    }

    fn find(&self, path: &[PackedMove]) -> Result<Place, AppError> {
        let mut at = ROOT;
        for (ply, packed) in path.iter().enumerate() {
            let node = self.trie.node(at);
            if node.games == 1 {
                return match self.games.moves(node.first).get(..path.len()) == Some(path) {
                    true => Ok(Place::Tail {
                        game: node.first,
                        ply: path.len(),
                    }),
                    false => Err(self.not_played(&path[..ply.max(node.ply as usize)], path, node.first)),
                };
            }
            at = match self.trie.child_by(at, *packed) {
                Some(child) => child,
                None => return Err(self.not_played(&path[..ply], path, node.first)),
            };
        }
        Ok(Place::Node(at))
    }

    /// The line is left somewhere: at the end of what a game along it shares with it.
    fn not_played(&self, known: &[PackedMove], path: &[PackedMove], game: u32) -> AppError {
        let moves = self.games.moves(game);
        let same = moves.iter().zip(path).take_while(|(one, other)| one == other).count();
        let reached = known.len().max(same);
        let here: Vec<String> = match self.find(&path[..reached]) {
            Ok(Place::Node(at)) if self.trie.node(at).games > 1 => self.played_at(at),
            _ => written(moves).get(reached).cloned().into_iter().collect(),
        };
        AppError::NotPlayed {
            line: numbered(&path[..=reached.min(path.len() - 1)]),
            instead: here,
        }
    }

    fn show(&self, place: Place, path: &[PackedMove], position: Chess, min_games: u32) -> Subtree {
        let (results, continuations, lines, mut games) = match place {
            Place::Node(at) if self.trie.node(at).games > 1 => {
                let sans = self.played_at(at).into_iter();
                let continuations =
                    (self.trie.children(at).zip(sans)).map(|(child, san)| self.continuation(child, san));
                let lines = match self.trie.children(at).is_empty() {
                    true => Vec::new(),
                    false => self.lines_below(at, min_games),
                };
                let games = self.trie.games_at(at);
                let results = self.results_at(at);
                (results, continuations.collect(), lines, games)
            }
            Place::Node(at) => {
                let game = self.trie.node(at).first;
                self.alone(game, path.len())
            }
            Place::Tail { game, ply } => self.alone(game, ply),
        };
        let opening = Names::embedded().last(path);
        let count = games.len() as u32;
        games.truncate(NAMED);
        Subtree {
            path: written(path),
            fen: full_fen(&position),
            board: diagram(&position),
            games: count,
            white: results.white,
            draws: results.draws,
            black: results.black,
            opening: opening.map(|opening| (opening.eco().to_string(), opening.name().to_owned())),
            continuations,
            lines,
            first_games: games,
        }
    }

    /// What there is to say where one game goes on by itself.
    fn alone(&self, game: u32, ply: usize) -> (Results, Vec<Continuation>, Vec<PopularLine>, Vec<u32>) {
        let mut results = Results::default();
        results.count(self.games.outcome(game));
        let next = written(self.games.moves(game))
            .into_iter()
            .nth(ply)
            .map(|san| Continuation {
                san,
                games: 1,
                white: results.white,
                draws: results.draws,
                black: results.black,
                is_novelty: false,
                first_date: self.games.date(game).to_owned(),
                played_by: vec![(self.games.name(self.games.mover(game, ply as u32 + 1)).to_owned(), 1)],
            });
        (results, next.into_iter().collect(), Vec::new(), vec![game])
    }

    fn continuation(&self, at: u32, san: String) -> Continuation {
        let node = self.trie.node(at);
        let results = self.results_at(at);
        let mut by: Vec<(u32, u32)> = Vec::new();
        let mut movers: Vec<u32> = self
            .trie
            .games_at(at)
            .into_iter()
            .map(|game| self.games.mover(game, node.ply))
            .collect();
        movers.sort_unstable();
        for mover in movers {
            match by.last_mut() {
                Some((last, times)) if *last == mover => *times += 1,
                _ => by.push((mover, 1)),
            }
        }
        by.sort_by_key(|(mover, times)| (std::cmp::Reverse(*times), *mover));
        Continuation {
            san,
            games: node.games,
            white: results.white,
            draws: results.draws,
            black: results.black,
            is_novelty: self.trie.is_novelty(at),
            first_date: self.first_date_at(at),
            played_by: by
                .into_iter()
                .map(|(mover, times)| (self.games.name(mover).to_owned(), times))
                .collect(),
        }
    }
}

/// ```text
/// 8  r n b q k b n r
/// …
///    a b c d e f g h
/// ```
fn diagram(pos: &Chess) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        text.push(' ');
        for file in File::ALL {
            let piece = pos.board().piece_at(Square::from_coords(file, rank));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    text.push_str("   a b c d e f g h\n");
    text
}

/// Moves from the initial position, as SAN.
fn written(moves: &[PackedMove]) -> Vec<String> {
    let mut sans: Vec<PackedSan> = Vec::new();
    replay::sans(moves, &mut sans);
    sans.iter().map(ToString::to_string).collect()
}

/// `1. e4 e5 2. Nf3`.
fn numbered(path: &[PackedMove]) -> String {
    let mut text = String::new();
    for (ply, san) in written(path).into_iter().enumerate() {
        if ply > 0 {
            text.push(' ');
        }
        if ply % 2 == 0 {
            text.push_str(&format!("{}. ", ply / 2 + 1));
        }
        text.push_str(&san);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::analysed;

    #[test]
    fn positions_follow_the_line() {
        let analysis = analysed(&["1. e4 e5 2. Nf3 *", "1. e4 c5 *"]);
        let subtree = analysis.subtree("1.e4", 2).expect("it was played");
        assert_eq!(
            subtree.fen,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        );
        let ranks: Vec<&str> = subtree.board.lines().collect();
        assert_eq!(
            (ranks[0], ranks[4], ranks.len()),
            ("8  r n b q k b n r", "4  . . . . P . . .", 9)
        );
        let moves: Vec<_> = subtree
            .continuations
            .iter()
            .map(|next| (&*next.san, next.games))
            .collect();
        assert_eq!(moves, [("e5", 1), ("c5", 1)]);
        assert!(subtree.continuations.iter().all(|next| next.is_novelty));
        let tail = analysis.subtree("e4 e5 Nf3", 2).expect("one game did");
        assert_eq!((tail.games, tail.continuations.len()), (1, 0));
        let refused = |line| analysis.subtree(line, 2).expect_err("nobody did").to_string();
        assert_eq!(refused("e4 e5 Nc3 d6"), "no game goes 1. e4 e5 2. Nc3");
        assert_eq!(refused("d4"), "no game goes 1. d4");
        assert_eq!(refused("e4 e5 Nf3 Nc6"), "no game goes 1. e4 e5 2. Nf3 Nc6");
        assert!(refused("e4 e4").contains("not a legal move"));
    }
}
