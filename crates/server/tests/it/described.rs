//! The API is what its description says, and the other way round.

use serde_json::Value;
use tabiya_server::openapi_json;

use crate::agreement::{questions, questions_about_all};
use crate::kitchen::{Kind, Kitchen, get, json, post, read};

fn description() -> Value {
    serde_json::from_str(&openapi_json()).expect("JSON")
}

#[test]
fn the_file_in_the_repository_is_the_present_description() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|mode| mode == "always") {
        std::fs::write(file, openapi_json()).expect("a writable repository");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        written == openapi_json(),
        "openapi.json is not what the code says: run this test with INSTA_UPDATE=always and look at the difference"
    );
    assert_eq!(description()["openapi"], "3.1.0");
}

/// Every address of the description is answered, if only by a problem of its own.
#[tokio::test]
async fn every_described_address_has_a_route() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let described = description();
    let paths = described["paths"].as_object().expect("paths");
    assert!(paths.len() > 15, "{paths:?}");
    for (path, operations) in paths {
        let filled = path.replace(['{', '}', '*'], "");
        for verb in operations.as_object().expect("operations").keys() {
            if verb == "get" && path != "/metrics" {
                let (_, answer) = read(get(&router, &filled).await).await;
                assert_ne!(answer["code"], "no-such-address", "{path}");
            }
        }
    }
}

/// What is answered has the fields that are described, all that are required and no others.
#[tokio::test]
async fn answers_have_just_the_fields_that_are_described() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let described = description();
    let mut all = questions();
    all.extend(questions_about_all());
    all.extend(["/healthz", "/readyz"].map(str::to_owned));
    for uri in all {
        let answer = json(&router, &uri).await;
        let path = template(&described, &uri);
        let schema = &described["paths"][&path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(!schema.is_null(), "{path} has no schema");
        let mut wrong = Vec::new();
        check(&described, schema, &answer, &uri, &mut wrong);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// Too long a game is none that can be compared; it is not too large a body.
#[tokio::test]
async fn games_that_are_too_long_are_answered_as_described() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(251);
    let (status, problem) = read(post(&router, "/games/analyze", &format!("[White \"x\"]\n\n{long}*\n")).await).await;
    assert_eq!(
        (status.as_u16(), &problem["code"]),
        (422, &Value::from("no-games")),
        "{problem}"
    );
    let described = description();
    let operation = &described["paths"]["/games/analyze"]["post"];
    assert!(
        !operation["responses"]["413"]["description"]
            .to_string()
            .contains("half-moves"),
        "{operation}"
    );
    assert!(
        operation["description"]
            .to_string()
            .contains("1,000 half-moves are left out"),
        "{operation}"
    );
}

/// A formation is searched for as it is written, and the description says how to mean both colours.
#[tokio::test]
async fn formations_are_turned_round_where_that_is_asked() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    // Of the games of the kitchen, White's pawn is isolated in some and Black's in none.
    for (pawns, is_there) in [("d4 -ce / -d", true), ("-d / d5 -ce", false), ("-d / d5 -ce ~", true)] {
        let found = json(&router, &format!("/structure/search?pawns={pawns}")).await;
        assert_eq!(found["positions"] != 0, is_there, "{pawns}: {found}");
    }
    let operation = description()["paths"]["/structure/search"]["get"].take();
    assert!(
        !operation["description"].to_string().contains("either colour"),
        "{operation}"
    );
    let parameter = operation["parameters"][0]["description"].to_string();
    assert!(
        parameter.contains("`~`") && parameter.contains("colours reversed"),
        "{parameter}"
    );
}

/// The described path that an address fits, with as few blanks as possible.
fn template(described: &Value, uri: &str) -> String {
    let asked = uri.split('?').next().expect("a path");
    let parts: Vec<&str> = asked.split('/').collect();
    let fits = |path: &&String| {
        let own: Vec<&str> = path.split('/').collect();
        let rest = own
            .last()
            .is_some_and(|last| path.contains("/fen/") && last.starts_with('{'));
        (own.len() == parts.len() || rest && own.len() <= parts.len())
            && own
                .iter()
                .zip(&parts)
                .all(|(own, part)| own.starts_with('{') || own == part)
    };
    let paths = described["paths"].as_object().expect("paths").keys();
    let found = paths.filter(fits).min_by_key(|path| path.matches('{').count());
    found.unwrap_or_else(|| panic!("{uri} is not described")).clone()
}

fn check(all: &Value, schema: &Value, value: &Value, place: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().expect("a name");
        let schema = &all["components"]["schemas"][name];
        assert!(!schema.is_null(), "{name} is not described");
        return check(all, schema, value, place, wrong);
    }
    if let Some(either) = schema["oneOf"].as_array() {
        match value {
            Value::Null => {
                if !either.iter().any(|one| one["type"] == "null") {
                    wrong.push(format!("{place} is null"));
                }
            }
            _ => {
                let one = either.iter().find(|one| one["type"] != "null").expect("a schema");
                check(all, one, value, place, wrong);
            }
        }
        return;
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let merged = merged(all, parts);
        return check(all, &merged, value, place, wrong);
    }
    if !has_type(&schema["type"], value) {
        wrong.push(format!("{place} is {value}, not {}", schema["type"]));
    }
    match value {
        Value::Object(fields) => {
            let Some(described) = schema["properties"].as_object() else {
                return;
            };
            for (name, value) in fields {
                match described.get(name) {
                    Some(schema) => check(all, schema, value, &format!("{place} {name}"), wrong),
                    None => wrong.push(format!("{place} {name} is not described")),
                }
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                if !fields.contains_key(name.as_str().expect("a name")) {
                    wrong.push(format!("{place} {name} is missing"));
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                check(all, &schema["items"], value, place, wrong);
            }
        }
        _ => {}
    }
}

/// All fields of schemas that hold together.
fn merged(all: &Value, parts: &[Value]) -> Value {
    let mut whole = serde_json::json!({ "type": "object", "properties": {}, "required": [] });
    for part in parts {
        let part = match part["$ref"].as_str() {
            Some(name) => &all["components"]["schemas"][name.rsplit('/').next().expect("a name")],
            None => part,
        };
        let part = match part["allOf"].as_array() {
            Some(parts) => merged(all, parts),
            None => part.clone(),
        };
        for (name, schema) in part["properties"].as_object().into_iter().flatten() {
            whole["properties"][name] = schema.clone();
        }
        for name in part["required"].as_array().into_iter().flatten() {
            whole["required"].as_array_mut().expect("a list").push(name.clone());
        }
    }
    whole
}

fn has_type(described: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    match described {
        Value::Null => true,
        Value::Array(any) => any.iter().any(is),
        one => is(one),
    }
}
