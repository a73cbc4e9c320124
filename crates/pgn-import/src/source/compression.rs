//! What a stream is packed with, told by its first bytes.

use std::io::{self, BufReader, Read};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

/// Of a zstd frame, as a power of two: 128 MB, what `zstd --long` writes and every reader takes. A few bytes can ask for 2 GB, which
/// nobody should have to give who only wants to look at a file.
const LONGEST_WINDOW: u32 = 27;

/// How many of a stream's first bytes say what it is packed with.
pub(super) const HEAD: usize = 6;

/// The ways in which PGN comes packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Zstd,
    Gzip,
    Bzip2,
    /// Not packed, but not readable as it is either: text in UTF-16, told by its byte order mark.
    Utf16 {
        little_endian: bool,
    },
}

impl Compression {
    /// Tells by a stream's first bytes, six of them where there are so many.
    pub fn of(head: &[u8]) -> Compression {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame, as pzstd writes before each real one.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
            [0xff, 0xfe, ..] => Compression::Utf16 { little_endian: true },
            [0xfe, 0xff, ..] => Compression::Utf16 { little_endian: false },
            _ => Compression::None,
        }
    }

    pub(super) fn decoder<R: Read + Send + 'static>(self, reader: R) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Compression::None => Box::new(reader),
            Compression::Zstd => {
                let mut decoder = zstd::Decoder::new(reader)?;
                decoder.window_log_max(LONGEST_WINDOW)?;
                Box::new(Unpacked(decoder))
            }
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(
                1 << 17,
                reader,
            ))),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(BufReader::with_capacity(
                1 << 17,
                reader,
            ))),
            Compression::Utf16 { little_endian } => {
                let encoding = if little_endian { UTF_16LE } else { UTF_16BE };
                let decoder = encoding.new_decoder_with_bom_removal();
                Box::new(Transcoded {
                    reader,
                    decoder,
                    text: String::new(),
                    given: 0,
                    done: false,
                })
            }
        })
    }
}

/// What comes out of zstd. Its own words for a window that is too long name no way out.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            // There is nothing but its words to tell it by.
            if !error.to_string().contains("too much memory") {
                return error;
            }
            let words =
                "it was packed with a window of more than 128 MB; unpack it first (zstd -d --long=31), or pipe it in";
            io::Error::new(io::ErrorKind::InvalidData, words)
        })
    }
}

/// UTF-16 read as UTF-8.
struct Transcoded<R> {
    reader: R,
    decoder: Decoder,
    /// Decoded and not asked for yet, from `given` on: a reader may want less than a character.
    text: String,
    given: usize,
    done: bool,
}

impl<R: Read> Read for Transcoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.done {
            let mut raw = [0; 8192];
            let got = match self.reader.read(&mut raw) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.done = got == 0;
            self.given = 0;
            self.text.clear();
            self.text
                .reserve(self.decoder.max_utf8_buffer_length(got).unwrap_or(4 * raw.len()));
            // Reserved is room for all of it, so everything is read.
            let _ = self.decoder.decode_to_string(&raw[..got], &mut self.text, self.done);
        }
        let waiting = &self.text.as_bytes()[self.given..];
        let len = waiting.len().min(buffer.len());
        buffer[..len].copy_from_slice(&waiting[..len]);
        self.given += len;
        Ok(len)
    }
}
