//! Text to rule.

use std::str::FromStr;

use shakmaty::{Color, File, Rank};

use super::{
    Alternative, PawnRule, PawnRuleError,
    token::{Files, Place, Ranks, Squares, Token},
};

impl FromStr for PawnRule {
    type Err = PawnRuleError;

    fn from_str(text: &str) -> Result<PawnRule, PawnRuleError> {
        if text.len() > PawnRule::MAX_LEN {
            return Err(PawnRuleError::TooLong(text.len()));
        }
        if text.trim().is_empty() {
            return Err(PawnRuleError::Empty);
        }
        let alternatives: Result<_, _> = text
            .split(';')
            .enumerate()
            .map(|(index, text)| match text.trim() {
                "" => Err(PawnRuleError::EmptyAlternative(index + 1)),
                text => alternative(text),
            })
            .collect();
        Ok(PawnRule {
            alternatives: alternatives?,
        })
    }
}

fn alternative(text: &str) -> Result<Alternative, PawnRuleError> {
    let (parts, reversible) = match text.strip_suffix('~') {
        Some(parts) => (parts.trim_end(), true),
        None => (text, false),
    };
    if parts.contains('~') {
        return Err(PawnRuleError::StrayTilde(text.to_owned()));
    }
    let (white, black) = parts
        .split_once('/')
        .ok_or_else(|| PawnRuleError::NoSlash(text.to_owned()))?;
    if black.contains('/') {
        return Err(PawnRuleError::SecondSlash(text.to_owned()));
    }
    let tokens = |part: &str, side| match words(part)?[..] {
        [] => Err(PawnRuleError::EmptySide {
            alternative: text.to_owned(),
            side,
        }),
        ["."] => Ok(Vec::new()),
        ref words if words.contains(&".") => Err(PawnRuleError::DotBesideOthers(part.trim().to_owned())),
        ref words => words.iter().map(|word| token(word)).collect(),
    };
    Ok(Alternative::new(
        tokens(white, Color::White)?,
        tokens(black, Color::Black)?,
        reversible,
    ))
}

/// Splits at white space that is not between brackets.
fn words(part: &str) -> Result<Vec<&str>, PawnRuleError> {
    let mut words = Vec::new();
    let mut rest = part.trim();
    while !rest.is_empty() {
        let end = if rest.starts_with('[') {
            rest.find(']')
                .map(|closing| closing + 1)
                .ok_or_else(|| PawnRuleError::OpenBracket(rest.to_owned()))?
        } else {
            rest.find(char::is_whitespace).unwrap_or(rest.len())
        };
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind.trim_start();
    }
    Ok(words)
}

fn token(word: &str) -> Result<Token, PawnRuleError> {
    if let Some(list) = word.strip_prefix('[') {
        let list = list
            .strip_suffix(']')
            .ok_or_else(|| PawnRuleError::OpenBracket(word.to_owned()))?;
        let places: Vec<Place> = list.split_whitespace().map(place).collect::<Result<_, _>>()?;
        return match places.is_empty() {
            true => Err(PawnRuleError::EmptyBrackets(word.to_owned())),
            false => Ok(Token::OneOf(places)),
        };
    }
    let Some(absent) = word.strip_prefix('-') else {
        return Ok(Token::OneOf(vec![place(word)?]));
    };
    if let Some(files) = files(absent) {
        return Ok(Token::NoneOnFiles(files));
    }
    match squares(absent) {
        Some(squares) => Ok(Token::NoneOn(squares)),
        None => Err(misspelt(word)),
    }
}

fn place(word: &str) -> Result<Place, PawnRuleError> {
    let (bishop, text) = match word.strip_prefix('B') {
        Some(text) => (true, text),
        None => (false, word),
    };
    match squares(text) {
        Some(squares) => Ok(Place { bishop, squares }),
        None => Err(misspelt(word)),
    }
}

/// `ce`
fn files(text: &str) -> Option<Files> {
    let mut files = Files::default();
    for letter in text.chars() {
        files.insert(File::from_char(letter)?);
    }
    (!text.is_empty()).then_some(files)
}

/// `d4`, `c23`, `e*`
fn squares(text: &str) -> Option<Squares> {
    let mut chars = text.chars();
    let file = File::from_char(chars.next()?)?;
    let ranks = match chars.as_str() {
        "" => return None,
        "*" => Ranks::ALL,
        digits => {
            let mut ranks = Ranks::default();
            for digit in digits.chars() {
                ranks.insert(Rank::from_char(digit)?);
            }
            ranks
        }
    };
    Some(Squares { file, ranks })
}

fn misspelt(word: &str) -> PawnRuleError {
    let lower = word.to_ascii_lowercase();
    match lower != word && token(&lower).is_ok() {
        true => PawnRuleError::UpperCase(word.to_owned()),
        false => PawnRuleError::Token(word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let rule: PawnRule = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(rule.to_string(), expected, "{text}");
        assert_eq!(expected.parse(), Ok(rule), "{text}");
    }

    fn check_error(text: &str, expected: &str) {
        assert_eq!(text.parse::<PawnRule>().expect_err(text).to_string(), expected);
    }

    #[test]
    fn one_rule_has_one_text() {
        for text in [
            "d4 -ce / -d ~",
            "c34 d4 -be / -cd ~; c34 d4 -be / -de ~",
            "c23 d4 e23 [Bf4 Bg3 Bh2] / .",
            "[b5 a6] d5 -c / c5 d67 -b ~",
            "c* d4 e45 / -d -e5 ~",
            "c4 d4 / d7 e6 Bb4",
            ". / .",
        ] {
            check(text, text);
        }
        check("  d4/  -d~ ;c32 c33/. ", "d4 / -d ~; c23 c3 / .");
        check("-ec -e54 / [ e5\tc5 ]", "-ce -e45 / [e5 c5]");
        check("e12345678 -e* / [Bg7]", "e* -e* / Bg7");
        check("[c5]d4 / .", "c5 d4 / .");
    }

    #[test]
    fn errors_name_the_fault_and_the_way_out() {
        check_error(
            " \t",
            "the rule is empty; write White's pawns, `/` and Black's, such as `d4 -ce / -d`",
        );
        check_error(
            "d4 / .;",
            "alternative 2 is empty; leave out the `;` or write a rule beside it",
        );
        check_error(
            "d4 -ce",
            "`d4 -ce` has no `/` between White's part and Black's; `.` stands for a side without conditions",
        );
        check_error(
            "d4 / d5 / d6",
            "`d4 / d5 / d6` has more than one `/`; put `;` between alternatives",
        );
        check_error("d4 / ~", "`d4 / ~` says nothing of Black; write `.` for no condition");
        check_error(" / d5", "`/ d5` says nothing of White; write `.` for no condition");
        check_error(
            "d4 . / d5",
            "`d4 .` has a `.`, which means no condition, beside others; leave out one or the other",
        );
        check_error(
            "d4 ~ / d5",
            "`d4 ~ / d5` has a `~` inside; it belongs at the end of an alternative",
        );
        check_error(
            "[c5 e5 / .",
            "`[c5 e5` has a bracket that is not closed; write `[c5 e5]`",
        );
        check_error("[] / .", "`[]` lists no squares; write `[c5 e5]`");
        check_error(
            "D4 / .",
            "`D4` is not understood; files are written in lower case, such as `d4`",
        );
        for word in [
            "x4", "d9", "d", "4", "-", "-ce4", "-Bg7", "B", "Nf3", "d4,e4", "d\u{e9}", "*", "d4]",
        ] {
            check_error(
                &format!("{word} / ."),
                &format!("`{word}` is not understood; write `d4`, `c23`, `e*`, `-c`, `-e45`, `[c5 e5]`, `Bg7` or `.`"),
            );
        }
        check_error(&"d4 ".repeat(400), "the rule has 1200 bytes; at most 1024 are read");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,80}|[a-h1-8B*./;~ \\[\\]-]{0,60}") {
            if let Ok(rule) = text.parse::<PawnRule>() {
                prop_assert_eq!(rule.to_string().parse(), Ok(rule));
            }
        }

        #[test]
        fn rules_survive_their_text(text in rule()) {
            let rule: PawnRule = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
            prop_assert_eq!(rule.to_string().parse(), Ok(rule));
        }
    }

    fn rule() -> impl Strategy<Value = String> {
        let word = "B?[a-h][1-8]{1,4}|[a-h]\\*|-[a-h]{1,3}|-[a-h][1-8]{1,3}|\\[[a-h][1-8]( B?[a-h][1-8]){0,3}\\]";
        let part = prop_oneof![
            Just(".".to_owned()),
            proptest::collection::vec(word, 1..6).prop_map(|words| words.join(" ")),
        ];
        let alternative =
            (part.clone(), part, "( ?~)?").prop_map(|(white, black, end)| format!("{white} / {black}{end}"));
        proptest::collection::vec(alternative, 1..4).prop_map(|all| all.join("; "))
    }
}
