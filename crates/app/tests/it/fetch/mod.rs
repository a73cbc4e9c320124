//! Players' games, from a server in this process that speaks as the sites do, and misbehaves on script.

mod answers;
mod choice;
mod file;

use std::{path::Path, sync::Arc, time::Duration};

use tabiya_app::{
    AppError,
    fetch::{FetchReport, FetchRequest, Site, fetch},
};

use crate::server::{Request, Server};

/// Game `number` of the player, on that day of January 2024.
fn game(site: Site, number: u32) -> String {
    let address = match site {
        Site::Lichess => format!("[Site \"https://lichess.org/g{number}\"]"),
        Site::ChessCom => format!("[Site \"Chess.com\"]\n[Link \"https://www.chess.com/game/live/{number}\"]"),
    };
    let opponent = if number.is_multiple_of(2) { "Even" } else { "Odd" };
    format!(
        "[Event \"x\"]\n{address}\n[White \"Ann\"]\n[Black \"{opponent}\"]\n[UTCDate \"2024.01.{number:02}\"]\n\
         [UTCTime \"10:00:00\"]\n[Result \"1-0\"]\n\n1. e4 {{ number {number} }} e5 1-0\n\n\n"
    )
}

const JANUARY: u64 = 1_704_067_200;

/// Lichess's answer: games by age, chosen by `since`, `until`, `vs` and `max`.
fn lichess(request: &Request, newest: u32) -> String {
    let number = |name: &str| {
        request
            .query
            .get(name)
            .map(|text| text.parse::<u64>().expect("a number"))
    };
    let created = |game: u32| (JANUARY + u64::from(game - 1) * 86_400 + 36_000) * 1000;
    if request.query.contains_key("perfType") {
        return String::new();
    }
    let mut games: Vec<u32> = (1..=newest)
        .filter(|game| number("since").is_none_or(|since| since <= created(*game)))
        .filter(|game| number("until").is_none_or(|until| created(*game) <= until))
        .filter(|game| match request.query.get("vs").map(String::as_str) {
            Some("even") => game.is_multiple_of(2),
            Some(_) => !game.is_multiple_of(2),
            None => true,
        })
        .collect();
    if request.query["sort"] == "dateDesc" {
        games.reverse();
    }
    games.truncate(number("max").unwrap_or(u64::MAX) as usize);
    games.into_iter().map(|number| game(Site::Lichess, number)).collect()
}

fn request(server: &Server, site: Site, output: &Path) -> FetchRequest {
    let mut config = FetchRequest::config(server.base.join("/").expect("a URL"));
    config.politeness.first_backoff = Duration::from_millis(5);
    config.politeness.long_pause = Duration::from_millis(80);
    config.politeness.jitter = false;
    config.politeness.max_tries = 4.try_into().expect("four");
    FetchRequest {
        site,
        player: "Ann".to_owned(),
        against: None,
        since: None,
        until: None,
        max: None,
        output: output.to_owned(),
        config,
        stop: Arc::default(),
    }
}

async fn run(request: &FetchRequest) -> Result<FetchReport, AppError> {
    fetch(request, Arc::new(|_| {})).await
}

/// The numbers of the games in a file, in its order. Every one is whole.
fn numbers(path: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(path).expect("a file");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("1. e4 { number "));
    numbers
        .map(|line| {
            line.strip_suffix(" } e5 1-0")
                .expect("whole")
                .parse()
                .expect("a number")
        })
        .collect()
}
