//! One connection to a server.

use std::fmt;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::unpack::{self, Row, Value};
use super::{BoltError, Packer, Statement};

const HELLO: u8 = 0x01;
const RESET: u8 = 0x0F;
const BEGIN: u8 = 0x11;
const COMMIT: u8 = 0x12;
const PULL: u8 = 0x3F;
const SUCCESS: u8 = 0x70;
const RECORD: u8 = 0x71;
const IGNORED: u8 = 0x7E;
const FAILURE: u8 = 0x7F;

/// Whom to ask, and as whom.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) credentials: Option<Credentials>,
    /// The server's own choice where none is named.
    pub(crate) database: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl fmt::Debug for Address {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// What a transaction may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::neo4j) enum Access {
    Read,
    Write,
}

#[derive(Debug)]
pub(in crate::neo4j) struct Connection {
    stream: BufReader<TcpStream>,
    database: Option<String>,
    /// How long the server may take for the next message.
    patience: Duration,
}

impl Connection {
    /// Reaches a server and says who asks.
    pub(in crate::neo4j) async fn open(
        address: &Address,
        within: Duration,
        patience: Duration,
    ) -> Result<Connection, BoltError> {
        let opening = async {
            let stream = TcpStream::connect((address.host.as_str(), address.port))
                .await
                .map_err(BoltError::Connect)?;
            // A statement must not wait for more to come.
            stream.set_nodelay(true).map_err(BoltError::Connect)?;
            let mut connection = Connection {
                stream: BufReader::with_capacity(1 << 16, stream),
                database: address.database.clone(),
                patience,
            };
            connection.shake_hands().await?;
            connection.hello(address.credentials.as_ref()).await?;
            Ok(connection)
        };
        match timeout(within, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(BoltError::Silent(within.as_secs())),
        }
    }

    async fn shake_hands(&mut self) -> Result<(), BoltError> {
        // A magic number, then four ranges of versions, best first: 5.0; 4.4 down to 4.1; none; none.
        let greeting = [0x60, 0x60, 0xB0, 0x17, 0, 0, 0, 5, 0, 3, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0];
        self.stream.write_all(&greeting).await.map_err(BoltError::Broken)?;
        let mut version = [0; 4];
        self.stream.read_exact(&mut version).await.map_err(BoltError::Broken)?;
        match &version {
            [0, 0, 0, 5] | [0, 0, 1..=4, 4] => Ok(()),
            b"HTTP" => Err(BoltError::Foreign(
                "this is Neo4j's port for browsers, Bolt has another (7687 as a rule)",
            )),
            [0, 0, 0, 0] => Err(BoltError::Foreign("it speaks neither Bolt 5.0 nor 4.4; Neo4j 5 does")),
            _ => Err(BoltError::Foreign("it does not speak Bolt")),
        }
    }

    async fn hello(&mut self, credentials: Option<&Credentials>) -> Result<(), BoltError> {
        let mut hello = Packer::default();
        hello.structure(HELLO, 1);
        hello.map(if credentials.is_some() { 4 } else { 2 });
        hello.text("user_agent");
        hello.text(concat!("tabiya/", env!("CARGO_PKG_VERSION")));
        hello.text("scheme");
        match credentials {
            None => hello.text("none"),
            Some(credentials) => {
                hello.text("basic");
                hello.text("principal");
                hello.text(&credentials.user);
                hello.text("credentials");
                hello.text(&credentials.password);
            }
        }
        let mut out = Vec::new();
        chunk(&hello, &mut out);
        self.send(&out).await?;
        self.success().await
    }

    /// Runs statements in one transaction, sent in one go, and hands over each row with the number of its statement. What
    /// the server refuses leaves nothing behind, and the connection as good as new.
    pub(in crate::neo4j) async fn run(
        &mut self,
        access: Access,
        statements: &[Statement],
        mut each: impl FnMut(usize, Row) -> Result<(), BoltError>,
    ) -> Result<(), BoltError> {
        let mut out = Vec::new();
        chunk(&self.begin(access), &mut out);
        for statement in statements {
            chunk(&statement.message(), &mut out);
            chunk(&pull_all(), &mut out);
        }
        chunk(&bare(COMMIT), &mut out);
        self.send(&out).await?;
        drop(out);
        self.gather(statements.len(), &mut each).await
    }

    fn begin(&self, access: Access) -> Packer {
        let mut message = Packer::default();
        message.structure(BEGIN, 1);
        message.map(usize::from(self.database.is_some()) + usize::from(access == Access::Read));
        if let Some(database) = &self.database {
            message.text("db");
            message.text(database);
        }
        if access == Access::Read {
            message.text("mode");
            message.text("r");
        }
        message
    }

    /// Reads the answers to some statements and their pulls, and to the begin and commit around them.
    async fn gather(
        &mut self,
        statements: usize,
        each: &mut impl FnMut(usize, Row) -> Result<(), BoltError>,
    ) -> Result<(), BoltError> {
        let mut refused = None;
        for message in 0..2 * statements + 2 {
            loop {
                match self.receive().await? {
                    (RECORD, fields) => {
                        let Some(Value::List(values)) = fields.into_iter().next() else {
                            return Err(BoltError::Unreadable("a record without a list".to_owned()));
                        };
                        each(message.saturating_sub(1) / 2, Row::new(values))?;
                        continue;
                    }
                    (SUCCESS, _) => {}
                    (IGNORED, _) if refused.is_some() => {}
                    (FAILURE, fields) => refused = Some(failure(fields)),
                    (tag, _) => return Err(BoltError::Unreadable(format!("{tag:#04x} is no answer"))),
                }
                break;
            }
        }
        match refused {
            None => Ok(()),
            Some(error) => {
                let mut out = Vec::new();
                chunk(&bare(RESET), &mut out);
                self.send(&out).await?;
                self.success().await?;
                Err(error)
            }
        }
    }

    async fn success(&mut self) -> Result<(), BoltError> {
        match self.receive().await? {
            (SUCCESS, _) => Ok(()),
            (FAILURE, fields) => Err(failure(fields)),
            (tag, _) => Err(BoltError::Unreadable(format!("{tag:#04x} is no answer"))),
        }
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<(), BoltError> {
        match timeout(self.patience, self.stream.write_all(bytes)).await {
            Ok(sent) => sent.map_err(BoltError::Broken),
            Err(_) => Err(BoltError::Silent(self.patience.as_secs())),
        }
    }

    /// The next message: its tag and its fields.
    async fn receive(&mut self) -> Result<(u8, Vec<Value>), BoltError> {
        let bytes = match timeout(self.patience, message(&mut self.stream)).await {
            Ok(bytes) => bytes.map_err(BoltError::Broken)?,
            Err(_) => return Err(BoltError::Silent(self.patience.as_secs())),
        };
        match unpack::read(&bytes)? {
            Value::Structure(tag, fields) => Ok((tag, fields)),
            other => Err(BoltError::Unreadable(format!("{other:?} is no message"))),
        }
    }
}

/// A message is sent in chunks, each behind its length; an empty one ends it. Empty ones between messages keep a
/// connection alive.
async fn message(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let length = usize::from(stream.read_u16().await?);
        if length == 0 && !bytes.is_empty() {
            return Ok(bytes);
        }
        let start = bytes.len();
        bytes.resize(start + length, 0);
        stream.read_exact(&mut bytes[start..]).await?;
    }
}

fn chunk(message: &Packer, out: &mut Vec<u8>) {
    for chunk in message.bytes().chunks(usize::from(u16::MAX)) {
        out.extend((chunk.len() as u16).to_be_bytes());
        out.extend(chunk);
    }
    out.extend([0, 0]);
}

fn bare(tag: u8) -> Packer {
    let mut message = Packer::default();
    message.structure(tag, 0);
    message
}

fn pull_all() -> Packer {
    let mut pull = Packer::default();
    pull.structure(PULL, 1);
    pull.map(1);
    pull.text("n");
    pull.int(-1);
    pull
}

fn failure(fields: Vec<Value>) -> BoltError {
    let (mut code, mut message) = (String::new(), String::new());
    if let Some(Value::Map(pairs)) = fields.into_iter().next() {
        for pair in pairs {
            match pair {
                (key, Value::Text(text)) if key == "code" => code = text,
                (key, Value::Text(text)) if key == "message" => message = text,
                _ => {}
            }
        }
    }
    BoltError::Refused { code, message }
}
