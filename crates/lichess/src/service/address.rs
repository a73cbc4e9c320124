//! The URL of a service, as it was given.

use reqwest::Url;

/// A URL with a host to speak to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address<'a>(pub(crate) &'a Url);

impl Address<'_> {
    /// What is wrong with it, whatever the service.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let url = self.0;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Some("it does not begin with http:// or https:// and a host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Some("it contains a user name or password; give a token instead");
        }
        None
    }

    /// Whether a parameter of that name stands in it.
    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        self.0.query_pairs().any(|(key, _)| key == name)
    }

    /// Whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        // `host()` would say it by type, but that type is not reexported.
        match self.0.host_str() {
            Some("localhost" | "[::1]") => true,
            Some(host) => host.starts_with("127."),
            None => false,
        }
    }
}

/// The URL as it may be printed.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if url.password().is_some() || !url.username().is_empty() {
        // Both fail only for URLs that cannot have a user or password, and this one has.
        let _ = url.set_password(None);
        let _ = url.set_username("…");
    }
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_passwords() {
        let url = Url::parse("http://me:secret@host/masters?fen=x").expect("a URL");
        assert_eq!(shown(&url), "http://%E2%80%A6@host/masters?fen=x");
    }

    #[test]
    fn this_machine_is_recognised() {
        let is_loopback = |text: &str| Address(&Url::parse(text).expect(text)).is_loopback();
        for own in ["http://localhost/x", "http://127.0.0.1:8080/", "http://[::1]/"] {
            assert!(is_loopback(own), "{own}");
        }
        assert!(!is_loopback("http://host/localhost"));
    }
}
