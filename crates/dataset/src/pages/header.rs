//! The head of a page, as far as one must know it before its page is read: Thrift's compact form, of which writers use little.
//!
//! Two readings of the same bytes must not come to different sizes. So what nobody writes is refused: fields that do not begin with the sizes,
//! or come in another order than theirs, where the last of a kind would count.

/// Structs within the head are statistics within the description of a page.
const DEEPEST: u32 = 3;

const END: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT32: u8 = 5;
const INT64: u8 = 6;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

/// How many bytes a page has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) unpacked: u32,
    pub(super) packed: u32,
}

/// None where the bytes do not begin with a whole head.
pub(super) fn sizes(bytes: &[u8]) -> Option<Sizes> {
    let mut head = Head(bytes);
    let _kind = head.next_size()?;
    let sizes = Sizes {
        unpacked: head.next_size()?,
        packed: head.next_size()?,
    };
    head.pass_struct(DEEPEST)?;
    Some(sizes)
}

struct Head<'a>(&'a [u8]);

impl Head<'_> {
    /// A field of 32 bits that follows the one before, if it is not negative.
    fn next_size(&mut self) -> Option<u32> {
        if self.byte()? != 1 << 4 | INT32 {
            return None;
        }
        let zigzag = u32::try_from(self.varint()?).ok()?;
        (zigzag % 2 == 0).then_some(zigzag / 2)
    }

    fn pass_struct(&mut self, depth: u32) -> Option<()> {
        loop {
            let field = self.byte()?;
            if field == END {
                return Some(());
            }
            // How much greater its number is than that of the one before. 0 says that the number follows, which may be any.
            if field >> 4 == 0 {
                return None;
            }
            match field & 0xf {
                TRUE | FALSE => {}
                INT32 | INT64 => _ = self.varint()?,
                BINARY => {
                    let length = usize::try_from(self.varint()?).ok()?;
                    self.0 = self.0.get(length..)?;
                }
                STRUCT => self.pass_struct(depth.checked_sub(1)?)?,
                _ => return None,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page of 5 bytes, 3 when packed, with its number of values, encodings and statistics.
    const HEAD: [u8; 25] = [
        0x15, 0, 0x15, 10, 0x15, 6, 0x2c, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0x1c, 0x36, 0, 0x28, 1, b'z', 0x18, 0,
        END, END,
    ];

    #[test]
    fn the_head_is_read_to_its_end() {
        let whole = [&HEAD[..], &[END]].concat();
        let expected = Sizes { unpacked: 5, packed: 3 };
        assert_eq!(sizes(&[&whole[..], b"what follows"].concat()), Some(expected));
        for cut in 0..whole.len() {
            assert_eq!(sizes(&whole[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn what_could_be_read_otherwise_is_refused() {
        // Behind the three sizes the second comes again, by its number.
        let again = [&HEAD[..6], &[0x05, 4, 20, END]].concat();
        assert_eq!(sizes(&again), None);
        // Another order, a negative size, and one of more than 32 bits.
        assert_eq!(sizes(&[0x25, 10, 0x15, 6, END]), None);
        assert_eq!(sizes(&[0x15, 0, 0x15, 11, 0x15, 6, END]), None);
        assert_eq!(
            sizes(&[0x15, 0, 0x15, 0x8a, 0x80, 0x80, 0x80, 0x80, 1, 0x15, 6, END]),
            None
        );
        // As large as they come: 2 GB.
        let huge = [0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0xf, 0x15, 6, END];
        assert_eq!(sizes(&huge).map(|sizes| sizes.unpacked), Some(i32::MAX as u32));
        // Structs in structs without end.
        assert_eq!(sizes(&[&HEAD[..6], &[0x1c; 100]].concat()), None);
    }
}
