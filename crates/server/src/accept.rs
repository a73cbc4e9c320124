//! What a client wants an answer to be, as `Accept` says it (RFC 9110, 12.5.1).

use axum::http::{HeaderMap, header};

/// Whether whoever asks wants the page, and not data: browsers that navigate name HTML, scripts and programs do not. Where it is wanted
/// as much as JSON it has to be named: `*/*` takes anything, and gets what programs get.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let (mut page, mut data) = (Wish::default(), Wish::default());
    for accept in headers.get_all(header::ACCEPT) {
        for range in accept.to_str().unwrap_or_default().split(',') {
            page.hear(range, ["text/html", "text/*"]);
            data.hear(range, ["application/json", "application/*"]);
        }
    }
    let is_named = page.precision == NAMED;
    page.weight > 0.0 && (page.weight > data.weight || is_named && page.weight >= data.weight)
}

/// A type by its whole name, and not as one of many.
const NAMED: u8 = 3;

/// How much a type is wanted: what says most precisely which types it means has the word.
#[derive(Default)]
struct Wish {
    precision: u8,
    weight: f32,
}

impl Wish {
    /// Takes note of a range, if the type is in it.
    fn hear(&mut self, range: &str, [name, kind]: [&str; 2]) {
        let mut parts = range.split(';').map(str::trim);
        let types = parts.next().unwrap_or_default();
        let precision = match types {
            _ if types.eq_ignore_ascii_case(name) => NAMED,
            _ if types.eq_ignore_ascii_case(kind) => 2,
            "*/*" => 1,
            _ => return,
        };
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let weight = weight.and_then(|weight| weight.parse().ok());
        // What is no weight says nothing, as no weight does.
        let weight = weight.filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(1.0);
        if precision > self.precision {
            *self = Wish { precision, weight };
        } else if precision == self.precision {
            self.weight = self.weight.max(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn wants(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::ACCEPT, HeaderValue::from_str(line).expect("a header"));
        }
        wants_page(&headers)
    }

    #[test]
    fn browsers_that_navigate_want_the_page() {
        for accept in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
            "text/html, application/json",
            "application/json;q=0.9, text/html",
            "application/json;Q=0.3, text/html ; q=0.4",
            "text/*, application/*;q=0.5",
            "text/html;q=0.2, */*;q=0.1",
            "text/html;q=much",
        ] {
            assert!(wants(&[accept]), "{accept}");
        }
        assert!(wants(&["application/json;q=0.5", "text/html"]));
    }

    #[test]
    fn programs_want_data() {
        for accept in [
            "*/*",
            "",
            "application/json",
            "application/json, text/html;q=0.1",
            "application/json, */*;q=0.1",
            "text/*, application/*",
            "text/html;q=0, */*",
            "text/html;q=0",
            "text/html;q=0.1, */*",
            "image/png",
            "text/htmlx",
            "text/plain; note=text/html",
        ] {
            assert!(!wants(&[accept]), "{accept}");
        }
        assert!(!wants(&[]));
    }
}
