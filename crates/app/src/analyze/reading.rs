//! Records games as a reader walks them.

use std::ops::ControlFlow;

use pgn_import::{Fault, FaultKind, GameAt, GameResult, Start, StartKind, Tag, Visitor};
use shakmaty::{Chess, Move};
use tabiya_chess::Outcome;
use tabiya_counts::PackedMove;

use super::{
    date::Date,
    games::{Block, BlockGame, BlockLeftOut},
    spotter::Spotter,
    texts::{Interner, TextId, Texts},
};

/// The tags that matter.
#[derive(Debug, Clone, Copy, Default)]
struct Tags {
    white: TextId,
    black: TextId,
    date: TextId,
    utc_date: TextId,
    event: TextId,
    round: TextId,
    site: TextId,
    link: TextId,
    outcome: Option<Outcome>,
}

impl Tags {
    #[inline]
    fn note(&mut self, tag: &Tag<'_>, before: &Tags, texts: &mut Interner) {
        let (text, before) = match tag.name {
            b"White" => (&mut self.white, before.white),
            b"Black" => (&mut self.black, before.black),
            b"Date" => (&mut self.date, before.date),
            b"UTCDate" => (&mut self.utc_date, before.utc_date),
            b"Event" => (&mut self.event, before.event),
            b"Round" => (&mut self.round, before.round),
            b"Site" => (&mut self.site, before.site),
            b"Link" => (&mut self.link, before.link),
            b"Result" => return self.outcome = Outcome::from_result(tag.raw().trim_ascii()),
            _ => return,
        };
        if text.is_empty() {
            *text = texts.value(tag, before);
        }
    }

    /// `????.??.??` is no date.
    fn date(&self, texts: &Texts) -> TextId {
        let known = |date: &TextId| texts.get(*date).bytes().any(|byte| byte.is_ascii_digit());
        [self.date, self.utc_date].into_iter().find(known).unwrap_or_default()
    }

    fn url(&self, texts: &Texts) -> TextId {
        match () {
            () if !self.link.is_empty() => self.link,
            () if is_url(texts.get(self.site)) => self.site,
            () => TextId::EMPTY,
        }
    }

    /// The address of a page is no place.
    fn site(&self, texts: &Texts) -> TextId {
        if is_url(texts.get(self.site)) {
            TextId::EMPTY
        } else {
            known(self.site, texts)
        }
    }
}

fn is_url(site: &str) -> bool {
    site.starts_with("https://") || site.starts_with("http://")
}

/// `?` and `-` say that nobody knows.
fn known(text: TextId, texts: &Texts) -> TextId {
    if matches!(texts.get(text), "?" | "-") {
        TextId::EMPTY
    } else {
        text
    }
}

fn named(name: TextId, texts: &mut Interner) -> TextId {
    if name.is_empty() { texts.take("?") } else { name }
}

/// A visitor that keeps every game from the initial position whose moves are all legal.
#[derive(Debug)]
pub(super) struct Recorder {
    moves: Vec<PackedMove>,
    games: Vec<BlockGame>,
    left_out: Vec<BlockLeftOut>,
    texts: Interner,
    tags: Tags,
    /// The tags of the game before: games of one tournament stand together.
    before: Tags,
    /// The last date that was looked at: games of one day stand together.
    dated: (TextId, Option<Date>),
    at: GameAt,
    spotter: Spotter,
    first_move: usize,
    refused: Option<String>,
    /// What stands behind the moves, for games without that tag.
    ending: Option<Outcome>,
    most_plies: usize,
}

/// More half-moves than a block of games has, mostly: growing would copy them, and memory that nobody writes to costs nothing.
const MOVES: usize = 1 << 17;

impl Recorder {
    /// Leaves games of more half-moves than these out.
    pub(super) fn new(most_plies: usize) -> Recorder {
        Recorder {
            moves: Vec::with_capacity(MOVES),
            games: Vec::new(),
            left_out: Vec::new(),
            texts: Interner::new(),
            tags: Tags::default(),
            before: Tags::default(),
            dated: (TextId::EMPTY, None),
            at: GameAt { index: 0, offset: 0 },
            spotter: Spotter::new(),
            first_move: 0,
            refused: None,
            ending: None,
            most_plies,
        }
    }

    pub(super) fn into_block(mut self) -> Block {
        self.moves.shrink_to_fit();
        Block {
            moves: self.moves,
            texts: self.texts.into_texts(),
            games: self.games,
            left_out: self.left_out,
        }
    }

    fn keep(&mut self) {
        let tags = &self.tags;
        let (white, black) = (named(tags.white, &mut self.texts), named(tags.black, &mut self.texts));
        let texts = self.texts.texts();
        let date = tags.date(texts);
        if self.dated.0 != date {
            self.dated = (date, Date::parse(texts.get(date)));
        }
        self.games.push(BlockGame {
            first_move: self.first_move as u32,
            plies: (self.moves.len() - self.first_move) as u32,
            white,
            black,
            date,
            url: tags.url(texts),
            event: known(tags.event, texts),
            site: tags.site(texts),
            round: known(tags.round, texts),
            day: self.dated.1,
            outcome: tags.outcome.or(self.ending),
            opening: self.spotter.opening(),
        });
    }
}

impl Visitor for Recorder {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, at: GameAt) {
        self.at = at;
        self.before = std::mem::take(&mut self.tags);
        self.spotter.begin();
        self.first_move = self.moves.len();
        self.refused = None;
        self.ending = None;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.tags.note(tag, &self.before, &mut self.texts);
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        let reason = match start.kind {
            StartKind::Initial => return ControlFlow::Continue(()),
            StartKind::Fen => "it starts from a FEN",
            StartKind::Chess960 => "it is a game of Chess960",
        };
        self.refused = Some(reason.to_owned());
        ControlFlow::Break(())
    }

    #[inline]
    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        if self.moves.len() - self.first_move >= self.most_plies {
            let most = self.most_plies;
            self.refused
                .get_or_insert_with(|| format!("it has more than {most} half-moves"));
            return ControlFlow::Break(());
        }
        self.moves.push(PackedMove::of(m));
        self.spotter.playing(before, m);
        ControlFlow::Continue(())
    }

    #[inline]
    fn reached(&mut self, after: &Chess) {
        self.spotter.reached(after);
    }

    fn passed(&mut self, _before: &Chess) {
        self.refused
            .get_or_insert_with(|| "a null move is among its moves".to_owned());
    }

    fn result(&mut self, result: GameResult) {
        self.ending = Outcome::from_result(result.as_str().as_bytes());
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        if self.refused.is_none() {
            self.refused = Some(reason(fault));
        }
    }

    fn end_game(&mut self) {
        // A lone result amid rubbish reads as a game; one that nobody played in and nobody moved in is none.
        let is_nobody_s = self.tags.white.is_empty() && self.tags.black.is_empty();
        if self.moves.len() == self.first_move && is_nobody_s {
            self.refused.get_or_insert_with(|| FaultKind::NotAGame.to_string());
        }
        match self.refused.take() {
            None => self.keep(),
            Some(reason) => {
                self.moves.truncate(self.first_move);
                self.left_out.push(BlockLeftOut {
                    index: self.at.index,
                    offset: self.at.offset,
                    reason,
                });
            }
        }
    }
}

/// `2... Nf6: no legal move is written like this here`.
fn reason(fault: &Fault<'_>) -> String {
    match &fault.kind {
        FaultKind::Start(why) => why.to_string(),
        FaultKind::NotAGame => fault.kind.to_string(),
        kind => {
            let token = String::from_utf8_lossy(fault.token);
            let number = fault.ply / 2 + 1;
            let dots = if fault.ply.is_multiple_of(2) { "." } else { "..." };
            format!("{number}{dots} {}: {kind}", token.escape_debug())
        }
    }
}
