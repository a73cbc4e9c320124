//! What a review says: plain values, written as JSON in camel case.
//!
//! The tree is a list of nodes that name each other by id. Nested into each other the nodes of a
//! long game would be deeper than most JSON readers go.

use std::collections::BTreeMap;

use pgn_import::FaultKind;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use tabiya_chess::{Class, Eval};

/// An evaluation, White's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    #[serde(rename = "type")]
    pub kind: EvaluationKind,
    /// Centipawns, or moves to mate; 0 is checkmate on the board.
    pub value: i32,
    /// Who has mated, where that has happened.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub winner: Option<Side>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationKind {
    Centipawn,
    Mate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    White,
    Black,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        color.fold_wb(Side::White, Side::Black)
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        Color::from_white(side == Side::White)
    }
}

impl From<Eval> for Evaluation {
    fn from(eval: Eval) -> Evaluation {
        let (kind, value, winner) = match eval {
            Eval::Cp(cp) => (EvaluationKind::Centipawn, cp, None),
            Eval::Mate(moves) => (EvaluationKind::Mate, moves, None),
            Eval::Checkmate(winner) => (EvaluationKind::Mate, 0, Some(winner.into())),
        };
        Evaluation { kind, value, winner }
    }
}

impl From<Evaluation> for Eval {
    fn from(evaluation: Evaluation) -> Eval {
        match (evaluation.kind, evaluation.value, evaluation.winner) {
            (EvaluationKind::Centipawn, cp, _) => Eval::Cp(cp),
            (EvaluationKind::Mate, 0, winner) => Eval::Checkmate(winner.unwrap_or(Side::White).into()),
            (EvaluationKind::Mate, moves, _) => Eval::Mate(moves),
        }
    }
}

/// A move in both notations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveText {
    pub san: String,
    pub uci: String,
}

/// What an engine would play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReport {
    pub evaluation: Evaluation,
    pub source: String,
    pub depth: u8,
    /// 1 for the best.
    pub index: u8,
    pub moves: Vec<MoveText>,
}

/// A position of the game and how it came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    pub id: String,
    pub mainline: bool,
    pub parent: Option<String>,
    pub children: Vec<String>,
    pub state: BoardState,
}

/// Everything that is known of a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoardState {
    pub fen: String,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none", default)]
    pub played: Option<MoveText>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub move_color: Option<Side>,
    pub engine_lines: Vec<LineReport>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub classification: Option<ClassName>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<String>,
}

/// A class by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassName(pub Class);

impl Serialize for ClassName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for ClassName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ClassName, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(ClassName).map_err(serde::de::Error::custom)
    }
}

/// A move and what is said of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveReport {
    /// Of the node behind it.
    pub node: String,
    pub mainline: bool,
    /// Half-moves from the game's first position, this one included.
    pub ply: u32,
    pub move_number: u32,
    pub move_color: Side,
    pub san: String,
    pub uci: String,
    pub fen_before: String,
    pub fen_after: String,
    /// Null where too little is known of the position before or after.
    pub classification: Option<ClassName>,
    /// Expected points given away, 0 to 1.
    pub point_loss: Option<f64>,
    /// In percent.
    pub accuracy: Option<f64>,
    pub centipawn_loss: Option<u32>,
    /// Of the position after the move, White's.
    pub evaluation: Option<Evaluation>,
    /// The same from the mover's side.
    pub subjective_evaluation: Option<Evaluation>,
    /// Of the position before.
    pub previous_evaluation: Option<Evaluation>,
    /// White's, of the position after: 0 to 1.
    pub expected_points: Option<f64>,
    /// What the engine would have played.
    pub top_move: Option<MoveText>,
    /// Of the second best line, White's.
    pub second_evaluation: Option<Evaluation>,
    pub phase: String,
    /// Why it has its class.
    pub reason: Option<String>,
    /// What was wrong with it, if anything.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explanation: Option<ExplanationReport>,
    /// The name of the position behind it, if that has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<String>,
    /// What the move was worth when it was searched again, because the evaluations before and after contradict each other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub searched_again: Option<Evaluation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationReport {
    pub text: String,
    pub best: Option<MoveText>,
    /// How the best move goes on, in SAN.
    pub best_line: Vec<String>,
    /// How the opponent answers what was played, in SAN.
    pub refutation: Vec<String>,
    /// What that wins, in pawns.
    pub material: i32,
    /// In how many moves it mates.
    pub mate: Option<u32>,
    pub motifs: Vec<MotifReport>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MotifReport {
    pub name: String,
    pub square: String,
}

/// How often each class occurs; all of them are listed.
pub type Counts = BTreeMap<ClassName, u32>;

/// The moves of one side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SideReport {
    pub name: String,
    /// Moves that were judged.
    pub moves: u32,
    /// In percent; null where no move was judged.
    pub accuracy: Option<f64>,
    pub average_centipawn_loss: Option<f64>,
    pub counts: Counts,
    pub phases: BTreeMap<String, PhaseReport>,
}

/// The moves of one side in one part of the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseReport {
    pub moves: u32,
    pub accuracy: Option<f64>,
    pub average_centipawn_loss: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpeningReport {
    pub eco: String,
    pub name: String,
    /// Of the last position that has a name.
    pub ply: u32,
    /// Of the first move beyond it; null where the game ends there.
    pub left_theory_ply: Option<u32>,
}

/// A move after which the game was another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurningPoint {
    pub ply: u32,
    pub san: String,
    pub move_color: Side,
    pub classification: ClassName,
    /// White's expected points before and after.
    pub before: f64,
    pub after: f64,
}

/// A game that was reviewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameReview {
    /// The input it was read from.
    pub file: String,
    /// Its number there, from 1.
    pub game: u64,
    pub tags: BTreeMap<String, String>,
    pub result: String,
    pub initial_position: String,
    /// `standard` or `chess960`.
    pub variant: String,
    pub opening: Option<OpeningReport>,
    pub white: SideReport,
    pub black: SideReport,
    pub turning_points: Vec<TurningPoint>,
    /// Moves of which too little is known.
    pub unclassified: u32,
    pub moves: Vec<MoveReport>,
    pub nodes: Vec<NodeReport>,
}

impl GameReview {
    pub fn side(&self, side: Side) -> &SideReport {
        match side {
            Side::White => &self.white,
            Side::Black => &self.black,
        }
    }
}

/// A game that could not be reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedGame {
    pub file: String,
    /// Its number there, from 1.
    pub game: u64,
    /// Where it begins in the file, in bytes.
    pub offset: u64,
    pub white: String,
    pub black: String,
    /// The half-move at fault, from 1, where there is one.
    pub ply: Option<u32>,
    pub fen: Option<String>,
    pub reason: String,
}

impl FailedGame {
    /// Whether it is a piece of text in which nothing of a game was found.
    pub fn is_rubbish(&self) -> bool {
        self.reason == FaultKind::NotAGame.to_string()
    }
}

/// Everybody who played, and everything together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileSummary {
    pub games: u64,
    pub failed: u64,
    pub moves: u64,
    pub turning_points: u64,
    pub white: SideReport,
    pub black: SideReport,
    /// Those with most games first; results are White's.
    pub openings: Vec<OpeningTally>,
    pub players: Vec<PlayerReport>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerReport {
    pub games: u64,
    #[serde(flatten)]
    pub side: SideReport,
    /// By colour, those with most games first; results are the player's.
    pub openings: Vec<OpeningTally>,
    /// The player's own moves after which a game was another, in the order of games.
    pub turning_points: Vec<PlacedTurningPoint>,
}

/// Games with one opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpeningTally {
    /// Who had which colour, where these are one player's games.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub color: Option<Side>,
    pub eco: String,
    pub name: String,
    pub games: u64,
    pub won: u64,
    pub drawn: u64,
    pub lost: u64,
    /// The player's, or both sides'.
    pub accuracy: Option<f64>,
    /// The mean over the games that left theory.
    pub left_theory_ply: Option<f64>,
}

/// A turning point, and the game it is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedTurningPoint {
    pub file: String,
    pub game: u64,
    #[serde(flatten)]
    pub point: TurningPoint,
}

/// So many decimals: what lies beyond is the business of a machine's arithmetic.
pub(super) fn rounded(number: f64, decimals: i32) -> f64 {
    let factor = 10f64.powi(decimals);
    // Adding 0 turns −0 into 0.
    (number * factor).round() / factor + 0.0
}
