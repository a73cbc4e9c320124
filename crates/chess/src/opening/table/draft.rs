//! The making of a table: which lines make entries, and which name wins.

use std::collections::{BTreeMap, HashMap};

use shakmaty::Move;

use super::{Alias, Family, Named, Opening, OpeningTable};
use crate::{
    PositionId, epd,
    opening::{
        Eco, NamingSystem, OpeningId, OpeningLine,
        character::{self, Character},
        names::{opening_name, slug},
    },
};

/// A table in the making. Lines come in order of rank, so the first claim to anything stands.
#[derive(Default)]
pub(super) struct Draft {
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
    pub(super) fn add(&mut self, at: usize, line: &OpeningLine, end: PositionId, lines: &[OpeningLine]) {
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

    pub(super) fn finish(mut self, lines: Vec<OpeningLine>) -> OpeningTable {
        for opening in &mut self.openings {
            // The EPD decides between lines of one length only, so it is written for those alone.
            let shortest = opening.lines.iter().map(|at| lines[*at].moves().len()).min();
            opening.lines.sort_by_cached_key(|at| {
                let plies = lines[*at].moves().len();
                (plies, (Some(plies) == shortest).then(|| epd(lines[*at].end())), *at)
            });
            opening.aliases.sort();
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
