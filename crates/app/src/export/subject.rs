//! What one exported file is about: a family of openings, one opening, or a repertoire.

use std::cmp::Reverse;

use serde::Serialize;
use shakmaty::Color;
use tabiya_chess::numbered_line;
use tabiya_store::{OpeningRow, OpeningView};

use crate::explore::{Catalogue, Family, Place, Step, View};

/// Families with at least this many names take more to learn than their kind.
const MANY_NAMES: usize = 200;

/// How hard an opening is to learn.
///
/// The rule is the order in which openings have been taught for long: open games (1.e4 e5), bare first moves and systems are
/// for beginners; semi-open (1.e4, another move) and closed games (1.d4 d5) are intermediate; semi-closed games (1.d4, another
/// move) and flank openings are advanced. A family with 200 names or more is one step harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    Beginner,
    Intermediate,
    Advanced,
}

impl Difficulty {
    fn of(opening: &OpeningRow, names: usize) -> Difficulty {
        let has = |tag: &str| opening.tags.iter().any(|own| own == tag);
        let kind = if opening.category == "system" {
            Difficulty::Beginner
        } else if has("semi-open-game") || has("closed-game") {
            Difficulty::Intermediate
        } else if has("semi-closed-game") || has("flank-opening") {
            Difficulty::Advanced
        } else {
            Difficulty::Beginner
        };
        match kind {
            Difficulty::Beginner if names >= MANY_NAMES => Difficulty::Intermediate,
            Difficulty::Intermediate if names >= MANY_NAMES => Difficulty::Advanced,
            kind => kind,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Difficulty::Beginner => "beginner",
            Difficulty::Intermediate => "intermediate",
            Difficulty::Advanced => "advanced",
        }
    }
}

/// An opening with the moves that lead to it.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// The file's stem: the family's slug, `italian-game`.
    pub id: String,
    pub name: String,
    /// Empty where it has none, as a repertoire.
    pub eco: String,
    pub color: Color,
    pub difficulty: Difficulty,
    pub description: String,
    /// Where the moves begin: the initial position, but for repertoires that begin elsewhere.
    pub(super) start: Place,
    /// The moves from there to the opening's own position.
    pub(super) stem: Vec<Step<'a>>,
    /// How many of them stand before the position that the app begins with.
    pub(super) given: usize,
}

impl<'a> Subject<'a> {
    /// A family: its root is the position of the shortest line that has its name, of several the most played. `None` where
    /// the view has none of its positions.
    pub fn of_family(view: &'a View, catalogue: &Catalogue, family: &Family) -> Option<Subject<'a>> {
        let openings: Vec<&OpeningRow> = catalogue.openings_of(family).map(|view| &view.opening).collect();
        let named = openings.iter().flat_map(|opening| {
            let positions = opening.positions.iter();
            positions.filter_map(|position| Some((*opening, view.find(position.id)?)))
        });
        let (opening, root) = named.min_by_key(|(opening, place)| {
            let node = view.node(*place);
            (
                node.ply,
                Reverse(node.stats.games()),
                &node.epd,
                &opening.eco,
                &opening.name,
            )
        })?;
        Some(Subject::rooted(
            view,
            root,
            opening,
            family.slug.clone(),
            family.name.clone(),
            openings.len(),
        ))
    }

    /// A single opening, with the position of its shortest line for a root.
    pub fn of_opening(view: &'a View, catalogue: &Catalogue, opening: &OpeningView) -> Option<Subject<'a>> {
        let opening = &opening.opening;
        let root = view.find(opening.root)?;
        let names = catalogue.families().find(|family| family.name == opening.family);
        let names = names.map_or(1, |family| family.openings.len());
        Some(Subject::rooted(
            view,
            root,
            opening,
            opening.slug.clone(),
            opening.name.clone(),
            names,
        ))
    }

    fn rooted(
        view: &'a View,
        root: Place,
        opening: &OpeningRow,
        id: String,
        name: String,
        names: usize,
    ) -> Subject<'a> {
        let stem = stem(view, root);
        let start = stem.first().map_or(root, |step| step.parent);
        let color = Color::from_white(opening.primary_color == 'W');
        let kind = match opening.category.as_str() {
            "opening" => "an opening",
            "defense" => "a defense",
            "gambit" => "a gambit",
            "structure" => "a structure",
            _ => "a system",
        };
        let side = color.fold_wb("White", "Black");
        let names_text = match names {
            1 => "one named line".to_owned(),
            several => format!("{several} named lines"),
        };
        Subject {
            description: format!(
                "{name} ({}), {}: {kind} for {side}, {names_text} in the family.",
                opening.eco,
                movetext(&stem)
            ),
            id,
            name,
            eco: opening.eco.clone(),
            color,
            difficulty: Difficulty::of(opening, names),
            start,
            given: color.fold_wb(0, 1).min(stem.len()),
            stem,
        }
    }

    /// The opening's own position.
    pub fn root(&self) -> Place {
        self.stem.last().map_or(self.start, |step| step.child)
    }
}

/// The shortest way to a position; of several the one whose moves were played most, from the last back to the first.
fn stem(view: &View, root: Place) -> Vec<Step<'_>> {
    let mut line: Vec<Step<'_>> = Vec::new();
    let mut at = root;
    // Plies fall with every step back, so this ends.
    while let Some(step) = view
        .ways_to(at)
        .filter(|step| view.node(step.parent).ply < view.node(at).ply)
        .min_by_key(|step| {
            let parent = view.node(step.parent);
            (
                parent.ply,
                Reverse(step.edge.stats.games()),
                &parent.epd,
                &step.edge.uci,
            )
        })
    {
        line.push(step);
        at = step.parent;
    }
    line.reverse();
    line
}

/// `1.e4 e5 2.Nf3`, from the initial position.
fn movetext(line: &[Step<'_>]) -> String {
    numbered_line(line.iter().map(|step| &step.edge.san))
}
