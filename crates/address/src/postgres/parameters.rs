//! What stands behind the `?` of a PostgreSQL URL.

/// What means something there.
const PARAMETERS: [&str; 13] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// Other ways to write some of them.
const OTHER_NAMES: [&str; 5] = ["ssl-ca", "ssl-cert", "ssl-key", "ssl-mode", "ssl-root-cert"];

/// Refuses parameters that mean nothing. Whoever makes the connection would pass over them, and log them with their values: a `sslpassword`
/// among them.
pub(super) fn check(url: &str) -> Result<(), String> {
    let before_fragment = url.split_once('#').map_or(url, |(before, _)| before);
    let query = before_fragment.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut keys = pairs.map(|pair| pair.split_once('=').map_or((pair, false), |(key, _)| (key, true)));
    let is_known = |key: &str| {
        let is_option = ["options[", "options%5B", "options%5b"]
            .iter()
            .any(|start| key.starts_with(start));
        is_option || PARAMETERS.contains(&key) || OTHER_NAMES.contains(&key)
    };
    let Some((stranger, has_value)) = keys.find(|(key, _)| !is_known(key)) else {
        return Ok(());
    };
    // An `@` behind it may be the one behind a password, and the `?` a part of that.
    let is_name = has_value
        && !query.contains('@')
        && stranger
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    let named = match is_name {
        true => format!("its parameter `{stranger}` is not known"),
        false => "a parameter of it is not known".to_owned(),
    };
    Err(format!("{named}; known are: {}", PARAMETERS.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::PostgresAddress;

    #[test]
    fn parameters_that_mean_nothing_are_refused_without_their_values() {
        for (parameters, told) in [
            ("sslpassword=secret", "`sslpassword`"),
            ("sslmode=disable&pasword=secret", "`pasword`"),
            ("secret", "a parameter of it"),
            ("pass%77ord=secret", "a parameter of it"),
            ("x=y:secret@host/chess", "a parameter of it"),
        ] {
            let url = format!("postgres://app@host/chess?{parameters}");
            let Err(error) = url.parse::<PostgresAddress>() else {
                panic!("{url} was taken");
            };
            let text = format!("{error} {error:?}");
            assert!(text.contains(told) && text.contains("sslrootcert"), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
        for parameters in [
            "",
            "&",
            "sslmode=disable&ssl-mode=disable",
            "options=-c%20x&options[search_path]=a&options%5Bb%5D=c",
            "host=/run/postgresql&port=5433#x?y=z",
        ] {
            let url = format!("postgres://app@host/chess?{parameters}");
            assert!(url.parse::<PostgresAddress>().is_ok(), "{url}");
        }
    }
}
