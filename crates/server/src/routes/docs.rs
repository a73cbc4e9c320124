//! The API about itself.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::openapi::openapi_json;

const PAGE: &str = include_str!("../../assets/docs.html");
const SCRIPT: &str = include_str!("../../assets/docs.js");

/// Its own script and style, questions to this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

pub(super) async fn root() -> Redirect {
    Redirect::temporary("/docs")
}

pub(super) async fn page() -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(PAGE)).into_response()
}

pub(super) async fn script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT).into_response()
}

pub(super) async fn openapi() -> Response {
    // Making it takes longer than any other answer, and it is always the same.
    static TEXT: LazyLock<String> = LazyLock::new(openapi_json);
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}
