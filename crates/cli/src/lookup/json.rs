//! The answer for programs: what `GET /position` of a server says.

use tabiya_app::lookup::Facts;
use tabiya_server::wire::Position;

use crate::failure::Failure;

pub(super) fn answer(facts: &Facts) -> Result<String, Failure> {
    let json = serde_json::to_string(&Position::of(facts));
    json.map(|json| json + "\n")
        .map_err(|error| Failure::world(error.into()))
}
