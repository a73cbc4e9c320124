//! A group of samples as bytes, for formats whose groups simply follow each other.

use std::io::Write as _;

use flate2::write::GzEncoder;

use super::{Layout, Packing, Sample, SampleError, SampleFormat, binpack, bullet, json, text};

/// The bytes of a group. The same group is always the same bytes, whatever comes before or behind it.
pub(super) fn encode(layout: Layout, samples: &[Sample]) -> Result<Vec<u8>, SampleError> {
    match layout.format {
        SampleFormat::Bulletformat => bullet::encode(samples),
        SampleFormat::Binpack => binpack::encode(samples),
        SampleFormat::Text => packed(layout, text::encode(samples)?),
        SampleFormat::Jsonl => packed(layout, json::encode(samples, layout.variants)),
        // Its groups are written by its own writer, which knows where they stand.
        SampleFormat::Parquet => Err(SampleError::NoParquet),
    }
}

/// Each group is a frame or member of its own: they may follow each other, as the formats say.
fn packed(layout: Layout, bytes: Vec<u8>) -> Result<Vec<u8>, SampleError> {
    let packed = match layout.packing {
        Packing::None => return Ok(bytes),
        Packing::Zstd => zstd::bulk::compress(&bytes, 3),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&bytes).and_then(|()| encoder.finish())
        }
    };
    packed.map_err(|error| SampleError::Encoding {
        format: layout.format,
        reason: error.to_string(),
    })
}
