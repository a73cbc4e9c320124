//! The headers of a counted game, as they are kept for lists of top and recent games.

/// What a list of games shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameHeader {
    pub white: String,
    pub black: String,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    pub date: String,
    pub event: String,
    pub site: String,
    pub round: String,
}

impl GameHeader {
    /// Bytes of a header with six texts as long as can be.
    pub(crate) const LONGEST: u64 = 2 * 2 + 6 * (1 + u8::MAX as u64);

    /// Appends one: two ratings, then white, black, date, event, site and round behind their lengths. From borrowed texts: it
    /// runs for every game.
    pub fn write_parts(elos: [Option<u16>; 2], texts: [&str; 6], out: &mut Vec<u8>) {
        for elo in elos {
            out.extend_from_slice(&elo.unwrap_or(0).to_le_bytes());
        }
        for text in texts {
            let text = cut(text, u8::MAX.into());
            out.push(text.len() as u8);
            out.extend_from_slice(text.as_bytes());
        }
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<GameHeader> {
        let mut rest = bytes;
        let white_elo = elo(&mut rest)?;
        let black_elo = elo(&mut rest)?;
        let mut text = || {
            let (len, after) = rest.split_first()?;
            let (text, after) = after.split_at_checked(usize::from(*len))?;
            rest = after;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        Some(GameHeader {
            white_elo,
            black_elo,
            white: text()?,
            black: text()?,
            date: text()?,
            event: text()?,
            site: text()?,
            round: text()?,
        })
    }
}

fn elo(rest: &mut &[u8]) -> Option<Option<u16>> {
    let (bytes, after) = rest.split_first_chunk::<2>()?;
    *rest = after;
    Some(Some(u16::from_le_bytes(*bytes)).filter(|elo| *elo > 0))
}

/// The longest beginning of `text` that has at most `most` bytes.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_and_long_ones_are_cut_between_letters() {
        let header = GameHeader {
            white: "Réti, Richard".to_owned(),
            black: "ü".repeat(127),
            white_elo: Some(2550),
            date: "1924.03.22".to_owned(),
            ..GameHeader::default()
        };
        let long = "ü".repeat(200);
        let mut bytes = Vec::new();
        GameHeader::write_parts(
            [header.white_elo, None],
            [&header.white, &long, &header.date, "", "", ""],
            &mut bytes,
        );
        assert_eq!(GameHeader::read(&bytes), Some(header));
        assert_eq!(GameHeader::read(&bytes[..bytes.len() - 1]), None);
        let mut longest = Vec::new();
        GameHeader::write_parts([None; 2], [&"a".repeat(300); 6], &mut longest);
        assert_eq!(longest.len() as u64, GameHeader::LONGEST);
    }
}
