//! Follows games as a reader walks them.

use std::{ops::ControlFlow, sync::Arc};

use pgn_import::{Fault, FaultKind, GameAt, GameResult, Glimpse, Start, StartError, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move};
use tabiya_chess::{Outcome, Speed};
use tabiya_counts::{Block, GameHeader, GameInfo, Month, Tally};

use super::{GameFilter, LeftOut};

/// The tags of a game that are looked at. Strings keep their memory from game to game.
#[derive(Debug, Clone, Default)]
struct Tags {
    white: String,
    black: String,
    date: String,
    utc_date: String,
    event: String,
    site: String,
    round: String,
    time_control: String,
    white_elo: Option<u16>,
    black_elo: Option<u16>,
    result: Option<Outcome>,
    has_result: bool,
}

impl Tags {
    fn clear(&mut self) {
        for text in [
            &mut self.white,
            &mut self.black,
            &mut self.date,
            &mut self.utc_date,
            &mut self.event,
            &mut self.site,
            &mut self.round,
            &mut self.time_control,
        ] {
            text.clear();
        }
        self.white_elo = None;
        self.black_elo = None;
        self.result = None;
        self.has_result = false;
    }

    fn note(&mut self, tag: &Tag<'_>) {
        let text = match tag.name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            b"Date" => &mut self.date,
            b"UTCDate" => &mut self.utc_date,
            b"Event" => &mut self.event,
            b"Site" => &mut self.site,
            b"Round" => &mut self.round,
            b"TimeControl" => &mut self.time_control,
            b"WhiteElo" => return self.white_elo = elo(tag.raw()),
            b"BlackElo" => return self.black_elo = elo(tag.raw()),
            b"Result" => {
                self.has_result = true;
                self.result = Outcome::from_result(tag.raw().trim_ascii());
                return;
            }
            _ => return,
        };
        if text.is_empty() {
            text.push_str(&tag.value());
        }
    }

    fn date(&self) -> &str {
        played_on(&self.date, &self.utc_date)
    }

    /// The mean of both players' ratings.
    fn rating(&self) -> Option<u16> {
        Some((self.white_elo? + self.black_elo?) / 2)
    }
}

/// When a game was played, by its tags `Date` and `UTCDate`: Lichess's archives of earlier years have the second only.
pub(in crate::build) fn played_on<'a>(date: &'a str, utc_date: &'a str) -> &'a str {
    if date.starts_with(|c: char| c.is_ascii_digit()) || utc_date.is_empty() {
        date
    } else {
        utc_date
    }
}

/// `None` for what is not a rating: 0, `?`, `-`, `unr.`.
fn elo(raw: &[u8]) -> Option<u16> {
    let text = str::from_utf8(raw).ok()?.trim();
    text.parse().ok().filter(|elo| (1..4096).contains(elo))
}

/// Why the game at hand does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Broken,
    OtherStart,
    OtherVariant,
    Rating,
    Date,
}

/// A visitor that counts.
#[derive(Debug)]
pub(super) struct Follower {
    tally: Tally,
    filter: Arc<GameFilter>,
    tags: Tags,
    refused: Option<Refused>,
    left_out: LeftOut,
}

impl Follower {
    pub(super) fn new(tally: Tally, filter: Arc<GameFilter>) -> Follower {
        Follower {
            tally,
            filter,
            tags: Tags::default(),
            refused: None,
            left_out: LeftOut::default(),
        }
    }

    pub(super) fn finish(self) -> (Block, LeftOut) {
        (self.tally.into_block(), self.left_out)
    }

    fn leave_out(&mut self, why: Refused) {
        self.tally.discard();
        let reason = match why {
            Refused::Broken => &mut self.left_out.broken,
            Refused::OtherStart => &mut self.left_out.other_start,
            Refused::OtherVariant => &mut self.left_out.other_variant,
            Refused::Rating => &mut self.left_out.rating,
            Refused::Date => &mut self.left_out.date,
        };
        *reason += 1;
    }
}

impl Visitor for Follower {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.tags.clear();
        self.refused = None;
        self.tally.begin_initial();
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.tags.note(tag);
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        self.refused = match start.kind {
            StartKind::Fen => Some(Refused::OtherStart),
            StartKind::Chess960 => Some(Refused::OtherVariant),
            StartKind::Initial if !self.filter.wants_ratings(self.tags.white_elo, self.tags.black_elo) => {
                Some(Refused::Rating)
            }
            StartKind::Initial if !self.filter.wants_date(self.tags.date()) => Some(Refused::Date),
            StartKind::Initial => None,
        };
        match self.refused {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        if self.tally.full() {
            self.tally
                .tell_apart(1 + u64::from(m.to() as u8) + ((m.role() as u64) << 8));
            return ControlFlow::Break(());
        }
        self.tally.playing(before, m);
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        self.tally.reached(after);
    }

    fn unplayed(&mut self, seen: Glimpse) {
        self.tally.tell_apart(u64::from(seen.bits()));
    }

    fn passed(&mut self, _before: &Chess) {
        // A null move is not a game's. Beyond the counted moves, errors are not looked for.
        if !self.tally.full() {
            self.refused = Some(Refused::Broken);
        }
    }

    fn result(&mut self, result: GameResult) {
        if !self.tags.has_result {
            self.tags.result = Outcome::from_result(result.as_str().as_bytes());
        }
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        self.refused = match &fault.kind {
            FaultKind::Start(StartError::Variant(_)) => Some(Refused::OtherVariant),
            FaultKind::Start(_) => Some(Refused::OtherStart),
            // Errors beyond the counted moves are not looked for.
            _ if self.tally.full() => return,
            _ => Some(Refused::Broken),
        };
    }

    fn end_game(&mut self) {
        if let Some(why) = self.refused {
            return self.leave_out(why);
        }
        let Some(outcome) = self.tags.result else {
            self.tally.discard();
            self.left_out.no_result += 1;
            return;
        };
        let Follower { tally, tags, .. } = self;
        for text in [&tags.white, &tags.black, tags.date()] {
            tally.tell_apart_text(text.as_bytes());
        }
        let month = Month::from_date(tags.date());
        let info = GameInfo::new(
            outcome,
            tags.rating(),
            month,
            Speed::from_time_control(&tags.time_control),
        );
        tally.count(info, |out| {
            GameHeader::write_parts(
                [tags.white_elo, tags.black_elo],
                [
                    &tags.white,
                    &tags.black,
                    tags.date(),
                    &tags.event,
                    &tags.site,
                    &tags.round,
                ],
                out,
            );
        });
    }

    fn end_block(&mut self) {
        self.tally.end_block();
    }
}
