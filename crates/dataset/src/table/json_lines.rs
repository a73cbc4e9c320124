//! Rows as JSON objects, one per line.

use std::{
    fmt,
    io::{self, Write},
};

use flate2::write::GzEncoder;

use super::{Column, Value};
use crate::output::Output;

/// Lines are handed on in pieces of about this size.
const BUFFER: usize = 64 * 1024;

/// The default of the `zstd` tool.
const ZSTD_LEVEL: i32 = 3;

#[derive(Debug)]
pub(super) struct JsonLines {
    /// What stands before each value: `{"id":`, `,"fen":`, …
    keys: Vec<Box<[u8]>>,
    buffer: Vec<u8>,
    sink: Sink,
}

impl JsonLines {
    pub(super) fn new(columns: &[Column], sink: Sink) -> io::Result<JsonLines> {
        let mut keys = Vec::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let mut key = vec![if index == 0 { b'{' } else { b',' }];
            serde_json::to_writer(&mut key, column.name)?;
            key.push(b':');
            keys.push(key.into_boxed_slice());
        }
        Ok(JsonLines {
            keys,
            buffer: Vec::with_capacity(2 * BUFFER),
            sink,
        })
    }

    pub(super) fn write(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        for (key, value) in self.keys.iter().zip(row) {
            self.buffer.extend_from_slice(key);
            write_value(&mut self.buffer, value)?;
        }
        self.buffer.extend_from_slice(b"}\n");
        if self.buffer.len() >= BUFFER {
            self.drain()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<Output> {
        self.drain()?;
        self.sink.finish()
    }

    fn drain(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

fn write_value(buffer: &mut Vec<u8>, value: &Value<'_>) -> io::Result<()> {
    match value {
        Value::U64(number) => serde_json::to_writer(buffer, number)?,
        Value::U32(number) => serde_json::to_writer(buffer, number)?,
        Value::OptionalI32(number) => serde_json::to_writer(buffer, number)?,
        Value::OptionalF64(number) => serde_json::to_writer(buffer, number)?,
        Value::Bool(yes) => serde_json::to_writer(buffer, yes)?,
        Value::Text(text) => serde_json::to_writer(buffer, text)?,
        Value::OptionalText(text) => serde_json::to_writer(buffer, text)?,
        Value::TextList(texts) => serde_json::to_writer(buffer, texts)?,
    }
    Ok(())
}

/// What stands between the lines and the file.
pub(super) enum Sink {
    Plain(Output),
    Zstd(zstd::Encoder<'static, Output>),
    Gzip(GzEncoder<Output>),
}

impl Sink {
    pub(super) fn plain(output: Output) -> Sink {
        Sink::Plain(output)
    }

    pub(super) fn zstd(output: Output) -> io::Result<Sink> {
        let mut encoder = zstd::Encoder::new(output, ZSTD_LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Sink::Zstd(encoder))
    }

    pub(super) fn gzip(output: Output) -> Sink {
        Sink::Gzip(GzEncoder::new(output, flate2::Compression::default()))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(output) => output.write_all(bytes),
            Sink::Zstd(encoder) => encoder.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<Output> {
        match self {
            Sink::Plain(output) => Ok(output),
            Sink::Zstd(encoder) => encoder.finish(),
            Sink::Gzip(encoder) => encoder.finish(),
        }
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sink::Plain(_) => "Plain",
            Sink::Zstd(_) => "Zstd",
            Sink::Gzip(_) => "Gzip",
        })
    }
}
