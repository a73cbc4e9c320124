//! Who may hold a connection, and for how long without asking or listening.
//!
//! axum's own loop has no clock: a client that sends its request a byte a minute, or never reads its answer, holds a
//! connection for ever, and enough of them leave none to anybody else.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep};
use tower::ServiceExt;

use crate::guests::{Guest, Guests, client_of};
use crate::options::Limits;

/// Bytes of a request's line and headers.
const HEAD: usize = 32 << 10;

/// Descriptors that are needed for other things than connections.
const OTHERS: u64 = 128;

/// When the system has no descriptor left, somebody else has to hang up first.
const BREATH: Duration = Duration::from_millis(100);

/// What somebody is told who cannot have a connection.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Answers until `stop` comes, then takes nobody in any more and waits for those who are there.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let guests = Arc::new(guests(&limits));
    let (closing, _) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, address)) => match Guests::admit(&guests, client_of(address.ip())) {
                Some(guest) => {
                    let talk = converse(stream, address, router.clone(), limits, closing.subscribe(), guest);
                    tokio::spawn(talk);
                }
                // What fits into the system's own buffer: nobody waits for a stranger here.
                None => drop(stream.try_write(FULL)),
            },
            Err(error) if is_of_the_other_side(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    closing.send_replace(true);
    closing.closed().await;
}

fn is_of_the_other_side(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}

async fn converse(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    limits: Limits,
    mut closing: watch::Receiver<bool>,
    _guest: Guest,
) {
    // Small answers must not wait for more to come.
    let _ = stream.set_nodelay(true);
    let asked = Arc::new(Asked::default());
    let hearing = Arc::clone(&asked);
    let service = ServiceExt::<Request>::map_request(router, move |request: hyper::Request<Incoming>| {
        hearing.now();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(address));
        request
    });
    let talk = http1::Builder::new().max_header_size(HEAD).serve_connection(
        TokioIo::new(Impatient::new(stream, &limits, asked)),
        TowerToHyperService::new(service),
    );
    let mut talk = pin!(talk);
    let is_over = tokio::select! {
        // Whoever hung up, was too slow or sent nonsense has heard of it.
        _ = talk.as_mut() => true,
        () = async { let _ = closing.wait_for(|closing| *closing).await; } => false,
    };
    if !is_over {
        talk.as_mut().graceful_shutdown();
        let _ = talk.await;
    }
}

/// As many as there may be, of all and of one.
fn guests(limits: &Limits) -> Guests {
    let room = usize::try_from(descriptors().saturating_sub(OTHERS)).unwrap_or(usize::MAX);
    let all = limits.connections.min(room.max(1));
    // Where there is less room for all, there is less for each in proportion.
    let of_one = (limits.connections_of_one.saturating_mul(all) / limits.connections.max(1)).clamp(1, all);
    Guests::new(all, of_one)
}

/// As many descriptors as this process may have: first it asks for all that it may ask for.
#[cfg(unix)]
fn descriptors() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
    .unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn descriptors() -> u64 {
    u64::MAX
}

/// When a request's head was last complete. Its answer may be long in coming, and nothing is said meanwhile.
#[derive(Debug)]
struct Asked {
    begun: Instant,
    /// Since then, in milliseconds.
    last: AtomicU64,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            begun: Instant::now(),
            last: AtomicU64::new(0),
        }
    }
}

impl Asked {
    fn now(&self) {
        let since = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(since, Relaxed);
    }

    fn last(&self) -> Instant {
        self.begun + Duration::from_millis(self.last.load(Relaxed))
    }
}

/// A connection that ends when the other side asks nothing that could be answered, or takes nothing of its answer, for too long.
///
/// hyper has a clock for heads too, which it sets and takes back for every request; this one is set anew only when it goes off, and
/// then looks when something was last asked or said. hyper reads on while an answer is made, to hear of those who hang up.
struct Impatient {
    stream: TcpStream,
    /// For a question. Longer than [`Limits::time`], within which it is answered.
    head: Duration,
    asked: Arc<Asked>,
    last_answer: Instant,
    silence: Pin<Box<Sleep>>,
    /// For an answer to be taken.
    deaf: Duration,
    /// Set while the other side takes nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, limits: &Limits, asked: Arc<Asked>) -> Impatient {
        Impatient {
            stream,
            head: limits.head,
            asked,
            last_answer: Instant::now(),
            silence: Box::pin(sleep(limits.head)),
            deaf: limits.deaf,
            waiting: None,
        }
    }

    /// Ready when nothing was asked or answered for too long. Who has an answer to take has another clock for that.
    fn is_silent(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.silence.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let end = match self.waiting {
                Some(_) => now + self.head,
                None => self.last_answer.max(self.asked.last()) + self.head,
            };
            if end <= now {
                return Poll::Ready(());
            }
            self.silence.as_mut().reset(end);
        }
        Poll::Pending
    }

    fn watched<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.last_answer = Instant::now();
            self.waiting = None;
            return written;
        }
        let patience = self.deaf;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Whoever sends a little now and then is asked about it as well.
        if self.is_silent(context).is_ready() {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
