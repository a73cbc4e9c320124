//! The head of a page, as far as one must know it before its page is read: Thrift's compact form, of which writers use little.
//!
//! Two readings of the same bytes must not come to different sizes. So what nobody writes is refused: fields that do not begin with the sizes,
//! or come in another order than theirs, where the last of a kind would count; and known fields of another type than theirs, which are read
//! by their number there and passed over by their type here.

use super::packed::Bytes;

/// Structs within the head are statistics within the description of a page.
const DEEPEST: u32 = 3;

pub(super) const END: u8 = 0;
pub(super) const TRUE: u8 = 1;
pub(super) const FALSE: u8 = 2;
pub(super) const INT32: u8 = 5;
pub(super) const INT64: u8 = 6;
pub(super) const BINARY: u8 = 8;
pub(super) const STRUCT: u8 = 12;

/// Whose fields they are.
#[derive(Clone, Copy)]
enum Of {
    Head,
    DataPage,
    Dictionary,
    DataPage2,
    /// What is passed over by its types by everybody.
    Other,
}

impl Of {
    /// What a field of it describes.
    fn within(self, number: u8) -> Of {
        match (self, number) {
            (Of::Head, 5) => Of::DataPage,
            (Of::Head, 7) => Of::Dictionary,
            (Of::Head, 8) => Of::DataPage2,
            _ => Of::Other,
        }
    }

    /// The type as which a field is read by its number, whatever type it says it has.
    fn read_as(self, number: u8) -> Option<u8> {
        match (self, number) {
            (Of::Head, 4) | (Of::DataPage, 1..=4) | (Of::Dictionary, 1..=2) | (Of::DataPage2, 1..=6) => Some(INT32),
            (Of::Head, 5..=8) => Some(STRUCT),
            _ => None,
        }
    }
}

/// How many bytes a page has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) unpacked: u32,
    pub(super) packed: u32,
}

/// None where the bytes do not begin with a whole head.
pub(super) fn sizes(bytes: &[u8]) -> Option<Sizes> {
    let mut head = Head(Bytes(bytes));
    let _kind = head.next_size()?;
    let sizes = Sizes {
        unpacked: head.next_size()?,
        packed: head.next_size()?,
    };
    // These were its first three fields.
    head.pass_struct(Of::Head, 3, DEEPEST)?;
    Some(sizes)
}

struct Head<'a>(Bytes<'a>);

impl Head<'_> {
    /// A field of 32 bits that follows the one before, if it is not negative.
    fn next_size(&mut self) -> Option<u32> {
        if self.0.byte()? != 1 << 4 | INT32 {
            return None;
        }
        let zigzag = u32::try_from(self.0.varint()?).ok()?;
        (zigzag % 2 == 0).then_some(zigzag / 2)
    }

    fn pass_struct(&mut self, of: Of, mut number: u8, depth: u32) -> Option<()> {
        loop {
            let field = self.0.byte()?;
            if field == END {
                return Some(());
            }
            // How much greater its number is than that of the one before. 0 says that the number follows, which may be any.
            if field >> 4 == 0 {
                return None;
            }
            number = number.checked_add(field >> 4)?;
            let kind = field & 0xf;
            if of.read_as(number).is_some_and(|known| known != kind) {
                return None;
            }
            match kind {
                TRUE | FALSE => {}
                INT32 | INT64 => _ = self.0.varint()?,
                BINARY => {
                    let length = usize::try_from(self.0.varint()?).ok()?;
                    self.0.take(length)?;
                }
                STRUCT => self.pass_struct(of.within(number), 0, depth.checked_sub(1)?)?,
                _ => return None,
            }
        }
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
        // So it does within a text where others read a number: the head's fourth field, and the first of what it says of its page.
        let second_again = [7, 5, 4, 0xfe, 0xff, 0xff, 0xff, 0xf];
        for text in [&[0x18][..], &[0x2c, 0x18]] {
            let hidden = [&HEAD[..6], text, &second_again, &[0x3c, END, END, END]].concat();
            assert_eq!(sizes(&hidden), None);
        }
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
