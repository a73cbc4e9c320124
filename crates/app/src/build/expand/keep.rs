//! How much of what was counted is kept.

use std::sync::atomic::Ordering::Relaxed;

use tabiya_counts::{
    CollectionKept, CountError, Extraction, Graph, Outline, Skeleton, State, Survey, survey, threshold,
};

use super::ExpandRequest;
use crate::AppError;

/// The positions of the named lines alone, which are kept whatever was counted. More of them than may be kept are refused, so that
/// nobody counts for hours first.
pub(super) fn named_positions(skeleton: &Skeleton, request: &ExpandRequest) -> Result<usize, AppError> {
    let named = Graph::replay(
        &Outline::default(),
        skeleton,
        request.depth,
        usize::MAX,
        request.threads,
    )?;
    check_named(named.nodes.len(), request.max_nodes)?;
    Ok(named.nodes.len())
}

/// What is kept in any case must not be more than may be.
pub(in crate::build) fn check_named(named: usize, max_nodes: u64) -> Result<(), AppError> {
    if named as u64 <= max_nodes {
        return Ok(());
    }
    Err(AppError::OutOfRange(format!(
        "--max-nodes {max_nodes}: the named lines alone have {named} positions; raise --max-nodes to that or more"
    )))
}

/// What is kept, as a graph of no more nodes than asked for, and the threshold that took: the lowest that does, of those under
/// which no more than a few times as many moves have to be held.
pub(super) fn keep(
    states: &[&State],
    skeleton: &Skeleton,
    named: usize,
    request: &ExpandRequest,
    asked: u64,
) -> Result<(Vec<CollectionKept>, Graph, u64), AppError> {
    let most = usize::try_from(request.max_nodes).unwrap_or(usize::MAX);
    let mut wanted = Extraction {
        min_games: asked,
        facets: request.facets,
        always: skeleton.always(),
        threads: request.threads,
        stop: &request.stop,
    };
    // Never hold many times what can be kept.
    wanted.min_games = threshold(states, &wanted, request.max_nodes.saturating_mul(4))?;
    let mut survey = survey(states, &wanted)?;
    let growing = Growing {
        skeleton,
        named,
        request,
        most,
    };
    let mut graph = growing.replay(&survey.outline)?;
    if graph.nodes.len() > most {
        drop(graph);
        wanted.min_games = growing.raise(&mut survey, wanted.min_games)?;
        graph = growing.replay(&survey.outline)?;
    }
    let keys = graph.nodes.iter().map(|node| node.key).collect();
    let kept = survey.extract(states, &wanted, keys)?;
    Ok((kept, graph, wanted.min_games))
}

/// A graph that may become so large.
struct Growing<'a> {
    skeleton: &'a Skeleton,
    named: usize,
    request: &'a ExpandRequest,
    most: usize,
}

impl Growing<'_> {
    fn replay(&self, outline: &Outline) -> Result<Graph, CountError> {
        let ExpandRequest { depth, threads, .. } = self.request;
        Graph::replay(outline, self.skeleton, *depth, self.most, *threads)
    }

    /// Finds the lowest threshold above `fails` under which the graph fits. Every one that is tried costs a replay and no look at
    /// what was counted.
    fn raise(&self, survey: &mut Survey, mut fails: u64) -> Result<u64, CountError> {
        // A move that is kept leads to every position but those of the named lines, so there is room for all of these.
        let room = self.most.saturating_sub(self.named);
        let mut fits = survey.outline.threshold(room).max(fails + 1);
        while fits - fails > 1 {
            if self.request.stop.load(Relaxed) {
                return Err(CountError::Stopped);
            }
            let tried = fails + (fits - fails) / 2;
            survey.raise(tried);
            if self.replay(&survey.outline)?.nodes.len() <= self.most {
                fits = tried;
            } else {
                fails = tried;
            }
        }
        survey.raise(fits);
        Ok(fits)
    }
}
