//! The opening knowledge base, as it is read.

use tabiya_chess::{NodeId, Outcome};
use tabiya_store::{
    Collection, CollectionSource, GameList, ListedGame, ListedGames, NodeSource, OpeningKey, Store, StoreError, Stub,
};
use uuid::Uuid;

use crate::book::{
    self, BISHOPS, ITALIAN, KINGS_PAWN, LINES, after, collection, graph, graph_node, load, masters, openings,
};
use crate::fixture::{Fixture, Kind};

/// All of it: names, two collections, a crawl, a stub, and what enrichers find.
pub(crate) async fn everything(store: &Store) {
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let club = load(collection("club"), &[("e4 e5 Nf3 Nf6", Outcome::Black, 1990)]);
    store.load_counts(club).await.unwrap();
    super::crawls::crawl(store).await;
    store
        .add_stubs(vec![Stub {
            line: graph(&["d4 Nf6 c4 g6"]),
            node: after("d4 Nf6 c4 g6"),
            count: 11,
        }])
        .await
        .unwrap();
    super::enrichment::enrich(store).await;
}

pub(crate) async fn a_node_has_all_its_fields(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let italian = after("e4 e5 Nf3 Nc6 Bc4");
    store
        .set_lineage(
            vec![
                (after("e4"), KINGS_PAWN),
                (italian, ITALIAN),
                (after("e4 e5 Bc4 Nc6"), BISHOPS),
            ],
            vec![],
        )
        .await
        .unwrap();
    let store = fixture.reading().await;

    let node = store.node(italian, None).await.unwrap().unwrap();
    assert_eq!(node.node_id, NodeId::from(italian));
    assert_eq!(
        node.fen,
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    );
    assert_eq!((node.ply, node.move_number, node.side), (5, 3, Some('W')));
    assert_eq!(
        (node.eco_code(), node.opening_name(), node.variation_name()),
        (Some("C50"), Some("Italian Game"), None)
    );
    assert!(node.named && !node.is_branching);
    assert_eq!((node.game_count(), node.stats.white, node.stats.draws), (2, 1, 1));
    assert_eq!((node.white_win_pct(), node.draw_pct()), (Some(50.0), Some(50.0)));
    assert_eq!((node.average_rating(), node.years()), (Some(2400), Some((1998, 2001))));
    assert_eq!(node.source, NodeSource::Openings);
    assert_eq!(
        (node.structure.as_deref(), node.structure_by, node.flagged.as_deref()),
        (None, None, None)
    );
    assert_eq!((node.stub_count, node.children.len()), (0, 0));
    // The parents are equally near; the smaller EPD is the one, the other is the transposition.
    let (by_knight, by_bishop) = (graph_node("e4 e5 Nf3 Nc6"), graph_node("e4 e5 Bc4 Nc6"));
    assert!(by_bishop.epd < by_knight.epd);
    assert_eq!(node.parent, Some(by_bishop.id.into()));
    assert_eq!(node.pgn_move.as_deref(), Some("Nf3"));
    assert_eq!(node.transpositions.len(), 1);
    let other = &node.transpositions[0];
    assert_eq!(
        (other.node_id, other.uci.as_str(), other.san.as_str()),
        (by_knight.id.into(), "f1c4", "Bc4")
    );
    assert_eq!((other.stats.games(), other.opening.as_ref()), (1, None));
    for time in [&node.created_at, &node.updated_at] {
        assert!(
            time.len() == 24 && time.starts_with("20") && time.ends_with('Z') && &time[10..11] == "T",
            "{time}"
        );
    }

    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert!(node.is_branching);
    let moves: Vec<_> = node
        .children
        .iter()
        .map(|c| (c.san.as_str(), c.uci.as_str(), c.stats.games()))
        .collect();
    assert_eq!(moves, [("e5", "e7e5", 2), ("c5", "c7c5", 1)]);
    assert_eq!(node.children[0].node_id, after("e4 e5").into());
    assert_eq!(
        (node.pgn_move.as_deref(), node.move_number, node.side),
        (Some("e4"), 1, Some('W'))
    );
    let names: Vec<_> = node
        .top_games
        .iter()
        .map(|g| (g.game.white.as_str(), g.uci.as_str()))
        .collect();
    assert_eq!(names, [("Morphy", "e7e5"), ("Anderssen", "c7c5")]);
    assert_eq!(node.recent_games.len(), 1);
    let mut morphy = book::game(7, "Morphy");
    morphy.black = "Nomen\u{fffd}Nescio".to_owned();
    assert_eq!(node.top_games[0].game, morphy);

    let root = store.node(after(""), None).await.unwrap().unwrap();
    assert_eq!(
        (root.parent, root.pgn_move.as_ref(), root.side, root.move_number),
        (None, None, None, 0)
    );
    assert_eq!((root.game_count(), root.ply), (4, 0));
    assert_eq!(store.node(after("h4"), None).await.unwrap(), None);

    let facets = store.facets(after("e4 e5"), "masters").await.unwrap();
    let facets: Vec<_> = facets
        .iter()
        .map(|f| (f.uci.as_str(), f.facet.year, f.facet.band.lower_end(), f.stats.games()))
        .collect();
    assert_eq!(facets, [("f1c4", 1998, 2200, 1), ("g1f3", 2001, 2200, 1)]);
    let found: Vec<Collection> = store.collections().await.unwrap();
    assert_eq!(
        found.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["masters", "openings"]
    );
    assert_eq!(found[0], collection("masters"));
}

pub(crate) async fn openings_are_found_by_id_slug_and_code(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store
        .replace_relations(vec![
            (KINGS_PAWN, ITALIAN),
            (ITALIAN, KINGS_PAWN),
            (BISHOPS, ITALIAN),
            (BISHOPS, BISHOPS),
        ])
        .await
        .unwrap();
    store
        .replace_resolutions(vec![(ITALIAN, after("e4 e5 Nf3 Nc6 Bc4"))])
        .await
        .unwrap();
    let written = store;
    let store = fixture.reading().await;

    let italian = store
        .opening(&OpeningKey::Slug("c50-italian-game".to_owned()))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(italian.opening, openings()[1]);
    assert_eq!(italian.root_node_id, after("e4 e5 Nf3 Nc6 Bc4").into());
    assert_eq!(italian.resolution_node_ids, [after("e4 e5 Nf3 Nc6 Bc4").into()]);
    assert_eq!(italian.related_opening_ids, [KINGS_PAWN, BISHOPS]);
    let all = store.openings().await.unwrap();
    assert_eq!(
        all.iter().map(|o| o.opening.eco.as_str()).collect::<Vec<_>>(),
        ["B00", "C23", "C50"]
    );
    assert_eq!(all[2], italian);
    assert_eq!(store.opening(&OpeningKey::Id(BISHOPS)).await.unwrap().unwrap(), all[1]);
    assert_eq!(all[1].opening, openings()[2]);
    assert_eq!(store.openings_by_eco("B00").await.unwrap(), all[..1]);
    assert_eq!(store.openings_by_eco("A00").await.unwrap(), []);
    assert_eq!(store.opening(&OpeningKey::Id(Uuid::nil())).await.unwrap(), None);

    // An opening that is no more takes along what was said of it.
    written
        .set_lineage(vec![(after("e4"), KINGS_PAWN)], vec![])
        .await
        .unwrap();
    written
        .load_openings(&openings()[1..], graph(&LINES[1..]))
        .await
        .unwrap();
    let store = fixture.reading().await;
    let italian = store.opening(&OpeningKey::Id(ITALIAN)).await.unwrap().unwrap();
    assert_eq!(italian.related_opening_ids, [BISHOPS]);
    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert_eq!((node.opening, node.named), (None, false));
}

pub(crate) async fn games_and_names_are_asked_for_alone(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let mut club = load(collection("club"), &[("e4 e5", Outcome::Black, 1990)]);
    // The same id is another game in another collection.
    club.counts[0].games = vec![book::game(7, "Steinitz")];
    club.counts[0].node_games = vec![book::listed("e4", GameList::Top, 0, 7, "e7e5")];
    store.load_counts(club).await.unwrap();
    store
        .set_lineage(vec![(after("e4"), KINGS_PAWN), (after("e4 e5"), KINGS_PAWN)], vec![])
        .await
        .unwrap();
    let store = fixture.reading().await;

    let players = |games: &[ListedGame]| games.iter().map(|game| game.game.white.clone()).collect::<Vec<_>>();
    let all = store.listed_games(after("e4"), None).await.unwrap();
    assert_eq!(players(&all.top), ["Steinitz", "Morphy", "Anderssen"]);
    assert_eq!(players(&all.recent), ["Anderssen"]);
    let node = store.node(after("e4"), None).await.unwrap().unwrap();
    assert_eq!((node.top_games, node.recent_games), (all.top, all.recent));
    let one = store.listed_games(after("e4"), Some("club")).await.unwrap();
    assert_eq!((players(&one.top), one.recent.len()), (vec!["Steinitz".to_owned()], 0));
    assert_eq!(
        store.listed_games(after("h4"), None).await.unwrap(),
        ListedGames::default()
    );
    let missing = store.listed_games(after("e4"), Some("nobody")).await.unwrap_err();
    assert!(matches!(missing, StoreError::NoCollection { .. }), "{missing}");

    // Only what an opening is named after has a name here.
    let asked = [after("e4 e5"), after("e4"), after("h4")];
    let named = store.names_at(&asked).await.unwrap();
    assert_eq!(named.len(), 1);
    assert_eq!(
        (named[0].0, named[0].1.id, named[0].1.eco.as_str()),
        (after("e4"), KINGS_PAWN, "B00")
    );
    assert_eq!(store.names_at(&[]).await.unwrap(), []);
}

pub(crate) async fn collections_are_summed_or_told_apart(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    let store = fixture.store();
    store.load_openings(&openings(), graph(&LINES)).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let mut club = load(collection("club"), &[("e4 e5 Nf3 Nf6", Outcome::Black, 1990)]);
    club.counts[0].collection.source = CollectionSource::Counts;
    store.load_counts(club).await.unwrap();
    let store = fixture.reading().await;

    let both = store.node(after("e4 e5 Nf3"), None).await.unwrap().unwrap();
    assert_eq!(
        (both.game_count(), both.years(), both.is_branching),
        (2, Some((1990, 2001)), true)
    );
    assert_eq!(both.children.len(), 2);
    let one = store.node(after("e4 e5 Nf3"), Some("club")).await.unwrap().unwrap();
    assert_eq!((one.game_count(), one.years()), (1, Some((1990, 1990))));
    // The named line shows in every collection, without games.
    let moves: Vec<_> = one.children.iter().map(|c| (c.san.as_str(), c.stats.games())).collect();
    assert_eq!(moves, [("Nf6", 1), ("Nc6", 0)]);
    assert_eq!(store.node(after("d4"), Some("club")).await.unwrap(), None);

    let graph = store.knowledge_graph(None).await.unwrap();
    assert!(graph.nodes.is_sorted_by_key(|n| n.id));
    assert!(graph.edges.is_sorted_by_key(|e| (e.parent, e.uci.clone())));
    assert_eq!((graph.nodes.len(), graph.edges.len()), (14, 14));
    let start = graph.nodes.iter().find(|n| n.id == after("")).unwrap();
    assert_eq!((start.stats.games(), start.is_branching), (5, true));
    let e4 = graph.edges.iter().find(|e| e.san == "e4").unwrap();
    assert_eq!((e4.stats.games(), e4.child), (4, after("e4")));
    let club = store.knowledge_graph(Some("club")).await.unwrap();
    // Five positions of the game, and four more of the named lines.
    assert_eq!((club.nodes.len(), club.edges.len()), (9, 8));
    assert_eq!(club.nodes.iter().find(|n| n.id == after("")).unwrap().stats.games(), 1);

    let error = store.knowledge_graph(Some("blitz")).await.unwrap_err();
    assert!(
        matches!(error, StoreError::NoCollection { .. }) && error.is_usage(),
        "{error:?}"
    );
}

/// Both databases say the same, word for word.
pub(crate) async fn dumps_are_those_of_any_other_database(kind: Kind) {
    let fixture = Fixture::new(kind).await;
    everything(&fixture.store()).await;
    let dump = fixture.store().dump_knowledge().await.unwrap();
    let reference = Fixture::new(Kind::SqliteMemory).await;
    everything(&reference.store()).await;
    assert_eq!(dump, reference.store().dump_knowledge().await.unwrap());
    // Each table has its lines in it.
    for table in [
        "collection",
        "node",
        "node count",
        "edge count",
        "edge facet",
        "game",
        "node game",
        "crawl answer",
        "opening",
        "opening position",
        "opening resolution",
        "opening relation",
        "transposition",
        "structure",
        "structure opening",
        "review",
        "book move",
        "phase",
    ] {
        assert!(
            dump.iter().any(|line| line.starts_with(&format!("{table} ("))),
            "{table}"
        );
    }
    // The same again changes nothing.
    everything(&fixture.store()).await;
    assert_eq!(fixture.store().dump_knowledge().await.unwrap(), dump);
}
