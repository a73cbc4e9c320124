//! What many games say together: everybody who played, and everything.

use std::collections::BTreeMap;

use super::{
    report::{
        Counts, FileSummary, GameReview, OpeningTally, PhaseReport, PlacedTurningPoint, PlayerReport, Side, SideReport,
        rounded,
    },
    summary::all_classes,
};

/// Adds up games. Means go by moves, so that a long game counts for more than a short one.
#[derive(Debug, Default)]
pub struct Tally {
    games: u64,
    failed: u64,
    moves: u64,
    turning_points: u64,
    sides: [Running; 2],
    openings: Openings,
    players: BTreeMap<String, Player>,
}

/// Somebody's games so far.
#[derive(Debug, Clone, Default)]
struct Player {
    running: Running,
    openings: Openings,
    turning_points: Vec<PlacedTurningPoint>,
}

#[derive(Debug, Clone, Default)]
struct Running {
    games: u64,
    moves: u32,
    accuracy: Mean,
    centipawns: Mean,
    counts: Counts,
    phases: BTreeMap<String, (u32, Mean, Mean)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    weight: u32,
}

impl Mean {
    fn add(&mut self, value: Option<f64>, weight: u32) {
        if let Some(value) = value {
            self.sum += value * f64::from(weight);
            self.weight += weight;
        }
    }

    fn value(self, decimals: i32) -> Option<f64> {
        (self.weight > 0).then(|| rounded(self.sum / f64::from(self.weight), decimals))
    }
}

impl Running {
    fn add(&mut self, side: &SideReport) {
        self.games += 1;
        self.moves += side.moves;
        self.accuracy.add(side.accuracy, side.moves);
        self.centipawns.add(side.average_centipawn_loss, side.moves);
        for (class, number) in &side.counts {
            *self.counts.entry(*class).or_default() += number;
        }
        for (phase, report) in &side.phases {
            let (moves, accuracy, centipawns) = self.phases.entry(phase.clone()).or_default();
            *moves += report.moves;
            accuracy.add(report.accuracy, report.moves);
            centipawns.add(report.average_centipawn_loss, report.moves);
        }
    }

    fn report(&self, name: &str) -> SideReport {
        let mut counts = all_classes();
        counts.extend(self.counts.iter().map(|(class, number)| (*class, *number)));
        SideReport {
            name: name.to_owned(),
            moves: self.moves,
            accuracy: self.accuracy.value(4),
            average_centipawn_loss: self.centipawns.value(2),
            counts,
            phases: self
                .phases
                .iter()
                .map(|(phase, (moves, accuracy, centipawns))| {
                    let report = PhaseReport {
                        moves: *moves,
                        accuracy: accuracy.value(4),
                        average_centipawn_loss: centipawns.value(2),
                    };
                    (phase.clone(), report)
                })
                .collect(),
        }
    }
}

/// Openings by whose they are, code and name.
#[derive(Debug, Clone, Default)]
struct Openings(BTreeMap<(Option<Side>, String, String), OpeningSum>);

#[derive(Debug, Clone, Copy, Default)]
struct OpeningSum {
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    theory: Mean,
    accuracy: Mean,
}

impl Openings {
    /// `color` is the player's, where these are a player's; results are then his, else White's.
    fn add(&mut self, review: &GameReview, color: Option<Side>) {
        let Some(opening) = &review.opening else { return };
        let key = (color, opening.eco.clone(), opening.name.clone());
        let sum = self.0.entry(key).or_default();
        sum.games += 1;
        match (review.result.as_str(), color.unwrap_or(Side::White)) {
            ("1-0", Side::White) | ("0-1", Side::Black) => sum.won += 1,
            ("0-1", Side::White) | ("1-0", Side::Black) => sum.lost += 1,
            ("1/2-1/2", _) => sum.drawn += 1,
            _ => {}
        }
        sum.theory.add(opening.left_theory_ply.map(f64::from), 1);
        for side in [Side::White, Side::Black] {
            if color.is_none_or(|color| color == side) {
                let report = review.side(side);
                sum.accuracy.add(report.accuracy, report.moves);
            }
        }
    }

    /// Those with most games first.
    fn reports(&self) -> Vec<OpeningTally> {
        let report = |((color, eco, name), sum): (&(Option<Side>, String, String), &OpeningSum)| OpeningTally {
            color: *color,
            eco: eco.clone(),
            name: name.clone(),
            games: sum.games,
            won: sum.won,
            drawn: sum.drawn,
            lost: sum.lost,
            accuracy: sum.accuracy.value(4),
            left_theory_ply: sum.theory.value(2),
        };
        let mut all: Vec<OpeningTally> = self.0.iter().map(report).collect();
        // Equal ones stay in the order of colour, code and name.
        all.sort_by_key(|opening| std::cmp::Reverse(opening.games));
        all
    }
}

impl Player {
    fn report(&self, name: &str) -> PlayerReport {
        PlayerReport {
            games: self.running.games,
            side: self.running.report(name),
            openings: self.openings.reports(),
            turning_points: self.turning_points.clone(),
        }
    }
}

impl Tally {
    pub fn add(&mut self, review: &GameReview) {
        self.games += 1;
        self.moves += review.moves.iter().filter(|one| one.mainline).count() as u64;
        self.turning_points += review.turning_points.len() as u64;
        self.openings.add(review, None);
        for (place, side) in [Side::White, Side::Black].into_iter().enumerate() {
            let report = review.side(side);
            self.sides[place].add(report);
            let player = self.players.entry(report.name.clone()).or_default();
            player.running.add(report);
            player.openings.add(review, Some(side));
            let own = review.turning_points.iter().filter(|point| point.move_color == side);
            player.turning_points.extend(own.map(|point| PlacedTurningPoint {
                file: review.file.clone(),
                game: review.game,
                point: point.clone(),
            }));
        }
    }

    pub fn add_failure(&mut self) {
        self.failed += 1;
    }

    /// Everybody, those with most games first.
    pub fn summary(&self) -> FileSummary {
        let players = self.players.iter().map(|(name, player)| player.report(name));
        let mut players: Vec<PlayerReport> = players.collect();
        players.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.side.name.cmp(&b.side.name)));
        FileSummary {
            games: self.games,
            failed: self.failed,
            moves: self.moves,
            turning_points: self.turning_points,
            white: self.sides[0].report("White"),
            black: self.sides[1].report("Black"),
            openings: self.openings.reports(),
            players,
        }
    }
}
