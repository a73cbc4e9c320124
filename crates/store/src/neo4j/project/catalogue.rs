//! Collections, structures and openings, and how they hang together. There are thousands of them at most.

use std::collections::HashMap;

use uuid::Uuid;

use super::super::bolt::{Packer, Statement};
use super::places::Homes;
use super::sent::{Sent, digest, row};
use super::{ProjectPhase, ProjectReport, Written};
use crate::StoreError;
use crate::knowledge::projection::{ProjectedLink, Source};
use crate::knowledge::{Collection, OpeningView, StructureView};
use crate::rows::bits;

/// Links in one transaction, or as many more as one opening has.
const BATCH: usize = 5000;

const COLLECTIONS: &str = "
    UNWIND $rows AS row
    MERGE (c:Collection {id: row[0]})
    SET c += {digest: row[1], name: row[2], source: row[3], games: row[4], min_games: row[5], depth: row[6],
        max_ply: row[7], facets: row[8]}";

const STRUCTURES: &str = "
    UNWIND $rows AS row
    MERGE (s:Structure {slug: row[0]})
    SET s += {digest: row[1], id: row[2], name: row[3], description: row[4], plans_white: row[5], plans_black: row[6]}";

const OPENINGS: &str = "
    UNWIND $rows AS row
    MERGE (o:Opening {id: row[0]})
    SET o += {digest: row[1], eco: row[2], name: row[3], family: row[4], variation: row[5], slug: row[6],
        category: row[7], primary_color: row[8], system: row[9], root: row[10], aliases: row[11], tags: row[12]}";

/// Each of these finds nothing to do where `links` says that it was done: the last one says so.
const LINKS_OF_OPENINGS: [&str; 6] = [
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id) WHERE o.links <> row[1]
     MATCH (o)-[r:NAMES|ENDS_IN|RELATED_TO|TRANSPOSES_TO]->()
     DELETE r",
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id) WHERE o.links IS NULL OR o.links <> row[1]
     UNWIND row[2] AS named
     MATCH (p:Position {id: named[0]}) USING INDEX SEEK p:Position(id)
     CREATE (o)-[:NAMES {line: named[1]}]->(p)",
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id) WHERE o.links IS NULL OR o.links <> row[1]
     UNWIND row[3] AS end
     MATCH (p:Position {id: end}) USING INDEX SEEK p:Position(id)
     CREATE (o)-[:ENDS_IN]->(p)",
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id) WHERE o.links IS NULL OR o.links <> row[1]
     UNWIND row[4] AS related
     MATCH (other:Opening {id: related}) USING INDEX SEEK other:Opening(id)
     CREATE (o)-[:RELATED_TO]->(other)",
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id) WHERE o.links IS NULL OR o.links <> row[1]
     UNWIND row[5] AS meeting
     MATCH (other:Opening {id: meeting[0]}) USING INDEX SEEK other:Opening(id)
     CREATE (o)-[:TRANSPOSES_TO {nodes: meeting[1], games: meeting[2], example: meeting[3]}]->(other)",
    "UNWIND $rows AS row
     MATCH (o:Opening {id: row[0]}) USING INDEX SEEK o:Opening(id)
     SET o.links = row[1]",
];

const LINKS_OF_STRUCTURES: [&str; 3] = [
    "UNWIND $rows AS row
     MATCH (s:Structure {slug: row[0]}) USING INDEX SEEK s:Structure(slug) WHERE s.links <> row[1]
     MATCH (s)-[r:ARISES_FROM]->()
     DELETE r",
    "UNWIND $rows AS row
     MATCH (s:Structure {slug: row[0]}) USING INDEX SEEK s:Structure(slug) WHERE s.links IS NULL OR s.links <> row[1]
     UNWIND row[2] AS link
     MATCH (o:Opening {id: link[0]}) USING INDEX SEEK o:Opening(id)
     CREATE (s)-[:ARISES_FROM {nodes: link[1], games: link[2]}]->(o)",
    "UNWIND $rows AS row
     MATCH (s:Structure {slug: row[0]}) USING INDEX SEEK s:Structure(slug)
     SET s.links = row[1]",
];

/// What the catalogue has now, and what the graph had of it.
pub(super) struct Known {
    openings: Vec<OpeningView>,
    structures: Vec<StructureView>,
    meetings: Vec<ProjectedLink>,
    links_of_openings: HashMap<String, Option<i64>>,
    links_of_structures: HashMap<String, Option<i64>>,
    gone_collections: Vec<i64>,
    gone_structures: Vec<String>,
    gone_openings: Vec<String>,
    /// The slugs and nodes of structures by name.
    nodes_of_structures: HashMap<String, (String, i64)>,
    nodes_of_openings: HashMap<Uuid, i64>,
}

impl Known {
    /// The slug and the node of a structure that the catalogue has under this name.
    pub(super) fn structure(&self, name: &str) -> Option<(&str, i64)> {
        let (slug, node) = self.nodes_of_structures.get(name)?;
        Some((slug, *node))
    }

    pub(super) fn opening_node(&self, opening: Uuid) -> Option<i64> {
        self.nodes_of_openings.get(&opening).copied()
    }

    /// Who writes the positions of which opening; see [`Homes::new`].
    pub(super) fn homes(&self, sizes: &HashMap<Uuid, u64>, total: u64) -> Homes {
        Homes::new(&self.openings, sizes, total)
    }
}

/// A thing's digest and that of its links, as they are in the graph.
type There = HashMap<String, (Option<i64>, Option<i64>)>;

async fn there(sent: &Sent<'_>, cypher: &'static str) -> Result<There, StoreError> {
    let found = sent
        .known(Statement::new(cypher), |row| {
            Ok((row.text()?, (row.opt_int()?, row.opt_int()?)))
        })
        .await?;
    Ok(found.into_iter().collect())
}

/// The server's own numbers of nodes, by key.
async fn nodes_of(sent: &Sent<'_>, cypher: &'static str) -> Result<HashMap<String, i64>, StoreError> {
    let found = sent
        .known(Statement::new(cypher), |row| Ok((row.text()?, row.int()?)))
        .await?;
    Ok(found.into_iter().collect())
}

/// Writes the nodes of the catalogue, without what points to positions.
pub(super) async fn nodes(
    from: &mut Source<'_>,
    sent: &mut Sent<'_>,
    report: &mut ProjectReport,
) -> Result<Known, StoreError> {
    let gone_collections = collections(from, sent, &mut report.collections).await?;

    let structures = from.structures().await?;
    let mut known = there(sent, "MATCH (s:Structure) RETURN s.slug, s.digest, s.links").await?;
    let mut links_of_structures = HashMap::new();
    let mut rows = Vec::new();
    for view in &structures {
        let row = &view.structure;
        let content = structure(view);
        let before = known.remove(&row.slug);
        links_of_structures.insert(row.slug.clone(), before.and_then(|(_, links)| links));
        let key = |packer: &mut Packer| packer.text(&row.slug);
        rows.extend(changed(key, before.and_then(|(digest, _)| digest), &content, 5));
    }
    tally(&mut report.structures, structures.len(), rows.len());
    send(sent, STRUCTURES, &rows).await?;
    let gone_structures: Vec<String> = known.into_keys().collect();

    let openings = from.openings().await?;
    let mut known = there(sent, "MATCH (o:Opening) RETURN o.id, o.digest, o.links").await?;
    let mut links_of_openings = HashMap::new();
    let mut rows = Vec::new();
    for view in &openings {
        let id = view.opening.id.to_string();
        let content = opening(view);
        let before = known.remove(&id);
        let key = |packer: &mut Packer| packer.text(&id);
        rows.extend(changed(key, before.and_then(|(digest, _)| digest), &content, 11));
        links_of_openings.insert(id, before.and_then(|(_, links)| links));
    }
    tally(&mut report.openings, openings.len(), rows.len());
    let gone_openings: Vec<String> = known.into_keys().collect();
    send(sent, OPENINGS, &rows).await?;
    // Whoever looks for one of them has to find it.
    sent.landed().await?;
    let there = nodes_of(sent, "MATCH (s:Structure) RETURN s.slug, id(s)").await?;
    let nodes_of_structures = (structures.iter().map(|view| &view.structure))
        .filter_map(|row| Some((row.name.clone(), (row.slug.clone(), *there.get(&row.slug)?))))
        .collect();
    let there = nodes_of(sent, "MATCH (o:Opening) RETURN o.id, id(o)").await?;
    let nodes_of_openings = (openings.iter().map(|view| view.opening.id))
        .filter_map(|id| Some((id, *there.get(&id.to_string())?)))
        .collect();
    Ok(Known {
        nodes_of_structures,
        nodes_of_openings,
        meetings: from.links().await?,
        openings,
        structures,
        links_of_openings,
        links_of_structures,
        gone_collections,
        gone_structures,
        gone_openings,
    })
}

async fn collections(from: &mut Source<'_>, sent: &mut Sent<'_>, report: &mut Written) -> Result<Vec<i64>, StoreError> {
    let all = from.collections().await?;
    let there = Statement::new("MATCH (c:Collection) RETURN c.id, c.digest");
    let there = sent.known(there, |row| Ok((row.int()?, row.opt_int()?))).await?;
    let mut there: HashMap<i64, Option<i64>> = there.into_iter().collect();
    let mut rows = Vec::new();
    for (id, one) in &all {
        let before = there.remove(id).flatten();
        rows.extend(changed(|packer| packer.int(*id), before, &collection(one), 7));
    }
    tally(report, all.len(), rows.len());
    send(sent, COLLECTIONS, &rows).await?;
    Ok(there.into_keys().collect())
}

fn tally(report: &mut Written, total: usize, written: usize) {
    report.total = total as u64;
    report.written = written as u64;
}

/// A row for what is not as it was.
fn changed(key: impl FnOnce(&mut Packer), before: Option<i64>, content: &Packer, values: usize) -> Option<Packer> {
    let digest = digest(content);
    (before != Some(digest)).then(|| row(key, digest, content, values))
}

async fn send(sent: &mut Sent<'_>, cypher: &'static str, rows: &[Packer]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    sent.send(vec![Statement::new(cypher).rows("rows", rows.iter())]).await
}

fn collection(collection: &Collection) -> Packer {
    let mut content = Packer::default();
    content.text(&collection.name);
    content.text(collection.source.as_str());
    content.int(bits(collection.games));
    content.int(bits(collection.min_games));
    content.int(collection.depth.into());
    content.opt_int(collection.max_ply);
    content.text(&collection.facets.to_string());
    content
}

fn structure(view: &StructureView) -> Packer {
    let mut content = Packer::default();
    let row = &view.structure;
    content.text(&row.id.to_string());
    content.text(&row.name);
    content.text(&row.description);
    content.texts(&row.plans_white);
    content.texts(&row.plans_black);
    content
}

fn opening(view: &OpeningView) -> Packer {
    let mut content = Packer::default();
    let row = &view.opening;
    content.text(&row.eco);
    content.text(&row.name);
    content.text(&row.family);
    content.opt_text(row.variation.as_deref());
    content.text(&row.slug);
    content.text(&row.category);
    content.text(row.primary_color.encode_utf8(&mut [0; 4]));
    content.text(&row.system);
    content.int(row.root.to_i64());
    content.texts(&row.aliases);
    content.texts(&row.tags);
    content
}

/// Writes what points from openings and structures to whatever is there by now.
pub(super) async fn links(sent: &mut Sent<'_>, known: &Known, report: &mut ProjectReport) -> Result<(), StoreError> {
    if sent.stopped() {
        return Ok(());
    }
    let mut meetings: HashMap<Uuid, Vec<&ProjectedLink>> = HashMap::new();
    for meeting in &known.meetings {
        meetings.entry(meeting.0).or_default().push(meeting);
    }
    let total = known.openings.len() as u64;
    let (mut rows, mut count) = (Vec::new(), 0);
    for (done, view) in known.openings.iter().enumerate() {
        let id = view.opening.id.to_string();
        let mut met = meetings.remove(&view.opening.id).unwrap_or_default();
        met.sort_unstable();
        let (content, links) = links_of_opening(view, &met);
        let before = known.links_of_openings.get(&id).copied().flatten();
        let Some(row) = changed(|packer| packer.text(&id), before, &content, 4) else {
            continue;
        };
        rows.push(row);
        count += links;
        if count >= BATCH {
            sent.send_on(0, of_all(&LINKS_OF_OPENINGS, &rows)).await?;
            sent.tell(ProjectPhase::Openings, done as u64 + 1, total);
            (rows, count) = (Vec::new(), 0);
        }
    }
    if !rows.is_empty() {
        sent.send_on(0, of_all(&LINKS_OF_OPENINGS, &rows)).await?;
    }
    let mut rows = Vec::new();
    for view in &known.structures {
        let slug = &view.structure.slug;
        let before = known.links_of_structures.get(slug).copied().flatten();
        let content = links_of_structure(view);
        rows.extend(changed(|packer| packer.text(slug), before, &content, 1));
    }
    // What arises from where belongs to a structure; that alone may have changed.
    report.structures.written = report.structures.written.max(rows.len() as u64);
    if !rows.is_empty() {
        sent.send_on(0, of_all(&LINKS_OF_STRUCTURES, &rows)).await?;
    }
    sent.tell(ProjectPhase::Openings, total, total);
    Ok(())
}

fn of_all(cyphers: &[&'static str], rows: &[Packer]) -> Vec<Statement> {
    let statement = |cypher: &&'static str| Statement::new(cypher).rows("rows", rows.iter());
    cyphers.iter().map(statement).collect()
}

/// The links of an opening, in the order in which [`LINKS_OF_OPENINGS`] takes them, and how many there are.
fn links_of_opening(view: &OpeningView, meetings: &[&ProjectedLink]) -> (Packer, usize) {
    let mut content = Packer::default();
    let opening = &view.opening;
    content.list(opening.positions.len());
    for named in &opening.positions {
        content.list(2);
        content.int(named.id.to_i64());
        content.text(&named.line);
    }
    let ends: Vec<i64> = (view.resolution_node_ids.iter())
        .map(|node| node.position().to_i64())
        .collect();
    content.ints(&ends);
    // Either of two has the other; one relationship says it of both.
    let related: Vec<String> = (view.related_opening_ids.iter())
        .filter(|other| **other > opening.id)
        .map(Uuid::to_string)
        .collect();
    content.texts(&related);
    content.list(meetings.len());
    for (_, other, nodes, games, example) in meetings {
        content.list(4);
        content.text(&other.to_string());
        content.int(*nodes);
        content.int(*games);
        content.int(*example);
    }
    let links = opening.positions.len() + ends.len() + related.len() + meetings.len();
    (content, links)
}

fn links_of_structure(view: &StructureView) -> Packer {
    let mut content = Packer::default();
    content.list(view.arising_from.len());
    for link in &view.arising_from {
        content.list(3);
        content.text(&link.opening.to_string());
        content.int(bits(link.nodes));
        content.int(bits(link.games));
    }
    content
}

/// Removes what the catalogue has no more.
pub(super) async fn remove(sent: &mut Sent<'_>, known: &Known, report: &mut ProjectReport) -> Result<(), StoreError> {
    let mut statements = Vec::new();
    if !known.gone_openings.is_empty() {
        let delete = Statement::new(
            "UNWIND $ids AS id MATCH (o:Opening {id: id}) USING INDEX SEEK o:Opening(id) DETACH DELETE o",
        );
        statements.push(delete.with("ids", |ids| ids.texts(&known.gone_openings)));
    }
    if !known.gone_structures.is_empty() {
        let delete = Statement::new(
            "UNWIND $ids AS slug MATCH (s:Structure {slug: slug}) USING INDEX SEEK s:Structure(slug) DETACH DELETE s",
        );
        statements.push(delete.with("ids", |ids| ids.texts(&known.gone_structures)));
    }
    if !known.gone_collections.is_empty() {
        let delete = Statement::new(
            "UNWIND $ids AS id MATCH (c:Collection {id: id}) USING INDEX SEEK c:Collection(id) DETACH DELETE c",
        );
        statements.push(delete.ints("ids", &known.gone_collections));
    }
    report.openings.removed = known.gone_openings.len() as u64;
    report.structures.removed = known.gone_structures.len() as u64;
    report.collections.removed = known.gone_collections.len() as u64;
    if statements.is_empty() {
        return Ok(());
    }
    sent.send_on(0, statements).await
}
