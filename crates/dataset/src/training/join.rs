//! One file out of numbered parts.

use std::path::Path;

use super::{Layout, SampleError, SampleWriter, Written};

/// Joins parts of one layout into `target`, in their order and without encoding anything again. The target appears when
/// it is whole; the parts stay.
///
/// # Errors
///
/// What cannot be read, written or put in place. `rows` of formats that do not count themselves are the caller's.
pub fn join<P: AsRef<Path>>(parts: &[P], target: &Path, layout: Layout, rows: u64) -> Result<Written, SampleError> {
    let mut writer = SampleWriter::create(target, layout)?;
    for part in parts {
        writer.splice(part.as_ref())?;
    }
    let written = writer.finish()?;
    Ok(Written { rows, ..written })
}
