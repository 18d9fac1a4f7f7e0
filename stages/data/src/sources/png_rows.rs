//! Restores the publisher's records of images that a package keeps as the rows of one large PNG image: the
//! class in one byte, then the channels one after another.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder};

/// Channels of a pixel.
const CHANNELS: usize = 3;

/// A record for each row of `png`: its class (from the JSON list `labels`, in which this image's classes
/// begin at `first`), then all red values of the row, all green, all blue.
///
/// # Errors
/// If the image is not of 8-bit RGB, or there are fewer classes than rows.
pub fn records(png: &[u8], labels: &[u8], first: usize) -> Result<Vec<u8>, String> {
    let bad = |error: png::DecodingError| format!("cannot read the PNG image: {error}");
    let labels: Vec<u8> = serde_json::from_slice(labels)
        .map_err(|error| format!("the classes are not a JSON list of small numbers: {error}"))?;
    let mut reader = Decoder::new(Cursor::new(png)).read_info().map_err(bad)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let kind = (reader.info().color_type, reader.info().bit_depth);
    if kind != (ColorType::Rgb, BitDepth::Eight) || reader.info().interlaced {
        return Err(format!("the PNG image is {kind:?}, expected plain rows of 8-bit RGB"));
    }
    let labels = first.checked_add(height).and_then(|end| labels.get(first..end));
    let labels = labels.ok_or_else(|| format!("no {height} classes from number {first} on"))?;
    let mut records = Vec::with_capacity(height * (1 + width * CHANNELS));
    for &label in labels {
        let row = reader.next_row().map_err(bad)?;
        let row = row.ok_or("the PNG image ends before its last row")?;
        records.push(label);
        for channel in 0..CHANNELS {
            records.extend(row.data().iter().skip(channel).step_by(CHANNELS));
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(colour: ColorType, width: u32, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 2);
        encoder.set_color(colour);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        bytes
    }

    #[test]
    fn rows_become_records_with_channels_apart() {
        // Two rows of two pixels: (1, 2, 3) (4, 5, 6) and (7, 8, 9) (10, 11, 12).
        let png = image(ColorType::Rgb, 2, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let made = records(&png, b"[9, 8, 7, 6]", 1).unwrap();
        assert_eq!(made, [8, 1, 4, 2, 5, 3, 6, 7, 7, 10, 8, 11, 9, 12]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let png = image(ColorType::Rgb, 1, &[1, 2, 3, 4, 5, 6]);
        let grey = image(ColorType::Grayscale, 1, &[1, 2]);
        for (png, labels, first, said) in [
            (&png[..], &b"[1, 2]"[..], 1, "no 2 classes from number 1 on"),
            (&png, b"[1, 2]", usize::MAX, "no 2 classes"),
            (&png, b"[1, 300]", 0, "not a JSON list of small numbers"),
            (&grey, b"[1, 2]", 0, "expected plain rows of 8-bit RGB"),
            (&png[..45], b"[1, 2]", 0, "cannot read the PNG image"),
        ] {
            let error = records(png, labels, first).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
