//! Finding positions by their pawns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use shakmaty::{Bitboard, Board, Color, Piece, Role};
use tabiya_chess::{PawnRule, parse_board};
use uuid::Uuid;

use super::{Catalogue, Place, Snapshot, View};

/// All pawn formations of a view. Many positions share one, and a rule looks at each of them once.
#[derive(Debug, Default)]
pub struct SkeletonIndex {
    /// By skeleton.
    formations: Vec<Formation>,
    skeletons: Vec<Skeleton>,
    /// By formation.
    shares: Vec<Share>,
    /// By the formation they lead to.
    flows: Vec<Flow>,
    openings: usize,
}

/// Pawns and bishops, which are all that a rule looks at.
#[derive(Debug)]
struct Formation {
    board: Board,
    skeleton: u32,
    /// Where its shares and flows end; they begin where those of the one before it end.
    shares_end: u32,
    flows_end: u32,
}

/// Pawns alone.
#[derive(Debug)]
struct Skeleton {
    pawns: Board,
}

/// What one opening has of a formation.
#[derive(Debug)]
struct Share {
    /// A place in the catalogue; `u32::MAX` for positions that belong to none.
    opening: u32,
    positions: u32,
    /// Games that came into the formation there: each once, however many of its positions it went through.
    came: u64,
    /// Games that came into what the opening has of it, from another opening too.
    came_to_opening: u64,
    example: Place,
    /// Games of the example.
    example_games: u64,
}

/// Games that came from one formation into another.
#[derive(Debug)]
struct Flow {
    from: u32,
    /// The opening they came to.
    opening: u32,
    /// Whether they had been in it before.
    same_opening: bool,
    games: u64,
}

const NO_OPENING: u32 = u32::MAX;

/// Where a formation occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkeletonMatches {
    pub positions: u64,
    /// Games that came to one of them; one that comes back after it has left counts again.
    pub games: u64,
    /// How many openings and skeletons there are, those included that are not listed.
    pub opening_count: usize,
    pub skeleton_count: usize,
    /// The most played first.
    pub openings: Vec<SkeletonOpening>,
    /// The most played first.
    pub skeletons: Vec<SkeletonCount>,
}

/// An opening whose positions have the formation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkeletonOpening {
    /// Its place in [`Catalogue::openings`].
    pub place: usize,
    pub positions: u64,
    /// A game counts for every opening in which it has the formation.
    pub games: u64,
    /// The most played of the positions.
    pub example: Place,
}

/// All pawns of some of the positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkeletonCount {
    /// A board with nothing but these pawns, as the first field of a FEN.
    pub pawns: String,
    pub positions: u64,
    pub games: u64,
    /// The most played of the positions.
    pub example: Place,
}

impl SkeletonIndex {
    /// The formations of everything in a snapshot.
    pub fn of(snapshot: &Snapshot) -> SkeletonIndex {
        SkeletonIndex::new(snapshot.catalogue(), snapshot.all())
    }

    /// The formations of one view. The places it gives are places of that view.
    pub fn new(catalogue: &Catalogue, view: &View) -> SkeletonIndex {
        let opening_places: HashMap<Uuid, u32> = (catalogue.openings().iter().enumerate())
            .map(|(place, opening)| (opening.opening.id, place as u32))
            .collect();
        let opening_of = |place: Place| {
            let known = view.node(place).opening.and_then(|id| opening_places.get(&id));
            known.copied().unwrap_or(NO_OPENING)
        };
        // A text that is no board is found by an audit; nothing is looked for in it here.
        let boards = view
            .places()
            .filter_map(|place| Some((key(&view.node(place).epd)?, place)));
        let mut by_formation: Vec<(Key, Place)> = boards.collect();
        by_formation.sort_unstable();

        let mut index = SkeletonIndex {
            openings: catalogue.openings().len(),
            ..SkeletonIndex::default()
        };
        let mut formation_of = vec![u32::MAX; view.len()];
        for (number, run) in by_formation.chunk_by(|one, other| one.0 == other.0).enumerate() {
            for (_, place) in run {
                formation_of[place.index()] = number as u32;
            }
        }
        let mut last_pawns = None;
        for (number, run) in by_formation.chunk_by(|one, other| one.0 == other.0).enumerate() {
            let key = run[0].0;
            if last_pawns.replace(key.pawns) != Some(key.pawns) {
                index.skeletons.push(Skeleton {
                    pawns: board(key.pawns, [Bitboard::EMPTY; 2]),
                });
            }
            let mut shares: BTreeMap<u32, Share> = BTreeMap::new();
            let mut flows: BTreeMap<(u32, u32, bool), u64> = BTreeMap::new();
            for (_, place) in run {
                let opening = opening_of(*place);
                let (mut within, mut within_opening) = (0, 0);
                for step in view.ways_to(*place) {
                    let from = formation_of[step.parent.index()];
                    let same_opening = opening_of(step.parent) == opening;
                    let games = step.edge.stats.games();
                    if from != number as u32 {
                        *flows.entry((from, opening, same_opening)).or_default() += games;
                        continue;
                    }
                    within += games;
                    if same_opening {
                        within_opening += games;
                    }
                }
                let games = view.node(*place).stats.games();
                let share = shares.entry(opening).or_insert(Share {
                    opening,
                    positions: 0,
                    came: 0,
                    came_to_opening: 0,
                    example: *place,
                    example_games: games,
                });
                share.positions += 1;
                share.came += games.saturating_sub(within);
                share.came_to_opening += games.saturating_sub(within_opening);
                if games > share.example_games {
                    (share.example, share.example_games) = (*place, games);
                }
            }
            index.shares.extend(shares.into_values());
            let played = flows.into_iter().filter(|(_, games)| *games > 0);
            index
                .flows
                .extend(played.map(|((from, opening, same_opening), games)| Flow {
                    from,
                    opening,
                    same_opening,
                    games,
                }));
            index.formations.push(Formation {
                board: board(key.pawns, key.bishops),
                skeleton: index.skeletons.len() as u32 - 1,
                shares_end: index.shares.len() as u32,
                flows_end: index.flows.len() as u32,
            });
        }
        index
    }

    /// Where a formation occurs: the openings and the skeletons with most games, at most `limit` of each.
    pub fn find(&self, rule: &PawnRule, limit: usize) -> SkeletonMatches {
        let fits: Vec<bool> = self
            .formations
            .iter()
            .map(|formation| rule.matches(&formation.board))
            .collect();
        let mut openings: Vec<Sum> = vec![Sum::default(); self.openings];
        let mut skeletons: Vec<(u32, Sum)> = Vec::new();
        let mut total = Sum::default();
        let (mut shares_start, mut flows_start) = (0, 0);
        for (formation, fits_here) in self.formations.iter().zip(&fits) {
            let shares = &self.shares[shares_start..formation.shares_end as usize];
            let flows = &self.flows[flows_start..formation.flows_end as usize];
            (shares_start, flows_start) = (formation.shares_end as usize, formation.flows_end as usize);
            if !fits_here {
                continue;
            }
            if skeletons.last().is_none_or(|(last, _)| *last != formation.skeleton) {
                skeletons.push((formation.skeleton, Sum::default()));
            }
            let Some((_, skeleton)) = skeletons.last_mut() else {
                continue;
            };
            for share in shares {
                total.add(share, share.came);
                skeleton.add(share, share.came);
                if let Some(opening) = openings.get_mut(share.opening as usize) {
                    opening.add(share, share.came_to_opening);
                }
            }
            // Games that came from another formation that fits have been counted there.
            for flow in flows {
                let Some(true) = fits.get(flow.from as usize) else {
                    continue;
                };
                total.known += flow.games;
                if let Some(opening) = openings.get_mut(flow.opening as usize).filter(|_| flow.same_opening) {
                    opening.known += flow.games;
                }
                if self.formations[flow.from as usize].skeleton == formation.skeleton {
                    skeleton.known += flow.games;
                }
            }
        }

        let mut played: Vec<(usize, Sum)> = openings.into_iter().enumerate().collect();
        played.retain(|(_, sum)| sum.positions > 0);
        let mut matches = SkeletonMatches {
            positions: total.positions,
            games: total.games(),
            opening_count: played.len(),
            skeleton_count: skeletons.len(),
            ..SkeletonMatches::default()
        };
        played.sort_unstable_by_key(|(place, sum)| (sum.rank(), *place));
        skeletons.sort_unstable_by_key(|(skeleton, sum)| (sum.rank(), *skeleton));
        matches.openings = (played.into_iter().take(limit))
            .filter_map(|(place, sum)| {
                Some(SkeletonOpening {
                    place,
                    positions: sum.positions,
                    games: sum.games(),
                    example: sum.example?.1,
                })
            })
            .collect();
        matches.skeletons = (skeletons.into_iter().take(limit))
            .filter_map(|(skeleton, sum)| {
                Some(SkeletonCount {
                    pawns: self.skeletons[skeleton as usize].pawns.to_string(),
                    positions: sum.positions,
                    games: sum.games(),
                    example: sum.example?.1,
                })
            })
            .collect();
        matches
    }
}

/// Shares added up.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    positions: u64,
    came: u64,
    /// Those of them that came from elsewhere in the sum.
    known: u64,
    example: Option<(u64, Place)>,
}

impl Sum {
    fn add(&mut self, share: &Share, came: u64) {
        self.positions += u64::from(share.positions);
        self.came += came;
        if self.example.is_none_or(|(games, _)| share.example_games > games) {
            self.example = Some((share.example_games, share.example));
        }
    }

    fn games(&self) -> u64 {
        self.came.saturating_sub(self.known)
    }

    fn rank(&self) -> (Reverse<u64>, Reverse<u64>) {
        (Reverse(self.games()), Reverse(self.positions))
    }
}

/// White's and Black's pawns, then their bishops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    pawns: [Bitboard; 2],
    bishops: [Bitboard; 2],
}

fn key(epd: &str) -> Option<Key> {
    let board = parse_board(epd).ok()?;
    let sides = [board.white(), board.black()];
    Some(Key {
        pawns: sides.map(|side| side & board.pawns()),
        bishops: sides.map(|side| side & board.bishops()),
    })
}

fn board(pawns: [Bitboard; 2], bishops: [Bitboard; 2]) -> Board {
    let mut board = Board::empty();
    for (squares, role) in [(pawns, Role::Pawn), (bishops, Role::Bishop)] {
        for (squares, color) in squares.into_iter().zip([Color::White, Color::Black]) {
            for square in squares {
                board.set_piece_at(square, Piece { color, role });
            }
        }
    }
    board
}
