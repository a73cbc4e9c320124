//! A group of samples as bytes, for formats whose groups simply follow each other.

use std::io::Write as _;

use flate2::write::GzEncoder;

use super::{Layout, Packing, Sample, SampleError, SampleFormat, binpack, bullet, json, text};

/// The bytes of a group. The same group is always the same bytes, whatever comes before or behind it.
pub(super) fn encode(layout: Layout, samples: &[Sample]) -> Result<Vec<u8>, SampleError> {
    match layout.format {
        SampleFormat::Bulletformat => bullet::encode(samples),
        SampleFormat::Binpack => binpack::encode(samples),
        SampleFormat::Text => text::encode(samples).map(|bytes| packed(layout.packing, bytes)),
        SampleFormat::Jsonl => Ok(packed(layout.packing, json::encode(samples, layout.variants))),
        // Its groups are written by its own writer, which knows where they stand.
        SampleFormat::Parquet => Err(SampleError::NoParquet),
    }
}

/// Each group is a frame or member of its own: they may follow each other, as the formats say.
fn packed(packing: Packing, bytes: Vec<u8>) -> Vec<u8> {
    // Writing to memory does not fail.
    match packing {
        Packing::None => bytes,
        Packing::Zstd => zstd::bulk::compress(&bytes, 3).unwrap_or_default(),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
            let _ = encoder.write_all(&bytes);
            encoder.finish().unwrap_or_default()
        }
    }
}
