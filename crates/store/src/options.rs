//! What may be chosen when a database is opened.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What tells two positions apart. Fixed for a database by its first write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The four-field EPD: move orders that reach one position share it.
    Position,
    /// The whole FEN, counters included: the literal tree.
    FullFen,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Identity::Position => "position",
            Identity::FullFen => "full-fen",
        })
    }
}

impl FromStr for Identity {
    type Err = String;

    fn from_str(text: &str) -> Result<Identity, String> {
        match text {
            "position" => Ok(Identity::Position),
            "full-fen" => Ok(Identity::FullFen),
            _ => Err(format!("unknown identity `{text}`")),
        }
    }
}

/// How a database is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// What positions must be told apart by; `None` takes what the database has, [`Identity::Position`] if it is new.
    pub identity: Option<Identity>,
    /// How long a write waits for another process's write before it gives up.
    pub busy_timeout: Duration,
    /// How long to wait for a server to answer.
    pub connect_timeout: Duration,
    /// Connections per handle. A database in memory always has one.
    pub max_connections: u32,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            identity: None,
            // Settling a database of millions of edges is one transaction of up to a minute.
            busy_timeout: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(10),
            max_connections: 4,
        }
    }
}
