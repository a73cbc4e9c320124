//! The values of one column until they become part of a row group.

use std::mem;

use ::parquet::{
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::writer::SerializedColumnWriter,
};

use crate::table::{Kind, Value};

/// Values as Parquet wants them: a `defined` level says whether a value stands here, a `repeated` level whether it
/// continues the list of the one before.
#[derive(Debug)]
pub(super) enum ColumnBuffer {
    U64(Vec<i64>),
    U32(Vec<i32>),
    OptionalI32 {
        numbers: Vec<i32>,
        defined: Vec<i16>,
    },
    OptionalF64 {
        numbers: Vec<f64>,
        defined: Vec<i16>,
    },
    Bool(Vec<bool>),
    Text(Texts),
    OptionalText {
        texts: Texts,
        defined: Vec<i16>,
    },
    TextList {
        texts: Texts,
        defined: Vec<i16>,
        repeated: Vec<i16>,
    },
}

impl ColumnBuffer {
    pub(super) fn new(kind: Kind) -> ColumnBuffer {
        match kind {
            Kind::U64 => ColumnBuffer::U64(Vec::new()),
            Kind::U32 => ColumnBuffer::U32(Vec::new()),
            Kind::OptionalI32 => ColumnBuffer::OptionalI32 {
                numbers: Vec::new(),
                defined: Vec::new(),
            },
            Kind::OptionalF64 => ColumnBuffer::OptionalF64 {
                numbers: Vec::new(),
                defined: Vec::new(),
            },
            Kind::Bool => ColumnBuffer::Bool(Vec::new()),
            Kind::Text => ColumnBuffer::Text(Texts::default()),
            Kind::OptionalText => ColumnBuffer::OptionalText {
                texts: Texts::default(),
                defined: Vec::new(),
            },
            Kind::TextList => ColumnBuffer::TextList {
                texts: Texts::default(),
                defined: Vec::new(),
                repeated: Vec::new(),
            },
        }
    }

    /// Appends a value and answers about how many bytes it takes.
    pub(super) fn push(&mut self, value: &Value<'_>) -> usize {
        match (self, value) {
            // Parquet has no unsigned physical types: the bits stay, and the logical type says how to read them.
            (ColumnBuffer::U64(numbers), Value::U64(number)) => {
                numbers.push(number.cast_signed());
                size_of::<u64>()
            }
            (ColumnBuffer::U32(numbers), Value::U32(number)) => {
                numbers.push(number.cast_signed());
                size_of::<u32>()
            }
            (ColumnBuffer::OptionalI32 { numbers, defined }, Value::OptionalI32(number)) => {
                defined.push(number.is_some().into());
                numbers.extend(*number);
                size_of::<i16>() + size_of::<i32>()
            }
            (ColumnBuffer::OptionalF64 { numbers, defined }, Value::OptionalF64(number)) => {
                defined.push(number.is_some().into());
                numbers.extend(*number);
                size_of::<i16>() + size_of::<f64>()
            }
            (ColumnBuffer::Bool(answers), Value::Bool(yes)) => {
                answers.push(*yes);
                size_of::<bool>()
            }
            (ColumnBuffer::Text(texts), Value::Text(text)) => texts.push(text),
            (ColumnBuffer::OptionalText { texts, defined }, Value::OptionalText(text)) => {
                defined.push(text.is_some().into());
                size_of::<i16>() + text.map_or(0, |text| texts.push(text))
            }
            (
                ColumnBuffer::TextList {
                    texts,
                    defined,
                    repeated,
                },
                Value::TextList(list),
            ) => {
                // An empty list still takes one entry, which says that nothing is defined there.
                let entries = list.len().max(1);
                defined.extend(std::iter::repeat_n(i16::from(!list.is_empty()), entries));
                repeated.extend((0..entries).map(|index| i16::from(index > 0)));
                2 * size_of::<i16>() * entries + list.iter().map(|text| texts.push(text)).sum::<usize>()
            }
            (buffer, value) => {
                unreachable!("the row was checked, yet {value:?} came to {buffer:?}")
            }
        }
    }

    /// Writes all values as one column chunk and is empty again.
    pub(super) fn write_to(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            ColumnBuffer::U64(numbers) => {
                writer.typed::<Int64Type>().write_batch(numbers, None, None)?;
                numbers.clear();
            }
            ColumnBuffer::U32(numbers) => {
                writer.typed::<Int32Type>().write_batch(numbers, None, None)?;
                numbers.clear();
            }
            ColumnBuffer::OptionalI32 { numbers, defined } => {
                writer.typed::<Int32Type>().write_batch(numbers, Some(defined), None)?;
                numbers.clear();
                defined.clear();
            }
            ColumnBuffer::OptionalF64 { numbers, defined } => {
                writer.typed::<DoubleType>().write_batch(numbers, Some(defined), None)?;
                numbers.clear();
                defined.clear();
            }
            ColumnBuffer::Bool(answers) => {
                writer.typed::<BoolType>().write_batch(answers, None, None)?;
                answers.clear();
            }
            ColumnBuffer::Text(texts) => {
                writer.typed::<ByteArrayType>().write_batch(&texts.take(), None, None)?;
            }
            ColumnBuffer::OptionalText { texts, defined } => {
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&texts.take(), Some(defined), None)?;
                defined.clear();
            }
            ColumnBuffer::TextList {
                texts,
                defined,
                repeated,
            } => {
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&texts.take(), Some(defined), Some(repeated))?;
                defined.clear();
                repeated.clear();
            }
        }
        Ok(())
    }
}

/// Texts end to end in one allocation. A `ByteArray` for each would be an allocation for each.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) -> usize {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
        text.len() + size_of::<ByteArray>()
    }

    fn take(&mut self) -> Vec<ByteArray> {
        // The next row group will need about as much.
        let room = Vec::with_capacity(self.bytes.len());
        let all = ByteArray::from(mem::replace(&mut self.bytes, room));
        let mut start = 0;
        let slice = |end| {
            let text = all.slice(start, end - start);
            start = end;
            text
        };
        self.ends.drain(..).map(slice).collect()
    }
}
