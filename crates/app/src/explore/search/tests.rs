use tabiya_chess::{NodeId, OpeningTable, PositionId};
use tabiya_store::{OpeningRow, OpeningView};

use super::SearchIndex;
use crate::explore::Catalogue;

/// The built-in names.
fn catalogue() -> Catalogue {
    let table = OpeningTable::embedded();
    let view = |opening: &tabiya_chess::Opening| {
        let root = PositionId::of(table.root_line(opening).end());
        OpeningView {
            opening: OpeningRow {
                id: opening.id().into(),
                eco: opening.eco().to_string(),
                name: opening.name().to_owned(),
                family: opening.opening_name().to_owned(),
                variation: opening.variation_name().map(str::to_owned),
                slug: opening.slug().to_owned(),
                category: opening.category().to_string(),
                primary_color: 'W',
                system: opening.system().to_string(),
                root,
                aliases: opening.aliases().iter().map(|alias| alias.name.clone()).collect(),
                tags: Vec::new(),
                positions: Vec::new(),
            },
            root_node_id: NodeId::from(root),
            resolution_node_ids: Vec::new(),
            related_opening_ids: Vec::new(),
        }
    };
    Catalogue::new(table.openings().iter().map(view).collect(), Vec::new(), Vec::new())
}

/// Checks which opening comes first, with games that are the same for all.
#[test]
fn the_first_is_what_a_player_means() {
    let catalogue = catalogue();
    let index = SearchIndex::new(&catalogue, |_| 0);
    let mut wrong = Vec::new();
    for line in FIRST.lines() {
        let (query, expected) = line.split_once(" => ").expect(line);
        let shown = names(&catalogue, &index, query, 5);
        if shown.first().map(String::as_str) != Some(expected) {
            wrong.push(format!("{query}: {expected}, not {shown:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const FIRST: &str = "\
ruy => C60 Ruy Lopez
ruy lopez => C60 Ruy Lopez
RUY LOPEZ! => C60 Ruy Lopez
spanish opening => C60 Ruy Lopez
najdrof => B90 Sicilian Defense: Najdorf Variation
najdorf => B90 Sicilian Defense: Najdorf Variation
sicilian najdorf english attack => B90 Sicilian Defense: Najdorf Variation, English Attack
kings indian => E61 King's Indian Defense
king indian => E61 King's Indian Defense
indian kings => E61 King's Indian Defense
King’s Indian Defence => E61 King's Indian Defense
kings indian attack => A05 King's Indian Attack
KID => E61 King's Indian Defense
KIA => A05 King's Indian Attack
C50 => C50 Italian Game
c50 => C50 Italian Game
c5 => C50 Italian Game
B90-B99 => B90 Sicilian Defense: Najdorf Variation
e6 => E61 King's Indian Defense
Grunfeld => D80 Grünfeld Defense
grünfeld => D80 Grünfeld Defense
gruenfeld defence => D80 Grünfeld Defense
grunfled => D80 Grünfeld Defense
caro advance => B12 Caro-Kann Defense: Advance Variation
caro => B10 Caro-Kann Defense
carokann => B10 Caro-Kann Defense
queens gambit declined => D30 Queen's Gambit Declined
queens gambit => D06 Queen's Gambit
QGD => D30 Queen's Gambit Declined
qga => D20 Queen's Gambit Accepted
sicilain dragon => B70 Sicilian Defense: Dragon Variation
dragon => B70 Sicilian Defense: Dragon Variation
accelerated dragon => B32 Sicilian Defense: Accelerated Dragon
sicilian => B20 Sicilian Defense
sicil => B20 Sicilian Defense
scilian => B20 Sicilian Defense
giuco piano => C50 Italian Game: Giuoco Piano
guioco piano => C50 Italian Game: Giuoco Piano
nimzo => E20 Nimzo-Indian Defense
nimzoindian => E20 Nimzo-Indian Defense
nimzovich defence => B00 Nimzowitsch Defense
evans => C51 Italian Game: Evans Gambit
two knights => C55 Italian Game: Two Knights Defense
fried liver => C57 Italian Game: Two Knights Defense, Fried Liver Attack
berlin => C65 Ruy Lopez: Berlin Defense
marshal attack => C89 Ruy Lopez: Marshall Attack
petroff => C42 Petrov's Defense
russian game => C42 Petrov's Defense
french => C00 French Defense
french winawer => C15 French Defense: Winawer Variation
winawer french => C15 French Defense: Winawer Variation
slav => D10 Slav Defense
semi slav => D43 Semi-Slav Defense
semislav meran => D47 Semi-Slav Defense: Meran Variation
benko => A57 Benko Gambit
benoni => A56 Benoni Defense
catalan => E00 Catalan Opening
london => A48 London System
reti => A09 Réti Opening
maroczy bind => B36 Sicilian Defense: Accelerated Dragon, Maróczy Bind
dutch opening => A80 Dutch Defense
alekhine => B02 Alekhine Defense
alekhin defence => B02 Alekhine Defense
bdg => D00 Blackmar-Diemer Gambit
albin counter gambit => D08 Queen's Gambit Declined: Albin Countergambit
scandinavian => B01 Scandinavian Defense
pirc => B00 Pirc Defense
english => A10 English Opening
birds => A02 Bird Opening
vienna => C25 Vienna Game
scotch => C44 Scotch Game
D85 grunfeld exchange => D85 Grünfeld Defense: Exchange Variation
queens indain => E12 Queen's Indian Defense
bogo => E11 Bogo-Indian Defense
philidor => C41 Philidor Defense
polish => A00 Polish Opening
sicilian xyzzy => B20 Sicilian Defense
";

#[test]
fn of_equally_near_openings_the_more_played_comes_first() {
    let catalogue = catalogue();
    let played = |view: &OpeningView| match (view.opening.eco.as_str(), view.opening.name.as_str()) {
        ("A07", "King's Indian Attack") => 900,
        ("B36", _) => 500,
        ("B27", "Sicilian Defense") => 10,
        _ => 0,
    };
    let index = SearchIndex::new(&catalogue, played);
    for (query, expected) in [
        ("kings indian attack", "A07 King's Indian Attack"),
        ("maroczy bind", "B36 Sicilian Defense: Accelerated Dragon, Maróczy Bind"),
        ("sicilian", "B27 Sicilian Defense"),
    ] {
        assert_eq!(names(&catalogue, &index, query, 1), [expected], "{query}");
    }
}

#[test]
fn an_alias_is_named_where_it_is_what_was_found() {
    let catalogue = catalogue();
    let index = SearchIndex::new(&catalogue, |_| 0);
    let spanish = index.search("spanish opening", 1);
    assert_eq!(spanish[0].alias.as_deref(), Some("Ruy Lopez (Spanish opening)"));
    let by_name = index.search("ruy lopez", 1);
    assert_eq!((by_name[0].alias.as_deref(), by_name[0].score), (None, 1.0));
    assert!(spanish[0].score < by_name[0].score);
}

#[test]
fn a_range_of_codes_has_all_openings_in_it() {
    let catalogue = catalogue();
    let index = SearchIndex::new(&catalogue, |_| 0);
    let found = index.search("B90-B99", usize::MAX);
    let expected = catalogue
        .openings()
        .iter()
        .filter(|view| view.opening.eco.starts_with("B9"));
    assert_eq!(found.len(), expected.count());
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(names(&catalogue, &index, "c50 sicilian", 9).is_empty());
}

#[test]
fn nothing_is_found_by_nonsense_and_nothing_takes_long() {
    let catalogue = catalogue();
    let index = SearchIndex::new(&catalogue, |_| 0);
    for query in ["", " ", "?!…", "\0\u{1b}[31m", "xyzzyx", "C99Z", "'", "--", "日本語"] {
        assert_eq!(index.search(query, 10), [], "{query:?}");
    }
    for query in [
        "a".repeat(10_000),
        "sicilian ".repeat(2_000),
        "a b c d e f ".repeat(1_000),
    ] {
        let begun = std::time::Instant::now();
        let found = index.search(&query, 10);
        assert!(found.len() <= 10);
        // Without optimisation, on a busy machine; a hundred times the usual.
        assert!(begun.elapsed().as_secs() < 2, "{:.20}", query);
    }
    assert_eq!(index.search("sicilian", 0), []);
    assert_eq!(SearchIndex::default().search("sicilian", 5), []);
}

/// What is found, with codes.
fn names(catalogue: &Catalogue, index: &SearchIndex, query: &str, limit: usize) -> Vec<String> {
    let found = index.search(query, limit);
    let shown = found.iter().map(|found| {
        let opening = &catalogue.openings()[found.place].opening;
        format!("{} {}", opening.eco, opening.name)
    });
    shown.collect()
}
