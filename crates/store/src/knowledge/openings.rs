//! Openings, structures and how they hang together.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tabiya_chess::{NodeId, PositionId};
use uuid::Uuid;

use super::rows::{
    Collection, CollectionCounts, CollectionSource, Graph, NamedPosition, OpeningLink, OpeningRow, StructureLink,
    StructureRow,
};
use super::tx::{Column, Tx, execute, fetch};
use super::views::{LinkedOpening, OpeningKey, OpeningView, StructureView};
use super::{enrich, load};
use crate::fault::Trouble;
use crate::rows::{bits, clean, id};

pub(super) fn json(value: &impl Serialize) -> Result<String, Trouble> {
    serde_json::to_string(value).map_err(|e| Trouble::Malformed(format!("a list cannot be written: {e}")))
}

pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Trouble> {
    // It may be a part of a whole table.
    let beginning = || text.chars().take(80).collect::<String>();
    serde_json::from_str(text).map_err(|e| Trouble::Malformed(format!("`{}` is unreadable: {e}", beginning())))
}

/// Replaces all openings, and the collection of their lines.
pub(super) async fn load(tx: &mut Tx, openings: &[OpeningRow], skeleton: Graph) -> Result<(), Trouble> {
    let mut openings: Vec<&OpeningRow> = openings.iter().collect();
    openings.sort_unstable_by_key(|opening| opening.id);
    execute!(tx, "DELETE FROM openings");
    execute!(tx, "DELETE FROM opening_positions");
    let texts = |field: fn(&OpeningRow) -> &String| Column::texts(openings.iter().map(|o| field(o).clone()));
    let lists = |field: fn(&OpeningRow) -> &Vec<String>| {
        let lists = openings.iter().map(|o| json(field(o))).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, Trouble>(Column::Texts(lists))
    };
    let columns = [
        Column::uuids(openings.iter().map(|o| o.id)),
        texts(|o| &o.eco),
        texts(|o| &o.name),
        texts(|o| &o.family),
        Column::opt_texts(openings.iter().map(|o| o.variation.clone())),
        texts(|o| &o.slug),
        texts(|o| &o.category),
        Column::texts(openings.iter().map(|o| o.primary_color)),
        texts(|o| &o.system),
        Column::ids(openings.iter().map(|o| o.root.to_i64())),
        lists(|o| &o.aliases)?,
        lists(|o| &o.tags)?,
    ];
    tx.insert("openings", &columns).await?;

    let mut positions: Vec<(Uuid, &NamedPosition)> = openings
        .iter()
        .flat_map(|o| o.positions.iter().map(|position| (o.id, position)))
        .collect();
    positions.sort_unstable_by_key(|(opening, position)| (*opening, position.id.to_i64(), &position.line));
    positions.dedup_by_key(|(opening, position)| (*opening, position.id));
    let columns = [
        Column::uuids(positions.iter().map(|row| row.0)),
        Column::ids(positions.iter().map(|row| row.1.id.to_i64())),
        Column::texts(positions.iter().map(|row| row.1.line.clone())),
    ];
    tx.insert("opening_positions", &columns).await?;
    forget_missing(tx).await?;

    let collection = Collection::without_games(Collection::OPENINGS, CollectionSource::Openings);
    let lines = CollectionCounts::without_games(collection, &skeleton);
    load::graph(tx, skeleton.into()).await?;
    load::replace(tx, vec![lines.into()]).await
}

/// Forgets whatever speaks of openings that are no more.
async fn forget_missing(tx: &mut Tx) -> Result<(), Trouble> {
    for forget in [
        "DELETE FROM opening_resolutions WHERE opening_id NOT IN (SELECT id FROM openings)",
        "DELETE FROM opening_relations
         WHERE a NOT IN (SELECT id FROM openings) OR b NOT IN (SELECT id FROM openings)",
        "DELETE FROM node_transpositions
         WHERE opening_a NOT IN (SELECT id FROM openings) OR opening_b NOT IN (SELECT id FROM openings)",
        "DELETE FROM structure_openings WHERE opening_id NOT IN (SELECT id FROM openings)",
        "UPDATE nodes SET named = false
         WHERE named AND id NOT IN (SELECT position_id FROM opening_positions)",
    ] {
        execute!(tx, forget);
    }
    enrich::forget_lineage(tx, "opening_id NOT IN (SELECT id FROM openings)").await
}

pub(super) async fn replace_resolutions(tx: &mut Tx, mut rows: Vec<(Uuid, PositionId)>) -> Result<(), Trouble> {
    rows.sort_unstable_by_key(|row| (row.0, row.1.to_i64()));
    rows.dedup();
    execute!(tx, "DELETE FROM opening_resolutions");
    let columns = [
        Column::uuids(rows.iter().map(|row| row.0)),
        Column::ids(rows.iter().map(|row| row.1.to_i64())),
    ];
    tx.insert("opening_resolutions", &columns).await
}

/// Pairs may be given in either order; an opening is not related to itself.
pub(super) async fn replace_relations(tx: &mut Tx, rows: Vec<(Uuid, Uuid)>) -> Result<(), Trouble> {
    let mut rows: Vec<(Uuid, Uuid)> = rows
        .into_iter()
        .filter(|(a, b)| a != b)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    rows.sort_unstable();
    rows.dedup();
    execute!(tx, "DELETE FROM opening_relations");
    let columns = [
        Column::uuids(rows.iter().map(|row| row.0)),
        Column::uuids(rows.iter().map(|row| row.1)),
    ];
    tx.insert("opening_relations", &columns).await
}

/// Pairs may be given in either order, each once; an opening is not linked to itself.
pub(super) async fn replace_transpositions(tx: &mut Tx, mut rows: Vec<OpeningLink>) -> Result<(), Trouble> {
    rows.retain(|link| link.a != link.b);
    for link in &mut rows {
        (link.a, link.b) = (link.a.min(link.b), link.a.max(link.b));
    }
    rows.sort_unstable_by_key(|link| (link.a, link.b));
    execute!(tx, "DELETE FROM node_transpositions");
    let columns = [
        Column::uuids(rows.iter().map(|row| row.a)),
        Column::uuids(rows.iter().map(|row| row.b)),
        Column::ids(rows.iter().map(|row| bits(row.nodes))),
        Column::ids(rows.iter().map(|row| bits(row.games))),
        Column::ids(rows.iter().map(|row| row.example.to_i64())),
    ];
    tx.insert("node_transpositions", &columns).await
}

pub(super) async fn replace_structures(tx: &mut Tx, mut rows: Vec<StructureRow>) -> Result<(), Trouble> {
    rows.sort_unstable_by_key(|row| row.id);
    execute!(tx, "DELETE FROM structures");
    let plans = |field: fn(&StructureRow) -> &Vec<String>| {
        let plans = rows.iter().map(|row| json(field(row))).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, Trouble>(Column::Texts(plans))
    };
    let columns = [
        Column::uuids(rows.iter().map(|row| row.id)),
        Column::texts(rows.iter().map(|row| row.slug.clone())),
        Column::texts(rows.iter().map(|row| row.name.clone())),
        Column::texts(rows.iter().map(|row| row.description.clone())),
        plans(|row| &row.plans_white)?,
        plans(|row| &row.plans_black)?,
    ];
    tx.insert("structures", &columns).await
}

pub(super) async fn replace_structure_links(tx: &mut Tx, mut rows: Vec<StructureLink>) -> Result<(), Trouble> {
    rows.sort_unstable_by(|a, b| (&a.structure, a.opening).cmp(&(&b.structure, b.opening)));
    execute!(tx, "DELETE FROM structure_openings");
    let columns = [
        Column::texts(rows.iter().map(|row| row.structure.clone())),
        Column::uuids(rows.iter().map(|row| row.opening)),
        Column::ids(rows.iter().map(|row| bits(row.nodes))),
        Column::ids(rows.iter().map(|row| bits(row.games))),
    ];
    tx.insert("structure_openings", &columns).await
}

/// Which openings are asked for.
pub(super) enum Which<'a> {
    All,
    Key(&'a OpeningKey),
    Eco(&'a str),
}

/// Openings by ECO code and name.
pub(super) async fn openings(tx: &mut Tx, which: Which<'_>) -> Result<Vec<OpeningView>, Trouble> {
    let (key, slug, eco) = match which {
        Which::All => (None, None, None),
        Which::Key(OpeningKey::Id(id)) => (Some(*id), None, None),
        Which::Key(OpeningKey::Slug(slug)) => (None, Some(clean(slug)), None),
        Which::Eco(eco) => (None, None, Some(clean(eco))),
    };
    type Row = (
        Uuid,
        String,
        String,
        String,
        Option<String>,
        String,
        String,
        String,
        String,
        i64,
        String,
        String,
    );
    let rows = fetch!(
        tx,
        Row,
        "SELECT id, eco, name, family, variation, slug, category, primary_color, system, root_id, aliases, tags
         FROM openings
         WHERE ($1 IS NULL OR id = $1) AND ($2 IS NULL OR slug = $2) AND ($3 IS NULL OR eco = $3)
         ORDER BY eco, name, id",
        key,
        slug.as_deref(),
        eco.as_deref(),
    );
    // Exactly one opening: its own rows. Otherwise each table once.
    let one = match rows.as_slice() {
        [row] => Some(row.0),
        _ => None,
    };
    let mut positions: BTreeMap<Uuid, Vec<NamedPosition>> = BTreeMap::new();
    let named = fetch!(
        tx,
        (Uuid, i64, String),
        "SELECT opening_id, position_id, line FROM opening_positions WHERE $1 IS NULL OR opening_id = $1",
        one
    );
    for (opening, position, line) in named {
        positions.entry(opening).or_default().push(NamedPosition {
            id: PositionId::from_i64(position),
            line,
        });
    }
    let mut resolutions: BTreeMap<Uuid, Vec<NodeId>> = BTreeMap::new();
    let ends = fetch!(
        tx,
        (Uuid, i64),
        "SELECT opening_id, node_id FROM opening_resolutions WHERE $1 IS NULL OR opening_id = $1",
        one
    );
    for (opening, node) in ends {
        resolutions
            .entry(opening)
            .or_default()
            .push(PositionId::from_i64(node).into());
    }
    let mut related: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
    let pairs = fetch!(
        tx,
        (Uuid, Uuid),
        "SELECT a, b FROM opening_relations WHERE $1 IS NULL OR a = $1 OR b = $1",
        one
    );
    for (a, b) in pairs {
        related.entry(a).or_default().push(b);
        related.entry(b).or_default().push(a);
    }
    rows.into_iter()
        .map(|row| {
            let root = PositionId::from_i64(row.9);
            let mut view = OpeningView {
                root_node_id: root.into(),
                resolution_node_ids: resolutions.remove(&row.0).unwrap_or_default(),
                related_opening_ids: related.remove(&row.0).unwrap_or_default(),
                opening: OpeningRow {
                    positions: positions.remove(&row.0).unwrap_or_default(),
                    id: row.0,
                    eco: row.1,
                    name: row.2,
                    family: row.3,
                    variation: row.4,
                    slug: row.5,
                    category: row.6,
                    primary_color: row.7.chars().next().unwrap_or('W'),
                    system: row.8,
                    root,
                    aliases: from_json(&row.10)?,
                    tags: from_json(&row.11)?,
                },
            };
            view.opening.positions.sort_unstable();
            view.resolution_node_ids.sort_unstable();
            view.related_opening_ids.sort_unstable();
            Ok(view)
        })
        .collect()
}

/// The openings whose trees meet that of one, by id.
pub(super) async fn transpositions_of(tx: &mut Tx, opening: Uuid) -> Result<Vec<LinkedOpening>, Trouble> {
    let rows = fetch!(
        tx,
        (Uuid, i64, i64, i64),
        "SELECT opening_b AS other, nodes, games, example_node FROM node_transpositions WHERE opening_a = $1
         UNION ALL
         SELECT opening_a, nodes, games, example_node FROM node_transpositions WHERE opening_b = $1
         ORDER BY 1",
        opening
    );
    Ok(rows
        .into_iter()
        .map(|row| LinkedOpening {
            opening: row.0,
            nodes: id(row.1),
            games: id(row.2),
            example: PositionId::from_i64(row.3).into(),
        })
        .collect())
}

/// All structures, by slug.
pub(super) async fn structures(tx: &mut Tx) -> Result<Vec<StructureView>, Trouble> {
    let mut links: BTreeMap<String, Vec<StructureLink>> = BTreeMap::new();
    let rows = fetch!(
        tx,
        (String, Uuid, i64, i64),
        "SELECT structure, opening_id, nodes, games FROM structure_openings
         ORDER BY structure, games DESC, opening_id"
    );
    for (structure, opening, nodes, games) in rows {
        links.entry(structure.clone()).or_default().push(StructureLink {
            structure,
            opening,
            nodes: id(nodes),
            games: id(games),
        });
    }
    let rows = fetch!(
        tx,
        (Uuid, String, String, String, String, String),
        "SELECT id, slug, name, description, plans_white, plans_black FROM structures ORDER BY slug"
    );
    rows.into_iter()
        .map(|row| {
            Ok(StructureView {
                arising_from: links.remove(&row.1).unwrap_or_default(),
                structure: StructureRow {
                    id: row.0,
                    slug: row.1,
                    name: row.2,
                    description: row.3,
                    plans_white: from_json(&row.4)?,
                    plans_black: from_json(&row.5)?,
                },
            })
        })
        .collect()
}
