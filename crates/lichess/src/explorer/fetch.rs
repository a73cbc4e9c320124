//! One request and its answer.

use std::time::{Duration, SystemTime};

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{HeaderMap, LOCATION, RETRY_AFTER},
    redirect,
};
use rustls::crypto::ring;
use shakmaty::Chess;

use super::{
    ExplorerConfig, ExplorerError, Fault, Token,
    error::{detail, shown},
};
use crate::ExplorerAnswer;

/// As much of an error page is read.
const ERROR_PAGE: usize = 16 << 10;

/// Why one request brought no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may go better next time.
    Passing(Fault),
    /// It will not.
    Lasting(ExplorerError),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Passing(fault)
    }
}

pub(super) fn client(config: &ExplorerConfig) -> Result<Client, ExplorerError> {
    // An error means that the process has a provider already, which is just as good.
    let _ = ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("tabiya/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(config.connect_timeout)
        .timeout(config.timeout)
        .redirect(redirect::Policy::none())
        // Tries are counted, paced and reported here; none is made behind our back.
        .retry(reqwest::retry::never());
    if config.base.scheme() == "http" {
        // The system's certificates are not needed, and not everywhere to be had.
        builder = builder.tls_certs_only([]);
    }
    if config.is_loopback() {
        // A proxy's own loopback is another machine.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|err| ExplorerError::Client(err.into()))
}

/// Asks once.
pub(super) async fn fetch(
    client: &Client,
    url: &Url,
    token: Option<&Token>,
    pos: &Chess,
    max_answer: usize,
) -> Result<ExplorerAnswer, Failure> {
    let mut request = client.get(url.clone()).header("Accept", "application/json");
    if let Some(bearer) = token.and_then(Token::bearer) {
        request = request.header("Authorization", bearer);
    }
    let response = request.send().await.map_err(transport)?;
    if !response.status().is_success() {
        return Err(refusal(url, token, response).await);
    }
    let body = body(response, max_answer).await.map_err(transport)?;
    let lasting = |source| {
        Failure::Lasting(ExplorerError::NotAnAnswer {
            url: shown(url),
            source,
        })
    };
    let Some(body) = body else {
        return Err(lasting(format!("it has more than {max_answer} bytes").into()));
    };
    ExplorerAnswer::from_json(pos, &body).map_err(|err| match err.is_data() {
        true => lasting(err.into()),
        false => Fault::BrokenJson(err.into()).into(),
    })
}

/// The body, or nothing if there is more of it than `limit`.
async fn body(mut response: Response, limit: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn transport(err: reqwest::Error) -> Fault {
    let err = err.without_url();
    if err.is_timeout() {
        Fault::TimedOut
    } else if err.is_connect() {
        Fault::Unreachable(err.into())
    } else {
        Fault::BrokenOff(err.into())
    }
}

async fn refusal(url: &Url, token: Option<&Token>, response: Response) -> Failure {
    let status = response.status();
    let retry_after = retry_after(response.headers(), SystemTime::now());
    let location = response.headers().get(LOCATION).cloned();
    let url = shown(url);
    let lasting = match status {
        StatusCode::TOO_MANY_REQUESTS => return Fault::SlowDown { retry_after }.into(),
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            let status = status.as_u16();
            return Fault::Status { status, retry_after }.into();
        }
        _ if status.is_redirection() => {
            let to = location.as_ref().and_then(|to| to.to_str().ok());
            ExplorerError::Moved {
                url,
                status: status.as_u16(),
                to: to.unwrap_or("an unnamed place").to_owned(),
            }
        }
        _ => {
            // What the page says is a courtesy; without it the status has to do.
            let page = body(response, ERROR_PAGE).await.ok().flatten().unwrap_or_default();
            let page = String::from_utf8_lossy(&page);
            let detail = detail(&token.map_or_else(|| page.to_string(), |token| token.redact(&page)));
            match status {
                StatusCode::UNAUTHORIZED => ExplorerError::Unauthorized { url, detail },
                StatusCode::FORBIDDEN => ExplorerError::Forbidden { url, detail },
                StatusCode::NOT_FOUND => ExplorerError::NotFound { url, detail },
                StatusCode::GONE => ExplorerError::Gone { url, detail },
                _ => ExplorerError::BadRequest {
                    url,
                    status: status.as_u16(),
                    detail,
                },
            }
        }
    };
    Failure::Lasting(lasting)
}

/// Seconds, or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(now).ok(),
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let read = |text: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            retry_after(&headers, now).map(|pause| pause.as_secs())
        };
        assert_eq!(read("120"), Some(120));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:37 GMT"), Some(60));
        assert_eq!(read("Sun, 06 Nov 1994 08:00:00 GMT"), None, "long past");
        assert_eq!(read("-3"), None);
        assert_eq!(read("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
