//! Values as PackStream writes them.

/// Bytes of packed values, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::neo4j) struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    pub(in crate::neo4j) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// So many times nothing.
    pub(in crate::neo4j) fn nulls(number: usize) -> Packer {
        Packer {
            bytes: vec![0xC0; number],
        }
    }

    pub(in crate::neo4j) fn null(&mut self) {
        self.bytes.push(0xC0);
    }

    pub(in crate::neo4j) fn bool(&mut self, value: bool) {
        self.bytes.push(if value { 0xC3 } else { 0xC2 });
    }

    /// The shortest form that holds it.
    pub(in crate::neo4j) fn int(&mut self, value: i64) {
        if let Ok(small) = i8::try_from(value) {
            if small < -16 {
                self.bytes.push(0xC8);
            }
            self.bytes.push(small.cast_unsigned());
        } else if let Ok(value) = i16::try_from(value) {
            self.bytes.push(0xC9);
            self.bytes.extend(value.to_be_bytes());
        } else if let Ok(value) = i32::try_from(value) {
            self.bytes.push(0xCA);
            self.bytes.extend(value.to_be_bytes());
        } else {
            self.bytes.push(0xCB);
            self.bytes.extend(value.to_be_bytes());
        }
    }

    pub(in crate::neo4j) fn opt_int(&mut self, value: Option<impl Into<i64>>) {
        match value {
            Some(value) => self.int(value.into()),
            None => self.null(),
        }
    }

    pub(in crate::neo4j) fn text(&mut self, text: &str) {
        self.length(text.len(), 0x80, [0xD0, 0xD1, 0xD2]);
        self.bytes.extend(text.as_bytes());
    }

    pub(in crate::neo4j) fn opt_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    /// The beginning of a list; so many values have to follow.
    pub(in crate::neo4j) fn list(&mut self, length: usize) {
        self.length(length, 0x90, [0xD4, 0xD5, 0xD6]);
    }

    pub(in crate::neo4j) fn ints(&mut self, values: &[i64]) {
        self.list(values.len());
        for value in values {
            self.int(*value);
        }
    }

    pub(in crate::neo4j) fn texts(&mut self, values: &[String]) {
        self.list(values.len());
        for value in values {
            self.text(value);
        }
    }

    /// The beginning of a map; so many pairs of a text and a value have to follow.
    pub(super) fn map(&mut self, length: usize) {
        self.length(length, 0xA0, [0xD8, 0xD9, 0xDA]);
    }

    /// The beginning of a message with so many fields.
    pub(super) fn structure(&mut self, tag: u8, fields: u8) {
        self.bytes.extend([0xB0 | fields, tag]);
    }

    /// Values that were packed elsewhere.
    pub(in crate::neo4j) fn packed(&mut self, other: &Packer) {
        self.bytes.extend(&other.bytes);
    }

    fn length(&mut self, length: usize, tiny: u8, markers: [u8; 3]) {
        if length < 16 {
            self.bytes.push(tiny | length as u8);
        } else if let Ok(length) = u8::try_from(length) {
            self.bytes.extend([markers[0], length]);
        } else if let Ok(length) = u16::try_from(length) {
            self.bytes.push(markers[1]);
            self.bytes.extend(length.to_be_bytes());
        } else {
            // Nothing is written here that comes near 4 GB.
            self.bytes.push(markers[2]);
            self.bytes.extend((length as u32).to_be_bytes());
        }
    }
}
