//! Addresses that games have.

/// Pages of Lichess that look like games.
const PAGES: [&str; 5] = ["analysis", "features", "practice", "streamer", "training"];

/// The id of the game behind an address of Lichess. A player's own address has four more letters, which say whose it is.
///
/// ```
/// use tabiya_chess::lichess_game_id;
///
/// assert_eq!(lichess_game_id("https://lichess.org/j1dkb5dw"), Some("j1dkb5dw"));
/// assert_eq!(lichess_game_id("https://lichess.org/j1dkb5dwabcd"), Some("j1dkb5dw"));
/// assert_eq!(lichess_game_id("https://lichess.org/study/j1dkb5dw"), None);
/// ```
#[must_use]
pub fn lichess_game_id(address: &str) -> Option<&str> {
    let path = address
        .strip_prefix("https://lichess.org/")
        .or_else(|| address.strip_prefix("http://lichess.org/"))?;
    let page = path.split(['/', '#', '?']).next()?;
    let is_id = matches!(page.len(), 8 | 12) && page.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && !PAGES.contains(&page)).then(|| &page[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_told_from_other_pages() {
        for address in [
            "https://lichess.org/j1dkb5dw",
            "http://lichess.org/j1dkb5dw",
            "https://lichess.org/j1dkb5dw/black#3",
            "https://lichess.org/j1dkb5dw?theme=horsey",
            "https://lichess.org/j1dkb5dwWXYZ",
        ] {
            assert_eq!(lichess_game_id(address), Some("j1dkb5dw"), "{address}");
        }
        for address in [
            "https://lichess.org/",
            "https://lichess.org/study/abcdefgh/ijklmnop",
            "https://lichess.org/broadcast/a-round/abcdefgh",
            "https://lichess.org/analysis/standard",
            "https://lichess.org/training/12345",
            "https://lichess.org/é1234567",
            "https://lichess.org/abc-efgh",
            "https://chess.com/game/abcdefgh",
            "Reykjavik",
            "?",
            "",
        ] {
            assert_eq!(lichess_game_id(address), None, "{address}");
        }
    }
}
