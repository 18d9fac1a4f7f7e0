//! A finished figure of a notebook: the drawing under a caption, and the artifacts on which it is based.

use figures::{
    layer::{Layer, Look, Size},
    panels::{Drawn, Grid, Label, Panel},
    style,
};

use crate::{
    error::{Error, Result},
    html::{Html, escape, figure, provenance},
};

/// The style of `series`, the `position`-th of its figure.
pub(crate) fn look(series: &str, position: usize) -> Look {
    Look { series: style::of(series, position), name: style::label(series) }
}

/// Marks of the usual size times a factor.
pub(crate) fn size(scale: f64) -> Size {
    Size { scale, faint: false }
}

/// An axis with this label and scale.
pub(crate) fn axis(label: &str, scale: figures::Scale) -> Label {
    Label { text: label.to_owned(), scale }
}

/// Panels, `across` per row, with the names of `series` as their legend.
///
/// # Errors
/// If there is no panel.
pub(crate) fn draw(
    across: usize,
    panels: Vec<Panel>,
    series: &[String],
    (title, alt): (&str, &str),
) -> Result<Drawn> {
    if panels.is_empty() {
        return Err(Error::Empty { title: title.to_owned(), why: "no panel".to_owned() });
    }
    let legend = series.iter().enumerate().map(|(place, name)| look(name, place)).collect();
    Ok(Grid { across, panels, legend }.draw(alt))
}

/// Whether a panel has something to show.
pub(crate) fn shows(layers: &[Layer]) -> bool {
    !layers.is_empty()
}

/// The finished figure: one or more drawings under a caption, and the artifacts on which it is based.
///
/// # Errors
/// If one of `images` is not an SVG.
pub fn show(images: &[Drawn], title: &str, alt: &str, sources: &[(&str, &str)]) -> Result<Html> {
    let mut out = String::from("<figure>");
    for drawn in images {
        out += &figure(&drawn.alone, &drawn.page, alt)?;
    }
    out += &format!("<figcaption><b>{}.</b> {}<br>", escape(title), escape(alt));
    for (stage, key) in sources {
        out += &provenance(stage, key);
    }
    Ok(Html(out + "</figcaption></figure>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_have_the_colours_of_the_style_sheet_on_light_paper() {
        let label = || axis("CPU time [s]", figures::Scale::Linear);
        let line = Layer::Line(look("smoothie", 0), vec![(0.0, 0.0), (1.0, 1.0)]);
        let (title, names) = ("toy".to_owned(), Vec::new());
        let panel = Panel { title, x: label(), y: label(), layers: vec![line], names };
        let drawn = draw(1, vec![panel], &["smoothie".to_owned()], ("Toy", "a line")).unwrap();
        let raster = crate::raster::Raster::of(&drawn.alone).unwrap();
        let pixels = resvg::tiny_skia::Pixmap::decode_png(&raster.png).unwrap();
        let count = |colour: (u8, u8, u8)| {
            let own = |p: &&resvg::tiny_skia::PremultipliedColorU8| {
                (p.red(), p.green(), p.blue()) == colour
            };
            pixels.pixels().iter().filter(own).count()
        };
        if let Some(path) = std::env::var_os("FIGURE_TO") {
            std::fs::write(path, &raster.png).unwrap();
        }
        assert!(count((0x00, 0x72, 0xb2)) > 500, "the line");
        assert!(count((0xd4, 0xd7, 0xdb)) > 500, "the grid");
        assert!(count((0x1b, 0x1b, 0x1b)) > 20, "text");
        let filled = count((0x00, 0x72, 0xb2)) < 10_000 && count((0, 0, 0)) < 500;
        assert!(filled, "a line is no area: its rules were not read");
    }

    #[test]
    fn no_panel_is_an_error_and_a_known_series_has_its_look() {
        assert!(draw(1, Vec::new(), &[], ("Toy", "")).is_err());
        assert_eq!(look("smbo", 0), Look { series: 4, name: "SMBO (GP, EI)".to_owned() });
        assert_eq!(look("toy", 9).series, 1);
    }
}
