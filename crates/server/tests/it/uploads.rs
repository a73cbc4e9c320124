//! Games that are sent to be compared by clients who mean no good: what they take is known before it is read.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tabiya_server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::hostile::{AT_ONCE, alone, connect_from, rest, running};
use crate::kitchen::address;
use crate::socket::ask;

/// Peak memory of this process so far.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse().ok())
        .expect("a number")
}

#[test]
fn what_is_packed_is_not_unpacked_without_end() {
    alone("uploads::what_is_packed_is_not_unpacked_without_end", send_bombs());
}

async fn send_bombs() {
    let (_kitchen, running) = running(Limits::default()).await;
    // Five times as much as is taken: blanks inside a comment, and games.
    let bombs = [("[Event \"x\"]\n\n1. e4 {", " "), ("", "[Event \"x\"]\n\n1. e4 *\n\n")];
    for (begin, again) in bombs {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(begin.as_bytes()).expect("memory");
        let block = again.repeat((1 << 20) / again.len());
        for _ in 0..160 {
            packed.write_all(block.as_bytes()).expect("memory");
        }
        let bomb = packed.finish().expect("memory");
        assert!(bomb.len() < 8 << 20, "{}", bomb.len());
        let before = peak();
        let begun = Instant::now();
        let mut stream = TcpStream::connect(running.address).await.expect("it listens");
        let head = format!(
            "POST /games/analyze HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            bomb.len()
        );
        stream.write_all(head.as_bytes()).await.expect("taken");
        stream.write_all(&bomb).await.expect("taken");
        // Others are answered meanwhile.
        assert_eq!(ask(running.address, &address("e4")).await.0, 200);
        let mut answer = String::new();
        let read = timeout(Duration::from_secs(30), stream.read_to_string(&mut answer)).await;
        read.expect("an answer").expect("text");
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
        let grown = peak().saturating_sub(before);
        assert!(
            grown < 400 << 10,
            "{grown} kB for {begin:?} within {:?}",
            begun.elapsed()
        );
    }
    running.stop().await;
}

/// An upload: the head that announces so many bytes, and the first of them.
async fn upload(from: u8, to: SocketAddr, length: usize, body: &[u8]) -> TcpStream {
    let mut stream = connect_from(from, to).await;
    let head =
        format!("POST /games/analyze HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    // It may be refused before it is read.
    let _ = timeout(AT_ONCE, stream.write_all(&[head.as_bytes(), body].concat())).await;
    stream
}

#[test]
fn uploads_that_stall_take_little_and_keep_nobody_else_out() {
    alone(
        "uploads::uploads_that_stall_take_little_and_keep_nobody_else_out",
        send_and_stall(),
    );
}

async fn send_and_stall() {
    let (_kitchen, running) = running(Limits {
        time: Duration::from_secs(8),
        ..Limits::default()
    })
    .await;
    let (to, game) = (running.address, b"[White \"x\"]\n\n1. e4 e5 *\n".as_slice());
    let before = peak();
    let most = vec![b' '; 7 << 20];
    let mut stalled = upload(2, to, 8 << 20, &most).await;
    // Another of the same address is not begun; somebody else is answered.
    let refused = rest(&mut upload(2, to, game.len(), game).await).await;
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("your address"),
        "{refused}"
    );
    let served = rest(&mut upload(3, to, game.len(), game).await).await;
    assert!(served.starts_with("HTTP/1.1 200"), "{served}");

    // As many addresses as there are: what they send is not taken in.
    let mut others = Vec::new();
    for from in 10..60 {
        others.push(upload(from, to, 8 << 20, &most).await);
    }
    let busy = rest(&mut upload(4, to, game.len(), game).await).await;
    assert!(busy.starts_with("HTTP/1.1 503") && busy.contains("\"busy\""), "{busy}");
    assert_eq!(ask(to, "/healthz").await.0, 200);
    let grown = peak().saturating_sub(before);
    assert!(grown < 200 << 10, "{grown} kB");

    // Nobody is waited for longer than any answer takes, and then there is room again.
    let late = timeout(Duration::from_secs(20), async {
        let mut answer = String::new();
        let _ = stalled.read_to_string(&mut answer).await;
        answer
    });
    let late = late.await.expect("an end");
    assert!(
        late.starts_with("HTTP/1.1 503") && late.contains("\"timeout\""),
        "{late}"
    );
    drop(others);
    let begun = Instant::now();
    while !rest(&mut upload(2, to, game.len(), game).await)
        .await
        .starts_with("HTTP/1.1 200")
    {
        assert!(begun.elapsed() < Duration::from_secs(20), "there is no room");
        sleep(Duration::from_millis(100)).await;
    }
    running.stop().await;
}

/// What games have in common is told with the moves that lead to it: the square of their length.
#[test]
fn what_there_is_to_say_about_games_has_a_limit() {
    alone(
        "uploads::what_there_is_to_say_about_games_has_a_limit",
        send_what_says_much(),
    );
}

async fn send_what_says_much() {
    let (_kitchen, running) = running(Limits {
        time: Duration::from_secs(100),
        head: Duration::from_secs(200),
        ..Limits::default()
    })
    .await;
    let shuffled = |plies: usize| -> String {
        ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "]
            .into_iter()
            .cycle()
            .take(plies)
            .collect()
    };
    let long = format!("[White \"x\"]\n\n{}*\n\n", shuffled(50_000)).repeat(2);
    let mut pairs = String::new();
    for white in 'a'..='h' {
        for black in 'a'..='h' {
            let game = format!("[White \"x\"]\n\n{white}3 {black}6 {}*\n\n", shuffled(998));
            pairs.push_str(&game.repeat(2));
        }
    }
    let nothing = "* ".repeat(4 << 20);
    for (body, status, words) in [
        (long, "422", "more than 1000 half-moves"),
        (pairs, "413", "bytes are to be said about them"),
        (nothing, "413", "more than 5000 games"),
    ] {
        let before = peak();
        let begun = Instant::now();
        let mut stream = upload(2, running.address, body.len(), body.as_bytes()).await;
        let mut answer = String::new();
        let read = timeout(Duration::from_secs(100), stream.read_to_string(&mut answer)).await;
        read.expect("an answer").expect("text");
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(words),
            "{answer}"
        );
        let grown = peak().saturating_sub(before);
        assert!(grown < 400 << 10, "{grown} kB within {:?}: {words}", begun.elapsed());
    }
    running.stop().await;
}
