//! Whether a run begins, or goes on where an earlier one ended.

use std::cmp::Ordering;

use pgn_import::{Input, fingerprint_of_first};

use super::{
    Configuration, PositionsRequest,
    error::PositionsError,
    progress::{self, Paths, Phase, Place, Progress, SourceRecord, write_json},
};
use crate::AppError;

/// What an earlier run left, or a beginning.
pub(super) fn begin(request: &PositionsRequest, paths: &Paths, fresh: Progress) -> Result<Progress, AppError> {
    let path = paths.progress();
    let earlier = match request.restart {
        true => {
            paths.clean();
            None
        }
        false => progress::read(&path)?,
    };
    let Some(mut earlier) = earlier else {
        if request.resume {
            return Err(PositionsError::NothingToResume {
                path: paths.named.clone(),
            }
            .into());
        }
        // Whoever left them without a word about it left them for another run.
        paths.forget_answers()?;
        write_json(&path, &fresh)?;
        return Ok(fresh);
    };
    if !request.resume {
        return Err(PositionsError::Unfinished {
            path: paths.named.clone(),
        }
        .into());
    }
    let refuse = |reason: String| PositionsError::CannotResume {
        path: paths.named.clone(),
        reason,
    };
    if let Some(difference) = difference(&earlier.configuration, &fresh.configuration) {
        return Err(refuse(difference).into());
    }
    if earlier.engine != fresh.engine {
        let name = |engine: &Option<String>| engine.clone().unwrap_or_else(|| "no engine".to_owned());
        let reason = format!(
            "it was begun with {}, this is {}",
            name(&earlier.engine),
            name(&fresh.engine)
        );
        return Err(refuse(reason).into());
    }
    if earlier.sources.len() != fresh.sources.len() {
        return Err(refuse("it was begun with other files".to_owned()).into());
    }
    let is_reading = matches!(earlier.phase, Phase::Extracting | Phase::Gathering);
    // Everything was put aside, and the place is one in there.
    let is_read = !is_reading && earlier.configuration.dedupes();
    let mut is_replaced = false;
    for (number, (one, other)) in earlier.sources.iter_mut().zip(&fresh.sources).enumerate() {
        if one.name != other.name {
            return Err(refuse(format!("it was begun with {}, not {}", one.name, other.name)).into());
        }
        let is_begun = number == earlier.at.source && (earlier.at.offset > 0 || earlier.at.skip > 0);
        if is_begun && is_reading && other.fingerprint.is_none() && other.month.is_none() {
            let reason = format!("nobody can tell whether {} is still the same", one.name);
            return Err(refuse(reason).into());
        }
        if one.fingerprint == other.fingerprint {
            continue;
        }
        if is_read || !is_harmless(one, other, number, &earlier.at) {
            return Err(refuse(format!("{} has changed", one.name)).into());
        }
        *one = other.clone();
        is_replaced = true;
    }
    if is_replaced {
        // What is known of its positions is known by their places alone, and there may be others now.
        paths.forget_answers()?;
        write_json(&path, &earlier)?;
    }
    Ok(earlier)
}

/// Whether going on with another file comes to the same as beginning with it: nothing of the earlier one was taken, or it broke
/// off and is whole now.
fn is_harmless(earlier: &SourceRecord, now: &SourceRecord, number: usize, at: &Place) -> bool {
    match number.cmp(&at.source) {
        Ordering::Less => false,
        Ordering::Equal if at.offset > 0 || at.skip > 0 => {
            let (Some(bytes), true) = (earlier.bytes, earlier.cut && now.bytes > earlier.bytes) else {
                return false;
            };
            let input = Input::Path(now.name.clone().into());
            // A file that cannot be read any more is told when it is opened.
            fingerprint_of_first(&input, bytes).is_ok_and(|first| first == earlier.fingerprint)
        }
        Ordering::Equal | Ordering::Greater => true,
    }
}

/// The first setting that differs, in words.
fn difference(earlier: &Configuration, now: &Configuration) -> Option<String> {
    let flat = |configuration: &Configuration| {
        let mut value = serde_json::to_value(configuration).unwrap_or_default();
        let rules = value.as_object_mut().and_then(|fields| fields.remove("rules"));
        let mut fields = value.as_object().cloned().unwrap_or_default();
        fields.extend(rules.and_then(|rules| rules.as_object().cloned()).unwrap_or_default());
        fields
    };
    let (earlier, now) = (flat(earlier), flat(now));
    earlier.iter().find_map(|(key, value)| {
        let other = now.get(key)?;
        (value != other).then(|| format!("it was begun with {key} {value}, this is {other}"))
    })
}
