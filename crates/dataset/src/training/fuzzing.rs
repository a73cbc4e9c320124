//! What any bytes must satisfy; the fuzz targets call this.

use super::{binpack::Chunk, bullet, json, text};

/// Any bytes are a record, a chunk or lines of something, or refused; what is accepted comes back from its own bytes.
///
/// # Panics
///
/// If not.
pub fn training_formats(bytes: &[u8]) {
    if let Some(record) = bytes.first_chunk::<32>()
        && let Ok(sample) = bullet::decode(record)
    {
        let again = bullet::encode(std::slice::from_ref(&sample)).expect("score and result are there");
        let record = again.first_chunk::<32>().expect("a record");
        assert_eq!(bullet::decode(record).as_ref(), Ok(&sample));
    }
    if let Ok(line) = str::from_utf8(bytes) {
        for decode in [text::decode, json::decode] {
            if let Ok(sample) = decode(line) {
                let again = json::encode(std::slice::from_ref(&sample), true);
                let again = str::from_utf8(&again).expect("text").trim_end().to_owned();
                assert_eq!(json::decode(&again).as_ref(), Ok(&sample));
            }
        }
    }
    let mut chunk = Chunk::new(bytes.to_vec());
    // Any answer will do.
    while let Ok(Some(_)) = chunk.next() {}
}
