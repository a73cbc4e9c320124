//! Walking through an explorer's tree, position by position.

mod frontier;
mod node;
mod outcome;
mod walk;

pub use frontier::{CrawlOptions, Frontier, Seed, Target};
pub use node::{CrawledMove, CrawledNode};
pub use outcome::{CrawlEnd, CrawlOutcome, CrawlReport};
pub use walk::{CrawlSink, KnownMove, crawl};
