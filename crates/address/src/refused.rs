//! What cannot be read, and what may be repeated of it.

/// Why a text is no address. Holds nothing that may be a password, so it can be printed anywhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{url}` is not an address: {reason}")]
#[non_exhaustive]
pub struct BadAddress {
    /// What was written, without its secrets.
    pub url: String,
    pub reason: String,
}

impl BadAddress {
    pub fn new(url: &str, reason: impl Into<String>) -> BadAddress {
        BadAddress {
            url: without_secrets(url),
            reason: reason.into(),
        }
    }

    pub(crate) fn of(url: &str, error: &sqlx::Error) -> BadAddress {
        let reason = match error {
            sqlx::Error::Configuration(cause) => cause.to_string(),
            other => other.to_string(),
        };
        BadAddress::new(url, reason)
    }
}

/// A URL that could not be read, without anything that may be a password: whatever stands before the last `@` of a
/// server's address, the parameters, and the whole address if it has no `@` but a `:`.
fn without_secrets(url: &str) -> String {
    let (before, parameters) = url.split_once('?').unwrap_or((url, ""));
    let Some((scheme, rest)) = before.split_once("://") else {
        // Somebody may have forgotten the scheme, its colon or one of its slashes.
        let colons = before.matches(':').count();
        let may_have_a_password = url.contains('@') || colons > 1 || colons == 1 && before.contains("//");
        return if may_have_a_password { "…" } else { before }.to_owned();
    };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    // A password may have a `?` in it: then what stands before it is its beginning.
    if parameters.contains('@') {
        return format!("{scheme}://…");
    }
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://…@{place}"),
        None if rest.contains(':') => format!("{scheme}://…"),
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_password_is_left_out() {
        for (url, shown) in [
            ("openings.db", "openings.db"),
            ("sqlite://a@b.db?mode=ro", "sqlite://a@b.db?mode=ro"),
            ("me:secret@host/chess", "…"),
            ("postgres://me:sec@ret@host:port/chess", "postgres://…@host:port/chess"),
            ("postgres://me:secret", "postgres://…"),
            ("postgres://host/chess?password=secret", "postgres://host/chess"),
            ("mysql://host/chess", "mysql://host/chess"),
            ("postgres:/host/chess?user=me&password=secret", "postgres:/host/chess"),
            ("neo4j:/host?password=secret", "neo4j:/host"),
            ("postgres//me:secret/chess", "…"),
            ("postgres:me:secret/chess", "…"),
            ("postgres://me:s@cr?et@host/chess", "postgres://…"),
            ("neo4j://me:s@cr?et@host:7687", "neo4j://…"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }
}
