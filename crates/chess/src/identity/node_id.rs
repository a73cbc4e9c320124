//! The UUID under which the outside knows a position.

use std::{fmt, str::FromStr};

use thiserror::Error;
use uuid::Uuid;

use super::{
    PositionId,
    uuid_v8::{CHECK_BITS, uuid_v8},
};

/// A [`PositionId`] as a UUIDv8, for interfaces that speak UUIDs.
///
/// The UUID *carries* the id, so turning it back needs no table, and UUIDs sort as their ids do:
///
/// | bits, from the left | content |
/// |---|---|
/// | 48 | the id's bits 63–16 |
/// | 4 | version, 8 |
/// | 12 | the id's bits 15–4 |
/// | 2 | variant, binary 10 |
/// | 4 | the id's bits 3–0 |
/// | 58 | check: the upper 58 bits of FNV-1a over `tabiya-node` and the id (8 bytes, little endian) |
///
/// The check tells our UUIDs from anybody else's: a random UUIDv8 passes once in 2⁵⁸.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::{NodeId, PositionId};
///
/// let node = NodeId::from(PositionId::of(&Chess::default()));
/// assert_eq!(node.to_string(), "e7550032-f706-814f-b243-68d33c199b00");
/// assert_eq!("e7550032-f706-814f-b243-68d33c199b00".parse(), Ok(node));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(PositionId);

impl NodeId {
    /// The position this node stands for.
    #[must_use]
    pub const fn position(self) -> PositionId {
        self.0
    }

    #[must_use]
    pub const fn uuid(self) -> Uuid {
        uuid_v8(b"tabiya-node", self.0.get())
    }
}

/// A well-formed UUID that is not the id of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not the id of a position")]
pub struct NotANodeId(pub Uuid);

/// A text that is not a [`NodeId`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseNodeIdError {
    /// The text is not a UUID at all.
    #[error("`{0}` is not a UUID")]
    NotAUuid(String),
    /// The UUID is somebody else's.
    #[error(transparent)]
    NotANodeId(#[from] NotANodeId),
}

impl From<PositionId> for NodeId {
    fn from(position: PositionId) -> NodeId {
        NodeId(position)
    }
}

impl From<NodeId> for PositionId {
    fn from(node: NodeId) -> PositionId {
        node.0
    }
}

impl From<NodeId> for Uuid {
    fn from(node: NodeId) -> Uuid {
        node.uuid()
    }
}

impl TryFrom<Uuid> for NodeId {
    type Error = NotANodeId;

    fn try_from(uuid: Uuid) -> Result<NodeId, NotANodeId> {
        let bits = uuid.as_u128();
        let (high, middle, low) = (bits >> 80, bits >> 64 & 0xfff, bits >> CHECK_BITS & 0xf);
        let id = (high << 16 | middle << 4 | low) as u64;
        // Rebuilding compares version, variant and check in one go.
        let node = NodeId(PositionId::from(id));
        if node.uuid() == uuid {
            Ok(node)
        } else {
            Err(NotANodeId(uuid))
        }
    }
}

impl FromStr for NodeId {
    type Err = ParseNodeIdError;

    fn from_str(text: &str) -> Result<NodeId, ParseNodeIdError> {
        let uuid = Uuid::try_parse(text).map_err(|_| ParseNodeIdError::NotAUuid(text.to_owned()))?;
        Ok(NodeId::try_from(uuid)?)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid().hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Variant;

    use super::*;

    fn node(id: u64) -> NodeId {
        NodeId::from(PositionId::from(id))
    }

    #[test]
    fn has_its_published_form() {
        assert_eq!(node(0).to_string(), "00000000-0000-8000-80fd-f58bdc3b7c28");
        assert_eq!(
            node(0x2b1f_d1b2_aadf_bfa3).to_string(),
            "2b1fd1b2-aadf-8bfa-8eba-703c7d2faad5"
        );
    }

    #[test]
    fn strangers_are_refused_by_name() {
        assert_eq!(
            "hello".parse::<NodeId>().unwrap_err().to_string(),
            "`hello` is not a UUID"
        );
        let nil = Uuid::nil().to_string();
        assert_eq!(
            nil.parse::<NodeId>().unwrap_err().to_string(),
            "`00000000-0000-0000-0000-000000000000` is not the id of a position"
        );
    }

    proptest! {
        #[test]
        fn carries_the_id_there_and_back(id: u64) {
            let uuid = node(id).uuid();
            prop_assert_eq!(uuid.get_version_num(), 8);
            prop_assert_eq!(uuid.get_variant(), Variant::RFC4122);
            prop_assert_eq!(NodeId::try_from(uuid), Ok(node(id)));
            prop_assert_eq!(uuid.to_string().parse(), Ok(node(id)));
        }

        #[test]
        fn sorts_as_the_ids_do(a: u64, b: u64) {
            prop_assert_eq!(node(a).uuid().cmp(&node(b).uuid()), a.cmp(&b));
        }

        #[test]
        fn any_flipped_bit_is_noticed(id: u64, bit in 0u32..128) {
            let flipped = Uuid::from_u128(node(id).uuid().as_u128() ^ 1 << bit);
            prop_assert_eq!(NodeId::try_from(flipped), Err(NotANodeId(flipped)));
        }
    }
}
