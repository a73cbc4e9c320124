//! What any bytes must satisfy; the fuzz target calls this.

use serde::{Serialize, de::DeserializeOwned};

use crate::{analyze, build, configuration::from_text, evals, export, fetch, import, positions, review, serve};

/// Any text is a configuration file, or refused with a message. What a verb takes from it can be written and is the same
/// then.
///
/// # Panics
///
/// If not.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    for name in ["tabiya.toml", "own.toml"] {
        taken::<import::settings::Settings>(name, text, "import", &import::settings::KEYS);
        taken::<build::settings::Settings>(name, text, "build", &build::settings::KEYS);
        taken::<build::annotate::settings::Settings>(name, text, "annotate", &build::annotate::settings::KEYS);
        taken::<evals::settings::Settings>(name, text, "evals", &evals::settings::KEYS);
        taken::<export::settings::Settings>(name, text, "export", &export::settings::KEYS);
        taken::<positions::settings::Settings>(name, text, "positions", &positions::settings::KEYS);
        taken::<review::settings::Settings>(name, text, "review", &review::settings::KEYS);
        taken::<analyze::settings::Settings>(name, text, "analyze", &analyze::settings::KEYS);
        taken::<fetch::settings::Settings>(name, text, "fetch", &fetch::settings::KEYS);
        taken::<serve::settings::Settings>(name, text, "serve", &serve::settings::KEYS);
    }
}

fn taken<S: Serialize + DeserializeOwned>(name: &str, text: &str, verb: &str, keys: &[&str]) {
    match from_text::<S>(name, text, verb, keys) {
        Ok(settings) => {
            // Not through a number with a point, which could be one that JSON has no word for.
            let written = serde_json::to_string(&settings).expect("plain values");
            if let Ok(again) = serde_json::from_str::<S>(&written) {
                assert_eq!(serde_json::to_string(&again).expect("plain values"), written);
            }
        }
        Err(failure) => assert!(!failure.message().is_empty()),
    }
}
