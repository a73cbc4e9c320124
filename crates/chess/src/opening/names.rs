//! The parts of an opening's name, and its form in addresses.

/// The opening's own name: the text before the first `:`.
pub(super) fn opening_name(full: &str) -> &str {
    full.split_once(':').map_or(full, |(family, _)| family).trim()
}

/// The variation's name: the text behind the first `:`, if there is any.
pub(super) fn variation_name(full: &str) -> Option<&str> {
    let (_, variation) = full.split_once(':')?;
    Some(variation.trim()).filter(|variation| !variation.is_empty())
}

/// A name in small letters, digits and single hyphens: `King's Gambit` is `kings-gambit`, `Réti Opening` is `reti-opening`.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for ch in name.chars().flat_map(char::to_lowercase) {
        match ch {
            'a'..='z' | '0'..='9' => slug.push(ch),
            // Apostrophes of every make.
            '\'' | '`' | '´' | '‘' | '’' | 'ʼ' => {}
            _ => match folded(ch) {
                Some(letters) => slug.push_str(letters),
                None if !slug.ends_with('-') => slug.push('-'),
                None => {}
            },
        }
    }
    slug.trim_matches('-').to_owned()
}

/// The plain letters behind a Latin letter with an accent.
fn folded(ch: char) -> Option<&'static str> {
    Some(match ch {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ð' | 'ď' | 'đ' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        // The combining marks of decomposed text, left behind by the `İ` of lower-casing too.
        '\u{300}'..='\u{36f}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_has_two_parts_at_most() {
        let parts = |full| (opening_name(full), variation_name(full));
        assert_eq!(parts("Italian Game"), ("Italian Game", None));
        assert_eq!(
            parts("Sicilian Defense: Najdorf Variation, English Attack"),
            ("Sicilian Defense", Some("Najdorf Variation, English Attack"))
        );
        assert_eq!(parts("A: B: C"), ("A", Some("B: C")));
        assert_eq!(parts("A :"), ("A", None));
    }

    #[test]
    fn slugs_are_plain() {
        for (name, expected) in [
            ("Italian Game", "italian-game"),
            ("King's Gambit", "kings-gambit"),
            ("King’s Gambit", "kings-gambit"),
            ("King´s ‘Gambitʼ", "kings-gambit"),
            ("Réti Opening", "reti-opening"),
            ("Grünfeld Defense: Makogonov", "grunfeld-defense-makogonov"),
            ("Sozin–Najdorf, with .. d6", "sozin-najdorf-with-d6"),
            ("Sørensen's (old) line!", "sorensens-old-line"),
            ("Re\u{301}ti", "reti"),
            ("  ", ""),
        ] {
            assert_eq!(slug(name), expected);
        }
    }

    proptest! {
        #[test]
        fn a_slug_is_its_own_slug(name in "\\PC{0,40}") {
            let once = slug(&name);
            prop_assert!(once.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", once);
            prop_assert!(!once.contains("--") && !once.starts_with('-') && !once.ends_with('-'), "{}", once);
            prop_assert_eq!(slug(&once), once);
        }
    }
}
