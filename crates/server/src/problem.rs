//! Errors as RFC 9457 tells them.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shakmaty::Chess;
use tabiya_app::explore::OpeningView;
use tabiya_chess::full_fen;
use utoipa::ToSchema;

/// What went wrong, and what to do about it.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    hint: Cow<'static, str>,
    position: Option<Box<Located>>,
    last_known: Option<Box<Located>>,
    /// Seconds.
    retry_after: Option<u32>,
}

/// An error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'a> {
    /// Always `about:blank`: `code` says more.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// What the status means.
    #[schema(example = "Not Found")]
    title: &'a str,
    #[schema(example = 404, minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong with this request.
    detail: &'a str,
    /// For programs; it does not change.
    #[schema(example = "unknown-position")]
    code: &'static str,
    /// A way out.
    hint: &'a str,
    /// The position that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'a Located>,
    /// The last position of the line that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_known: Option<&'a Located>,
}

/// A position in an error, with what it is called.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Located {
    pub fen: String,
    /// Half-moves of the line that lead there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    pub eco_code: Option<String>,
    pub opening_name: Option<String>,
    pub variation_name: Option<String>,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem {
            status,
            detail: detail.into(),
            code,
            hint: Cow::Borrowed("see /docs for what can be asked, and how"),
            position: None,
            last_known: None,
            retry_after: None,
        }
    }

    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, code, detail)
    }

    pub fn not_found(code: &'static str, detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// Something in here is wrong. What it is goes to the log and not over the wire.
    pub fn internal() -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the server could not answer this",
        )
        .hint("it is in the server's log; asking again may help, reporting it will")
    }

    pub fn unavailable(code: &'static str, detail: impl Into<String>, retry_after: u32) -> Problem {
        Problem {
            retry_after: Some(retry_after),
            ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
        }
        .hint("ask again in a moment")
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Problem {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    #[must_use]
    pub fn at(mut self, position: Located) -> Problem {
        self.position = Some(Box::new(position));
        self
    }

    #[must_use]
    pub fn last_known(mut self, position: Option<Located>) -> Problem {
        self.last_known = position.map(Box::new);
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemBody {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: &self.detail,
            code: self.code,
            hint: &self.hint,
            position: self.position.as_deref(),
            last_known: self.last_known.as_deref(),
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let json = HeaderValue::from_static("application/problem+json");
        let mut response = (self.status, [(header::CONTENT_TYPE, json)], body).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            // There is only one way to show who one is.
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

impl Located {
    /// With the name it has, or that the line to it has.
    pub(crate) fn called(name: Option<&OpeningView>, position: &Chess, ply: Option<u32>) -> Located {
        let name = name.map(|view| &view.opening);
        Located {
            fen: full_fen(position).to_string(),
            ply,
            eco_code: name.map(|opening| opening.eco.clone()),
            opening_name: name.map(|opening| opening.family.clone()),
            variation_name: name.and_then(|opening| opening.variation.clone()),
        }
    }
}
