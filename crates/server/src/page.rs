//! The built web page, inside the program.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;

/// Names below `/`, and what is in them. Empty where the page was not built.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Addresses of the page; some are addresses of the API too, which browsers that navigate do not mean.
const PAGES: [&str; 6] = ["/", "/explorer", "/openings", "/games", "/review", "/tactics"];

/// Nothing from elsewhere, and nobody else's frame. Boards set sizes in style attributes.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Whether the page was built when the program was.
pub fn has_page() -> bool {
    file("index.html").is_some()
}

/// What browsers get that go to a page, or ask for its files.
pub(crate) fn page(request: &Request) -> Option<Response> {
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    asks.then(|| answer(request.uri().path(), request.headers())).flatten()
}

fn answer(path: &str, headers: &HeaderMap) -> Option<Response> {
    if let Some(name) = path.strip_prefix('/').filter(|name| *name != "index.html")
        && let Some((name, content)) = file(name)
    {
        return Some(send(name, content));
    }
    let known = PAGES.contains(&path) || path.starts_with("/openings/");
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let navigates = accepts.is_some_and(|accept| accept.contains("text/html"));
    let (name, content) = file("index.html").filter(|_| known && navigates)?;
    Some(send(name, content))
}

fn file(asked: &str) -> Option<(&'static str, &'static [u8])> {
    let found = FILES.binary_search_by(|(name, _)| (*name).cmp(asked)).ok()?;
    Some(FILES[found])
}

fn send(name: &str, content: &'static [u8]) -> Response {
    // Names below assets/ change with their content.
    let cache = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mut response = Response::new(Body::from(content));
    *response.status_mut() = StatusCode::OK;
    let headers = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(accept: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        headers
    }

    #[test]
    fn files_are_in_order_so_that_they_are_found() {
        assert!(FILES.is_sorted_by(|(one, _), (next, _)| one < next));
        for (name, content) in FILES {
            assert_eq!(file(name), Some((*name, *content)));
        }
    }

    #[test]
    fn scripts_that_ask_are_not_given_the_page() {
        for path in PAGES {
            assert!(answer(path, &accepting("application/json")).is_none(), "{path}");
            let given = answer(path, &accepting("text/html,application/xhtml+xml"));
            assert_eq!(given.is_some(), has_page(), "{path}");
        }
        assert!(answer("/nowhere", &accepting("text/html")).is_none());
        assert!(answer("/../Cargo.toml", &accepting("text/html")).is_none());
    }
}
