//! Counting, and the reader alone to the same depth.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Result, ensure};
use pgn_import::{GameAt, Input, Source, Visitor, read_games_parallel};
use shakmaty::{Chess, Move};
use tabiya_app::build::count::{Counting, GameFilter, count_input};
use tabiya_counts::{Extraction, Graph, Skeleton, State, survey};

use super::{MAX_PLY, MIN_GAMES, THREADS, whole::set_aside};
use crate::contender::{self, Contender};

/// From the file to a graph of ids in memory.
#[derive(Debug)]
pub(super) struct Counts {
    path: PathBuf,
    bytes: u64,
    state: PathBuf,
    counted: contender::Counts,
}

impl Counts {
    pub(super) fn new(path: PathBuf, bytes: u64, dir: &Path) -> Counts {
        Counts {
            path,
            bytes,
            state: dir.join("counts"),
            counted: contender::Counts::default(),
        }
    }

    fn count(&self) -> Result<contender::Counts> {
        let stop = Arc::new(AtomicBool::new(false));
        let counting = Counting {
            filter: GameFilter::default(),
            max_ply: MAX_PLY,
            threads: THREADS,
            stop: stop.clone(),
        };
        let mut state = State::create(&self.state, counting.rules())?;
        let file = count_input(&mut state, &Input::Path(self.path.clone()), &counting, None)?;
        let skeleton = Skeleton::new();
        let wanted = Extraction {
            min_games: MIN_GAMES,
            facets: Default::default(),
            always: skeleton.always(),
            threads: THREADS,
            stop: &stop,
        };
        let survey = survey(&[&state], &wanted)?;
        let graph = Graph::replay(&survey.outline, &skeleton, MAX_PLY as u16, usize::MAX, THREADS)?;
        let keys = graph.nodes.iter().map(|node| node.key).collect();
        let kept = survey.extract(&[&state], &wanted, keys)?;
        ensure!(
            kept[0].positions.len() <= graph.nodes.len(),
            "more positions were kept than asked for"
        );
        Ok(contender::Counts {
            games: file.games,
            moves: graph.edges.len() as u64,
        })
    }
}

impl Contender for Counts {
    fn name(&self) -> String {
        "counting, to a graph of moves with 5 games".to_owned()
    }

    fn count(&mut self) -> Result<Option<contender::Counts>> {
        self.counted = Counts::count(self)?;
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A first build finds nothing that it would have to remove.
    fn prepare(&mut self) -> Result<()> {
        set_aside(&self.state)
    }

    fn run(&mut self) -> Result<()> {
        ensure!(
            Counts::count(self)? == self.counted,
            "counted something else than before"
        );
        Ok(())
    }
}

/// Checks that moves are legal, up to the same ply.
#[derive(Debug)]
pub(super) struct ReaderAlone {
    path: PathBuf,
    bytes: u64,
    games: u64,
}

#[derive(Debug, Default)]
struct ToPly {
    plies: u32,
}

impl Visitor for ToPly {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self, _at: GameAt) {
        self.plies = 0;
    }

    fn playing(&mut self, _before: &Chess, _m: Move) -> ControlFlow<()> {
        if self.plies == MAX_PLY {
            return ControlFlow::Break(());
        }
        self.plies += 1;
        ControlFlow::Continue(())
    }
}

impl ReaderAlone {
    pub(super) fn new(path: PathBuf, bytes: u64) -> ReaderAlone {
        ReaderAlone { path, bytes, games: 0 }
    }

    fn read(&self) -> Result<u64> {
        let source = Source::open(&Input::Path(self.path.clone()))?;
        Ok(read_games_parallel(source, THREADS, ToPly::default, |_, _| {
            ControlFlow::Continue(())
        })?)
    }
}

impl Contender for ReaderAlone {
    fn name(&self) -> String {
        "the reader alone, to the same depth (limit)".to_owned()
    }

    fn count(&mut self) -> Result<Option<contender::Counts>> {
        self.games = self.read()?;
        Ok(Some(contender::Counts {
            games: self.games,
            moves: 0,
        }))
    }

    fn expected(&self, whole: contender::Counts) -> contender::Counts {
        contender::Counts { moves: 0, ..whole }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.read()? == self.games, "found other games than before");
        Ok(())
    }
}
