//! Values of one column, on their way to a row group.

use ::parquet::data_type::ByteArray;

/// Bytes end to end in one allocation.
pub(super) struct Bytes {
    all: Vec<u8>,
    ends: Vec<usize>,
}

impl Bytes {
    pub(super) fn with_capacity(values: usize, each: usize) -> Bytes {
        Bytes {
            all: Vec::with_capacity(values * each),
            ends: Vec::with_capacity(values),
        }
    }

    /// Adds one value: whatever `write` appends.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.all);
        self.ends.push(self.all.len());
    }

    pub(super) fn take(self) -> Vec<ByteArray> {
        let all = ByteArray::from(self.all);
        let mut start = 0;
        let slice = |end| {
            let value = all.slice(start, end - start);
            start = end;
            value
        };
        self.ends.into_iter().map(slice).collect()
    }
}

/// Numbers that may be missing.
pub(super) struct Numbers {
    pub(super) values: Vec<i32>,
    pub(super) defined: Vec<i16>,
}

impl FromIterator<Option<i32>> for Numbers {
    fn from_iter<I: IntoIterator<Item = Option<i32>>>(numbers: I) -> Numbers {
        let mut column = Numbers {
            values: Vec::new(),
            defined: Vec::new(),
        };
        for number in numbers {
            column.defined.push(number.is_some().into());
            column.values.extend(number);
        }
        column
    }
}
