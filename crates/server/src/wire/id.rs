//! Ids as text.

use std::fmt;

use serde::{Serialize, Serializer};
use tabiya_chess::{NodeId, PositionId};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

/// The UUID of a node or an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(Uuid);

impl From<NodeId> for Id {
    fn from(id: NodeId) -> Id {
        Id(id.uuid())
    }
}

impl From<PositionId> for Id {
    fn from(id: PositionId) -> Id {
        NodeId::from(id).into()
    }
}

impl From<Uuid> for Id {
    fn from(id: Uuid) -> Id {
        Id(id)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
    }
}

impl utoipa::PartialSchema for Id {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
            .into()
    }
}

impl utoipa::ToSchema for Id {}
