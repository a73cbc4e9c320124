//! An HTTP server on a real socket, written by hand so that it can do what no server library would.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use tabiya_lichess::Url;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request, as far as the tests ask about it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Counted from 0, over all connections.
    pub(crate) number: usize,
    pub(crate) at: Instant,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) headers: HashMap<String, String>,
}

impl Request {
    pub(crate) fn fen(&self) -> &str {
        self.query.get("fen").map_or("", String::as_str)
    }

    pub(crate) fn authorization(&self) -> Option<&str> {
        self.headers.get("authorization").map(String::as_str)
    }
}

/// What the server does with a request.
pub(crate) enum Reply {
    Ok(String),
    /// A status with a header line, perhaps empty, and a body.
    Status(u16, &'static str, &'static str),
    /// Promises the whole body and sends half.
    Truncated(String),
    /// As `Truncated`, in chunks, without the last one.
    TruncatedChunks(String),
    /// Sends half of the body and calls it the whole.
    Half(String),
    /// Hangs up without a word.
    HangUp,
    /// Answers after a while.
    Slow(Duration, String),
    /// Sends without end.
    Endless,
}

pub(crate) struct Server {
    pub(crate) base: Url,
    requests: Arc<Mutex<Vec<Request>>>,
    most_at_once: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Answers every request with what `script` says.
    pub(crate) async fn start(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let most_at_once = Arc::new(AtomicUsize::new(0));
        let shared = Arc::new(Shared {
            script: Box::new(script),
            requests: Arc::clone(&requests),
            most_at_once: Arc::clone(&most_at_once),
            at_once: AtomicUsize::new(0),
        });
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Server {
            base: Url::parse(&format!("http://{address}/masters")).expect("a URL"),
            requests,
            most_at_once,
            accepting,
        }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panicked here").clone()
    }

    /// The FENs that were asked for, in order.
    pub(crate) fn fens(&self) -> Vec<String> {
        self.requests().iter().map(|request| request.fen().to_owned()).collect()
    }

    /// The times between requests.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        self.requests().windows(2).map(|pair| pair[1].at - pair[0].at).collect()
    }

    /// The largest number of requests that were unanswered at a time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.most_at_once.load(SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

struct Shared {
    script: Box<dyn Fn(&Request) -> Reply + Send + Sync>,
    requests: Arc<Mutex<Vec<Request>>>,
    most_at_once: Arc<AtomicUsize>,
    at_once: AtomicUsize,
}

/// One connection, for as many requests as it lasts. A client that is gone ends it.
async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    while let Some(head) = head(&mut stream).await {
        let at_once = shared.at_once.fetch_add(1, SeqCst) + 1;
        shared.most_at_once.fetch_max(at_once, SeqCst);
        let request = {
            let mut requests = shared.requests.lock().expect("no test panicked here");
            let request = parse(&head, requests.len());
            requests.push(request.clone());
            request
        };
        let reply = (shared.script)(&request);
        let goes_on = send(&mut stream, reply, &shared.at_once).await;
        if !goes_on {
            return;
        }
    }
}

async fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

fn parse(head: &str, number: usize) -> Request {
    let mut lines = head.lines();
    let target = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .expect("a request line");
    let url = Url::parse("http://server")
        .and_then(|base| base.join(target))
        .expect("a target");
    let headers = lines.filter_map(|line| line.split_once(": "));
    Request {
        number,
        at: Instant::now(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers: headers
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
    }
}

/// Whether the connection can be used again.
async fn send(stream: &mut TcpStream, reply: Reply, at_once: &AtomicUsize) -> bool {
    if let Reply::Slow(pause, _) = &reply {
        tokio::time::sleep(*pause).await;
    }
    // Before the first byte, so that the next request cannot overtake the count.
    at_once.fetch_sub(1, SeqCst);
    let (text, goes_on) = match reply {
        Reply::Ok(body) | Reply::Slow(_, body) => (whole(200, "", &body), true),
        Reply::Status(status, header, body) => (whole(status, header, body), true),
        Reply::Truncated(body) => {
            let all = whole(200, "", &body);
            (all[..all.len() - body.len() / 2].to_owned(), false)
        }
        Reply::TruncatedChunks(body) => {
            let half = &body[..body.len() / 2];
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            (format!("{head}{:x}\r\n{half}\r\n", half.len()), false)
        }
        Reply::Half(body) => (whole(200, "", &body[..body.len() / 2]), true),
        Reply::HangUp => (String::new(), false),
        Reply::Endless => {
            let mut text = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
            while stream.write_all(text.as_bytes()).await.is_ok() {
                text = " ".repeat(1 << 16);
            }
            return false;
        }
    };
    stream.write_all(text.as_bytes()).await.is_ok() && goes_on
}

fn whole(status: u16, header: &str, body: &str) -> String {
    let header = if header.is_empty() {
        String::new()
    } else {
        format!("{header}\r\n")
    };
    format!(
        "HTTP/1.1 {status} Status\r\n{header}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
