//! Sites of others, made up for a test.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
};

/// Answers every request, whose head is handed over, with a status and a body, until the test is over. Gives where it listens.
pub(crate) fn site(mut answer: impl FnMut(&str) -> (&'static str, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let lines = BufReader::new(stream.try_clone().expect("a socket")).lines();
            let head: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            let (status, body) = answer(&head.join("\n"));
            // A client that is gone needs no answer.
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}
