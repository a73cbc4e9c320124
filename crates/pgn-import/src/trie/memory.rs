//! The reference store: everything in memory.

use hashbrown::{HashMap, HashSet};

use super::settle::{epd_of, settle};
use crate::{Batch, Checkpoint, Edge, ImportJob, Inserted, Journal, Position, Reject, RepertoireEdge, Storage, Tactic};

/// Keeps an import in memory. Dumps are ordered by id, so that equal contents are equal bytes.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    positions: HashMap<u64, Position>,
    edges: HashMap<u64, Edge>,
    repertoire_edges: HashSet<RepertoireEdge>,
    tactics: HashMap<u64, Tactic>,
    rejects: Vec<Reject>,
    settled: bool,
}

/// Two different things have one id. The odds are one in billions; merging them would be silent corruption.
#[derive(Debug, thiserror::Error)]
#[error("hash collision: {what} id {id:016x} stands for both `{one}` and `{other}`")]
struct Collision {
    what: &'static str,
    id: u64,
    one: String,
    other: String,
}

impl InMemoryStore {
    /// All positions, by id, each with the ply and FEN of its shortest path.
    pub fn dump_positions(&self) -> Vec<Position> {
        let mut settled;
        let positions = if self.settled {
            &self.positions
        } else {
            settled = self.positions.clone();
            settle(&mut settled, self.edges.values());
            &settled
        };
        let mut all: Vec<_> = positions.values().cloned().collect();
        all.sort_unstable_by_key(|position| position.id);
        all
    }

    /// All edges, by id.
    pub fn dump_edges(&self) -> Vec<Edge> {
        let mut all: Vec<_> = self.edges.values().cloned().collect();
        all.sort_unstable_by_key(|edge| edge.id);
        all
    }

    /// All tactics, by id.
    pub fn dump_tactics(&self) -> Vec<Tactic> {
        let mut all: Vec<_> = self.tactics.values().cloned().collect();
        all.sort_unstable_by_key(|tactic| tactic.id);
        all
    }

    /// All memberships, by repertoire, owner and edge.
    pub fn dump_repertoire_edges(&self) -> Vec<RepertoireEdge> {
        let mut all: Vec<_> = self.repertoire_edges.iter().cloned().collect();
        all.sort_unstable();
        all
    }

    /// The ledger, in the order the games were met.
    pub fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    fn merge_position(&mut self, new: Position) -> anyhow::Result<bool> {
        use hashbrown::hash_map::Entry;
        match self.positions.entry(new.id) {
            Entry::Vacant(place) => {
                place.insert(new);
                Ok(true)
            }
            Entry::Occupied(mut place) => {
                let old = place.get_mut();
                if epd_of(&old.fen) != epd_of(&new.fen) {
                    let (one, other) = (old.fen.clone(), new.fen);
                    return Err(Collision {
                        what: "position",
                        id: new.id,
                        one,
                        other,
                    }
                    .into());
                }
                if (new.ply, &new.fen) < (old.ply, &old.fen) {
                    *old = new;
                }
                Ok(false)
            }
        }
    }

    fn merge_edge(&mut self, new: Edge) -> anyhow::Result<bool> {
        use hashbrown::hash_map::Entry;
        match self.edges.entry(new.id) {
            Entry::Vacant(place) => {
                place.insert(new);
                Ok(true)
            }
            Entry::Occupied(mut place) => {
                let old = place.get_mut();
                if (old.parent_id, &old.move_uci) != (new.parent_id, &new.move_uci) {
                    let one = format!("{:016x} {}", old.parent_id, old.move_uci);
                    let other = format!("{:016x} {}", new.parent_id, new.move_uci);
                    return Err(Collision {
                        what: "edge",
                        id: new.id,
                        one,
                        other,
                    }
                    .into());
                }
                old.source_hint = smaller(old.source_hint.take(), new.source_hint);
                Ok(false)
            }
        }
    }

    fn merge_tactic(&mut self, new: Tactic) -> anyhow::Result<bool> {
        use hashbrown::hash_map::Entry;
        match self.tactics.entry(new.id) {
            Entry::Vacant(place) => {
                place.insert(new);
                Ok(true)
            }
            Entry::Occupied(mut place) => {
                let old = place.get_mut();
                if (&old.fen, &old.pv_uci) != (&new.fen, &new.pv_uci) {
                    let (one, other) = (old.fen.clone(), new.fen);
                    return Err(Collision {
                        what: "tactic",
                        id: new.id,
                        one,
                        other,
                    }
                    .into());
                }
                old.tags.extend(new.tags);
                old.tags.sort_unstable();
                old.tags.dedup();
                old.source_hint = smaller(old.source_hint.take(), new.source_hint);
                Ok(false)
            }
        }
    }
}

#[async_trait::async_trait]
impl Storage for InMemoryStore {
    async fn upsert_positions(&mut self, batch: Vec<Position>) -> anyhow::Result<()> {
        self.settled = false;
        batch
            .into_iter()
            .try_for_each(|position| self.merge_position(position).map(drop))
    }

    async fn upsert_edges(&mut self, batch: Vec<Edge>) -> anyhow::Result<()> {
        self.settled = false;
        batch.into_iter().try_for_each(|edge| self.merge_edge(edge).map(drop))
    }

    async fn upsert_repertoire_edges(&mut self, batch: Vec<RepertoireEdge>) -> anyhow::Result<()> {
        self.repertoire_edges.extend(batch);
        Ok(())
    }

    async fn upsert_tactics(&mut self, batch: Vec<Tactic>) -> anyhow::Result<()> {
        batch
            .into_iter()
            .try_for_each(|tactic| self.merge_tactic(tactic).map(drop))
    }
}

#[async_trait::async_trait]
impl Journal for InMemoryStore {
    async fn checkpoint(&mut self, _job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        // Memory does not outlive the process, so there is never a run to go on with.
        Ok(None)
    }

    async fn commit(&mut self, job: &ImportJob, batch: Batch, _at: &Checkpoint) -> anyhow::Result<Inserted> {
        self.settled = false;
        let mut inserted = Inserted::default();
        for position in batch.positions {
            inserted.positions += u64::from(self.merge_position(position)?);
        }
        for edge in batch.edges {
            inserted.edges += u64::from(self.merge_edge(edge)?);
        }
        for membership in batch.repertoire_edges {
            inserted.repertoire_edges += u64::from(self.repertoire_edges.insert(membership));
        }
        for tactic in batch.tactics {
            inserted.tactics += u64::from(self.merge_tactic(tactic)?);
        }
        // Other runs add to what is there: without a journal nobody can tell whether one begins anew.
        if let Some(struck_off) = &batch.struck_off {
            let games = struck_off.iter().map(|game| (job.source.as_str(), *game));
            // What is entered again takes the place of what was there.
            let gone: HashSet<_> = games.chain(batch.rejects.iter().map(place_of)).collect();
            self.rejects.retain(|reject| !gone.contains(&place_of(reject)));
        }
        self.rejects.extend(batch.rejects);
        Ok(inserted)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        settle(&mut self.positions, self.edges.values());
        self.settled = true;
        Ok(())
    }
}

/// What a ledger has one line for.
fn place_of(reject: &Reject) -> (&str, u64) {
    (reject.source.as_str(), reject.game_index)
}

/// Of two hints the smaller text, so that the order of imports does not show.
fn smaller(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
