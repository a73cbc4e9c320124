//! Our ids as UUIDs.

use uuid::Uuid;

use super::fnv::Fnv1a;

const VERSION: u128 = 0x8 << 76;
const VARIANT: u128 = 0b10 << 62;
pub(super) const CHECK_BITS: u32 = 58;

/// A 64-bit id and a check as a UUIDv8, laid out as [`NodeId`](super::NodeId) says. `kind` keeps what is identified
/// apart: equal ids of different kinds are different UUIDs.
pub(crate) const fn uuid_v8(kind: &[u8], id: u64) -> Uuid {
    Uuid::from_u128(
        ((id >> 16) as u128) << 80
            | VERSION
            | ((id >> 4 & 0xfff) as u128) << 64
            | VARIANT
            | ((id & 0xf) as u128) << CHECK_BITS
            | check(kind, id) as u128,
    )
}

const fn check(kind: &[u8], id: u64) -> u64 {
    let mut hash = Fnv1a::new();
    hash.update(kind);
    hash.update(&id.to_le_bytes());
    hash.value() >> (u64::BITS - CHECK_BITS)
}
