//! Drawings as pixels, written as PNG. Lines and areas are rasterised by plotters; the letters are ready-made bitmaps.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;
use std::io::{self, Write};

/// A picture of 8 bits for each of red, green and blue, white at the beginning.
pub struct Pixels {
    width: u32,
    height: u32,
    /// By row.
    colours: Vec<[u8; 3]>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Pixels {
    pub fn new(width: u32, height: u32) -> Self {
        Pixels { width, height, colours: vec![[255; 3]; width as usize * height as usize] }
    }

    /// Returns the picture as a PNG file (ISO/IEC 15948). It cannot fail: the compressor writes to memory.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.colours.chunks(self.width.max(1) as usize) {
            // Filter 0: the bytes as they are.
            rows.write_all(&[0])?;
            rows.write_all(row.as_flattened())?;
        }
        let mut header = [self.width.to_be_bytes(), self.height.to_be_bytes()].concat();
        // 8 bits a sample, three samples a pixel; deflate, the usual filters, not interlaced.
        header.extend([8, 2, 0, 0, 0]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", header), (b"IDAT", rows.finish()?), (b"IEND", Vec::new())] {
            let mut crc = flate2::Crc::new();
            crc.update(name);
            crc.update(&data);
            file.extend((data.len() as u32).to_be_bytes());
            file.extend(name);
            file.extend(&data);
            file.extend(crc.sum().to_be_bytes());
        }
        Ok(file)
    }

    /// Mixes a colour with that of a pixel; places outside the picture are left out.
    fn mix(&mut self, (x, y): BackendCoord, colour: BackendColor) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let pixel = &mut self.colours[y as usize * self.width as usize + x as usize];
        let (red, green, blue) = colour.rgb;
        for (old, new) in pixel.iter_mut().zip([red, green, blue]) {
            let mixed = f64::from(*old) * (1.0 - colour.alpha) + f64::from(new) * colour.alpha;
            *old = mixed.round().clamp(0.0, 255.0) as u8;
        }
    }
}

/// The size of letters for a text of this size.
fn height(size: f64) -> RasterHeight {
    if size < 17.0 { RasterHeight::Size16 } else { RasterHeight::Size20 }
}

/// The pixels of a letter; those that the font lacks are question marks.
fn letter(letter: char, height: RasterHeight) -> Option<RasterizedChar> {
    let raster = |letter| get_raster(letter, FontWeight::Regular, height);
    raster(letter).or_else(|| raster('?'))
}

impl DrawingBackend for Pixels {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        self.mix(point, colour);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let (width, tall) = self.estimate_text_size(text, style)?;
        let (width, tall) = (width as i32, tall as i32);
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => 0,
            HPos::Center => -width / 2,
            HPos::Right => -width,
        };
        let top = match anchor.v_pos {
            VPos::Top => 0,
            VPos::Center => -tall / 2,
            VPos::Bottom => -tall,
        };
        let (turn, colour, height) = (style.transform(), style.color(), height(style.size()));
        let advance = get_raster_width(FontWeight::Regular, height) as i32;
        for (place, letter) in (0..).zip(text.chars().filter_map(|one| self::letter(one, height))) {
            for (v, row) in (0..).zip(letter.rows()) {
                for (u, &ink) in (0..).zip(row).filter(|(_, ink)| **ink > 0) {
                    let (x, y) = turn.transform(left + advance * place + u, top + v);
                    let alpha = colour.alpha * f64::from(ink) / 255.0;
                    self.mix((at.0 + x, at.1 + y), BackendColor { alpha, ..colour });
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let height = height(style.size());
        let advance = get_raster_width(FontWeight::Regular, height);
        Ok(((text.chars().count() * advance) as u32, height.val() as u32))
    }
}
