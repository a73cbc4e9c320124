//! The UUID under which the outside knows an opening.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use super::Eco;
use crate::Fnv1a;

/// The id of an opening: a UUIDv8 made of its ECO code and full name, and so the same after every rebuild.
///
/// The UUID's 128 bits are two FNV-1a hashes, with the version and variant bits written over them: the left half hashes
/// `tabiya-opening`, the code, a zero byte and the name, the right half `tabiya-opening-2` and the same. It does not pass for
/// a [`NodeId`](crate::NodeId), whose check bits it does not have.
///
/// ```
/// use tabiya_chess::{Eco, OpeningId};
///
/// let id = OpeningId::of("C50".parse::<Eco>()?, "Italian Game");
/// assert_eq!(id.to_string(), "1c6a36d9-8f72-89d2-98e4-992951808e4d");
/// # Ok::<_, tabiya_chess::NotAnEcoCode>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpeningId(Uuid);

impl OpeningId {
    /// The id of the opening with this code and full name.
    #[must_use]
    pub fn of(eco: Eco, name: &str) -> OpeningId {
        let text = eco.to_string();
        let half = |salt: &str| {
            let mut hash = Fnv1a::new();
            hash.update(salt.as_bytes());
            hash.update(text.as_bytes());
            hash.update(&[0]);
            hash.update(name.as_bytes());
            u128::from(hash.value())
        };
        let bits = half("tabiya-opening") << 64 | half("tabiya-opening-2");
        OpeningId(uuid::Builder::from_custom_bytes(bits.to_be_bytes()).into_uuid())
    }

    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

/// Any UUID may be asked for; whether an opening has it, a table knows.
impl From<Uuid> for OpeningId {
    fn from(uuid: Uuid) -> OpeningId {
        OpeningId(uuid)
    }
}

impl From<OpeningId> for Uuid {
    fn from(id: OpeningId) -> Uuid {
        id.0
    }
}

impl FromStr for OpeningId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<OpeningId, uuid::Error> {
        Uuid::try_parse(text).map(OpeningId)
    }
}

impl fmt::Display for OpeningId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    fn id(eco: &str, name: &str) -> OpeningId {
        OpeningId::of(eco.parse().expect(eco), name)
    }

    #[test]
    fn has_its_published_form() {
        assert_eq!(
            id("C50", "Italian Game").to_string(),
            "1c6a36d9-8f72-89d2-98e4-992951808e4d"
        );
        assert_eq!(
            id("B20", "Sicilian Defense").to_string(),
            "67f2a4a8-0951-87b8-9d55-90e63a510d9f"
        );
        assert_eq!(
            id("A00", "Amar Opening").to_string(),
            "2df0d911-1fb9-8ffc-89c1-3db6ae2517cf"
        );
    }

    #[test]
    fn is_a_uuid_of_its_own_kind() {
        let italian = id("C50", "Italian Game");
        assert_eq!(italian.uuid().get_version_num(), 8);
        assert_eq!(italian.uuid().get_variant(), uuid::Variant::RFC4122);
        assert!(NodeId::try_from(italian.uuid()).is_err());
        assert_ne!(italian, id("C51", "Italian Game"));
        assert_ne!(italian, id("C50", "Italian game"));
    }
}
