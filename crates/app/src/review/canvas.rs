//! Three shapes on a bitmap, with soft edges, and the bitmap as PNG.
//!
//! All that a graph needs. A drawing crate would bring fonts, formats and second versions of what is here already.

use std::io::{self, Write};

use flate2::{Compression, Crc, write::ZlibEncoder};

/// Pixels of three bytes, from the upper left corner on.
#[derive(Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

type Point = (f32, f32);

impl Canvas {
    pub(super) fn new(width: usize, height: usize, colour: &str) -> Canvas {
        Canvas {
            width,
            height,
            pixels: vec![rgb(colour); width * height],
        }
    }

    /// Lays a colour over a pixel; `cover` is how much of it is covered, 0 to 1.
    fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], cover: f32) {
        let pixel = &mut self.pixels[y * self.width + x];
        for (old, new) in pixel.iter_mut().zip(colour) {
            let mixed = f32::from(*old) + (f32::from(new) - f32::from(*old)) * cover.clamp(0.0, 1.0);
            *old = mixed.round() as u8;
        }
    }

    /// Everything below a line of points, which go from left to right.
    pub(super) fn fill_below(&mut self, points: &[Point], colour: &str) {
        let colour = rgb(colour);
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let columns = (x0.round() as usize)..(x1.round() as usize).min(self.width);
            for x in columns {
                let along = ((x as f32 + 0.5 - x0) / (x1 - x0).max(f32::EPSILON)).clamp(0.0, 1.0);
                let edge = y0 + (y1 - y0) * along;
                for y in (edge.floor().max(0.0) as usize)..self.height {
                    self.blend(x, y, colour, y as f32 + 1.0 - edge);
                }
            }
        }
    }

    pub(super) fn line(&mut self, from: Point, to: Point, width: f32, colour: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).max(f32::EPSILON);
        self.near(from, to, width / 2.0, colour, |x, y| {
            let along = (((x - from.0) * dx + (y - from.1) * dy) / length).clamp(0.0, 1.0);
            (x - from.0 - dx * along).hypot(y - from.1 - dy * along)
        });
    }

    pub(super) fn disc(&mut self, centre: Point, radius: f32, colour: &str) {
        self.near(centre, centre, radius, colour, |x, y| {
            (x - centre.0).hypot(y - centre.1)
        });
    }

    /// All pixels within `reach` of something between two corners, by their distance from it.
    fn near(&mut self, a: Point, b: Point, reach: f32, colour: &str, distance: impl Fn(f32, f32) -> f32) {
        let colour = rgb(colour);
        let span = |low: f32, high: f32, end: usize| {
            let first = (low.min(high) - reach - 1.0).max(0.0) as usize;
            first..((low.max(high) + reach + 2.0).max(0.0) as usize).min(end)
        };
        for y in span(a.1, b.1, self.height) {
            for x in span(a.0, b.0, self.width) {
                let cover = reach + 0.5 - distance(x as f32 + 0.5, y as f32 + 0.5);
                if cover > 0.0 {
                    self.blend(x, y, colour, cover);
                }
            }
        }
    }

    /// The picture as a file.
    pub(super) fn png(&self) -> io::Result<Vec<u8>> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut head = Vec::new();
        for size in [self.width, self.height] {
            head.extend(u32::try_from(size).map_err(io::Error::other)?.to_be_bytes());
        }
        // Eight bits a channel, three channels, nothing special.
        head.extend([8, 2, 0, 0, 0]);
        chunk(&mut file, b"IHDR", &head)?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.pixels.chunks(self.width) {
            packed.write_all(&[0])?;
            packed.write_all(row.as_flattened())?;
        }
        chunk(&mut file, b"IDAT", &packed.finish()?)?;
        chunk(&mut file, b"IEND", &[])?;
        Ok(file)
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) -> io::Result<()> {
    file.extend(u32::try_from(content.len()).map_err(io::Error::other)?.to_be_bytes());
    let mut check = Crc::new();
    for part in [&kind[..], content] {
        check.update(part);
        file.extend(part);
    }
    file.extend(check.sum().to_be_bytes());
    Ok(())
}

/// `#rrggbb`.
fn rgb(hex: &str) -> [u8; 3] {
    let number = u32::from_str_radix(hex.trim_start_matches('#'), 16).unwrap_or(0);
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(canvas: &Canvas, x: usize, y: usize) -> [u8; 3] {
        canvas.pixels[y * canvas.width + x]
    }

    #[test]
    fn shapes_are_where_they_belong() {
        let mut canvas = Canvas::new(20, 10, "#000000");
        canvas.fill_below(&[(0.0, 5.0), (20.0, 5.0)], "#ffffff");
        assert_eq!((at(&canvas, 3, 4), at(&canvas, 3, 5)), ([0; 3], [255; 3]));
        canvas.disc((10.0, 2.0), 1.5, "#ff0000");
        assert_eq!((at(&canvas, 10, 2), at(&canvas, 14, 2)), ([255, 0, 0], [0; 3]));
        canvas.line((0.0, 9.5), (20.0, 9.5), 1.0, "#0000ff");
        assert_eq!((at(&canvas, 0, 9), at(&canvas, 19, 9)), ([0, 0, 255], [0, 0, 255]));
        // Nothing is drawn outside.
        canvas.disc((-5.0, 50.0), 3.0, "#ffffff");
    }

    #[test]
    fn the_file_is_one() {
        let png = Canvas::new(3, 2, "#102030").png().expect("memory");
        assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"\x00\x00\x00\x00IEND\xae\x42\x60\x82"));
        assert_eq!(&png[16..24], &[0, 0, 0, 3, 0, 0, 0, 2]);
    }
}
