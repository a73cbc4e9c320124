//! Values as PackStream has them, read back.

use super::BoltError;

/// What a server answers with.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::neo4j) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// A message, or one of the kinds of value that nothing here asks for.
    Structure(u8, Vec<Value>),
}

/// Lists in lists in lists: nobody sends that but to exhaust the stack.
const DEEPEST: usize = 32;

pub(in crate::neo4j) fn read(bytes: &[u8]) -> Result<Value, BoltError> {
    let mut reader = Reader { bytes };
    let value = reader.value(DEEPEST)?;
    match reader.bytes {
        [] => Ok(value),
        _ => Err(BoltError::Unreadable("a message has a tail".to_owned())),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, length: usize) -> Result<&[u8], BoltError> {
        let cut = || BoltError::Unreadable("a message is cut short".to_owned());
        let (head, tail) = self.bytes.split_at_checked(length).ok_or_else(cut)?;
        self.bytes = tail;
        Ok(head)
    }

    /// A number of so many bytes, not signed.
    fn number(&mut self, width: usize) -> Result<u64, BoltError> {
        let bytes = self.take(width)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self, width: usize) -> Result<usize, BoltError> {
        Ok(self.number(width)? as usize)
    }

    fn value(&mut self, depth: usize) -> Result<Value, BoltError> {
        let marker = self.take(1)?[0];
        Ok(match marker {
            0xC0 => Value::Null,
            0xC1 => Value::Float(f64::from_bits(self.number(8)?)),
            0xC2 => Value::Bool(false),
            0xC3 => Value::Bool(true),
            0x00..=0x7F | 0xF0..=0xFF => Value::Int(marker.cast_signed().into()),
            0xC8 => Value::Int((self.number(1)? as u8).cast_signed().into()),
            0xC9 => Value::Int((self.number(2)? as u16).cast_signed().into()),
            0xCA => Value::Int((self.number(4)? as u32).cast_signed().into()),
            0xCB => Value::Int(self.number(8)?.cast_signed()),
            0x80..=0x8F => self.text(usize::from(marker & 0xF))?,
            0xD0..=0xD2 => {
                let length = self.length(1 << (marker - 0xD0))?;
                self.text(length)?
            }
            0xCC..=0xCE => {
                let length = self.length(1 << (marker - 0xCC))?;
                Value::Bytes(self.take(length)?.to_vec())
            }
            0x90..=0x9F => self.list(usize::from(marker & 0xF), depth)?,
            0xD4..=0xD6 => {
                let length = self.length(1 << (marker - 0xD4))?;
                self.list(length, depth)?
            }
            0xA0..=0xAF => self.map(usize::from(marker & 0xF), depth)?,
            0xD8..=0xDA => {
                let length = self.length(1 << (marker - 0xD8))?;
                self.map(length, depth)?
            }
            0xB0..=0xBF => {
                let tag = self.take(1)?[0];
                Value::Structure(tag, self.values(usize::from(marker & 0xF), depth)?)
            }
            _ => return Err(BoltError::Unreadable(format!("there is no marker {marker:#04x}"))),
        })
    }

    fn text(&mut self, length: usize) -> Result<Value, BoltError> {
        match str::from_utf8(self.take(length)?) {
            Ok(text) => Ok(Value::Text(text.to_owned())),
            Err(error) => Err(BoltError::Unreadable(error.to_string())),
        }
    }

    fn values(&mut self, length: usize, depth: usize) -> Result<Vec<Value>, BoltError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(BoltError::Unreadable("a value is nested too deep".to_owned()));
        };
        // A length is believed as far as there are bytes for it.
        let mut values = Vec::with_capacity(length.min(self.bytes.len()));
        for _ in 0..length {
            values.push(self.value(depth)?);
        }
        Ok(values)
    }

    fn list(&mut self, length: usize, depth: usize) -> Result<Value, BoltError> {
        self.values(length, depth).map(Value::List)
    }

    fn map(&mut self, length: usize, depth: usize) -> Result<Value, BoltError> {
        let mut values = self.values(length.saturating_mul(2), depth)?.into_iter();
        let mut pairs = Vec::new();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            match key {
                Value::Text(key) => pairs.push((key, value)),
                other => return Err(BoltError::Unreadable(format!("{other:?} is no key"))),
            }
        }
        Ok(Value::Map(pairs))
    }
}

/// One row of an answer, taken column by column.
#[derive(Debug)]
pub(in crate::neo4j) struct Row {
    values: std::vec::IntoIter<Value>,
}

impl Row {
    pub(in crate::neo4j) fn new(values: Vec<Value>) -> Row {
        Row {
            values: values.into_iter(),
        }
    }

    pub(in crate::neo4j) fn value(&mut self) -> Result<Value, BoltError> {
        let missing = || BoltError::Unreadable("a row is too short".to_owned());
        self.values.next().ok_or_else(missing)
    }

    pub(in crate::neo4j) fn int(&mut self) -> Result<i64, BoltError> {
        match self.value()? {
            Value::Int(value) => Ok(value),
            other => Err(unexpected("a number", &other)),
        }
    }

    pub(in crate::neo4j) fn opt_int(&mut self) -> Result<Option<i64>, BoltError> {
        match self.value()? {
            Value::Null => Ok(None),
            Value::Int(value) => Ok(Some(value)),
            other => Err(unexpected("a number", &other)),
        }
    }

    /// `false` where there is none.
    pub(in crate::neo4j) fn bool(&mut self) -> Result<bool, BoltError> {
        match self.value()? {
            Value::Null => Ok(false),
            Value::Bool(value) => Ok(value),
            other => Err(unexpected("true or false", &other)),
        }
    }

    pub(in crate::neo4j) fn text(&mut self) -> Result<String, BoltError> {
        match self.value()? {
            Value::Text(text) => Ok(text),
            other => Err(unexpected("a text", &other)),
        }
    }

    pub(in crate::neo4j) fn opt_text(&mut self) -> Result<Option<String>, BoltError> {
        match self.value()? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(unexpected("a text", &other)),
        }
    }

    /// None where there is no list.
    pub(in crate::neo4j) fn list(&mut self) -> Result<Vec<Value>, BoltError> {
        match self.value()? {
            Value::Null => Ok(Vec::new()),
            Value::List(values) => Ok(values),
            other => Err(unexpected("a list", &other)),
        }
    }

    pub(in crate::neo4j) fn ints(&mut self) -> Result<Vec<i64>, BoltError> {
        let int = |value| match value {
            Value::Int(value) => Ok(value),
            other => Err(unexpected("a number", &other)),
        };
        self.list()?.into_iter().map(int).collect()
    }

    pub(in crate::neo4j) fn texts(&mut self) -> Result<Vec<String>, BoltError> {
        let text = |value| match value {
            Value::Text(text) => Ok(text),
            other => Err(unexpected("a text", &other)),
        };
        self.list()?.into_iter().map(text).collect()
    }

    /// A list of rows within the row.
    pub(in crate::neo4j) fn rows(&mut self) -> Result<Vec<Row>, BoltError> {
        let row = |value| match value {
            Value::List(values) => Ok(Row::new(values)),
            other => Err(unexpected("a list", &other)),
        };
        self.list()?.into_iter().map(row).collect()
    }
}

fn unexpected(wanted: &str, found: &Value) -> BoltError {
    BoltError::Unreadable(format!("{found:?} is not {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::super::Packer;
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let ints = [
            0,
            1,
            -1,
            -16,
            -17,
            127,
            128,
            -128,
            -129,
            32_767,
            32_768,
            -32_769,
            1 << 31,
            i64::MIN,
            i64::MAX,
        ];
        let long = "♞".repeat(30_000);
        let texts: Vec<String> = ["", "e4", "fifteen letters", "sixteen letters!", &"x".repeat(256), &long]
            .map(str::to_owned)
            .to_vec();
        let mut packer = Packer::default();
        packer.list(6);
        packer.null();
        packer.bool(true);
        packer.bool(false);
        packer.ints(&ints);
        packer.texts(&texts);
        packer.ints(&vec![7; 70_000]);
        let read = read(packer.bytes()).unwrap();
        let expected = vec![
            Value::Null,
            Value::Bool(true),
            Value::Bool(false),
            Value::List(ints.map(Value::Int).to_vec()),
            Value::List(texts.into_iter().map(Value::Text).collect()),
            Value::List(vec![Value::Int(7); 70_000]),
        ];
        assert_eq!(read, Value::List(expected));
    }

    #[test]
    fn whatever_a_server_sends_is_read_or_refused() {
        // A list that says it is long, texts that are none, nesting without end, nothing at all.
        let nested = [0x91; 1000];
        for bytes in [
            &[0xD6, 0xFF, 0xFF, 0xFF, 0xFF][..],
            &[0xD2, 0xFF, 0xFF, 0xFF, 0xFF, b'a'],
            &[0xDA, 0xFF, 0xFF, 0xFF, 0xFF],
            &[0x81, 0xFF],
            &[0xA1, 0x01, 0x01],
            &[0xC4],
            &[0x01, 0x01],
            &[],
            &nested,
        ] {
            assert!(matches!(read(bytes), Err(BoltError::Unreadable(_))), "{bytes:?}");
        }
        // Any three bytes: what matters is that it ends.
        for bytes in (0..=u16::MAX).map(|n| [n.to_be_bytes()[0], n.to_be_bytes()[1], 0x01]) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn rows_have_the_columns_that_are_asked_for() {
        let mut row = Row::new(vec![Value::Int(4), Value::Null, Value::Null, Value::Text("e4".into())]);
        assert_eq!(row.int().unwrap(), 4);
        assert_eq!(row.opt_text().unwrap(), None);
        assert_eq!(row.ints().unwrap(), Vec::<i64>::new());
        assert!(row.int().is_err() && row.int().is_err());
    }
}
