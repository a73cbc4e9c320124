//! What a table is made of: named columns of one kind each, and values borrowed from the caller.

use std::fmt;

/// What every value of a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A number from 0 to 2⁶⁴ − 1. JSON: a number, in full. Parquet: `INT64`, annotated as unsigned.
    U64,
    /// A number from 0 to 2³² − 1. JSON: a number. Parquet: `INT32`, annotated as unsigned.
    U32,
    /// A whole number of 32 bits that may be missing. JSON: a number or `null`. Parquet: an optional `INT32`.
    OptionalI32,
    /// A number that may be missing. JSON: a number or `null`. Parquet: an optional `DOUBLE`.
    OptionalF64,
    /// Yes or no. JSON: `true` or `false`. Parquet: `BOOLEAN`.
    Bool,
    /// Text that is always there. JSON: a string. Parquet: a required `STRING`.
    Text,
    /// Text that may be missing. JSON: a string or `null`. Parquet: an optional `STRING`.
    OptionalText,
    /// Any number of texts. JSON: an array of strings. Parquet: a `LIST` of `STRING` in its three-level form.
    TextList,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::U64 => "u64",
            Kind::U32 => "u32",
            Kind::OptionalI32 => "optional i32",
            Kind::OptionalF64 => "optional f64",
            Kind::Bool => "bool",
            Kind::Text => "text",
            Kind::OptionalText => "optional text",
            Kind::TextList => "list of texts",
        })
    }
}

/// One column: its name in the file and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// The JSON field or Parquet column name.
    pub name: &'static str,
    /// What every value in it is.
    pub kind: Kind,
}

impl Column {
    /// A column, in a form short enough for a constant list of them.
    pub const fn new(name: &'static str, kind: Kind) -> Column {
        Column { name, kind }
    }
}

/// One cell of a row, borrowed from whoever owns the data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// For a [`Kind::U64`] column.
    U64(u64),
    /// For a [`Kind::U32`] column.
    U32(u32),
    /// For a [`Kind::OptionalI32`] column.
    OptionalI32(Option<i32>),
    /// For a [`Kind::OptionalF64`] column. JSON has no infinities, and shows them as `null`.
    OptionalF64(Option<f64>),
    /// For a [`Kind::Bool`] column.
    Bool(bool),
    /// For a [`Kind::Text`] column.
    Text(&'a str),
    /// For a [`Kind::OptionalText`] column.
    OptionalText(Option<&'a str>),
    /// For a [`Kind::TextList`] column.
    TextList(&'a [String]),
}

impl Value<'_> {
    /// The kind of column this value belongs in.
    pub const fn kind(&self) -> Kind {
        match self {
            Value::U64(_) => Kind::U64,
            Value::U32(_) => Kind::U32,
            Value::OptionalI32(_) => Kind::OptionalI32,
            Value::OptionalF64(_) => Kind::OptionalF64,
            Value::Bool(_) => Kind::Bool,
            Value::Text(_) => Kind::Text,
            Value::OptionalText(_) => Kind::OptionalText,
            Value::TextList(_) => Kind::TextList,
        }
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value::U64(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::U32(number)
    }
}

impl From<Option<i32>> for Value<'_> {
    fn from(number: Option<i32>) -> Self {
        Value::OptionalI32(number)
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(number: Option<f64>) -> Self {
        Value::OptionalF64(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(yes: bool) -> Self {
        Value::Bool(yes)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Value::OptionalText(text)
    }
}

impl<'a> From<&'a [String]> for Value<'a> {
    fn from(texts: &'a [String]) -> Self {
        Value::TextList(texts)
    }
}
