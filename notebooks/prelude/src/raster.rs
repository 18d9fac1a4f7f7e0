//! Renders an SVG as pixels. Text is set in a font that is part of the program, so that the same drawing
//! gives the same bytes on every machine, also on one without fonts.

use std::sync::{Arc, OnceLock};

use resvg::{
    tiny_skia::{Color, Pixmap, Transform},
    usvg::{
        Options, Tree,
        fontdb::{Database, Source},
    },
};

use crate::error::{Error, Result};

/// Pixels per unit of the drawing, so that it is sharp on a high-density screen.
const SCALE: u32 = 2;

/// The font family that drawings request first, and by whose widths they are laid out.
const FAMILY: &str = "DejaVu Sans";

/// A drawing as PNG, at twice its size.
pub struct Raster {
    /// The width at which it is to be shown, in CSS pixels: the drawing's own, rounded.
    pub width: u32,
    /// The height, likewise.
    pub height: u32,
    /// The file.
    pub png: Vec<u8>,
}

impl Raster {
    /// The pixels of `svg` on white, since a notebook may be dark.
    ///
    /// # Errors
    /// If `svg` is not a drawing, or is too large.
    pub fn of(svg: &str) -> Result<Self> {
        let options =
            Options { font_family: FAMILY.to_owned(), fontdb: fonts(), ..Options::default() };
        let tree = Tree::from_str(svg, &options).map_err(Error::drawing)?;
        let size = tree.size().to_int_size();
        let (width, height) = (size.width(), size.height());
        let mut pixels = (width.checked_mul(SCALE).zip(height.checked_mul(SCALE)))
            .and_then(|(width, height)| Pixmap::new(width, height))
            .ok_or_else(|| Error::drawing(format!("{width} by {height} is too large")))?;
        pixels.fill(Color::WHITE);
        let scale = SCALE as f32;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        Ok(Self { width, height, png: pixels.encode_png().map_err(Error::drawing)? })
    }
}

/// The only font, which replaces every family that a drawing names.
fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::regular())));
        fonts.set_sans_serif_family(FAMILY);
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inner: &str) -> String {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="120.4" height="40" font-family="Nowhere Sans, sans-serif">{inner}</svg>"#
        )
    }

    fn text(text: &str) -> String {
        svg(&format!(r#"<text x="4" y="20" font-size="14">{text}</text>"#))
    }

    fn drawn(svg: &str) -> Pixmap {
        Pixmap::decode_png(&Raster::of(svg).unwrap().png).unwrap()
    }

    #[test]
    fn there_are_twice_the_pixels() {
        let raster = Raster::of(&svg("")).unwrap();
        assert_eq!((raster.width, raster.height), (120, 40));
        let pixels = Pixmap::decode_png(&raster.png).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (240, 80));
    }

    #[test]
    fn the_same_drawing_is_the_same_bytes() {
        let png = || Raster::of(&text("10⁻³")).unwrap().png;
        assert_eq!(png(), png());
    }

    #[test]
    fn text_is_drawn_and_the_ground_is_white() {
        let dark = |pixels: &Pixmap| {
            pixels.pixels().iter().filter(|p| p.alpha() == 255 && p.red() < 128).count()
        };
        let none = drawn(&text(""));
        assert!(none.pixels().iter().all(|p| (p.red(), p.alpha()) == (255, 255)));
        assert!(dark(&drawn(&text("loss"))) > 100);
    }

    #[test]
    fn signs_of_figures_are_in_the_font() {
        // Characters that the font lacks are all drawn as the same box.
        let box_drawn = drawn(&text("\u{e0ff}"));
        for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁ελβσΔ×−≤≥∞–".chars() {
            let sign_drawn = drawn(&text(&sign.to_string()));
            assert!(sign_drawn != box_drawn && sign_drawn != drawn(&text("")), "{sign}");
        }
    }

    #[test]
    fn what_is_no_drawing_is_an_error() {
        let told = Raster::of("no drawing").err().unwrap().to_string();
        assert!(told.starts_with("cannot draw: "), "{told}");
    }
}
