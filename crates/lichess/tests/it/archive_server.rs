//! A server of archives that does what servers do, and downloads from it.

use std::{
    io::Read as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use sha2::{Digest, Sha256};
use tabiya_chess::Variant;
use tabiya_lichess::{ArchiveError, ArchiveSite, Download, DownloadOptions, Month};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What the server does with the next request for the archive.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Answers as asked, and hangs up after so many bytes.
    Cut(usize),
    /// Answers as asked, without naming a length, and hangs up after so many bytes.
    CutChunked(usize),
    /// Sends everything, whatever range was asked for.
    IgnoreRange,
    /// Is in trouble.
    Trouble,
    /// Sends whoever asks to another place.
    Moved(String),
    /// Sends a page, or nothing, under status 200.
    Page(&'static str),
    /// Says that the bytes of a range come, and sends those from a place on.
    Claim(&'static str, usize),
    /// Serves another file from now on.
    Change(Vec<u8>, &'static str),
    /// Serves another file under the same name and tag.
    ChangeSilently(Vec<u8>),
    /// Answers as asked.
    Sound,
}

#[derive(Debug)]
struct Shared {
    content: Mutex<(Vec<u8>, String)>,
    manners: Mutex<Vec<Manner>>,
    texts: Vec<(&'static str, String)>,
    requests: AtomicUsize,
    ranges: Mutex<Vec<Option<String>>>,
}

pub(crate) struct ArchiveServer {
    pub(crate) base: String,
    shared: Arc<Shared>,
}

impl ArchiveServer {
    pub(crate) async fn start(
        content: Vec<u8>,
        manners: Vec<Manner>,
        texts: Vec<(&'static str, String)>,
    ) -> ArchiveServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            content: Mutex::new((content, "\"first\"".to_owned())),
            manners: Mutex::new(manners),
            texts,
            requests: AtomicUsize::new(0),
            ranges: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        ArchiveServer { base, shared }
    }

    /// Requests for archives.
    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(SeqCst)
    }

    /// The ranges these asked for.
    pub(crate) fn ranges(&self) -> Vec<Option<String>> {
        self.shared.ranges.lock().expect("no test panicked here").clone()
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).expect("a request");
    let path = head.split(' ').nth(1).expect("a path").to_owned();
    let header = |name: &str| {
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    };
    if let Some((_, text)) = shared.texts.iter().find(|(name, _)| *name == path) {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        let _ = stream.write_all(answer.as_bytes()).await;
        return;
    }
    if !path.ends_with(".pgn.zst") {
        let _ = stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .await;
        return;
    }
    shared.requests.fetch_add(1, SeqCst);
    shared
        .ranges
        .lock()
        .expect("no test panicked here")
        .push(header("range"));
    let manner = {
        let mut manners = shared.manners.lock().expect("no test panicked here");
        match manners.is_empty() {
            true => Manner::Sound,
            false => manners.remove(0),
        }
    };
    if let Manner::Change(content, tag) = &manner {
        *shared.content.lock().expect("no test panicked here") = (content.clone(), (*tag).to_owned());
    }
    if let Manner::ChangeSilently(content) = &manner {
        shared
            .content
            .lock()
            .expect("no test panicked here")
            .0
            .clone_from(content);
    }
    let (content, tag) = shared.content.lock().expect("no test panicked here").clone();
    let asked = header("range").and_then(|range| range.strip_prefix("bytes=")?.trim_end_matches('-').parse().ok());
    let same = header("if-range").is_none_or(|condition| condition == tag);
    let from: usize = match (&manner, asked) {
        (Manner::IgnoreRange | Manner::ChangeSilently(_), _) | (_, None) => 0,
        (_, Some(_)) if !same => 0,
        (_, Some(from)) => from,
    };
    if matches!(manner, Manner::Trouble) {
        let _ = stream
            .write_all(b"HTTP/1.1 503 Trouble\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .await;
        return;
    }
    if let Manner::Moved(to) = &manner {
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        let _ = stream.write_all(answer.as_bytes()).await;
        return;
    }
    if let Manner::Page(page) = &manner {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nETag: \"page\"\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{page}",
            page.len()
        );
        let _ = stream.write_all(answer.as_bytes()).await;
        return;
    }
    let from = match &manner {
        Manner::Claim(_, from) => *from,
        _ => from,
    };
    let body = &content[from.min(content.len())..];
    let status = match (&manner, from) {
        (Manner::Claim(range, _), _) => format!("206 Partial Content\r\nContent-Range: {range}"),
        (_, 0) => "200 OK".to_owned(),
        (_, from) => format!(
            "206 Partial Content\r\nContent-Range: bytes {from}-{}/{}",
            content.len() - 1,
            content.len()
        ),
    };
    let sent = match manner {
        Manner::Cut(bytes) | Manner::CutChunked(bytes) => bytes.min(body.len()),
        _ => body.len(),
    };
    let head = match manner {
        Manner::CutChunked(_) => {
            format!("HTTP/1.1 {status}\r\nETag: {tag}\r\nTransfer-Encoding: chunked\r\n\r\n{sent:x}\r\n")
        }
        _ => format!(
            "HTTP/1.1 {status}\r\nETag: {tag}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        ),
    };
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(&body[..sent]).await;
    let _ = stream.flush().await;
}

/// It begins as an archive does.
pub(crate) fn content(len: usize) -> Vec<u8> {
    let head = [0x28, 0xb5, 0x2f, 0xfd];
    let rest = (head.len()..).map(|at| (at * 7 + at / 251) as u8);
    head.into_iter().chain(rest).take(len).collect()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn options() -> DownloadOptions {
    DownloadOptions {
        first_pause: Duration::from_millis(1),
        ..DownloadOptions::default()
    }
}

pub(crate) fn month() -> Month {
    "2024-01".parse().expect("a month")
}

/// Reads a download to its end, or to its error.
pub(crate) async fn fetch(server: &ArchiveServer, options: DownloadOptions) -> Result<Vec<u8>, ArchiveError> {
    fetch_from(&server.base, options).await
}

pub(crate) async fn fetch_from(base: &str, options: DownloadOptions) -> Result<Vec<u8>, ArchiveError> {
    let site = ArchiveSite::new(base).expect("a site");
    let archive = site.archive(Variant::Standard, month()).expect("an archive");
    let mut download = Download::new(&site, archive.url, options).expect("a download");
    tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        match download.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(*error
                .into_inner()
                .expect("an error inside")
                .downcast::<ArchiveError>()
                .expect("an archive's error")),
        }
    })
    .await
    .expect("no panic")
}
