//! Openings whose trees meet, in the names that ship with the program.

use std::collections::{BTreeMap, BTreeSet};

use tabiya_app::build::{Steps, audit, build_all, transpositions};
use tabiya_chess::PositionId;
use tabiya_store::{KnowledgeGraph, LinkedOpening, NodeView};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::{
    book::after,
    workshop::{TEN_NAMES, Workshop, game},
};

/// Two orders of moves, and the openings that they leave with their last move.
struct Meeting {
    one: &'static str,
    other: &'static str,
    names: [&'static str; 2],
}

const fn meeting(one: &'static str, other: &'static str, names: [&'static str; 2]) -> Meeting {
    Meeting { one, other, names }
}

const MEETINGS: [Meeting; 15] = [
    // The Carlsbad structure: by the Queen's Gambit, and by the order of the Nimzo-Indian.
    meeting(
        "d4 d5 c4 e6 Nc3 Nf6",
        "d4 Nf6 c4 e6 Nc3 d5",
        ["Queen's Gambit Declined: Queen's Knight Variation", "Queen's pawn game"],
    ),
    meeting(
        "d4 Nf6 c4 e6 Nc3 Bb4 Nf3 b6",
        "d4 Nf6 c4 e6 Nf3 b6 Nc3 Bb4",
        [
            "Nimzo-Indian Defense: Three Knights Variation",
            "Queen's Indian Defense: Kasparov Variation",
        ],
    ),
    meeting(
        "d4 Nf6 c4 e6 g3 Bb4+ Bd2 d5",
        "d4 d5 c4 e6 g3 Bb4+ Bd2 Nf6",
        ["Catalan Opening", "Queen's Gambit Declined"],
    ),
    meeting(
        "d4 Nf6 c4 e6 g3 d5 Nf3",
        "Nf3 d5 g3 Nf6 c4 e6 d4",
        ["Catalan Opening", "English Opening: Neo-Catalan"],
    ),
    meeting(
        "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3",
        "Nf3 Nf6 c4 g6 Nc3 Bg7 e4 d6 d4",
        [
            "King's Indian Defense: Normal Variation",
            "English Opening: Anglo-Indian Defense, Anti-Anti-Grünfeld",
        ],
    ),
    meeting(
        "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
        "e4 g6 d4 Bg7 c4 d6 Nc3 Nf6",
        [
            "King's Indian Defense: Normal Variation",
            "Modern Defense: Averbakh System",
        ],
    ),
    meeting(
        "e4 c6 d4 d5 exd5 cxd5 c4",
        "c4 c6 e4 d5 exd5 cxd5 d4",
        [
            "Caro-Kann Defense: Exchange Variation",
            "Caro-Kann Defense: Accelerated Panov Attack",
        ],
    ),
    meeting(
        "e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3",
        "e4 e5 Nf3 Nc6 Nc3 Nf6 Bc4",
        ["Italian Game: Two Knights Defense", "Four Knights Game"],
    ),
    meeting(
        "c4 e6 d4 d5",
        "d4 d5 c4 e6",
        ["English Opening: Agincourt Defense", "Queen's Gambit"],
    ),
    meeting(
        "c4 c6 d4 d5",
        "d4 d5 c4 c6",
        ["English Opening: Caro-Kann Defensive System", "Queen's Gambit"],
    ),
    meeting(
        "e4 c5 c3 e6 d4 d5 e5",
        "e4 e6 d4 d5 e5 c5 c3",
        [
            "Sicilian Defense: Alapin Variation",
            "French Defense: Advance Variation",
        ],
    ),
    meeting(
        "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nc3",
        "e4 e5 Nf3 Nc6 Nc3 Nf6 d4 exd4 Nxd4",
        [
            "Scotch Game: Schmidt Variation",
            "Four Knights Game: Scotch Variation Accepted",
        ],
    ),
    meeting(
        "e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7",
        "d4 g6 Nf3 Bg7 e4 d6 Nc3 Nf6",
        [
            "Pirc Defense: Classical Variation",
            "Modern Defense: Two Knights Variation",
        ],
    ),
    meeting(
        "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6 c4",
        "c4 c5 Nf3 g6 d4 cxd4 Nxd4 Nc6 e4",
        [
            "Sicilian Defense: Accelerated Dragon",
            "English Opening: Symmetrical Variation",
        ],
    ),
    meeting(
        "d4 d5 c4 e6 Nc3 c5 cxd5 exd5 Nf3 Nc6",
        "c4 c5 Nf3 Nc6 Nc3 e6 d4 d5 cxd5 exd5",
        [
            "Tarrasch Defense: Two Knights Variation",
            "English Opening: Symmetrical Variation, Two Knights Variation",
        ],
    ),
];

/// What a build of all these games leaves.
struct Built {
    graph: KnowledgeGraph,
    names: BTreeMap<Uuid, String>,
    /// What each opening is linked to, asked from its side.
    links: BTreeMap<Uuid, Vec<LinkedOpening>>,
    /// Where each pair of lines meets.
    met: Vec<NodeView>,
}

async fn built() -> &'static Built {
    static BUILT: OnceCell<Built> = OnceCell::const_new();
    BUILT.get_or_init(build).await
}

async fn build() -> Built {
    let workshop = Workshop::new();
    let lines = MEETINGS.iter().flat_map(|meeting| [meeting.one, meeting.other]);
    let games: String = lines
        .enumerate()
        .map(|(at, line)| game(at, "", line, "1/2-1/2"))
        .collect();
    workshop.write("games.pgn", &games);
    let report = build_all(
        &workshop.eco_request(),
        &workshop.request(&["games.pgn"]),
        None,
        &Steps::default(),
    )
    .await
    .expect("a build");
    assert!(report.audit.passed, "{:?}", report.audit);
    let store = workshop.store().await;
    let mut built = Built {
        graph: workshop.graph().await,
        names: BTreeMap::new(),
        links: BTreeMap::new(),
        met: Vec::new(),
    };
    for view in store.openings().await.expect("openings") {
        let linked = store.transpositions_of(view.opening.id).await.expect("links");
        built.names.insert(view.opening.id, view.opening.name);
        built.links.insert(view.opening.id, linked);
    }
    for meeting in &MEETINGS {
        built.met.push(workshop.node(meeting.one).await.expect(meeting.one));
    }
    built
}

impl Built {
    /// The opening of the position before the last move of a line.
    fn lineage(&self, line: &str) -> Uuid {
        let (before, _) = line.rsplit_once(' ').expect("two moves");
        let id = PositionId::of(&after(before));
        let place = self.graph.nodes.binary_search_by_key(&id, |node| node.id);
        self.graph.nodes[place.expect(before)].opening.expect(before)
    }

    fn is_linked(&self, one: Uuid, other: Uuid) -> bool {
        self.links[&one].iter().any(|link| link.opening == other)
    }
}

#[tokio::test]
async fn known_transposition_is_linked() {
    let built = built().await;
    for (meeting, met) in MEETINGS.iter().zip(&built.met) {
        let Meeting { one, other, names } = meeting;
        assert_eq!(PositionId::of(&after(one)), PositionId::of(&after(other)), "{one}");
        let lineages = [one, other].map(|line| built.lineage(line));
        assert_eq!(lineages.map(|id| built.names[&id].as_str()), *names, "{one}");
        assert!(
            built.is_linked(lineages[0], lineages[1]) && built.is_linked(lineages[1], lineages[0]),
            "{one}: {names:?}"
        );
        // One parent is the node's own, the others are told with their openings.
        let parents: BTreeSet<_> = met.transpositions.iter().map(|other| other.node_id).collect();
        assert_eq!(parents.len(), met.transpositions.len());
        assert!(!parents.contains(&met.parent.expect("a parent")) && !parents.is_empty());
        let mut told: BTreeSet<&str> = met
            .transpositions
            .iter()
            .filter_map(|other| Some(other.opening.as_ref()?.name.as_str()))
            .collect();
        let own = [one, other].into_iter().find(|line| {
            let (before, _) = line.rsplit_once(' ').expect("two moves");
            met.parent == Some(PositionId::of(&after(before)).into())
        });
        told.extend(own.map(|line| built.names[&built.lineage(line)].as_str()));
        assert!(names.iter().all(|name| told.contains(name)), "{one}: {told:?}");
        assert_eq!(
            met.game_count(),
            MEETINGS
                .iter()
                .flat_map(|m| [m.one, m.other])
                .filter(|line| passes(line, one))
                .count() as u64
        );
    }
}

/// Whether a line goes through the position at the end of another.
fn passes(line: &str, end: &str) -> bool {
    let goal = PositionId::of(&after(end));
    let moves: Vec<&str> = line.split(' ').collect();
    (1..=moves.len()).any(|ply| PositionId::of(&after(&moves[..ply].join(" "))) == goal)
}

#[tokio::test]
async fn no_self_transposition() {
    let built = built().await;
    assert!(built.links.values().map(Vec::len).sum::<usize>() > 2 * MEETINGS.len());
    for (opening, links) in &built.links {
        assert!(!built.is_linked(*opening, *opening), "{}", built.names[opening]);
        let others: BTreeSet<_> = links.iter().map(|link| link.opening).collect();
        assert_eq!(others.len(), links.len(), "{}: each once", built.names[opening]);
    }
    for edge in &built.graph.edges {
        assert_ne!(edge.parent, edge.child, "{}", edge.san);
    }
}

#[tokio::test]
async fn transposition_links_are_bidirectional() {
    let built = built().await;
    for (one, links) in &built.links {
        for link in links {
            let back = built.links[&link.opening].iter().find(|back| back.opening == *one);
            let back = back.unwrap_or_else(|| panic!("{} knows nothing of it", built.names[&link.opening]));
            assert_eq!(
                (back.nodes, back.games, back.example),
                (link.nodes, link.games, link.example)
            );
        }
    }
}

/// Structures that are reached by several orders of moves, each position being one.
#[tokio::test]
async fn a_structure_is_one_by_whatever_moves_it_came() {
    let workshop = Workshop::named(
        "eco,name,pgn\n\
         A34,English Opening: Symmetrical Variation,1.c4 c5 2.Nf3 Nf6 3.Nc3 d5\n\
         B13,Caro-Kann Defense: Panov Attack,1.e4 c6 2.d4 d5 3.exd5 cxd5 4.c4\n\
         D31,Queen's Gambit Declined: Queen's Knight Variation,1.d4 d5 2.c4 e6 3.Nc3\n\
         D35,Queen's Gambit Declined: Exchange Variation,1.d4 d5 2.c4 e6 3.cxd5\n",
    )
    .await;
    let meetings = [
        (
            "d4 d5 c4 e6 cxd5 exd5 Nc3 Nf6",
            "d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5",
            "Carlsbad",
            [
                "Queen's Gambit Declined: Exchange Variation",
                "Queen's Gambit Declined: Queen's Knight Variation",
            ],
        ),
        (
            "c4 c5 Nf3 Nf6 Nc3 d5 cxd5 Nxd5 e3 e6 d4 cxd4 exd4 Be7",
            "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3 e6 Nf3 Be7 cxd5 Nxd5",
            "Isolated Queen's Pawn",
            [
                "English Opening: Symmetrical Variation",
                "Caro-Kann Defense: Panov Attack",
            ],
        ),
    ];
    let lines = meetings.iter().flat_map(|(one, other, ..)| [*one, *other]);
    let games: String = lines
        .enumerate()
        .map(|(at, line)| game(at, "", line, "1/2-1/2"))
        .collect();
    workshop.write("games.pgn", &games);
    let request = workshop.request(&["games.pgn"]);
    let report = build_all(&workshop.eco_request(), &request, None, &Steps::default())
        .await
        .expect("a build");
    assert!(report.audit.passed, "{:?}", report.audit);
    let store = workshop.store().await;
    let openings = store.openings().await.expect("openings");
    let named = |name: &str| {
        let found = openings.iter().find(|view| view.opening.name == name);
        found.map(|view| view.opening.id).expect(name)
    };
    for (one, other, structure, names) in meetings {
        assert_eq!(PositionId::of(&after(one)), PositionId::of(&after(other)), "{one}");
        let met = workshop.node(one).await.expect(one);
        assert_eq!((met.game_count(), met.transpositions.len()), (2, 1), "{one}");
        let label = met.structure.expect("a structure");
        assert!(label.starts_with(structure), "{one}: {label}");
        let [a, b] = names.map(named);
        for (from, to) in [(a, b), (b, a)] {
            let links = store.transpositions_of(from).await.expect("links");
            assert!(links.iter().any(|link| link.opening == to), "{names:?}");
        }
    }
}

#[tokio::test]
async fn what_another_program_linked_is_linked_anew() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let run = async || {
        transpositions(&workshop.database(), &Steps::default())
            .await
            .expect("links")
    };
    let report = run().await;
    assert!(!report.skipped && run().await.skipped);
    let figures = serde_json::to_value(&report).expect("JSON");
    let store = workshop.store().await;
    for input in ["graph", "graph, version 0.0.1"] {
        store
            .record_phase("transpositions", input, &figures)
            .await
            .expect("a record");
        assert!(!run().await.skipped, "{input}");
    }
}

#[tokio::test]
async fn node_with_one_parent_has_no_transposition() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write(
        "games.pgn",
        &(game(1, "", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3", "1-0") + &game(2, "", "d4 Nf6 c4", "1-0")),
    );
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    let report = tabiya_app::build::transpositions(&workshop.database(), &Steps::default())
        .await
        .expect("links");
    assert_eq!((report.transpositions, report.links), (0, 0));
    for line in ["", "e4", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3"] {
        assert!(
            workshop.node(line).await.expect(line).transpositions.is_empty(),
            "{line}"
        );
    }
    let store = workshop.store().await;
    for view in store.openings().await.expect("openings") {
        assert_eq!(store.transpositions_of(view.opening.id).await.expect("links"), []);
    }
    // A second way to one of them.
    workshop.write("more.pgn", &game(3, "", "c4 Nf6 d4", "1-0"));
    let mut request = workshop.request(&["more.pgn"]);
    request.add = true;
    workshop.expand(&request).await;
    tabiya_app::build::transpositions(&workshop.database(), &Steps::default())
        .await
        .expect("links");
    assert_eq!(
        workshop.node("d4 Nf6 c4").await.expect("a node").transpositions.len(),
        1
    );
    assert!(workshop.node("d4 Nf6").await.expect("a node").transpositions.is_empty());
    assert!(audit(&workshop.database(), &Steps::default()).await.is_ok());
}
