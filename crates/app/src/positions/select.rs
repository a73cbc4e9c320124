//! Takes positions out of games as a reader walks them.

use std::{ops::ControlFlow, sync::Arc};

use memchr::memmem;
use pgn_import::{Fault, FaultKind, GameAt, GameResult, Start, StartError, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{EvalComment, Outcome, Speed, Variant, eval_in_comment, fnv1a, parse_fen_with_mode};
use tabiya_dataset::training::Sample;

use super::{
    GameReason, GamesLeftOut, PositionReason, PositionsPassedOver, Rules, draw::Draw, score::training_score, tags::Tags,
};

/// Rules, ready to be applied.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    pub(super) rules: Rules,
    pub(super) speeds: Vec<Speed>,
    pub(super) variants: Vec<Variant>,
    /// Whether an engine will say what the best move is; otherwise the game's own move has to do.
    pub(super) engine: bool,
}

/// What a block of games came to.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) samples: Vec<Sample>,
    pub(super) games_left_out: GamesLeftOut,
    pub(super) passed_over: PositionsPassedOver,
}

/// A visitor that selects.
#[derive(Debug)]
pub(super) struct Selector {
    selection: Arc<Selection>,
    tags: Tags,
    variant: Variant,
    refused: Option<GameReason>,
    /// The position after each half-move, the start first. Slots keep their memory from game to game.
    positions: Vec<Chess>,
    moves: Vec<Move>,
    /// Half-moves after which an evaluation stands, ascending.
    evals: Vec<(usize, EvalComment)>,
    eligible: Vec<usize>,
    text_hash: u64,
    found: Selected,
}

impl Selector {
    pub(super) fn new(selection: Arc<Selection>) -> Selector {
        Selector {
            selection,
            tags: Tags::default(),
            variant: Variant::Standard,
            refused: None,
            positions: Vec::new(),
            moves: Vec::new(),
            evals: Vec::new(),
            eligible: Vec::new(),
            text_hash: 0,
            found: Selected::default(),
        }
    }

    pub(super) fn finish(self) -> Selected {
        self.found
    }

    /// Why the tags alone rule the game out.
    fn refusal(&self, start: &Start) -> Option<GameReason> {
        let (rules, tags) = (&self.selection.rules, &self.tags);
        let within = |elo: Option<u16>| {
            elo.is_some_and(|elo| rules.min_elo.is_none_or(|least| elo >= least))
                && elo.is_some_and(|elo| rules.max_elo.is_none_or(|most| elo <= most))
        };
        let rating_matters = rules.min_elo.is_some() || rules.max_elo.is_some();
        match start.kind {
            StartKind::Fen => return Some(GameReason::OtherStart),
            StartKind::Initial if !self.selection.variants.contains(&Variant::Standard) => {
                return Some(GameReason::OtherVariant);
            }
            StartKind::Chess960 if !self.selection.variants.contains(&Variant::Chess960) => {
                return Some(GameReason::OtherVariant);
            }
            StartKind::Chess960 if tags.fen.is_empty() => return Some(GameReason::OtherStart),
            StartKind::Chess960 if !castling_is_sound(&tags.fen) => return Some(GameReason::BadCastling),
            StartKind::Initial | StartKind::Chess960 => {}
        }
        if rules.skip_bots && tags.bot {
            Some(GameReason::Bot)
        } else if rating_matters && !(within(tags.white_elo) && within(tags.black_elo)) {
            Some(GameReason::Rating)
        } else if rules.rated_only && !tags.rated {
            Some(GameReason::Unrated)
        } else if !self.selection.speeds.is_empty() && !self.selection.speeds.contains(&tags.speed) {
            Some(GameReason::Speed)
        } else if rules.skip_abandoned && tags.abandoned {
            Some(GameReason::Abandoned)
        } else if tags.unterminated || (tags.has_result && tags.outcome.is_none()) {
            Some(GameReason::NoResult)
        } else {
            None
        }
    }

    /// Why the whole game is ruled out, now that all of it was seen.
    fn verdict(&mut self) -> Result<Outcome, GameReason> {
        if let Some(reason) = self.refused {
            return Err(reason);
        }
        let outcome = self.tags.outcome.ok_or(GameReason::NoResult)?;
        if self.moves.len() < self.selection.rules.min_game_length {
            return Err(GameReason::TooShort);
        }
        let last = &self.positions[self.moves.len()];
        if self.selection.rules.check_results && contradicts(last, outcome) {
            return Err(GameReason::ResultContradictsBoard);
        }
        Ok(outcome)
    }

    /// Gathers the half-moves before which a position may be taken.
    fn gather(&mut self) {
        let rules = &self.selection.rules;
        let total = self.moves.len();
        let passed_over = &mut self.found.passed_over;
        // A position is one before a move, so the last one is never eligible.
        let end = total.min((total + 1).saturating_sub(rules.end_margin));
        let begin = rules.min_ply.min(end);
        passed_over.add(PositionReason::Opening, begin as u64);
        passed_over.add(PositionReason::NearEnd, (total - end) as u64);
        self.eligible.clear();
        let mut evals = self.evals.iter().map(|(ply, _)| *ply).peekable();
        for ply in begin..end {
            while evals.next_if(|evaluated| *evaluated < ply).is_some() {}
            let evaluated = evals.peek() == Some(&ply);
            let position = &self.positions[ply];
            let reason = if rules.use_evals && !evaluated {
                PositionReason::NotEvaluated
            } else if evaluated && !rules.use_evals && !rules.keep_evaluated {
                PositionReason::Evaluated
            } else if position.board().occupied().count() < rules.min_pieces {
                PositionReason::FewPieces
            } else if (rules.quiet || rules.not_in_check) && position.is_check() {
                PositionReason::InCheck
            } else if rules.quiet && !self.selection.engine && is_loud(self.moves[ply]) {
                PositionReason::NotQuiet
            } else if position.is_insufficient_material() {
                PositionReason::GameOver
            } else {
                self.eligible.push(ply);
                continue;
            };
            passed_over.add(reason, 1);
        }
    }

    fn take(&mut self, outcome: Outcome) {
        let before = self.eligible.len();
        if before == 0 {
            self.found.games_left_out.add(GameReason::NoneEligible, 1);
            return;
        }
        if self.tags.id.is_empty() {
            self.tags.id = format!("{:016x}", self.text_hash);
        }
        let rules = &self.selection.rules;
        Draw::new(rules.seed, &self.tags.id).keep(&mut self.eligible, rules.per_game);
        let drawn = self.eligible.len();
        self.found
            .passed_over
            .add(PositionReason::NotDrawn, (before - drawn) as u64);
        for &ply in &self.eligible {
            let position = &self.positions[ply];
            let eval = match rules.use_evals {
                true => self.evals.iter().find(|(at, _)| *at == ply).map(|(_, eval)| *eval),
                false => None,
            };
            self.found.samples.push(Sample {
                score: eval.map(|comment| training_score(comment.eval)),
                depth: eval
                    .and_then(|comment| comment.depth)
                    .map(|depth| u8::try_from(depth).unwrap_or(u8::MAX)),
                ply: Some(u16::try_from(ply).unwrap_or(u16::MAX)),
                elo_avg: self.tags.elo_avg(),
                result: Some(match outcome {
                    Outcome::White => 1,
                    Outcome::Draw => 0,
                    Outcome::Black => -1,
                }),
                played: Some(self.moves[ply]),
                game_id: self.tags.id.clone(),
                ..Sample::bare(position.clone(), self.variant)
            });
        }
    }
}

impl Visitor for Selector {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.tags.clear();
        self.refused = None;
        self.moves.clear();
        self.evals.clear();
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.tags.note(tag);
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        self.refused = self.refusal(start);
        if self.refused.is_some() {
            return ControlFlow::Break(());
        }
        self.variant = match start.kind {
            StartKind::Chess960 => Variant::Chess960,
            StartKind::Initial | StartKind::Fen => Variant::Standard,
        };
        self.remember(0, &start.position);
        ControlFlow::Continue(())
    }

    fn playing(&mut self, _before: &Chess, m: Move) -> ControlFlow<()> {
        self.moves.push(m);
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        self.remember(self.moves.len(), after);
    }

    fn passed(&mut self, _before: &Chess) {
        // A null move is not a game's.
        self.refused.get_or_insert(GameReason::Broken);
    }

    fn comment(&mut self, text: &[u8]) {
        if memmem::find(text, b"[%eval").is_none() {
            return;
        }
        let ply = self.moves.len();
        if let Some(comment) = eval_in_comment(&String::from_utf8_lossy(text))
            && self.evals.last().is_none_or(|(at, _)| *at < ply)
        {
            self.evals.push((ply, comment));
        }
    }

    fn result(&mut self, result: GameResult) {
        if !self.tags.has_result {
            self.tags.outcome = Outcome::from_result(result.as_str().as_bytes());
        }
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.refused.get_or_insert(match &fault.kind {
            FaultKind::Start(StartError::Variant(_)) => GameReason::OtherVariant,
            FaultKind::Start(_) => GameReason::OtherStart,
            _ => GameReason::Broken,
        });
    }

    fn text(&mut self, bytes: &[u8]) {
        if self.refused.is_none() && self.tags.id.is_empty() {
            self.text_hash = fnv1a(bytes);
        }
    }

    fn end_game(&mut self) {
        match self.verdict() {
            Err(reason) => self.found.games_left_out.add(reason, 1),
            Ok(outcome) => {
                self.gather();
                self.take(outcome);
            }
        }
    }
}

impl Selector {
    fn remember(&mut self, ply: usize, position: &Chess) {
        match self.positions.get_mut(ply) {
            Some(slot) => slot.clone_from(position),
            None => self.positions.push(position.clone()),
        }
    }
}

/// Whether a move takes or promotes.
pub(super) fn is_loud(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}

/// Whether the board says otherwise than the result. What players agree to or lose on time, no board contradicts.
fn contradicts(last: &Chess, outcome: Outcome) -> bool {
    if last.is_check() && last.is_checkmate() {
        let winner = last.turn().fold_wb(Outcome::Black, Outcome::White);
        return outcome != winner;
    }
    outcome != Outcome::Draw && (last.is_insufficient_material() || last.is_stalemate())
}

/// Whether a Chess960 start has the rights its rooks give it: all four in a full array, and none without a rook.
fn castling_is_sound(fen: &str) -> bool {
    let Ok(start) = parse_fen_with_mode(fen, Variant::Chess960.castling_mode()) else {
        return false;
    };
    let position = &start.position;
    let is_array = position.fullmoves().get() == 1 && position.board().occupied().count() == 32;
    !start.ignored.castling_rights && (!is_array || position.castles().castling_rights() == position.board().rooks())
}
