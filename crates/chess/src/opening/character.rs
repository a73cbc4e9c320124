//! What an opening is like, derived from its name and moves.

use std::fmt;

use shakmaty::{Color, File, Move, Rank, Role, Square};

use super::names::{opening_name, variation_name};

/// The kind of an opening.
///
/// The first that applies: a *gambit* names one and is not declined, a *structure* names a formation of pawns, a *system*
/// calls itself one, a *defense* is Black's, and everything else is an *opening*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// White's choice, or nobody's.
    Opening,
    /// Black's choice.
    Defense,
    /// A pawn or more is offered.
    Gambit,
    /// Known for its pawns, whatever the moves.
    Structure,
    /// The same moves against nearly everything.
    System,
}

impl Category {
    /// The word for it, in small letters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Category::Opening => "opening",
            Category::Defense => "defense",
            Category::Gambit => "gambit",
            Category::Structure => "structure",
            Category::System => "system",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Words of a name that stand for a tag, with the ECO book's spellings.
const TAG_WORDS: [(&str, &[&str]); 21] = [
    ("accepted", &["accepted"]),
    ("advance", &["advance"]),
    ("attack", &["attack"]),
    ("benoni", &["benoni"]),
    ("caro-kann", &["caro"]),
    ("classical", &["classical"]),
    ("closed", &["closed"]),
    ("declined", &["declined"]),
    ("defense", &["defense", "defence"]),
    ("dutch", &["dutch"]),
    ("english", &["english"]),
    ("exchange", &["exchange"]),
    ("fianchetto", &["fianchetto"]),
    ("french", &["french"]),
    ("gambit", &["gambit"]),
    ("indian", &["indian", "grünfeld", "gruenfeld"]),
    ("open", &["open"]),
    ("reversed", &["reversed"]),
    ("sicilian", &["sicilian"]),
    ("symmetrical", &["symmetrical"]),
    ("system", &["system"]),
];

const STRUCTURE_WORDS: [&str; 7] = [
    "formation",
    "hedgehog",
    "stonewall",
    "bind",
    "structure",
    "wall",
    "pyramid",
];

/// The words of a name, in small letters. `counter-gambit` is two.
struct Words(String);

impl Words {
    fn of(name: &str) -> Words {
        Words(name.to_lowercase())
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0
            .split(|ch: char| !ch.is_alphanumeric())
            .filter(|word| !word.is_empty())
    }

    fn have(&self, wanted: &[&str]) -> bool {
        self.iter().any(|word| wanted.contains(&word))
    }

    fn name_countergambit(&self) -> bool {
        self.have(&["countergambit"]) || self.have(&["counter"]) && self.have(&["gambit"])
    }

    fn name_gambit(&self) -> bool {
        self.have(&["gambit", "countergambit"]) && !self.have(&["declined"])
    }
}

/// The side that made the last of `plies` moves.
fn last_mover(plies: usize) -> Color {
    if plies % 2 == 1 { Color::White } else { Color::Black }
}

/// Whose family this is: by its name, a defense is Black's, a game or an opening White's; any other belongs to the side that
/// makes the last move of its shortest line.
pub(super) fn family_color(family: &str, shortest: usize) -> Color {
    let words = Words::of(family);
    if words.have(&["defense", "defence"]) {
        Color::Black
    } else if words.have(&["game", "opening"]) {
        Color::White
    } else {
        last_mover(shortest)
    }
}

/// What an opening is like.
#[derive(Clone, Debug)]
pub(super) struct Character {
    pub(super) category: Category,
    /// That of the family, but a gambit within a family is its last mover's.
    pub(super) color: Color,
    /// Sorted: words of the name, a fianchetto on the board, and how the game began.
    pub(super) tags: Vec<&'static str>,
}

impl Character {
    /// Judges by the full name and the shortest line.
    pub(super) fn of(name: &str, moves: &[Move], family: Color) -> Character {
        let color = match variation_name(name).map(Words::of) {
            Some(variation) if variation.name_gambit() && !variation.have(&["accepted"]) => last_mover(moves.len()),
            _ => family,
        };
        let words = Words::of(name);
        Character {
            category: category(name, &words, color),
            color,
            tags: tags(&words, moves),
        }
    }
}

fn category(name: &str, words: &Words, color: Color) -> Category {
    let is_system = || words.iter().next_back() == Some("system") || Words::of(opening_name(name)).have(&["system"]);
    if words.name_gambit() {
        Category::Gambit
    } else if words.have(&STRUCTURE_WORDS) {
        Category::Structure
    } else if is_system() {
        Category::System
    } else if color == Color::Black {
        Category::Defense
    } else {
        Category::Opening
    }
}

fn tags(words: &Words, moves: &[Move]) -> Vec<&'static str> {
    let mut tags = vec![beginning(moves)];
    for word in words.iter() {
        let tag = TAG_WORDS.iter().find(|(_, spellings)| spellings.contains(&word));
        tags.extend(tag.map(|(tag, _)| *tag));
    }
    if words.name_countergambit() {
        tags.extend(["countergambit", "gambit"]);
    }
    // The Four Pawns Attack has no knights in it.
    if words.have(&["four"]) && words.have(&["knights"]) {
        tags.push("four-knights");
    }
    if fianchetto(moves) {
        tags.push("fianchetto");
    }
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// A bishop that went from home to b2, g2, b7 or g7, where its pawn had made room for it.
fn fianchetto(moves: &[Move]) -> bool {
    moves.iter().enumerate().any(|(ply, m)| {
        let Move::Normal {
            role: Role::Bishop,
            from,
            to,
            ..
        } = *m
        else {
            return false;
        };
        let pawn_went = || {
            let own = moves[..ply].iter().skip(ply % 2).step_by(2);
            own.copied().any(|m| m.role() == Role::Pawn && m.from() == Some(to))
        };
        let (first, second) = last_mover(ply + 1).fold_wb((Rank::First, Rank::Second), (Rank::Eighth, Rank::Seventh));
        let wing = matches!((from.file(), to.file()), (File::C, File::B) | (File::F, File::G));
        wing && from.rank() == first && to.rank() == second && pawn_went()
    })
}

/// The old division by first moves.
fn beginning(moves: &[Move]) -> &'static str {
    let pushes = |ply: usize, to: Square| moves.get(ply).is_some_and(|m| m.role() == Role::Pawn && m.to() == to);
    match (pushes(0, Square::E4), pushes(0, Square::D4), moves.len()) {
        (true, _, 1) => "kings-pawn",
        (true, ..) if pushes(1, Square::E5) => "open-game",
        (true, ..) => "semi-open-game",
        (_, true, 1) => "queens-pawn",
        (_, true, _) if pushes(1, Square::D5) => "closed-game",
        (_, true, _) => "semi-closed-game",
        _ => "flank-opening",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_line;

    fn check(name: &str, line: &str, expected: &str) {
        let line = parse_line(line).expect(line);
        let plies = line.moves().len();
        // A family is taken to be named by the line itself here; the table knows its shortest.
        let family = family_color(opening_name(name), plies);
        let Character { category, color, tags } = Character::of(name, line.moves(), family);
        let (side, tags) = (color.fold_wb("white", "black"), tags.join(" "));
        assert_eq!(format!("{category} {side}: {tags}"), expected, "{name}");
    }

    #[test]
    fn openings_have_the_character_a_player_expects() {
        check("Italian Game", "e4 e5 Nf3 Nc6 Bc4", "opening white: open-game");
        check(
            "Sicilian Defense",
            "e4 c5",
            "defense black: defense semi-open-game sicilian",
        );
        check(
            "Sicilian Defense: Smith-Morra Gambit",
            "e4 c5 d4 cxd4 c3",
            "gambit white: defense gambit semi-open-game sicilian",
        );
        check(
            "Queen's Gambit Declined",
            "d4 d5 c4 e6",
            "defense black: closed-game declined gambit",
        );
        check(
            "Queen's Gambit Accepted",
            "d4 d5 c4 dxc4",
            "gambit black: accepted closed-game gambit",
        );
        check(
            "Benko Gambit",
            "d4 Nf6 c4 c5 d5 b5",
            "gambit black: gambit semi-closed-game",
        );
        check(
            "QP counter-gambit (elephant gambit)",
            "e4 e5 Nf3 d5",
            "gambit black: countergambit gambit open-game",
        );
        check("London System", "d4 d5 Nf3 Nf6 Bf4", "system white: closed-game system");
        check(
            "King's Indian Attack",
            "Nf3 d5 g3 Nf6 Bg2",
            "opening white: attack fianchetto flank-opening indian",
        );
        check(
            "Dutch Defense: Stonewall Variation",
            "d4 f5 c4 Nf6 g3 e6 Bg2 d5",
            "structure black: defense dutch fianchetto semi-closed-game",
        );
        check(
            "Four Knights Game",
            "e4 e5 Nf3 Nc6 Nc3 Nf6",
            "opening white: four-knights open-game",
        );
        check("King's Pawn Game", "e4", "opening white: kings-pawn");
    }

    #[test]
    fn a_fianchetto_is_seen_on_the_board() {
        let has = |line: &str| fianchetto(parse_line(line).expect(line).moves());
        for line in [
            "g3 d5 Bg2",
            "b3 e5 Bb2",
            "d4 g6 c4 Bg7",
            "d4 b6 c4 Bb7",
            "b4 e5 Bb2",
            "d4 b5 e4 Bb7",
            "e4 g5 d4 Bg7",
            "g4 d5 Bg2",
        ] {
            assert!(has(line), "{line}");
        }
        for line in ["g3 d5", "d4 d5 Bd2 a6", "e4 e5 Be2 Be7", "e4 g6 Be2 Bh6 a3 Bg7"] {
            assert!(!has(line), "{line}");
        }
    }
}
