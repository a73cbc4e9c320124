//! Openings, structures and how they hang together.

use tabiya_chess::PositionId;
use uuid::Uuid;

use super::super::Neo4jStore;
use super::super::bolt::{BoltError, Row, Statement};
use super::uuid;
use crate::StoreError;
use crate::knowledge::{
    LinkedOpening, NamedPosition, OpeningKey, OpeningRow, OpeningView, StructureLink, StructureRow, StructureView,
};
use crate::rows::{clean, id};

/// What is returned of an opening, whichever way it was found.
macro_rules! openings {
    ($found:literal) => {
        concat!(
            $found,
            " RETURN o.id, o.eco, o.name, o.family, o.variation, o.slug, o.category, o.primary_color, o.system, o.root,
                o.aliases, o.tags,
                [(o)-[n:NAMES]->(p:Position) | [p.id, n.line]],
                [(o)-[:ENDS_IN]->(p:Position) | p.id],
                [(o)-[:RELATED_TO]-(other:Opening) | other.id]
              ORDER BY o.eco, o.name, o.id"
        )
    };
}

const ALL: &str = openings!("MATCH (o:Opening)");
const BY_ID: &str = openings!("MATCH (o:Opening {id: $key})");
const BY_SLUG: &str = openings!("MATCH (o:Opening {slug: $key})");
const BY_ECO: &str = openings!("MATCH (o:Opening {eco: $key})");

const MEETINGS: &str = "
    MATCH (:Opening {id: $id})-[t:TRANSPOSES_TO]-(other:Opening)
    RETURN other.id, t.nodes, t.games, t.example ORDER BY other.id";

const STRUCTURES: &str = "
    MATCH (s:Structure)
    RETURN s.id, s.slug, s.name, s.description, s.plans_white, s.plans_black,
        [(s)-[l:ARISES_FROM]->(o:Opening) | [o.id, l.nodes, l.games]]
    ORDER BY s.slug";

impl Neo4jStore {
    pub(crate) async fn opening(&self, key: &OpeningKey) -> Result<Option<OpeningView>, StoreError> {
        let statement = match key {
            OpeningKey::Id(id) => Statement::new(BY_ID).text("key", &id.to_string()),
            OpeningKey::Slug(slug) => Statement::new(BY_SLUG).text("key", &clean(slug)),
        };
        Ok(self.rows(statement, opening).await?.into_iter().next())
    }

    pub(crate) async fn openings_by_eco(&self, eco: &str) -> Result<Vec<OpeningView>, StoreError> {
        self.rows(Statement::new(BY_ECO).text("key", &clean(eco)), opening)
            .await
    }

    pub(crate) async fn openings(&self) -> Result<Vec<OpeningView>, StoreError> {
        self.rows(Statement::new(ALL), opening).await
    }

    pub(crate) async fn transpositions_of(&self, opening: Uuid) -> Result<Vec<LinkedOpening>, StoreError> {
        let statement = Statement::new(MEETINGS).text("id", &opening.to_string());
        self.rows(statement, |row| {
            Ok(LinkedOpening {
                opening: uuid(&row.text()?)?,
                nodes: id(row.int()?),
                games: id(row.int()?),
                example: PositionId::from_i64(row.int()?).into(),
            })
        })
        .await
    }

    pub(crate) async fn structures(&self) -> Result<Vec<StructureView>, StoreError> {
        self.rows(Statement::new(STRUCTURES), structure).await
    }
}

fn opening(row: &mut Row) -> Result<OpeningView, BoltError> {
    let key = uuid(&row.text()?)?;
    let (eco, name, family, variation) = (row.text()?, row.text()?, row.text()?, row.opt_text()?);
    let (slug, category, color, system) = (row.text()?, row.text()?, row.text()?, row.text()?);
    let root = PositionId::from_i64(row.int()?);
    let (aliases, tags) = (row.texts()?, row.texts()?);
    let mut positions = Vec::new();
    for mut named in row.rows()? {
        positions.push(NamedPosition {
            id: PositionId::from_i64(named.int()?),
            line: named.text()?,
        });
    }
    let ends = row.ints()?.into_iter();
    let mut view = OpeningView {
        root_node_id: root.into(),
        resolution_node_ids: ends.map(|end| PositionId::from_i64(end).into()).collect(),
        related_opening_ids: row.texts()?.iter().map(|other| uuid(other)).collect::<Result<_, _>>()?,
        opening: OpeningRow {
            id: key,
            eco,
            name,
            family,
            variation,
            slug,
            category,
            primary_color: color.chars().next().unwrap_or('W'),
            system,
            root,
            aliases,
            tags,
            positions,
        },
    };
    view.opening.positions.sort_unstable();
    view.resolution_node_ids.sort_unstable();
    view.related_opening_ids.sort_unstable();
    Ok(view)
}

fn structure(row: &mut Row) -> Result<StructureView, BoltError> {
    let structure = StructureRow {
        id: uuid(&row.text()?)?,
        slug: row.text()?,
        name: row.text()?,
        description: row.text()?,
        plans_white: row.texts()?,
        plans_black: row.texts()?,
    };
    let mut arising_from = Vec::new();
    for mut link in row.rows()? {
        arising_from.push(StructureLink {
            structure: structure.slug.clone(),
            opening: uuid(&link.text()?)?,
            nodes: id(link.int()?),
            games: id(link.int()?),
        });
    }
    arising_from.sort_unstable_by(|a, b| (b.games, a.opening).cmp(&(a.games, b.opening)));
    Ok(StructureView {
        structure,
        arising_from,
    })
}
