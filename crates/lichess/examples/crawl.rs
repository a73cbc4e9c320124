//! Prints what a crawl of an explorer finds: `crawl URL DEPTH MIN_GAMES [RATE]`, the token in `LICHESS_TOKEN`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example")]

use std::{convert::Infallible, env, error::Error};

use shakmaty::Chess;
use tabiya_lichess::{CrawlEnd, CrawlOptions, CrawlSink, CrawledNode, Explorer, ExplorerConfig, Seed, crawl};

struct Print;

impl CrawlSink for Print {
    type Error = Infallible;

    async fn answered(&mut self, node: CrawledNode) -> Result<(), Infallible> {
        println!("{}\t{}\t{}", node.depth, node.epd, node.tally.games());
        for m in &node.moves {
            println!("\t{}\t{}", m.edge.san, m.edge.tally.games());
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let mut next = || args.next().ok_or("usage: crawl URL DEPTH MIN_GAMES [RATE]");
    let mut config = ExplorerConfig::new(next()?.parse()?);
    let options = CrawlOptions {
        depth: next()?.parse()?,
        min_games: next()?.parse()?,
    };
    if let Ok(rate) = next() {
        config.rate = rate.parse()?;
    }
    if let Ok(token) = env::var("LICHESS_TOKEN") {
        config.token = Some(token.parse()?);
    }
    let explorer = Explorer::new(config)?.on_wait(|wait| eprintln!("{wait}"));
    let seeds = [Seed::new(Chess::default(), 0)];
    let outcome = crawl(&explorer, seeds, options, |_| None, &mut Print).await;
    eprintln!("{:?}", outcome.report);
    match outcome.end {
        CrawlEnd::Explorer(err) => {
            eprintln!("hint: {}", err.hint());
            Err(err.into())
        }
        end => {
            eprintln!("{end:?}");
            Ok(())
        }
    }
}
