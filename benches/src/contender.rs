//! Who is compared, and how: everybody counts first, then all take turns.

use anyhow::{Context, Result, ensure};

use crate::clock::{Clock, Cost, Patience, timed};

/// What a contender says it has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) games: u64,
    pub(crate) moves: u64,
}

/// Somebody who does the work that is measured.
pub(crate) trait Contender {
    fn name(&self) -> String;

    /// Whether it can run here at all.
    fn installed(&self) -> bool {
        true
    }

    /// What it finds in its part of the corpus, by a run that need not be fast. None for a limit, which reads bytes and
    /// knows nothing of games.
    fn count(&mut self) -> Result<Option<Counts>>;

    /// What it must find.
    fn expected(&self, whole: Counts) -> Counts {
        whole
    }

    /// The bytes of its part of the corpus.
    fn bytes(&self) -> u64;

    /// What has to be done before each run and is not part of it.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does the work once.
    fn run(&mut self) -> Result<()>;

    /// Does the work once and says what it cost. Whoever starts slowly says itself when it began.
    fn measure(&mut self) -> Result<Cost> {
        self.prepare()?;
        let (done, cost) = timed(|| self.run());
        done.map(|()| cost)
    }

    /// How many turns it takes at most.
    fn turns(&self) -> usize {
        7
    }
}

/// What came out for one contender.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) name: String,
    /// None where it is not installed.
    pub(crate) best: Option<Best>,
}

/// The best of a contender's turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Best {
    pub(crate) cost: Cost,
    /// By the clock that decides.
    pub(crate) seconds: f64,
    pub(crate) bytes: u64,
    pub(crate) counts: Option<Counts>,
}

impl Best {
    pub(crate) fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.seconds
    }

    pub(crate) fn games_per_second(&self) -> Option<f64> {
        self.counts.map(|counts| counts.games as f64 / self.seconds)
    }

    pub(crate) fn moves_per_second(&self) -> Option<f64> {
        self.counts.map(|counts| counts.moves as f64 / self.seconds)
    }
}

/// Lets everybody count, and fails if they disagree; then measures them in turns, A B C A B C, so that whatever else the
/// machine does meets all of them. Where the wall clock decides, each turn waits a little for others to pause.
pub(crate) fn compete(contenders: &mut [Box<dyn Contender>], clock: Clock) -> Result<Vec<Standing>> {
    let counts = count(contenders)?;
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); contenders.len()];
    let mut patience = Patience::with(clock);
    let turns = contenders.iter().map(|contender| contender.turns()).max().unwrap_or(0);
    for turn in 0..turns {
        for (contender, costs) in contenders.iter_mut().zip(&mut costs) {
            if contender.installed() && turn < contender.turns() {
                patience.wait_for_quiet();
                costs.push(contender.measure().with_context(|| contender.name())?);
            }
        }
    }
    Ok(contenders
        .iter()
        .zip(costs)
        .zip(counts)
        .map(|((contender, costs), counts)| standing(&**contender, &costs, counts, clock))
        .collect())
}

fn count(contenders: &mut [Box<dyn Contender>]) -> Result<Vec<Option<Counts>>> {
    let mut whole = None;
    let mut all = Vec::new();
    for contender in contenders {
        let name = contender.name();
        let counts = if contender.installed() {
            contender.count().with_context(|| name.clone())?
        } else {
            None
        };
        if let Some(counts) = counts {
            let expected = contender.expected(*whole.get_or_insert(counts));
            ensure!(
                counts == expected,
                "{name} finds {counts:?}, but {expected:?} are there"
            );
        }
        all.push(counts);
    }
    Ok(all)
}

fn standing(contender: &dyn Contender, costs: &[Cost], counts: Option<Counts>, clock: Clock) -> Standing {
    let best = costs.iter().min_by_key(|cost| cost.by(clock)).map(|cost| Best {
        cost: *cost,
        seconds: cost.by(clock).as_secs_f64(),
        bytes: contender.bytes(),
        counts,
    });
    Standing {
        name: contender.name(),
        best,
    }
}
