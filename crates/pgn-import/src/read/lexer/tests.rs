//! What becomes of texts.

use super::*;

/// The tokens of all games in a text, in a short hand: moves as SAN, `|` between games.
fn tokens(text: &str) -> String {
    let mut lexer = Lexer::new(text.as_bytes());
    let mut words = Vec::new();
    while lexer.begin_game() {
        if !words.is_empty() {
            words.push("|".to_owned());
        }
        while let Some(tag) = lexer.next_tag() {
            words.push(format!("[{}]", tag.name()));
        }
        loop {
            words.push(match lexer.next_token() {
                Token::Move(san) => san.to_string(),
                Token::Comment(text) => format!("{{{}}}", String::from_utf8_lossy(text)),
                Token::Nag(nag) => format!("${nag}"),
                Token::BeginVariation => "(".to_owned(),
                Token::EndVariation => ")".to_owned(),
                Token::Result(result) => result.as_str().to_owned(),
                Token::Word(word) => format!("<{}>", String::from_utf8_lossy(word)),
                Token::OpenComment => "OPEN".to_owned(),
                Token::EndOfGame => break,
            });
            if words.last().is_some_and(|word| word == "OPEN") {
                break;
            }
        }
    }
    words.join(" ")
}

fn check(text: &str, expected: &str) {
    assert_eq!(tokens(text), expected, "{text:?}");
}

#[test]
fn moves_numbers_and_results() {
    check("1. e4 e5 2.Nf3 1-0", "e4 e5 Nf3 1-0");
    check("1.e4 1...e5 0-1", "e4 e5 0-1");
    check("e4 1/2-1/2", "e4 1/2-1/2");
    check("e4 1/2", "e4 1/2-1/2");
    check("e4 *", "e4 *");
    check("0-0 0-0-0 O-O o-o-o 0-1", "O-O O-O-O O-O O-O-O 0-1");
    check("-- Z0 @@@@ 0000", "-- -- -- --");
    check("10. e4 100. e5", "e4 e5");
}

#[test]
fn annotations_are_nags_or_nothing() {
    check("e4! e5?! $14 $300 $", "e4 $1 e5 $6 $14");
    check("e4+- e5 -+ = += +/= ~ ∞ ± Nf3", "e4 e5 Nf3");
    check("e4 +-- e5 --- Nf3 --+ d6", "e4 e5 Nf3 d6");
    check("exd6 e.p. exd6e.p. exd6 ep ch. N D", "exd6 exd6 exd6");
    check("e4 [%clk 0:01] e5 [unclosed Nf3", "e4 e5 <unclosed> Nf3");
    check("e4 Sf3 resigns", "e4 <Sf3> <resigns>");
}

#[test]
fn moves_in_other_alphabets_are_words() {
    check("e4 Кf3 Kf6", "e4 <Кf3> Kf6");
    check("e4 Кg1-f3 Лd1:d5 хе4", "e4 <Кg1-f3> <Лd1:d5> <хе4>");
    check("e4 Л:d5! О-О О-О-О d5", "e4 <Л:d5> $1 <О-О> <О-О-О> d5");
    check("e4 …♘f6 …Nc6 “d5” «e5»", "e4 Nf6 Nc6 d5 e5");
    check("e4 ⊽ ♽ µ º ª d5", "e4 d5");
    check("♘f3 1-0 Кf3 победа", "Nf3 1-0");
    check("e4 еле-еле e5 ничья1/2-1/2", "e4 e5 1/2-1/2");
    check("e4 сдались1-0", "e4 1-0");
    check("e4 сдались.1-0", "e4 1-0");
    check("e4 Ничья,1/2-1/2", "e4 1/2-1/2");
    check("e4 «мат»0-1", "e4 0-1");
    check("e4 О-О1-0", "e4 <О-О1-0>");
}

#[test]
fn a_half_is_no_part_of_a_letter() {
    check("e4 ½", "e4 1/2-1/2");
    check("e4 ½-½", "e4 1/2-1/2");
    check("e4 …½-½ d4", "e4 1/2-1/2 | d4");
    check("e4 новинка e5 1-0", "e4 e5 1-0");
    check("e4 1-0 на времени", "e4 1-0");
    check("e4 Žý e5 0-1", "e4 e5 0-1");
    // Latin-1, where each is a byte.
    let mut lexer = Lexer::new(b"e4 \xbd-\xbd");
    assert!(lexer.begin_game() && lexer.next_tag().is_none());
    assert!(matches!(lexer.next_token(), Token::Move(_)));
    assert_eq!(lexer.next_token(), Token::Result(GameResult::Draw));
    let mut lexer = Lexer::new(b"e4 \xcaf3");
    assert!(lexer.begin_game() && lexer.next_tag().is_none());
    assert!(matches!(lexer.next_token(), Token::Move(_)));
    assert_eq!(lexer.next_token(), Token::Word(b"\xcaf3"));
}

#[test]
fn comments_and_escapes() {
    check("{a} e4 {b (c} e5 ; d { e\nNf3", "{a} e4 {b (c} e5 { d { e} Nf3");
    check("e4\n% e5 { (\nNf3", "e4 Nf3");
    check("e4\r% e5\rNf3", "e4 Nf3");
    check("e4 % e5", "e4 e5");
    check("e4 } e5", "e4 e5");
    check("e4 {never", "e4 OPEN");
    check("e4 {never\n[Event \"x\"]\nd4", "e4 OPEN | [Event] d4");
    check("e4 {a\n[Event \"x\"]\nd4 {b} d5", "e4 OPEN | [Event] d4 {b} d5");
    check("e4 {a\n[Event \"x\"]\nd4 b} d5", "e4 {a\n[Event \"x\"]\nd4 b} d5");
}

#[test]
fn a_comment_has_four_megabytes_at_the_most() {
    let long = "x".repeat((4 << 20) - 1);
    let behind = "\n[Event \"x\"]\nd4";
    let game = |comment: &str| format!("e4 {{{comment}}} e5{behind}");
    assert!(tokens(&game(&long)) == format!("e4 {{{long}}} e5 | [Event] d4"));
    assert_eq!(tokens(&game(&format!("{long}x"))), "e4 OPEN | [Event] d4");
}

#[test]
fn parentheses_are_balanced_by_force() {
    check("e4 (d4 (c4) d5) e5 )", "e4 ( d4 ( c4 ) d5 ) e5");
    check("e4 (d4 1-0) e5 0-1", "e4 ( d4 ) e5 0-1");
    check("e4 (d4\n\n1. c4) e5", "e4 ( d4 c4 ) e5");
}

#[test]
fn games_end_at_results_tags_and_first_moves() {
    check("e4 1-0 d4 0-1", "e4 1-0 | d4 0-1");
    check("1. e4 1-0 1. d4 0-1", "e4 1-0 | d4 0-1");
    check("1. e4 1-0 {late}\n\n1. d4", "e4 1-0 {late} | d4");
    check("1. e4 1-0 2. Nf3", "e4 1-0 Nf3");
    check("1. e4 e5\n\n1. d4 d5", "e4 e5 | d4 d5");
    check("1. e4\n\n1... e5\n\n2. Nf3", "e4 e5 Nf3");
    check("1. e4\n1. d4", "e4 d4");
    check("e4 [A \"b\"] d4", "e4 | [A] d4");
    check("[A \"b\"]\n\n[Event \"c\"]\n\ne4", "[A] | [Event] e4");
    check("1-0 0-1 * 1/2", "1-0 | 0-1 | * | 1/2-1/2");
    check("♘f3 1-0 ♘f3", "Nf3 1-0 | Nf3");
}

#[test]
fn blanks_byte_order_marks_and_comments_stand_between_games() {
    check("\u{feff} \0\x1a\n; c\n  % d\n e4", "e4");
    check(" \n\t\r ", "");
    check("", "");
}

#[test]
fn tokens_know_where_they_stand() {
    let mut lexer = Lexer::new(b"  [A \"b\"] 1. e4 {c} Sf3");
    assert!(lexer.begin_game());
    assert_eq!(lexer.token_start(), 2);
    assert!(lexer.next_tag().is_some());
    assert_eq!((lexer.token_start(), lexer.token_text()), (2, &b"[A \"b\"]"[..]));
    assert!(lexer.next_tag().is_none());
    lexer.next_token();
    assert_eq!((lexer.token_start(), lexer.token_text()), (13, &b"e4"[..]));
    lexer.next_token();
    assert_eq!((lexer.token_start(), lexer.token_text()), (16, &b"{c}"[..]));
    assert_eq!(lexer.next_token(), Token::Word(b"Sf3"));
    assert_eq!(lexer.token_start(), 20);
}
