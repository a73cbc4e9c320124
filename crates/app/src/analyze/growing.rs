//! Grows the trie of all games, level by level.
//!
//! Every node has a run of the list of all games. Whoever goes on from there is put in order by the move that comes next, and
//! the runs of the children are there. So each game is looked at once for every half-move that it shares with another, one
//! level after the other and from one end of the list to the other: memory comes as it is asked for, where putting one game after the
//! other into a tree waits for it at every step.

use std::thread;

use tabiya_counts::PackedMove;

use super::{
    games::Games,
    side_by_side::joined,
    trie::{Node, Trie},
};

/// From so many nodes on a level is shared out among threads.
const ENOUGH: usize = 64;

impl Trie {
    pub(super) fn of(games: &Games, threads: usize) -> Trie {
        let mut listed: Vec<Runner> = (0..games.len()).map(|id| Runner { ahead: 0, id }).collect();
        let mut top = Branch {
            levels: vec![vec![Node::root(games.len())]],
        };
        while threads > 1 && (1..ENOUGH).contains(&top.last().len()) {
            top.grow(games, &mut listed, 0);
        }
        let branches = top.branches(games, &mut listed, threads);
        let games = listed.iter().map(|runner| runner.id).collect();
        Trie::new(top.with(&branches), games)
    }
}

/// A game on its way through the trie, with the next moves beside it: four looks at far memory are one.
#[derive(Clone, Copy)]
struct Runner {
    ahead: u64,
    id: u32,
}

impl Runner {
    /// Takes up the next four moves; nothing stands for those behind the last.
    #[inline]
    fn look_ahead(&mut self, games: &Games, ply: u32) {
        self.ahead = games.ahead(self.id, ply);
    }

    #[inline]
    fn next(&self) -> u16 {
        self.ahead as u16
    }
}

/// Levels of nodes, each of which knows its parent and its children by their places in the levels above and below.
struct Branch {
    levels: Vec<Vec<Node>>,
}

impl Branch {
    fn last(&self) -> &[Node] {
        self.levels.last().map_or(&[], Vec::as_slice)
    }

    /// The next level. `listed` are the games of this branch, which lie behind `before` others in the list of all.
    fn grow(&mut self, games: &Games, listed: &mut [Runner], before: u32) {
        let Some(level) = self.levels.last_mut() else { return };
        if level.first().is_some_and(|node| node.ply % 4 == 0) {
            // All at once and not node by node: none of these looks waits for another.
            for node in level.iter().filter(|node| node.games > 1) {
                let start = (node.start - before) as usize;
                let run = &mut listed[start..start + node.games as usize];
                run.iter_mut().for_each(|runner| runner.look_ahead(games, node.ply));
            }
        }
        let mut next = Vec::with_capacity(level.len());
        let mut sorter = Sorter::default();
        for (at, node) in (0..).zip(level) {
            node.children = (next.len() as u32, 0);
            if node.games < 2 {
                continue;
            }
            let start = (node.start - before) as usize;
            let run = &mut listed[start..start + node.games as usize];
            sorter.sort(run);
            let mut start = sorter.ended;
            for way in &sorter.ways {
                next.push(Node {
                    played: PackedMove::from_bits(way.played),
                    parent: at,
                    ply: node.ply + 1,
                    games: way.games,
                    first: run[start as usize].id,
                    children: (0, 0),
                    start: node.start + start,
                });
                start += way.games;
            }
            node.children.1 = next.len() as u32 - node.children.0;
        }
        self.levels.push(next);
    }

    /// Everything below the last level, on several threads: each has a run of its nodes.
    fn branches(&self, games: &Games, listed: &mut [Runner], threads: usize) -> Vec<Branch> {
        let nodes = self.last();
        let first = nodes.first().map_or(0, |node| node.start);
        let total: u32 = nodes.iter().map(|node| node.games).sum();
        let each = total / threads.max(1) as u32 + 1;
        thread::scope(|scope| {
            let mut running = Vec::new();
            let (mut nodes, mut before) = (nodes, first);
            // Games that ended above lie between the nodes' runs, so runs are cut where nodes begin.
            let mut listed = &mut listed[first as usize..];
            while !nodes.is_empty() {
                let mut left = each;
                let within = |node: &&Node| {
                    let is_within = left > 0;
                    left = left.saturating_sub(node.games);
                    is_within
                };
                let (own, others) = nodes.split_at(nodes.iter().take_while(within).count());
                let end = others.first().map_or(before + listed.len() as u32, |node| node.start);
                let (own_listed, others_listed) = listed.split_at_mut((end - before) as usize);
                let mut branch = Branch {
                    levels: vec![own.to_vec()],
                };
                running.push(scope.spawn(move || {
                    while !branch.last().is_empty() {
                        branch.grow(games, own_listed, before);
                    }
                    branch
                }));
                (nodes, listed, before) = (others, others_listed, end);
            }
            joined(running)
        })
    }

    /// All nodes, breadth-first: this branch's levels, the last of which the others have between them.
    fn with(&self, branches: &[Branch]) -> Vec<Node> {
        let above = &self.levels[..self.levels.len() - 1];
        let width = |branch: &Branch, level: usize| branch.levels.get(level).map_or(0, Vec::len);
        let depth = branches.iter().map(|branch| branch.levels.len()).max().unwrap_or(0);
        let below = branches.iter().flat_map(|branch| &branch.levels);
        let mut nodes: Vec<Node> = Vec::with_capacity(above.iter().chain(below).map(Vec::len).sum());
        let mut parents = 0;
        for level in above {
            let here = nodes.len();
            let children = here + level.len();
            nodes.extend(level.iter().map(|node| node.placed(parents, children)));
            parents = here;
        }
        for level in 0..depth {
            let here = nodes.len();
            let mut children = here + branches.iter().map(|branch| width(branch, level)).sum::<usize>();
            for branch in branches {
                let own = branch.levels.get(level).map_or(&[][..], Vec::as_slice);
                nodes.extend(own.iter().map(|node| node.placed(parents, children)));
                // The next branch has this one's parents and children before its own; the first level's parents are above all.
                parents += level.checked_sub(1).map_or(0, |level| width(branch, level));
                children += width(branch, level + 1);
            }
            parents = here;
        }
        nodes
    }
}

/// Puts games in order by the moves they go on with.
#[derive(Default)]
struct Sorter {
    /// By first appearance.
    ways: Vec<Way>,
    ended: u32,
    which: Vec<u32>,
    places: Vec<u32>,
    sorted: Vec<Runner>,
}

#[derive(Clone, Copy)]
struct Way {
    played: u16,
    games: u32,
}

/// No move.
const END: u16 = PackedMove::NONE.bits();

impl Sorter {
    /// Those that end here come first, then one way on after the other; each in the order in which they were. All have made
    /// their move then.
    fn sort(&mut self, run: &mut [Runner]) {
        self.ways.clear();
        self.ended = 0;
        let Some(first) = run.first().map(Runner::next) else {
            return;
        };
        let is_one_way = run.iter().all(|runner| runner.next() == first);
        if is_one_way {
            let games = run.len() as u32;
            match first {
                END => self.ended = games,
                played => self.ways.push(Way { played, games }),
            }
            return run.iter_mut().for_each(|runner| runner.ahead >>= 16);
        }
        self.which.clear();
        for runner in &*run {
            let which = self.way(runner.next());
            self.which.push(which);
        }
        self.places.clear();
        self.places.extend([0, self.ended]);
        let mut end = self.ended;
        self.places.extend(self.ways.iter().map(|way| {
            end += way.games;
            end
        }));
        self.sorted.clear();
        self.sorted.resize(run.len(), Runner { ahead: 0, id: 0 });
        for (runner, which) in run.iter().zip(&self.which) {
            let place = &mut self.places[*which as usize];
            self.sorted[*place as usize] = Runner {
                ahead: runner.ahead >> 16,
                id: runner.id,
            };
            *place += 1;
        }
        run.copy_from_slice(&self.sorted);
    }

    /// The number of the way that one more game goes; 0 where it ends.
    #[inline]
    fn way(&mut self, played: u16) -> u32 {
        if played == END {
            self.ended += 1;
            return 0;
        }
        let known = self.ways.iter().position(|way| way.played == played);
        let number = known.unwrap_or_else(|| {
            self.ways.push(Way { played, games: 0 });
            self.ways.len() - 1
        });
        self.ways[number].games += 1;
        number as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::analysed, *};

    /// Games over few moves that part at many places, some of which are the beginning of others.
    fn games() -> Vec<String> {
        let white = ["e4", "d4", "c4", "Nf3", "g3", "b3", "f4", "Nc3", "a3", "h3"];
        let black = ["e5", "d5", "c5", "Nf6", "g6", "b6", "f5", "Nc6", "a6", "h6"];
        let second = ["a4", "h4"];
        let mut random = 7_u32;
        let mut roll = |sides: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as usize % sides
        };
        let mut games = Vec::new();
        for _ in 0..900 {
            let mut game = format!("1. {} {}", white[roll(10)], black[roll(10)]);
            for number in 2..2 + roll(3) {
                game += &match number {
                    2 => format!(" 2. {} Na6", second[roll(2)]),
                    _ => format!(" {number}. Ra3 Nb8"),
                };
            }
            // Pawns and knights stand in each other's way in some of them, and those are left out.
            games.push(game + " *");
        }
        games
    }

    #[test]
    fn as_many_threads_as_one_likes_grow_the_same_trie() {
        let games = games();
        let analysis = analysed(&games.iter().map(String::as_str).collect::<Vec<_>>());
        let alone = Trie::of(&analysis.games, 1);
        let widest = (0..8).map(|ply| alone.nodes().iter().filter(|node| node.ply == ply).count());
        assert!(widest.max() > Some(ENOUGH), "several threads have something to do");
        for threads in 2..6 {
            assert_eq!(Trie::of(&analysis.games, threads), alone, "{threads}");
        }
    }

    #[test]
    fn every_game_ends_at_its_leaf_and_is_listed_once() {
        let games = games();
        let analysis = analysed(&games.iter().map(String::as_str).collect::<Vec<_>>());
        let (games, trie) = (&analysis.games, &analysis.trie);
        let mut listed = trie.listed().to_vec();
        listed.sort_unstable();
        assert!(listed.into_iter().eq(0..games.len()));
        for game in 0..games.len() {
            let way = trie.way(trie.leaf(game));
            let played: Vec<PackedMove> = way[1..].iter().map(|at| trie.node(*at).played).collect();
            assert!(games.moves(game).starts_with(&played));
            assert!(way.iter().all(|at| trie.games_at(*at).contains(&game)));
            let leaf = trie.node(trie.leaf(game));
            assert!(leaf.games == 1 || played.len() == games.moves(game).len());
        }
        for (at, node) in (0..).zip(trie.nodes()) {
            let firsts: Vec<u32> = trie.children(at).map(|child| trie.node(child).first).collect();
            assert!(firsts.is_sorted(), "siblings by first appearance");
            assert!(trie.children(at).all(|child| trie.node(child).parent == at));
            assert_eq!(trie.games_at(at).first(), Some(&node.first));
        }
    }
}
