//! What any bytes must satisfy; the fuzz target calls this.

use std::{path::Path, sync::OnceLock};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Uri, header};
use tabiya_app::build::{EcoRequest, Steps, eco};
use tower::ServiceExt as _;

use crate::{ServeOptions, Server};

/// A server of the openings' names that answers in this process.
#[derive(Debug)]
struct Served {
    runtime: tokio::runtime::Runtime,
    router: Router,
}

/// Any text is an address that somebody asks for: the answer is never a fault of ours, and where it claims to be JSON it is.
/// The first call puts a database into `directory`.
///
/// # Panics
///
/// If not.
pub fn http_paths(directory: &Path, bytes: &[u8]) {
    static SERVED: OnceLock<Served> = OnceLock::new();
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(uri) = text.parse::<Uri>() else { return };
    let served = SERVED.get_or_init(|| serve(directory));
    let request = Request::get(uri).body(Body::empty()).expect("a request");
    let (status, kind, body) = served.runtime.block_on(async {
        let response = served.router.clone().oneshot(request).await.expect("an answer");
        let kind = response.headers().get(header::CONTENT_TYPE).cloned();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX)
            .await
            .expect("a whole answer");
        (status, kind, body)
    });
    assert!(
        !status.is_server_error(),
        "{text:?}: {status} {}",
        String::from_utf8_lossy(&body)
    );
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
        let parsed = serde_json::from_slice::<serde_json::Value>(&body);
        assert!(parsed.is_ok(), "{text:?}: {parsed:?}");
    }
}

fn serve(directory: &Path) -> Served {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    std::fs::create_dir_all(directory).expect("a directory");
    let database = format!("sqlite://{}", directory.join("tabiya.db").display());
    let router = runtime.block_on(async {
        let request = EcoRequest {
            database: database.clone(),
            names: Default::default(),
            book: None,
        };
        eco(&request, &Steps::default()).await.expect("names are entered");
        let options = ServeOptions {
            bind: ([127, 0, 0, 1], 0).into(),
            ..ServeOptions::default()
        };
        let server = Server::bind(&database, options).await.expect("a server");
        server.knowledge().reload().await.expect("a snapshot");
        server.router()
    });
    Served { runtime, router }
}
