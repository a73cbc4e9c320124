//! The whole of it at once.

use tabiya_chess::PositionId;

use super::super::Neo4jStore;
use super::super::bolt::Statement;
use super::super::columns::{Counted, small};
use super::{evaluation, uuid};
use crate::StoreError;
use crate::knowledge::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode};
use crate::rows::id;

const POSITIONS: &str = "
    MATCH (t:Tabiya) WITH t.source AS source, t.collections AS collections
    MATCH (p:Position)
    OPTIONAL MATCH (p)-[:BELONGS_TO]->(o:Opening)
    RETURN p.id, p.epd, p.ply, p.halfmove, coalesce(p.source, source), p.named, p.structure, p.is_branching, p.stub_count, o.id,
        p.eval, p.mate, p.depth, p.best_move, p.best_move_uci, p.is_dubious, p.is_busted, p.engine,
        p.white, p.draws, p.black, p.rating_sum, p.rated, p.first_year, p.last_year,
        coalesce(p.collections, collections), p.counts";

const MOVES: &str = "
    MATCH (t:Tabiya) WITH t.collections AS collections
    MATCH (a:Position)-[m:MOVE]->(b:Position)
    RETURN a.id, b.id, m.uci, m.san,
        m.white, m.draws, m.black, m.rating_sum, m.rated, m.first_year, m.last_year,
        coalesce(m.collections, collections), m.counts";

impl Neo4jStore {
    pub(crate) async fn knowledge_graph(&self, collection: Option<&str>) -> Result<KnowledgeGraph, StoreError> {
        let wanted = self.all_collections().await?.wanted(self, collection)?;
        let mut graph = KnowledgeGraph::default();
        let statements = [Statement::new(POSITIONS), Statement::new(MOVES)];
        self.ask(&statements, |statement, mut row| {
            let row = &mut row;
            if statement == 0 {
                let node = KnowledgeNode {
                    id: PositionId::from_i64(row.int()?),
                    epd: row.text()?,
                    ply: small(row.int()?),
                    halfmove: small(row.opt_int()?.unwrap_or_default()),
                    source: row.text()?.parse().map_err(super::super::bolt::BoltError::Unreadable)?,
                    named: row.bool()?,
                    structure: row.opt_text()?,
                    is_branching: row.bool()?,
                    stub_count: row.opt_int()?.map_or(0, id),
                    opening: row.opt_text()?.as_deref().map(uuid).transpose()?,
                    evaluation: evaluation(row)?,
                    stats: tabiya_chess::Stats::default(),
                };
                if let Some(stats) = Counted::take(row)?.of(&wanted) {
                    graph.nodes.push(KnowledgeNode { stats, ..node });
                }
            } else {
                let (parent, child) = (PositionId::from_i64(row.int()?), PositionId::from_i64(row.int()?));
                let (uci, san) = (row.text()?, row.text()?);
                if let Some(stats) = Counted::take(row)?.of(&wanted) {
                    graph.edges.push(KnowledgeEdge {
                        parent,
                        child,
                        uci,
                        san,
                        stats,
                    });
                }
            }
            Ok(())
        })
        .await?;
        graph.nodes.sort_unstable_by_key(|node| node.id);
        graph
            .edges
            .sort_unstable_by(|a, b| (a.parent, &a.uci).cmp(&(b.parent, &b.uci)));
        Ok(graph)
    }
}
