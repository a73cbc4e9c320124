//! What a piece of work costs: the time on the wall, and the time on processors.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

/// The length of the ticks in which the kernel reports processor time.
const TICK: Duration = Duration::from_millis(10);

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// Of this process with all its threads, and of the children it waited for.
    pub(crate) cpu: Duration,
    /// The children's part of that.
    pub(crate) children: Duration,
    /// The share of the machine that others used meanwhile.
    pub(crate) others: f64,
}

/// Which of the two decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// For work on one thread: what others do on the machine hardly shows in it.
    Processor,
    /// For work on several. Each turn waits for others to pause; all turns together no longer than this.
    Wall { patience: Duration },
}

impl Cost {
    /// What this process used itself.
    pub(crate) fn own(&self) -> Duration {
        self.cpu.saturating_sub(self.children)
    }

    pub(crate) fn by(&self, clock: Clock) -> Duration {
        match clock {
            Clock::Processor => self.cpu,
            Clock::Wall { .. } => self.wall,
        }
    }
}

/// Does the work and says what it cost.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (busy, own, children, wall) = (machine_busy(), own_time(), children_time(), Instant::now());
    let done = work();
    let wall = wall.elapsed();
    let children = children_time().saturating_sub(children);
    let cpu = own_time().saturating_sub(own) + children;
    let busy = machine_busy().saturating_sub(busy);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let others = busy.saturating_sub(cpu).as_secs_f64() / (wall.as_secs_f64() * cores).max(1e-9);
    let cost = Cost {
        wall,
        cpu,
        children,
        others,
    };
    (done, cost)
}

/// What a comparison is ready to wait, all in all, until others leave the machine alone.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

/// A share of the machine that does not matter.
pub(crate) const QUIET: f64 = 0.1;

impl Patience {
    pub(crate) fn with(clock: Clock) -> Patience {
        match clock {
            Clock::Processor => Patience(Duration::ZERO),
            Clock::Wall { patience } => Patience(patience),
        }
    }

    pub(crate) fn wait_for_quiet(&mut self) {
        const GLANCE: Duration = Duration::from_millis(250);
        while self.0 >= GLANCE {
            let ((), cost) = timed(|| std::thread::sleep(GLANCE));
            if cost.others < QUIET {
                return;
            }
            self.0 -= GLANCE;
        }
    }
}

fn own_time() -> Duration {
    let own = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(own.tv_sec.unsigned_abs(), own.tv_nsec.unsigned_abs() as u32)
}

/// Of all children that were waited for. Without `/proc` their time is not known, and counts as none.
fn children_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in brackets, may hold spaces; user and system time of children are fields 14 and 15 behind it.
    let ticks = stat.rsplit(')').next().map_or(0, |fields| {
        fields
            .split_whitespace()
            .skip(13)
            .take(2)
            .filter_map(|field| field.parse::<u32>().ok())
            .sum()
    });
    TICK * ticks
}

/// Of all processors together, what everybody on this machine, and the host below it, took of them.
fn machine_busy() -> Duration {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: u64 = fields
        .take(8)
        .enumerate()
        .filter(|(i, _)| ![3, 4].contains(i))
        .filter_map(|(_, f)| f.parse::<u64>().ok())
        .sum();
    TICK.mul_f64(ticks as f64)
}
