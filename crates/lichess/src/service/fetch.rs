//! One request and its answer.

use std::{
    ops::ControlFlow,
    time::{Duration, SystemTime},
};

use reqwest::{
    Client, ClientBuilder, Response, StatusCode, Url,
    header::{HeaderMap, LOCATION, RETRY_AFTER},
    redirect,
};
use rustls::crypto::ring;

use super::{Address, Cause, Fault, Refusal, Token, fault::detail, shown};

/// A server that asks for more than a day is taken to mean a day.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// As much of an error page is read.
const ERROR_PAGE: usize = 16 << 10;

/// Why one request brought no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may go better next time.
    Passing(Fault),
    /// It will not.
    Refused(Refusal),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Passing(fault)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure::Refused(refusal)
    }
}

/// What requests to one host have in common.
#[derive(Debug)]
pub(crate) struct Connection {
    client: Client,
    token: Option<Token>,
    /// An answer of more bytes than this is not read.
    max_answer: usize,
}

impl Connection {
    /// Prepares to ask the host of `base`; nothing is sent yet. An answer has to be there in time.
    pub(crate) fn new(
        base: &Url,
        token: Option<Token>,
        (connect_timeout, timeout): (Duration, Duration),
        max_answer: usize,
    ) -> Result<Connection, Cause> {
        Connection::build(base, token, max_answer, |builder| {
            builder.connect_timeout(connect_timeout).timeout(timeout)
        })
    }

    /// The same for answers that may take hours, as long as they keep coming.
    pub(crate) fn patient(
        base: &Url,
        token: Option<Token>,
        (connect_timeout, silence): (Duration, Duration),
        max_answer: usize,
    ) -> Result<Connection, Cause> {
        Connection::build(base, token, max_answer, |builder| {
            builder.connect_timeout(connect_timeout).read_timeout(silence)
        })
    }

    fn build(
        base: &Url,
        token: Option<Token>,
        max_answer: usize,
        timeouts: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Connection, Cause> {
        // An error means that the process has a provider already, which is just as good.
        let _ = ring::default_provider().install_default();
        let mut builder = timeouts(Client::builder())
            .user_agent(concat!("tabiya/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            // Tries are counted, paced and reported here; none is made behind our back.
            .retry(reqwest::retry::never());
        if base.scheme() == "http" {
            // The system's certificates are not needed, and not everywhere to be had.
            builder = builder.tls_certs_only([]);
        }
        let loopback = Address(base).is_loopback();
        if loopback {
            // A proxy's own loopback is another machine.
            builder = builder.no_proxy();
        }
        if token.is_some() && base.scheme() == "http" && !loopback {
            tracing::warn!(url = shown(base), "the token is sent over an unencrypted connection");
        }
        Ok(Connection {
            client: builder.build()?,
            token,
            max_answer,
        })
    }

    /// Asks once for JSON.
    pub(crate) async fn get(&self, url: &Url) -> Result<Vec<u8>, Failure> {
        self.get_as(url, "application/json").await
    }

    /// Asks once for a whole answer of some kind.
    pub(crate) async fn get_as(&self, url: &Url, accept: &'static str) -> Result<Vec<u8>, Failure> {
        let response = self.open(url, accept).await?;
        let body = body(response, self.max_answer).await.map_err(transport)?;
        let limit = self.max_answer;
        body.ok_or_else(|| Refusal::TooLong { limit }.into())
    }

    /// Asks once for an answer that is handed on as it comes, however long it is.
    pub(crate) async fn stream(
        &self,
        url: &Url,
        accept: &'static str,
        mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let mut response = self.open(url, accept).await?;
        while let Some(chunk) = response.chunk().await.map_err(transport)? {
            if each(&chunk).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn open(&self, url: &Url, accept: &'static str) -> Result<Response, Failure> {
        let mut request = self.client.get(url.clone()).header("Accept", accept);
        if let Some(bearer) = self.token.as_ref().and_then(Token::bearer) {
            request = request.header("Authorization", bearer);
        }
        let response = request.send().await.map_err(transport)?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        Ok(response)
    }

    async fn refusal(&self, response: Response) -> Failure {
        let status = response.status();
        let retry_after = retry_after(response.headers(), SystemTime::now());
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Fault::SlowDown { retry_after }.into();
        }
        let (passing, redirect) = (
            status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT,
            status.is_redirection(),
        );
        let status = status.as_u16();
        if passing {
            return Fault::Status { status, retry_after }.into();
        }
        if redirect {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = self.without_token(to.unwrap_or("an unnamed place"));
            return Refusal::Moved { status, to }.into();
        }
        // What the page says is a courtesy; without it the status has to do.
        let page = body(response, ERROR_PAGE).await.ok().flatten().unwrap_or_default();
        let page = String::from_utf8_lossy(&page);
        let detail = detail(&self.without_token(&page));
        Refusal::Status { status, detail }.into()
    }

    /// What a server said, without the secret it may have repeated.
    fn without_token(&self, said: &str) -> String {
        let token = self.token.as_ref();
        token.map_or_else(|| said.to_owned(), |token| token.redact(said))
    }
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

pub(crate) fn transport(err: reqwest::Error) -> Fault {
    let err = err.without_url();
    if err.is_timeout() {
        Fault::TimedOut
    } else if err.is_connect() {
        Fault::Unreachable(err.into())
    } else {
        Fault::BrokenOff(err.into())
    }
}

/// Seconds, or a date; no more than anybody waits.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let asked = match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(now).ok(),
    };
    asked.map(|pause| pause.min(LONGEST_PAUSE))
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
        assert_eq!(
            read("18446744073709551615"),
            Some(24 * 60 * 60),
            "nobody waits for ever"
        );
        assert_eq!(read("Sat, 06 Nov 2094 08:50:37 GMT"), Some(24 * 60 * 60));
        assert_eq!(read("-3"), None);
        assert_eq!(read("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
