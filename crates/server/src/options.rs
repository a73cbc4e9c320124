//! How a server behaves.

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use tabiya_app::review::DeskOptions;

/// What a server is told.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    pub bind: SocketAddr,
    /// Web pages of which origins may ask; `*` for all. None may by default.
    pub cors: Vec<String>,
    /// Who may make the server do something beyond answering.
    pub api_key: Option<ApiKey>,
    pub limits: Limits,
    /// PGN files and directories whose games are compared and shown.
    pub games: Vec<String>,
    /// How games are reviewed.
    pub reviews: DeskOptions,
    /// How often to look whether the data have changed; zero for never.
    pub reload: Duration,
}

/// How much anybody may ask for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Requests of one client in a second, which is an address of IPv4 or a /64 of IPv6; `None` for any number.
    pub rate: Option<NonZeroU32>,
    /// Requests at the same time.
    pub in_flight: usize,
    /// Connections at the same time; less where the system allows less.
    pub connections: usize,
    /// Those of one client, so that no single one keeps all others out.
    pub connections_of_one: usize,
    /// For a request to arrive after the answer before it; longer than `time`.
    pub head: Duration,
    /// How long a client may take nothing of its answer.
    pub deaf: Duration,
    /// For one answer.
    pub time: Duration,
    /// Bytes of a request's body.
    pub body: usize,
    /// Bytes of a request's path and query.
    pub uri: usize,
    /// Nodes of a tree.
    pub tree_nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rate: None,
            in_flight: 512,
            connections: 4096,
            connections_of_one: 2048,
            head: Duration::from_secs(20),
            deaf: Duration::from_secs(30),
            time: Duration::from_secs(10),
            body: 64 << 10,
            uri: 8 << 10,
            tree_nodes: 20_000,
        }
    }
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            bind: SocketAddr::from(([127, 0, 0, 1], 8000)),
            cors: Vec::new(),
            api_key: None,
            limits: Limits::default(),
            games: Vec::new(),
            reviews: DeskOptions::default(),
            reload: Duration::from_secs(2),
        }
    }
}

/// A secret that has to come with a request.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// `None` where nothing is left without the blanks around it.
    pub fn new(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        (!text.is_empty()).then(|| ApiKey(text.to_owned()))
    }

    /// Takes as long for a key that is nearly right as for any other of its length.
    pub(crate) fn fits(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own.iter().zip(given).fold(0, |seen, (a, b)| seen | (a ^ b));
        own.len() == given.len() && differences == 0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
