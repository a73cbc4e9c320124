//! The lists of games at a node, as one text.

use std::fmt::Write as _;

use super::rows::{GameList, NodeGame};
use crate::fault::Trouble;
use crate::rows::bits;

/// Top and recent games: ids as stored, each with the move it went on with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GameLists {
    pub(crate) top: Vec<(i64, String)>,
    pub(crate) recent: Vec<(i64, String)>,
}

/// `7:e7e5 -4:c7c5|-4:c7c5`, of games that are sorted by list and rank.
pub(crate) fn write(games: &[NodeGame]) -> String {
    let mut text = String::with_capacity(games.len() * 26 + 1);
    for kind in [GameList::Top, GameList::Recent] {
        if kind == GameList::Recent {
            text.push('|');
        }
        for (place, game) in games.iter().filter(|game| game.kind == kind).enumerate() {
            let gap = if place == 0 { "" } else { " " };
            // Writing to a String cannot fail.
            let _ = write!(text, "{gap}{}:{}", bits(game.game), game.uci);
        }
    }
    text
}

pub(crate) fn read(text: &str) -> Result<GameLists, Trouble> {
    let malformed = || Trouble::Malformed(format!("`{text}` is not two lists of games"));
    let list = |list: &str| -> Option<Vec<(i64, String)>> {
        let entry = |entry: &str| {
            let (game, uci) = entry.split_once(':')?;
            Some((game.parse().ok()?, uci.to_owned()))
        };
        list.split_whitespace().map(entry).collect()
    };
    let (top, recent) = text.split_once('|').ok_or_else(malformed)?;
    Ok(GameLists {
        top: list(top).ok_or_else(malformed)?,
        recent: list(recent).ok_or_else(malformed)?,
    })
}

#[cfg(test)]
mod tests {
    use tabiya_chess::PositionId;

    use super::*;

    #[test]
    fn lists_come_back() {
        let game = |kind, rank, game, uci: &str| NodeGame {
            node: PositionId::from_text("x"),
            kind,
            rank,
            game,
            uci: uci.to_owned(),
        };
        let games = [
            game(GameList::Top, 0, 7, "e7e5"),
            game(GameList::Top, 1, u64::MAX - 3, ""),
            game(GameList::Recent, 0, 7, "e7e5"),
        ];
        let text = write(&games);
        assert_eq!(text, "7:e7e5 -4:|7:e7e5");
        let lists = read(&text).expect("lists");
        assert_eq!(lists.top, [(7, "e7e5".to_owned()), (-4, String::new())]);
        assert_eq!(lists.recent, [(7, "e7e5".to_owned())]);
        assert_eq!(read(&write(&[])).expect("empty"), GameLists::default());
        assert!(read("7:e7e5").is_err() && read("x:e7e5|").is_err());
    }
}
