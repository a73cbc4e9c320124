//! What tells whether a file on a server is still the one that was begun with.

use reqwest::header::{ETAG, HeaderMap, LAST_MODIFIED};
use serde::{Deserialize, Serialize};

/// What tells whether a file is still the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    etag: Option<String>,
    last_modified: Option<String>,
    pub(super) total: Option<u64>,
}

impl Identity {
    pub(super) fn of(headers: &HeaderMap, total: Option<u64>) -> Identity {
        let text = |name| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        Identity {
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
            total,
        }
    }

    /// What `If-Range` may be asked with: a strong tag, or a date.
    pub(super) fn condition(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|tag| !tag.starts_with("W/"));
        strong.or(self.last_modified.as_deref())
    }

    /// What differs from an earlier answer, as far as both say it.
    pub(super) fn difference(&self, other: &Identity) -> Option<String> {
        fn differ<T: PartialEq + std::fmt::Debug>(one: Option<&T>, other: Option<&T>) -> Option<String> {
            match (one, other) {
                (Some(one), Some(other)) if one != other => Some(format!("{one:?} became {other:?}")),
                _ => None,
            }
        }
        differ(self.etag.as_ref(), other.etag.as_ref())
            .map(|what| format!("its ETag {what}"))
            .or_else(|| differ(self.total.as_ref(), other.total.as_ref()).map(|what| format!("its length {what}")))
            .or_else(|| {
                differ(self.last_modified.as_ref(), other.last_modified.as_ref()).map(|what| format!("its date {what}"))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_tags_are_not_asked_with() {
        let identity = Identity {
            etag: Some("W/\"x\"".to_owned()),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
            total: None,
        };
        assert_eq!(identity.condition(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}
