//! What is asked.

use tabiya_app::explore::Snapshot;

use crate::rng::Rng;

/// The addresses of so many different positions, from all over the graph.
pub(super) fn nodes(snapshot: &Snapshot, count: usize) -> Vec<String> {
    let view = snapshot.all();
    let mut places: Vec<_> = view.places().collect();
    let mut rng = Rng::seeded(64);
    let mut uris = Vec::with_capacity(count);
    while uris.len() < count && !places.is_empty() {
        let place = places.swap_remove(rng.below(places.len()));
        uris.push(format!("/node/fen/{}", view.node(place).epd.replace(' ', "_")));
    }
    uris
}

/// What people type.
pub(super) fn searches() -> Vec<String> {
    let typed = [
        "ruy",
        "najdrof",
        "kings+indian",
        "C50",
        "Grunfeld",
        "caro+advance",
        "sicilian",
        "queens+gambit+declined",
        "berlin",
        "dragon",
        "benko",
        "italian+game",
        "nimzo",
        "slav+exchange",
        "london",
        "catalan",
        "evans",
        "petrof",
        "alekhine",
        "pirc",
    ];
    typed.map(|typed| format!("/opening/search?q={typed}")).to_vec()
}

/// Every structure with its openings, and formations of pawns.
pub(super) fn structures(snapshot: &Snapshot) -> Vec<String> {
    let slugs = snapshot
        .catalogue()
        .structures()
        .iter()
        .map(|view| view.structure.slug.clone());
    let mut uris: Vec<String> = slugs.map(|slug| format!("/structure/{slug}/openings")).collect();
    let formations = [
        "d4%20-ce%20/%20-d",
        "c4%20d4%20/%20d5%20e6",
        "e4%20d4%20/%20d6",
        ".%20/%20d5%20c6",
        "f4%20/%20.",
    ];
    uris.extend(formations.map(|pawns| format!("/structure/search?pawns={pawns}")));
    uris
}

/// The code with the largest tree, of those that people look at.
pub(super) fn codes() -> [&'static str; 6] {
    ["B00", "C50", "A00", "D00", "B20", "A40"]
}
