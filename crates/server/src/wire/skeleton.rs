//! Pawn skeletons that were found.

use serde::Serialize;
use tabiya_app::explore::{SkeletonMatches, Snapshot};
use utoipa::ToSchema;

use super::{Id, OpeningSummary};

/// Where a formation of pawns occurs.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkeletonSearch<'a> {
    /// The formation that was asked for.
    #[schema(example = "d4 -ce / -d ~")]
    pub pawns: &'a str,
    pub positions: u64,
    /// Games that came to one of them.
    pub games: u64,
    /// How many openings have it; the list below may be shorter.
    pub opening_count: usize,
    pub skeleton_count: usize,
    /// The most played first.
    pub openings: Vec<FoundOpening<'a>>,
    /// All pawns of the positions, the most played first.
    pub skeletons: Vec<FoundSkeleton<'a>>,
}

/// An opening in which a formation occurs.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundOpening<'a> {
    #[serde(flatten)]
    pub opening: OpeningSummary<'a>,
    pub positions: u64,
    pub games: u64,
    /// The most played of the positions.
    pub example_node_id: Id,
    pub example_fen: String,
}

/// All pawns of some positions.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundSkeleton<'a> {
    /// A board with nothing but these pawns, as a FEN begins.
    #[schema(example = "8/pp3ppp/4p3/8/3P4/8/PP3PPP/8")]
    pub pawns: &'a str,
    pub positions: u64,
    pub games: u64,
    pub example_node_id: Id,
    pub example_fen: String,
}

impl<'a> SkeletonSearch<'a> {
    pub fn of(pawns: &'a str, snapshot: &'a Snapshot, matches: &'a SkeletonMatches) -> SkeletonSearch<'a> {
        let view = snapshot.all();
        let openings = snapshot.catalogue().openings();
        SkeletonSearch {
            pawns,
            positions: matches.positions,
            games: matches.games,
            opening_count: matches.opening_count,
            skeleton_count: matches.skeleton_count,
            openings: (matches.openings.iter())
                .map(|found| FoundOpening {
                    opening: OpeningSummary::of(&openings[found.place].opening),
                    positions: found.positions,
                    games: found.games,
                    example_node_id: view.node(found.example).id.into(),
                    example_fen: view.fen(found.example),
                })
                .collect(),
            skeletons: (matches.skeletons.iter())
                .map(|found| FoundSkeleton {
                    pawns: &found.pawns,
                    positions: found.positions,
                    games: found.games,
                    example_node_id: view.node(found.example).id.into(),
                    example_fen: view.fen(found.example),
                })
                .collect(),
        }
    }
}
