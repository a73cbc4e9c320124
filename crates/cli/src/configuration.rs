//! Layers of configuration: the command line over the environment over a file over the defaults.

use std::{fs, num::NonZeroUsize, path::Path, thread};

use config::{Config, ConfigError, Environment, File, FileFormat, Map, Source, Value, ValueKind};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    args::Face,
    failure::{CHECK_NAME, Failure},
};

/// Read where it is, without being asked for.
const DEFAULT_FILE: &str = "tabiya.toml";

/// The verbs that have a section.
const SECTIONS: [&str; 10] = [
    "import",
    "build",
    "annotate",
    "evals",
    "export",
    "positions",
    "review",
    "analyze",
    "fetch",
    "serve",
];

/// What `tabiya` writes to when nobody says anything.
pub(crate) const DEFAULT_DATABASE: &str = "tabiya.db";

/// Where a verb keeps its data, as its section says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Persistence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dsn: Option<String>,
}

impl Persistence {
    /// The database: the one that was named, or the default.
    pub(crate) fn url(self) -> String {
        self.dsn.unwrap_or_else(|| DEFAULT_DATABASE.to_owned())
    }
}

/// Everything below the command line for one verb: the environment over a file.
///
/// `flags` are what the command line says. A file either has a section named after the verb, or the verb's keys at its
/// top, as `pgn-import.toml` does. The database of all verbs may stand beside either.
pub(crate) fn layered<S: Serialize + DeserializeOwned>(
    face: Face,
    file: Option<&Path>,
    verb: &str,
    keys: &[&str],
    flags: &S,
) -> Result<S, Failure> {
    let file = read(face, file)?.section(verb, keys)?;
    let environment = environment(verb, keys)?;
    let flags = Config::try_from(flags).map_err(|error| broken(&error))?;
    Config::builder()
        .add_source(file)
        .add_source(environment)
        .add_source(flags)
        .build()
        .and_then(Config::try_deserialize)
        .map_err(|error| broken(&error))
}

/// What a file of this name and content says to one verb, and nothing else does.
pub(crate) fn from_text<S: DeserializeOwned>(name: &str, text: &str, verb: &str, keys: &[&str]) -> Result<S, Failure> {
    let section = parse(name.to_owned(), text)?.section(verb, keys)?;
    section.try_deserialize().map_err(|error| broken(&error))
}

/// The database of a verb that has a section, where nothing else of it is asked for.
pub(crate) fn database_of(
    verb: &str,
    keys: &[&str],
    flag: Option<String>,
    file: Option<&Path>,
) -> Result<String, Failure> {
    #[derive(Default, Serialize, Deserialize)]
    #[serde(default)]
    struct Alone {
        persistence: Persistence,
    }
    let flags = Alone {
        persistence: Persistence { dsn: flag },
    };
    let settings: Alone = layered(Face::Tabiya, file, verb, keys, &flags)?;
    Ok(settings.persistence.url())
}

/// As many threads as are asked for, else one for each core.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// The database for verbs that need nothing else: the flag, `TABIYA_DB`, the file, or the default.
pub(crate) fn database(flag: Option<String>, file: Option<&Path>) -> Result<String, Failure> {
    if let Some(url) = flag.or_else(database_in_environment) {
        return Ok(url);
    }
    let content = read(Face::Tabiya, file)?;
    // A verb's own file without a database has nothing to say here, and is not looked into.
    if content.has_sections() || content.table.contains_key("db") {
        content.check_sections()?;
    }
    let found = match content.table.get("db") {
        Some(value) => Some(value.clone().into_string().map_err(|error| broken(&error))?),
        None => None,
    };
    Ok(found.unwrap_or_else(|| DEFAULT_DATABASE.to_owned()))
}

fn database_in_environment() -> Option<String> {
    std::env::var("TABIYA_DB").ok().filter(|url| !url.is_empty())
}

/// A configuration file's content; empty where there is none.
#[derive(Debug, Default)]
struct Content {
    name: String,
    table: Map<String, Value>,
}

/// The file that is read: the one that was named, or the default where it is.
pub(crate) fn file_read(face: Face, file: Option<&Path>) -> Option<&Path> {
    let usual = || (face == Face::Tabiya && Path::new(DEFAULT_FILE).exists()).then_some(Path::new(DEFAULT_FILE));
    file.or_else(usual)
}

fn read(face: Face, file: Option<&Path>) -> Result<Content, Failure> {
    let Some(path) = file_read(face, file) else {
        return Ok(Content::default());
    };
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read the configuration {name}: {error}")).hint(CHECK_NAME))?;
    parse(name, &text)
}

fn parse(name: String, text: &str) -> Result<Content, Failure> {
    let table = File::from_str(text, FileFormat::Toml).collect().map_err(|error| {
        Failure::usage(format!("{name}: {}", without_source(&error.to_string()))).hint(
            "text stands in quotes, a list in [ ], and a section begins with its name in [ ]: docs/configuration.md",
        )
    })?;
    let table = table
        .into_iter()
        .map(|(key, value)| (key, from(&name, value)))
        .collect();
    Ok(Content { name, table })
}

/// Where and what, without the line of the file that is shown between the two: a password may stand in it.
fn without_source(error: &str) -> String {
    let is_source = |line: &&str| {
        line.split_once('|')
            .is_some_and(|(gutter, _)| gutter.chars().all(|letter| letter == ' ' || letter.is_ascii_digit()))
    };
    let told: Vec<&str> = error.lines().filter(|line| !is_source(line)).collect();
    told.join(": ")
}

/// The value with the name of where it came from, which an error will tell.
fn from(name: &String, value: Value) -> Value {
    let kind = match value.kind {
        ValueKind::Table(table) => {
            ValueKind::Table(table.into_iter().map(|(key, value)| (key, from(name, value))).collect())
        }
        kind => kind,
    };
    Value::new(Some(name), kind)
}

impl Content {
    /// Whether this is a file of sections, one for each verb, rather than one verb's own.
    fn has_sections(&self) -> bool {
        Path::new(&self.name)
            .file_name()
            .is_some_and(|name| name == DEFAULT_FILE)
            || SECTIONS.iter().any(|section| self.table.contains_key(*section))
    }

    fn check_sections(&self) -> Result<(), Failure> {
        let mut known = vec!["db"];
        known.extend(SECTIONS);
        match first_stranger(self.table.keys(), &known) {
            Some(key) => Err(unknown_key(&self.name, key, &known)),
            None => Ok(()),
        }
    }

    /// The verb's own keys, as a source of their own.
    fn section(mut self, verb: &str, keys: &[&str]) -> Result<Config, Failure> {
        let (mut table, common) = if self.has_sections() {
            self.check_sections()?;
            let table = match self.table.remove(verb).map(Value::into_table) {
                Some(table) => table.map_err(|error| {
                    Failure::usage(format!(
                        "{}: `{verb}` is no section: {}",
                        self.name,
                        without_secrets(&error)
                    ))
                    .hint("a section begins with its name in [ ]: docs/configuration.md")
                })?,
                None => Map::new(),
            };
            (table, self.table.remove("db"))
        } else {
            // A verb may have a key of that name itself.
            let common = match keys.contains(&"db") {
                true => None,
                false => self.table.remove("db"),
            };
            (std::mem::take(&mut self.table), common)
        };
        check_keys(&self.name, &table, keys)?;
        // One database for all verbs, unless the verb has its own.
        if let Some(url) = common {
            let mut persistence = match table.remove("persistence") {
                Some(section) => section.into_table().map_err(|error| broken(&error))?,
                None => Map::new(),
            };
            persistence.entry("dsn".to_owned()).or_insert(url);
            table.insert(
                "persistence".to_owned(),
                Value::new(Some(&self.name), ValueKind::Table(persistence)),
            );
        }
        source(table, &self.name)
    }
}

/// Keys whose values are lists: in a variable, with commas between them.
const LISTS: [&str; 5] = ["cors", "games", "input", "speeds", "variants"];

/// `TABIYA_IMPORT__OWNER`, `TABIYA_IMPORT__OUTPUT__EDGES`, and `TABIYA_DB`.
fn environment(verb: &str, keys: &[&str]) -> Result<Config, Failure> {
    environment_of(verb, keys, None)
}

/// The same of these variables; `None` are the process's own.
fn environment_of(verb: &str, keys: &[&str], variables: Option<Map<String, String>>) -> Result<Config, Failure> {
    let variables = Environment::with_prefix(&format!("TABIYA_{}", verb.to_uppercase()))
        .prefix_separator("__")
        .separator("__")
        .ignore_empty(true)
        .source(variables);
    let mut table = variables.collect().map_err(|error| broken(&error))?;
    for (key, value) in &mut table {
        if let (true, ValueKind::String(text)) = (LISTS.contains(&key.as_str()), &value.kind) {
            // Behind a last comma comes nothing.
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            let parts: Vec<String> = parts.map(str::to_owned).collect();
            value.kind = parts.into();
        }
    }
    // Nested keys come as paths.
    if let Some(key) = first_stranger(table.keys(), keys) {
        let variable = |key: &str| format!("TABIYA_{}__{}", verb, key.replace('.', "__")).to_uppercase();
        let known: Vec<String> = keys.iter().map(|key| variable(key)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(unknown_key("environment", &variable(key), &known));
    }
    if let Some(url) = database_in_environment() {
        table
            .entry("persistence.dsn".to_owned())
            .or_insert_with(|| Value::new(Some(&"TABIYA_DB".to_owned()), url));
    }
    source(table, "environment")
}

fn source(table: Map<String, Value>, name: &str) -> Result<Config, Failure> {
    let mut builder = Config::builder();
    for (key, value) in table {
        builder = builder
            .set_override(key, value)
            .map_err(|error| Failure::usage(format!("{name}: {}", without_secrets(&error))))?;
    }
    builder
        .build()
        .map_err(|error| Failure::usage(format!("{name}: {}", without_secrets(&error))))
}

fn check_keys(name: &str, table: &Map<String, Value>, known: &[&str]) -> Result<(), Failure> {
    let paths: Vec<String> = table
        .iter()
        .flat_map(|(key, value)| match &value.kind {
            ValueKind::Table(section) => section.keys().map(|inner| format!("{key}.{inner}")).collect(),
            _ => vec![key.clone()],
        })
        .collect();
    match first_stranger(paths.iter(), known) {
        Some(key) => Err(unknown_key(name, key, known)),
        None => Ok(()),
    }
}

/// The first key that is not known, in alphabetical order, since tables have none of their own.
fn first_stranger<'a>(keys: impl Iterator<Item = &'a String>, known: &[&str]) -> Option<&'a String> {
    keys.filter(|key| !known.contains(&key.as_str())).min()
}

fn unknown_key(place: &str, key: &str, known: &[&str]) -> Failure {
    let failure = Failure::usage(format!("{place}: unknown key `{key}`"));
    let likeness = |name: &&&str| (strsim::jaro_winkler(key, name) * 1000.0) as u32;
    match known.iter().max_by_key(likeness).filter(|name| likeness(name) > 800) {
        Some(name) => failure.hint(format!("did you mean `{name}`?")),
        None => failure.hint(format!("known are: {}", known.join(", "))),
    }
}

/// What is wrong with a value. One that stands where a section should, or looks like a URL, is told by its kind alone: a password may be in it.
fn without_secrets(error: &ConfigError) -> String {
    let text = error.to_string();
    match error {
        ConfigError::Type {
            unexpected, expected, ..
        } => {
            let value = unexpected.to_string();
            if *expected != "a map" && !value.contains([':', '@']) {
                return text;
            }
            let kind = value.split(['`', '"']).next().unwrap_or_default().trim_end();
            text.replacen(&value, kind, 1)
        }
        ConfigError::At { error, .. } => text.replacen(&error.to_string(), &without_secrets(error), 1),
        _ => text,
    }
}

fn broken(error: &ConfigError) -> Failure {
    Failure::usage(format!("configuration: {}", without_secrets(error)))
        .hint("keys are called as options are, with _ for -; the command's --help says what each takes")
}

/// Holds settings that have every key against the list of keys that files may have, and lets the environment say them all.
#[cfg(test)]
pub(crate) fn assert_keys<S>(all: &S, known: &[&str])
where
    S: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    use serde_json::Value as Json;

    let value = serde_json::to_value(all).expect("plain values");
    let object = value.as_object().expect("an object");
    let named = object.iter().flat_map(|(key, value)| match value.as_object() {
        Some(inner) => inner
            .iter()
            .map(|(name, value)| (format!("{key}.{name}"), value))
            .collect(),
        None => vec![(key.clone(), value)],
    });
    let mut named: Vec<(String, &Json)> = named.collect();
    named.sort_by(|one, other| one.0.cmp(&other.0));
    let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    let mut sorted = known.to_vec();
    sorted.sort_unstable();
    assert_eq!(names, sorted);

    let word = |value: &Json| match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = |value: &Json| match value {
        Json::Array(list) => list.iter().map(word).collect::<Vec<String>>().join(", "),
        other => word(other),
    };
    let variable = |key: &str| format!("TABIYA_VERB__{}", key.replace('.', "__").to_uppercase());
    let variables = named.iter().map(|(key, value)| (variable(key), text(value)));
    let from_environment: Result<S, _> = environment_of("verb", known, Some(variables.collect()))
        .expect("known keys")
        .try_deserialize();
    assert_eq!(
        &from_environment.expect("every key can be said in the environment"),
        all
    );
}
