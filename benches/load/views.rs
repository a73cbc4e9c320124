//! What a browser asks while somebody looks at the page.

use std::{fmt::Write as _, time::Duration};

use tabiya_app::explore::Snapshot;

use crate::rng::Rng;

const VIEWS: usize = 400;
/// Moves that somebody plays before the next opening.
const MOVES: usize = 8;

/// A question, and whether it is for the page itself.
#[derive(Debug)]
pub(super) struct Question {
    uri: String,
    navigates: bool,
}

#[derive(Debug)]
pub(super) struct Views {
    pub(super) number: usize,
    pub(super) questions: Vec<Question>,
}

/// Each view is somebody who goes through all pages, and what the page then asks for (`client.GET` and `ask` in `web/src`): a walk
/// through the moves that are played most or nearly so, a search letter by letter, all openings and one of them with its tree, the
/// games, tactics. Reviews are left out, for what they take is an engine's doing.
pub(super) fn views(snapshot: &Snapshot) -> Views {
    let mut rng = Rng::seeded(500);
    let mut questions = Vec::new();
    let mut ask = |uri: String, navigates: bool| questions.push(Question { uri, navigates });
    let names = [
        "sicil", "najd", "kings i", "ruy lo", "caro", "nimzo", "catal", "petro", "evans", "dutch",
    ];
    let slugs: Vec<String> = (snapshot.catalogue().openings().iter())
        .map(|view| view.opening.slug.clone())
        .collect();
    let parts = tabiya_server::page_parts();
    let others = tabiya_server::page_parts_of_others();
    let view = snapshot.all();
    for number in 0..VIEWS {
        ask("/explorer".to_owned(), true);
        // Everybody is here for the first time, and has none of it yet.
        for part in &parts {
            ask((*part).to_owned(), false);
        }
        let mut place = view.find(tabiya_chess::PositionId::of(&shakmaty::Chess::default()));
        let mut played: Vec<String> = Vec::new();
        for _ in 0..MOVES {
            let Some(at) = place else { break };
            ask(position(&played), false);
            let moves: Vec<_> = view.moves(at).collect();
            let count = moves.len().min(4);
            if count == 0 {
                break;
            }
            let chosen = &moves[rng.below(count)];
            played.push(chosen.edge.uci.clone());
            place = Some(chosen.child);
        }
        let typed = names[number % names.len()];
        for end in 1..=typed.len() {
            // The page cuts off blanks, and knows the answer from the letter before.
            if !typed[..end].ends_with(' ') {
                let typed = typed[..end].replace(' ', "%20");
                ask(format!("/opening/search?q={typed}&limit=8"), false);
            }
        }
        for part in &others {
            ask(part.clone(), false);
        }
        ask("/openings".to_owned(), false);
        if let Some(slug) = slugs.get(rng.below(slugs.len().max(1))) {
            ask(format!("/opening/{slug}"), false);
            ask(format!("/opening/{slug}/tree"), false);
        }
        ask("/data/db.json".to_owned(), false);
        ask("/tactics/themes".to_owned(), false);
        ask("/tactics?limit=20".to_owned(), false);
    }
    Views {
        number: VIEWS,
        questions,
    }
}

/// As the page asks for it after these moves.
fn position(played: &[String]) -> String {
    match played {
        [] => "/position".to_owned(),
        moves => format!("/position?play={}", moves.join(",")),
    }
}

impl Views {
    /// For wrk: each thread begins elsewhere, and waits between questions.
    pub(super) fn lua(&self, pause: Duration) -> String {
        let mut text = String::from(
            "local browser = { ['accept-encoding'] = 'gzip, deflate, br, zstd', ['accept'] = 'application/json' }\n\
             local page = { ['accept-encoding'] = 'gzip, deflate, br, zstd', ['accept'] = 'text/html' }\n\
             local uris = {}\n",
        );
        for question in &self.questions {
            let headers = if question.navigates { "page" } else { "browser" };
            let _ = writeln!(text, "uris[#uris + 1] = {{ {:?}, {headers} }}", question.uri);
        }
        text.push_str(
            "local asked = {}\nlocal at = 0\nlocal threads = 0\n\
             function setup(thread) thread:set('first', threads * 997); threads = threads + 1 end\n\
             function init(args)\n\
               at = first\n\
               for number, one in ipairs(uris) do asked[number] = wrk.format('GET', one[1], one[2]) end\n\
             end\n\
             function request() at = at + 1; return asked[at % #asked + 1] end\n",
        );
        if !pause.is_zero() {
            let _ = writeln!(
                text,
                "function delay() return math.random(0, {}) end",
                2 * pause.as_millis()
            );
        }
        text
    }
}
