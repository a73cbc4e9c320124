//! How much texts take that are packed by their lengths, told before room for them is made.
//!
//! Each length is the one before and a difference, and a block of differences that are all the same takes no bytes: so few bytes may say that there
//! are millions of texts, and that each begins with megabytes of the one before.

/// A block of differences has a multiple of these, and so has each of its parts.
const BLOCK: u64 = 128;
const PART: u64 = 32;

/// Lengths have so many bits.
const WIDEST: u8 = 32;

/// What lies behind a page's levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    /// Lengths, then the texts.
    Lengths,
    /// How much of the text before each begins with, then the lengths of the rest, then these rests.
    Prefixes,
}

/// How many lengths there are, and how many bytes are copied from one text into the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unpacked {
    pub(super) lengths: u64,
    pub(super) copied: u64,
}

/// None where the bytes do not begin with lengths as anybody writes them. Of more than `most` there is told no more than that.
pub(super) fn unpacked(packed: Packed, bytes: &[u8], most: u64) -> Option<Unpacked> {
    let mut bytes = Bytes(bytes);
    let lengths = Lengths::open(&mut bytes)?;
    if packed == Packed::Lengths || lengths.count > most {
        let lengths = lengths.count;
        return Some(Unpacked { lengths, copied: 0 });
    }
    let prefixes = lengths.count;
    let copied = lengths.sum(&mut bytes)?;
    let rests = Lengths::open(&mut bytes)?.count;
    Some(Unpacked {
        lengths: prefixes.max(rests),
        copied,
    })
}

/// The head of a row of lengths.
struct Lengths {
    /// In each part of a block.
    part: u64,
    parts: usize,
    count: u64,
    first: i32,
}

impl Lengths {
    fn open(bytes: &mut Bytes<'_>) -> Option<Lengths> {
        let (block, parts, count) = (bytes.varint()?, bytes.varint()?, bytes.varint()?);
        let part = block.checked_div(parts)?;
        let whole =
            block > 0 && block.is_multiple_of(BLOCK) && block.is_multiple_of(parts) && part.is_multiple_of(PART);
        let first = i32::try_from(bytes.zigzag()?).ok()?;
        whole.then_some(Lengths {
            part,
            parts: usize::try_from(parts).ok()?,
            count,
            first,
        })
    }

    /// Reads them all, and goes behind the last.
    fn sum(self, bytes: &mut Bytes<'_>) -> Option<u64> {
        let mut left = self.count;
        if left == 0 {
            return Some(0);
        }
        let mut length = self.first;
        let mut sum = u64::try_from(length).ok()?;
        left -= 1;
        while left > 0 {
            let least = i32::try_from(bytes.zigzag()?).ok()?;
            for width in bytes.take(self.parts)? {
                // Behind the last length, widths say nothing.
                if left == 0 {
                    break;
                }
                if *width > WIDEST {
                    return None;
                }
                let bytes_of_part = (self.part / 8).checked_mul(u64::from(*width))?;
                let part = bytes.take(usize::try_from(bytes_of_part).ok()?)?;
                for at in 0..left.min(self.part) {
                    length = length.wrapping_add(least).wrapping_add(number(part, at, *width));
                    sum = sum.checked_add(u64::try_from(length).ok()?)?;
                }
                left = left.saturating_sub(self.part);
            }
        }
        Some(sum)
    }
}

/// The number at a place among numbers of `width` bits, the first in the lowest.
fn number(bytes: &[u8], at: u64, width: u8) -> i32 {
    let bit = at * u64::from(width);
    let from = (bit / 8) as usize;
    let mut window = [0; 8];
    let near = &bytes[from.min(bytes.len())..bytes.len().min(from + 8)];
    window[..near.len()].copy_from_slice(near);
    let mask = (1_u64 << width) - 1;
    (u64::from_le_bytes(window) >> (bit % 8) & mask) as u32 as i32
}

/// What is left to be read.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let [byte] = self.take(1)? else { return None };
        Some(*byte)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five lengths of 3, as few bytes as they take.
    const FIVE_OF_3: [u8; 10] = [0x80, 1, 4, 5, 6, 0, 0, 0, 0, 0];

    #[test]
    fn lengths_are_counted_and_prefixes_summed() {
        let of = |lengths, copied| Some(Unpacked { lengths, copied });
        assert_eq!(unpacked(Packed::Lengths, &FIVE_OF_3, 5), of(5, 0));
        let both = [FIVE_OF_3, FIVE_OF_3].concat();
        assert_eq!(unpacked(Packed::Prefixes, &both, 5), of(5, 15));
        assert_eq!(unpacked(Packed::Prefixes, &both[..10], 5), None);
        // 0, then 1, 2, 3: differences of 0 and 2 bits, from -1 on.
        let narrow = [&[0x80, 1, 4, 4, 0, 1, 2, 0, 0, 0, 0b10_1010], &[0; 7][..], &FIVE_OF_3].concat();
        assert_eq!(unpacked(Packed::Prefixes, &narrow, 5), of(5, 6));
        // One alone has no block, and none has nothing.
        let few = |count, first| [&[0x80, 1, 4, count, first][..], &FIVE_OF_3].concat();
        assert_eq!(unpacked(Packed::Prefixes, &few(1, 14), 5), of(5, 7));
        assert_eq!(unpacked(Packed::Prefixes, &few(0, 14), 5), of(5, 0));
    }

    #[test]
    fn millions_in_few_bytes_are_not_gone_through() {
        let claims = [0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 7, 0, 0];
        for packed in [Packed::Lengths, Packed::Prefixes] {
            let found = unpacked(packed, &claims, 1 << 20).expect("lengths");
            assert_eq!(found.lengths, i32::MAX as u64);
        }
    }

    #[test]
    fn what_nobody_writes_is_refused() {
        for (bytes, why) in [
            (&[0, 4, 5, 6][..], "blocks of nothing"),
            (&[0x80, 1, 0, 5, 6], "no parts"),
            (&[0x80, 1, 8, 5, 6], "parts of 16"),
            (&[0x80, 1, 4, 1, 1], "a negative length"),
            (&[0x80, 1, 4, 2, 6, 7, 0, 0, 0, 0], "a length that becomes negative"),
            (&[0x80, 1, 4, 2, 6, 0, 33, 0, 0, 0], "differences of 33 bits"),
            (&[0x80, 1, 4, 2, 6, 0, 1, 0, 0, 0], "no differences"),
            (&[0x80; 12], "a number without end"),
            // 2^62 of them of 32 bits take 2^64 bytes, which is none in 64 bits.
            (
                &[
                    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 1, 2, 0, 0, 32, 0x80, 1, 4, 2, 0,
                ],
                "parts without end",
            ),
        ] {
            let with_rests = [bytes, &FIVE_OF_3].concat();
            let shown = if why == "no differences" {
                bytes
            } else {
                &with_rests[..]
            };
            assert_eq!(unpacked(Packed::Prefixes, shown, 100), None, "{why}");
        }
    }
}
