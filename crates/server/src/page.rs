//! The built web page, inside the program.

use std::sync::{LazyLock, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;

use crate::accept::wants_page;
use crate::written::{gzip, takes_gzip};

/// Names below `/`, and what is in them. Empty where the page was not built.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The page itself.
const FRONT: [&str; 2] = ["/", "/index.html"];

/// Its addresses, as `web/src/pages.ts` has them; what is below one belongs to it. Some are addresses of the API too, which browsers
/// that navigate do not mean.
const PAGES: [&str; 5] = ["/explorer", "/openings", "/games", "/review", "/tactics"];

/// Nothing from elsewhere, and nobody else's frame. Boards set sizes in style attributes.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Whether the page was built when the program was.
pub fn has_page() -> bool {
    file("index.html").is_some()
}

/// What a browser asks for as soon as it has read the page: scripts, styles, an icon. Nothing where the page was not built.
pub fn page_parts() -> Vec<&'static str> {
    let html = file("index.html").and_then(|(_, html)| std::str::from_utf8(html).ok());
    let quoted = html.unwrap_or_default().split('"');
    quoted
        .filter(|text| text.strip_prefix('/').is_some_and(|name| file(name).is_some()))
        .collect()
}

/// What it asks for when somebody goes to another page of it: the other scripts and styles.
pub fn page_parts_of_others() -> Vec<String> {
    let first = page_parts();
    let parts = FILES
        .iter()
        .filter(|(name, _)| name.ends_with(".js") || name.ends_with(".css"));
    let parts = parts.map(|(name, _)| format!("/{name}"));
    parts.filter(|part| !first.contains(&part.as_str())).collect()
}

/// What browsers get that go to a page, ask for its files, or go where there is nothing, not even of the API: the page has words
/// of its own for that.
pub(crate) fn page(request: &Request, is_of_the_api: bool) -> Option<Response> {
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    asks.then(|| answer(request.uri().path(), is_of_the_api, request.headers()))
        .flatten()
}

fn answer(path: &str, is_of_the_api: bool, headers: &HeaderMap) -> Option<Response> {
    if let Some(name) = path.strip_prefix('/').filter(|name| *name != "index.html")
        && let Some((name, content)) = file(name)
    {
        return Some(send(name, content, headers));
    }
    let is_known = FRONT.contains(&path) || PAGES.contains(&path);
    if is_of_the_api && !is_known || !wants_page(headers) {
        return None;
    }
    let (name, content) = file("index.html")?;
    let mut response = send(name, content, headers);
    let is_below = |page: &str| path.strip_prefix(page).is_some_and(|below| below.starts_with('/'));
    if !is_known && !PAGES.into_iter().any(is_below) {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Some(response)
}

fn file(asked: &str) -> Option<(&'static str, &'static [u8])> {
    let found = FILES.binary_search_by(|(name, _)| (*name).cmp(asked)).ok()?;
    Some(FILES[found])
}

/// A file as gzip, for whoever takes that. Files do not change, so they are packed once; each time anew would take a core
/// longer than all the rest of a page view.
fn packed(name: &str, headers: &HeaderMap) -> Option<Bytes> {
    static PACKED: LazyLock<Vec<OnceLock<Bytes>>> = LazyLock::new(|| FILES.iter().map(|_| OnceLock::new()).collect());
    if !takes_gzip(headers) {
        return None;
    }
    let found = FILES.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
    let content = FILES[found].1;
    let packed = PACKED[found].get_or_init(|| gzip(content, flate2::Compression::best()));
    // Small files and pictures gain nothing.
    (!packed.is_empty() && packed.len() < content.len()).then(|| packed.clone())
}

fn send(name: &str, content: &'static [u8], asked: &HeaderMap) -> Response {
    // Names below assets/ change with their content.
    let cache = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let packed = packed(name, asked);
    let gzip = packed.as_ref().map(|_| (header::CONTENT_ENCODING, "gzip"));
    let mut response = Response::new(packed.map_or_else(|| Body::from(content), Body::from));
    *response.status_mut() = StatusCode::OK;
    let headers = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept, accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in headers.into_iter().chain(gzip) {
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
    fn files_are_packed_for_whoever_takes_that() {
        for (name, content) in FILES {
            let with = |coding: &'static str| {
                let mut headers = HeaderMap::new();
                headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding));
                packed(name, &headers)
            };
            assert_eq!(packed(name, &HeaderMap::new()), None);
            assert_eq!(
                (with("br, zstd"), with("gzip;q=0, br"), with("identity")),
                (None, None, None)
            );
            let Some(packed) = with("br, GZIP;q=0.5") else {
                assert!(content.len() < 1_000, "{name} is not packed");
                continue;
            };
            let mut plain = Vec::new();
            let mut reader = flate2::read::GzDecoder::new(&packed[..]);
            std::io::Read::read_to_end(&mut reader, &mut plain).expect("gzip");
            assert!(plain == *content, "{name}");
        }
    }

    #[test]
    fn the_page_names_its_parts() {
        let parts = page_parts();
        assert_eq!(parts.iter().any(|part| part.ends_with(".js")), has_page(), "{parts:?}");
        assert_eq!(parts.iter().any(|part| part.ends_with(".css")), has_page(), "{parts:?}");
        let others = page_parts_of_others();
        assert_eq!(
            others.iter().any(|part| part.ends_with(".js")),
            has_page(),
            "{others:?}"
        );
        assert!(others.iter().all(|part| !parts.contains(&part.as_str())), "{others:?}");
    }

    /// The status of the page, if it is what somebody gets.
    fn given(path: &str, is_of_the_api: bool, accept: &'static str) -> Option<u16> {
        let answer = answer(path, is_of_the_api, &accepting(accept))?;
        let header = |name| answer.headers().get(name).map(|value: &HeaderValue| value.as_bytes());
        assert_eq!(header(header::CONTENT_SECURITY_POLICY), Some(POLICY.as_bytes()));
        assert_eq!(header(header::CACHE_CONTROL), Some(&b"no-cache"[..]));
        assert_eq!(header(header::VARY), Some(&b"accept, accept-encoding"[..]));
        Some(answer.status().as_u16())
    }

    /// The status, where the page was built; else nobody gets it.
    fn built(status: u16) -> Option<u16> {
        has_page().then_some(status)
    }

    #[test]
    fn scripts_that_ask_are_not_given_the_page() {
        for path in FRONT.into_iter().chain(PAGES).chain(["/games/", "/nowhere"]) {
            assert_eq!(given(path, true, "application/json"), None, "{path}");
            assert_eq!(given(path, false, "application/json, text/html;q=0.1"), None, "{path}");
            assert_eq!(given(path, false, "*/*"), None, "{path}");
        }
        for path in FRONT.into_iter().chain(PAGES) {
            for is_of_the_api in [true, false] {
                let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
                assert_eq!(given(path, is_of_the_api, browser), built(200), "{path}");
            }
        }
    }

    /// Below a page is that page, which finds out for itself what is there; of all else it says that there is nothing.
    #[test]
    fn browsers_that_are_lost_are_given_the_page() {
        for path in ["/games/", "/openings/", "/openings/c50-italian-game", "/review/x/"] {
            assert_eq!(given(path, false, "text/html"), built(200), "{path}");
        }
        for path in ["/nowhere", "/gamesx", "/assets/old.js", "/../Cargo.toml", "//", ""] {
            assert_eq!(given(path, false, "text/html"), built(404), "{path}");
        }
        for path in ["/review/5", "/tactics/themes", "/stats"] {
            assert_eq!(given(path, true, "text/html"), None, "{path}");
        }
    }
}
