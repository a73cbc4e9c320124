//! One position and its surroundings.

use std::cmp::Reverse;

use tabiya_chess::{Facet, PositionId, RatingBand, Speed, Stats, turn_of};

use super::super::Neo4jStore;
use super::super::bolt::{BoltError, Row, Statement};
use super::super::columns::{Counted, small};
use super::games::Lists;
use super::{COLLECTIONS, Collections, evaluation, uuid};
use crate::knowledge::{ChildView, ListedGames, MoveFacet, NodeEvaluation, NodeView, OpeningName, OtherParent};
use crate::rows::{clean, fen, id};
use crate::{Identity, StoreError};

const POSITION: &str = "
    MATCH (p:Position {id: $id}) USING INDEX SEEK p:Position(id)
    MATCH (t:Tabiya)
    OPTIONAL MATCH (p)-[:BELONGS_TO]->(o:Opening)
    RETURN p.epd, p.ply, p.halfmove, coalesce(p.source, t.source), p.named, p.is_branching, p.structure, p.structure_by, p.flagged,
        p.stub_count, coalesce(p.created_at, t.created_at), coalesce(p.updated_at, p.created_at, t.updated_at), p.lists,
        o.id, o.eco, o.name, o.family, o.variation, o.slug,
        p.eval, p.mate, p.depth, p.best_move, p.best_move_uci, p.is_dubious, p.is_busted, p.engine,
        p.white, p.draws, p.black, p.rating_sum, p.rated, p.first_year, p.last_year,
        coalesce(p.collections, t.collections), p.counts";

const WAYS_TO: &str = "
    MATCH (t:Tabiya)
    MATCH (a:Position)-[m:MOVE]->(p:Position {id: $id}) USING INDEX SEEK p:Position(id)
    OPTIONAL MATCH (a)-[:BELONGS_TO]->(o:Opening)
    RETURN a.id, a.ply, a.epd, m.uci, m.san, o.id, o.eco, o.name, o.family, o.variation, o.slug,
        m.white, m.draws, m.black, m.rating_sum, m.rated, m.first_year, m.last_year,
        coalesce(m.collections, t.collections), m.counts";

const MOVES_FROM: &str = "
    MATCH (t:Tabiya)
    MATCH (p:Position {id: $id})-[m:MOVE]->(b:Position) USING INDEX SEEK p:Position(id)
    RETURN b.id, m.uci, m.san,
        m.white, m.draws, m.black, m.rating_sum, m.rated, m.first_year, m.last_year,
        coalesce(m.collections, t.collections), m.counts";

const FACETS: &str = "
    MATCH (p:Position {id: $id})-[m:MOVE]->() USING INDEX SEEK p:Position(id)
    WHERE m.facets IS NOT NULL
    RETURN m.uci, m.facets ORDER BY m.uci";

const NAMES_AT: &str = "
    UNWIND $ids AS id
    MATCH (p:Position {id: id})-[:BELONGS_TO]->(o:Opening) USING INDEX SEEK p:Position(id)
    WHERE p.named
    RETURN p.id, o.id, o.eco, o.name, o.family, o.variation, o.slug";

/// The row of a position.
struct Found {
    epd: String,
    ply: i64,
    halfmove: i64,
    source: String,
    named: bool,
    is_branching: bool,
    structure: Option<String>,
    structure_by: Option<String>,
    flagged: Option<String>,
    stub_count: u64,
    created_at: String,
    updated_at: String,
    lists: Lists,
    opening: Option<OpeningName>,
    evaluation: Option<NodeEvaluation>,
    counted: Counted,
}

impl Found {
    fn take(row: &mut Row) -> Result<Found, BoltError> {
        Ok(Found {
            epd: row.text()?,
            ply: row.int()?,
            halfmove: row.opt_int()?.unwrap_or_default(),
            source: row.text()?,
            named: row.bool()?,
            is_branching: row.bool()?,
            structure: row.opt_text()?,
            structure_by: row.opt_text()?,
            flagged: row.opt_text()?,
            stub_count: row.opt_int()?.map_or(0, id),
            created_at: row.text()?,
            updated_at: row.text()?,
            lists: Lists::take(row)?,
            opening: opening_name(row)?,
            evaluation: evaluation(row)?,
            counted: Counted::take(row)?,
        })
    }
}

/// A move that leads to a position, with what its ways are sorted by.
struct Way {
    order: (i64, String),
    from: OtherParent,
    counted: Counted,
}

/// Takes `o.id, o.eco, o.name, o.family, o.variation, o.slug`.
fn opening_name(row: &mut Row) -> Result<Option<OpeningName>, BoltError> {
    let key = row.opt_text()?;
    let mut rest = [const { None }; 5];
    for text in &mut rest {
        *text = row.opt_text()?;
    }
    let Some(key) = key else { return Ok(None) };
    let [eco, name, family, variation, slug] = rest;
    Ok(Some(OpeningName {
        id: uuid(&key)?,
        eco: eco.unwrap_or_default(),
        name: name.unwrap_or_default(),
        family: family.unwrap_or_default(),
        variation,
        slug: slug.unwrap_or_default(),
    }))
}

impl Neo4jStore {
    pub(crate) async fn node(
        &self,
        position: PositionId,
        collection: Option<&str>,
    ) -> Result<Option<NodeView>, StoreError> {
        let mut collections = Collections::default();
        let mut found = None;
        let mut ways = Vec::new();
        let mut children = Vec::new();
        let at = |cypher| Statement::new(cypher).int("id", position.to_i64());
        let statements = [Statement::new(COLLECTIONS), at(POSITION), at(WAYS_TO), at(MOVES_FROM)];
        self.ask(&statements, |statement, mut row| {
            let row = &mut row;
            match statement {
                0 => collections.take(row)?,
                1 => found = Some(Found::take(row)?),
                2 => ways.push(way(row)?),
                _ => children.push(child(row)?),
            }
            Ok(())
        })
        .await?;
        let collection = collection.map(clean);
        let wanted = collections.wanted(self, collection.as_deref())?;
        let Some(found) = found else { return Ok(None) };
        let Some(stats) = found.counted.of(&wanted) else {
            return Ok(None);
        };

        let mut ways: Vec<Way> = ways
            .into_iter()
            .filter_map(|mut way| {
                way.from.stats = way.counted.of(&wanted)?;
                Some(way)
            })
            .collect();
        ways.sort_unstable_by(|a, b| (&a.order, &a.from.uci).cmp(&(&b.order, &b.from.uci)));
        let mut ways = ways.into_iter().map(|way| way.from);
        // Games may shuffle back to the initial position, but nothing leads there.
        let parent = if found.ply > 0 { ways.next() } else { None };
        let mut children: Vec<ChildView> = children
            .into_iter()
            .filter_map(|(child, counted)| {
                let stats = counted.of(&wanted)?;
                Some(ChildView { stats, ..child })
            })
            .collect();
        children.sort_unstable_by(|a, b| (Reverse(a.stats.games()), &a.uci).cmp(&(Reverse(b.stats.games()), &b.uci)));
        let games = self.games(&collections, &found.lists, &wanted).await?;
        let malformed = |what| self.explain(BoltError::Unreadable(what));
        let mover = !turn_of(&found.epd);
        let (ply, halfmove) = (small(found.ply), small(found.halfmove));
        Ok(Some(NodeView {
            node_id: position.into(),
            side: parent.is_some().then_some(mover.char().to_ascii_uppercase()),
            fen: fen(found.epd, ply.into(), halfmove.into(), Identity::Position),
            ply,
            move_number: ply.div_ceil(2),
            parent: parent.as_ref().map(|way| way.node_id),
            pgn_move: parent.map(|way| way.san),
            opening: found.opening,
            named: found.named,
            children,
            is_branching: found.is_branching,
            transpositions: ways.collect(),
            structure: found.structure,
            structure_by: found.structure_by.map(|by| by.parse()).transpose().map_err(malformed)?,
            evaluation: found.evaluation,
            stats,
            source: found.source.parse().map_err(malformed)?,
            flagged: found.flagged,
            stub_count: found.stub_count,
            created_at: found.created_at,
            updated_at: found.updated_at,
            top_games: games.top,
            recent_games: games.recent,
        }))
    }

    pub(crate) async fn facets(&self, position: PositionId, collection: &str) -> Result<Vec<MoveFacet>, StoreError> {
        let mut collections = Collections::default();
        let mut moves = Vec::new();
        let statements = [
            Statement::new(COLLECTIONS),
            Statement::new(FACETS).int("id", position.to_i64()),
        ];
        self.ask(&statements, |statement, mut row| {
            match statement {
                0 => collections.take(&mut row)?,
                _ => moves.push((row.text()?, row.ints()?)),
            }
            Ok(())
        })
        .await?;
        let collection = clean(collection);
        // Asked for by name, it has to be there.
        collections.wanted(self, Some(&collection))?;
        let wanted = collections.ids.get(&*collection).copied().unwrap_or_default();
        let mut facets = Vec::new();
        for (uci, numbers) in moves {
            let of_wanted = numbers.chunks_exact(9).filter(|facet| facet[0] == wanted);
            facets.extend(of_wanted.map(|facet| {
                MoveFacet {
                    uci: uci.clone(),
                    facet: Facet {
                        year: small(facet[1]),
                        band: RatingBand::of(Some(small(facet[2]))),
                        speed: usize::try_from(facet[3])
                            .ok()
                            .and_then(|code| Speed::ALL.get(code).copied())
                            .unwrap_or_default(),
                    },
                    stats: Stats {
                        white: id(facet[4]),
                        draws: id(facet[5]),
                        black: id(facet[6]),
                        rating_sum: id(facet[7]),
                        rated: id(facet[8]),
                        ..Stats::default()
                    },
                }
            }));
        }
        Ok(facets)
    }

    pub(crate) async fn names_at(
        &self,
        positions: &[PositionId],
    ) -> Result<Vec<(PositionId, OpeningName)>, StoreError> {
        let ids: Vec<i64> = positions.iter().map(|position| position.to_i64()).collect();
        let found = self
            .rows(Statement::new(NAMES_AT).ints("ids", &ids), |row| {
                Ok((PositionId::from_i64(row.int()?), opening_name(row)?))
            })
            .await?;
        Ok(found
            .into_iter()
            .filter_map(|(position, name)| Some((position, name?)))
            .collect())
    }

    pub(crate) async fn listed_games(
        &self,
        position: PositionId,
        collection: Option<&str>,
    ) -> Result<ListedGames, StoreError> {
        const LISTS: &str =
            "MATCH (p:Position {id: $id}) USING INDEX SEEK p:Position(id) WHERE p.lists IS NOT NULL RETURN p.lists";
        let mut collections = Collections::default();
        let mut lists = None;
        let statements = [
            Statement::new(COLLECTIONS),
            Statement::new(LISTS).int("id", position.to_i64()),
        ];
        self.ask(&statements, |statement, mut row| {
            match statement {
                0 => collections.take(&mut row)?,
                _ => lists = Some(Lists::take(&mut row)?),
            }
            Ok(())
        })
        .await?;
        let collection = collection.map(clean);
        let wanted = collections.wanted(self, collection.as_deref())?;
        match lists {
            None => Ok(ListedGames::default()),
            Some(lists) => self.games(&collections, &lists, &wanted).await,
        }
    }
}

fn way(row: &mut Row) -> Result<Way, BoltError> {
    let parent = PositionId::from_i64(row.int()?);
    let order = (row.int()?, row.text()?);
    Ok(Way {
        order,
        from: OtherParent {
            node_id: parent.into(),
            uci: row.text()?,
            san: row.text()?,
            stats: Stats::default(),
            opening: opening_name(row)?,
        },
        counted: Counted::take(row)?,
    })
}

fn child(row: &mut Row) -> Result<(ChildView, Counted), BoltError> {
    let child = ChildView {
        node_id: PositionId::from_i64(row.int()?).into(),
        uci: row.text()?,
        san: row.text()?,
        stats: Stats::default(),
    };
    Ok((child, Counted::take(row)?))
}
