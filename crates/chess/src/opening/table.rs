//! The table: entries, and the positions they name.

mod draft;
mod entry;

use std::{collections::HashMap, sync::LazyLock};

use shakmaty::Chess;

use self::draft::Draft;
pub use self::entry::{Alias, Family, Opening};
use super::{OpeningId, OpeningLine, Skeleton, read};
use crate::PositionId;

/// A position with a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct NamedPosition<'a> {
    /// The position's id.
    pub id: PositionId,
    /// The position, with the counters of its shortest line.
    pub position: &'a Chess,
    /// How many half-moves its shortest line has.
    pub ply: usize,
    /// The opening that names it.
    pub opening: &'a Opening,
}

/// Where a position's name comes from.
#[derive(Clone, Copy, Debug)]
struct Named {
    opening: usize,
    /// The shortest line that ends there.
    line: usize,
}

/// Opening names: which openings there are, and which positions they name.
///
/// An entry is an ECO code and a full name. Which lines make entries, and which name wins:
///
/// - Every line of a *primary* system ([`NamingSystem::is_primary`](crate::NamingSystem::is_primary)) belongs to the entry of its
///   code and name.
/// - A line of another system adds its name as an alias to the entry that names its position. Where no primary line ends in that
///   position, it makes an entry of its own, so that such a position is named too, and all 500 codes are there.
/// - Names that differ only in capital letters are the same name.
/// - Where several entries have a line to one position they all keep it, and it is called by the first of them: primary systems
///   before others, then the smaller code, then the name.
/// - An entry's root is the end of its shortest line; of several as short, the one with the smaller EPD.
///
/// The order of the lines that a table is made of does not show in it.
///
/// ```
/// use tabiya_chess::{OpeningTable, PositionId, parse_line};
///
/// let table = OpeningTable::embedded();
/// let line = parse_line("1.e4 e5 2.Nf3 Nc6 3.Bc4")?;
/// let italian = table.name_of(PositionId::of(&line.last())).expect("a famous position");
/// assert_eq!((italian.eco().to_string().as_str(), italian.name()), ("C50", "Italian Game"));
/// assert_eq!(italian.slug(), "c50-italian-game");
/// # Ok::<_, tabiya_chess::LineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpeningTable {
    lines: Vec<OpeningLine>,
    openings: Vec<Opening>,
    families: Vec<Family>,
    named: HashMap<PositionId, Named>,
    by_id: HashMap<OpeningId, usize>,
    by_slug: HashMap<String, usize>,
    by_family: HashMap<String, usize>,
}

static EMBEDDED: LazyLock<OpeningTable> = LazyLock::new(|| OpeningTable::from_lines(read::embedded()));

impl OpeningTable {
    /// The table that ships with the program. It is made when it is first asked for.
    #[must_use]
    pub fn embedded() -> &'static OpeningTable {
        &EMBEDDED
    }

    /// The lines of the table that ships with the program, for tables that add to it.
    #[must_use]
    pub fn embedded_lines() -> Vec<OpeningLine> {
        read::embedded()
    }

    /// Makes a table of lines, in whatever order they come.
    #[must_use]
    pub fn from_lines(lines: impl IntoIterator<Item = OpeningLine>) -> OpeningTable {
        let mut lines: Vec<OpeningLine> = lines.into_iter().collect();
        lines.sort_by(OpeningLine::by_rank);
        let ends: Vec<PositionId> = lines.iter().map(|line| PositionId::of(line.end())).collect();

        let mut draft = Draft::default();
        for (at, (line, end)) in lines.iter().zip(&ends).enumerate() {
            draft.add(at, line, *end, &lines);
        }
        draft.finish(lines)
    }

    /// The opening that names a position, if the position has a name of its own.
    #[must_use]
    pub fn name_of(&self, position: PositionId) -> Option<&Opening> {
        self.named.get(&position).map(|named| &self.openings[named.opening])
    }

    /// The position with its name, if it has one of its own.
    #[must_use]
    pub fn named_position(&self, position: PositionId) -> Option<NamedPosition<'_>> {
        self.named.get(&position).map(|named| self.present(position, *named))
    }

    /// The deepest of the positions on a path that has a name of its own: its index on the path, and its name.
    pub fn name_on_path<'a, P>(&self, path: P) -> Option<(usize, &Opening)>
    where
        P: IntoIterator<Item = &'a Chess>,
        P::IntoIter: DoubleEndedIterator + ExactSizeIterator,
    {
        let found = |(index, position): (usize, &Chess)| Some((index, self.name_of(PositionId::of(position))?));
        path.into_iter().enumerate().rev().find_map(found)
    }

    /// All openings, by code and name.
    #[must_use]
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// All families, by name.
    #[must_use]
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// All lines, aliases' too; the names that win come first.
    #[must_use]
    pub fn lines(&self) -> &[OpeningLine] {
        &self.lines
    }

    /// All positions that have a name of their own, by id.
    pub fn named_positions(&self) -> impl Iterator<Item = NamedPosition<'_>> {
        let mut ids: Vec<PositionId> = self.named.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().map(|id| self.present(id, self.named[&id]))
    }

    fn present(&self, id: PositionId, named: Named) -> NamedPosition<'_> {
        let line = &self.lines[named.line];
        NamedPosition {
            id,
            position: line.end(),
            ply: line.moves().len(),
            opening: &self.openings[named.opening],
        }
    }

    /// The opening with this id.
    #[must_use]
    pub fn by_id(&self, id: OpeningId) -> Option<&Opening> {
        self.by_id.get(&id).map(|at| &self.openings[*at])
    }

    /// The opening with this slug: `c50-italian-game`.
    #[must_use]
    pub fn by_slug(&self, slug: &str) -> Option<&Opening> {
        self.by_slug.get(slug).map(|at| &self.openings[*at])
    }

    /// The family with this slug: `italian-game`.
    #[must_use]
    pub fn family(&self, slug: &str) -> Option<&Family> {
        self.by_family.get(slug).map(|at| &self.families[*at])
    }

    /// A family's openings; the first is the one with the shortest line, which stands for the family.
    pub fn openings_of<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a Opening> {
        family.openings.iter().map(|at| &self.openings[*at])
    }

    /// An opening's lines; the first ends in its root.
    pub fn lines_of<'a>(&'a self, opening: &'a Opening) -> impl Iterator<Item = &'a OpeningLine> {
        opening.lines.iter().map(|at| &self.lines[*at])
    }

    /// An opening's shortest line, which ends in its root.
    #[must_use]
    pub fn root_line(&self, opening: &Opening) -> &OpeningLine {
        &self.lines[opening.lines[0]]
    }

    /// Every position and every move on the way to a named position.
    #[must_use]
    pub fn skeleton(&self) -> Skeleton {
        Skeleton::of(self.lines.iter().map(OpeningLine::moves))
    }
}
