//! The table: entries, and the positions they name.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use shakmaty::{Chess, Color, Move};

use super::{
    Category, Eco, NamingSystem, OpeningId, OpeningLine, Skeleton,
    character::{self, Character},
    names::{opening_name, slug, variation_name},
    read,
};
use crate::{PositionId, epd};

/// Another name of an opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The code that goes with it, which need not be the opening's own.
    pub eco: Eco,
    /// Whose name it is.
    pub system: NamingSystem,
}

/// An opening: an ECO code and a full name, with one or more lines.
#[derive(Clone, Debug)]
pub struct Opening {
    id: OpeningId,
    eco: Eco,
    name: String,
    slug: String,
    system: NamingSystem,
    family: usize,
    aliases: Vec<Alias>,
    character: Character,
    /// Into the table's lines; the first is the shortest.
    lines: Vec<usize>,
}

impl Opening {
    /// The id, made of code and name.
    #[must_use]
    pub const fn id(&self) -> OpeningId {
        self.id
    }

    /// The ECO code.
    #[must_use]
    pub const fn eco(&self) -> Eco {
        self.eco
    }

    /// The full name: `Sicilian Defense: Najdorf Variation`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name before the first `:`, which is that of the family: `Sicilian Defense`.
    #[must_use]
    pub fn opening_name(&self) -> &str {
        opening_name(&self.name)
    }

    /// The name behind the first `:`, if there is one: `Najdorf Variation`.
    #[must_use]
    pub fn variation_name(&self) -> Option<&str> {
        variation_name(&self.name)
    }

    /// Code and name as they stand in addresses: `c50-italian-game`. No other opening of the table has it.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// Whose name it is.
    #[must_use]
    pub const fn system(&self) -> NamingSystem {
        self.system
    }

    /// Other names, sorted.
    #[must_use]
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// Its kind.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.character.category
    }

    /// The side that chooses it.
    #[must_use]
    pub const fn color(&self) -> Color {
        self.character.color
    }

    /// What else can be said of it in a word, sorted.
    #[must_use]
    pub fn tags(&self) -> &[&'static str] {
        &self.character.tags
    }
}

/// All openings with one name before the `:`.
#[derive(Clone, Debug)]
pub struct Family {
    name: String,
    slug: String,
    color: Color,
    /// Into the table's openings; the first has the shortest line.
    openings: Vec<usize>,
}

impl Family {
    /// The name: `Italian Game`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as it stands in addresses: `italian-game`.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The side that chooses it.
    #[must_use]
    pub const fn color(&self) -> Color {
        self.color
    }
}

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
/// - Every line of a *primary* system ([`NamingSystem::is_primary`]) belongs to the entry of its code and name.
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

    /// The openings with this code, by name.
    pub fn by_eco(&self, eco: Eco) -> impl Iterator<Item = &Opening> {
        let start = self.openings.partition_point(|opening| opening.eco < eco);
        self.openings[start..]
            .iter()
            .take_while(move |opening| opening.eco == eco)
    }

    /// The family with this slug: `italian-game`.
    #[must_use]
    pub fn family(&self, slug: &str) -> Option<&Family> {
        self.by_family.get(slug).map(|at| &self.families[*at])
    }

    /// The family an opening belongs to.
    #[must_use]
    pub fn family_of(&self, opening: &Opening) -> &Family {
        &self.families[opening.family]
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

/// A table in the making. Lines come in order of rank, so the first claim to anything stands.
#[derive(Default)]
struct Draft {
    openings: Vec<DraftOpening>,
    by_name: HashMap<(Eco, String), usize>,
    named: HashMap<PositionId, Named>,
}

struct DraftOpening {
    eco: Eco,
    name: String,
    system: NamingSystem,
    lines: Vec<usize>,
    aliases: Vec<Alias>,
}

impl Draft {
    fn add(&mut self, at: usize, line: &OpeningLine, end: PositionId, lines: &[OpeningLine]) {
        let named = self.named.get_mut(&end);
        if let Some(named) = named {
            if lines[named.line].moves().len() > line.moves().len() {
                named.line = at;
            }
            let opening = &mut self.openings[named.opening];
            if !line.system().is_primary() {
                opening.alias(line);
                return;
            }
        }
        let key = (line.eco(), line.name().to_lowercase());
        let opening = *self.by_name.entry(key).or_insert_with(|| {
            self.openings.push(DraftOpening {
                eco: line.eco(),
                name: line.name().to_owned(),
                system: line.system(),
                lines: Vec::new(),
                aliases: Vec::new(),
            });
            self.openings.len() - 1
        });
        self.openings[opening].lines.push(at);
        self.named.entry(end).or_insert(Named { opening, line: at });
    }

    fn finish(mut self, lines: Vec<OpeningLine>) -> OpeningTable {
        for opening in &mut self.openings {
            // The EPD decides between lines of one length only, so it is written for those alone.
            let shortest = opening.lines.iter().map(|at| lines[*at].moves().len()).min();
            opening.lines.sort_by_cached_key(|at| {
                let plies = lines[*at].moves().len();
                (plies, (Some(plies) == shortest).then(|| epd(lines[*at].end())), *at)
            });
            opening.aliases.sort();
            opening.aliases.dedup_by(|a, b| a.name == b.name);
        }

        // Openings stand by code and name from here on.
        let mut order: Vec<usize> = (0..self.openings.len()).collect();
        order.sort_by_key(|at| (self.openings[*at].eco, &self.openings[*at].name));
        let mut place = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
        }
        for named in self.named.values_mut() {
            named.opening = place[named.opening];
        }
        let mut drafts: Vec<DraftOpening> = self.openings;
        drafts.sort_by(|a, b| (a.eco, &a.name).cmp(&(b.eco, &b.name)));

        let (families, family_of) = families(&drafts, &lines);
        let mut by_slug = HashMap::new();
        let openings: Vec<Opening> = drafts
            .into_iter()
            .zip(family_of)
            .enumerate()
            .map(|(at, (draft, family))| {
                let root: &[Move] = lines[draft.lines[0]].moves();
                let character = Character::of(&draft.name, root, families[family].color);
                let slug = free_slug(&by_slug, draft.eco, &draft.name);
                by_slug.insert(slug.clone(), at);
                Opening {
                    id: OpeningId::of(draft.eco, &draft.name),
                    eco: draft.eco,
                    slug,
                    system: draft.system,
                    family,
                    aliases: draft.aliases,
                    character,
                    lines: draft.lines,
                    name: draft.name,
                }
            })
            .collect();
        OpeningTable {
            by_id: openings
                .iter()
                .enumerate()
                .map(|(at, opening)| (opening.id, at))
                .collect(),
            by_family: families
                .iter()
                .enumerate()
                .map(|(at, family)| (family.slug.clone(), at))
                .collect(),
            by_slug,
            named: self.named,
            lines,
            openings,
            families,
        }
    }
}

impl DraftOpening {
    fn alias(&mut self, line: &OpeningLine) {
        let name = line.name();
        let known = self
            .aliases
            .iter()
            .any(|alias| alias.name.to_lowercase() == name.to_lowercase());
        if !known && self.name.to_lowercase() != name.to_lowercase() {
            self.aliases.push(Alias {
                name: name.to_owned(),
                eco: line.eco(),
                system: line.system(),
            });
        }
    }
}

/// Names that differ in their signs alone would share a slug; the later ones are numbered.
fn free_slug(taken: &HashMap<String, usize>, eco: Eco, name: &str) -> String {
    let plain = slug(&format!("{eco} {name}"));
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    std::iter::once(plain.clone())
        .chain(numbered)
        .find(|slug| !taken.contains_key(slug))
        .unwrap_or(plain)
}

/// The families by name, and for each opening the family it is in.
fn families(openings: &[DraftOpening], lines: &[OpeningLine]) -> (Vec<Family>, Vec<usize>) {
    let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, opening) in openings.iter().enumerate() {
        members.entry(slug(opening_name(&opening.name))).or_default().push(at);
    }
    let mut family_of = vec![0; openings.len()];
    let families = members
        .into_iter()
        .enumerate()
        .map(|(number, (slug, mut members))| {
            let plies = |at: &usize| lines[openings[*at].lines[0]].moves().len();
            // Codes, then names: the order in which openings stand.
            members.sort_by_key(|at| (!openings[*at].system.is_primary(), plies(at), *at));
            for at in &members {
                family_of[*at] = number;
            }
            let name = opening_name(&openings[members[0]].name).to_owned();
            Family {
                color: character::family_color(&name, plies(&members[0])),
                name,
                slug,
                openings: members,
            }
        })
        .collect();
    (families, family_of)
}
