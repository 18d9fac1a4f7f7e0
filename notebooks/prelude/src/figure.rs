//! A figure: a grid of panels with one legend beside it, as SVG whose bytes depend on the data alone.

use kuva::prelude::{Layout, LegendEntry, LegendShape, Plot, SvgBackend, TickFormat};
use kuva::render::figure::Figure as Panels;
use std::sync::Arc;

use crate::{
    error::{Error, Result},
    html::{Html, escape, image, provenance},
    style,
};

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    Linear,
    /// Equal ratios, equal distances; holds positive numbers only.
    Log,
}

impl Scale {
    /// Whether `value` has a place on an axis of this scale.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }
}

/// An axis: its label with the unit, and its scale.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The label, with the unit in brackets.
    pub label: String,
    /// The scale.
    pub scale: Scale,
}

/// One panel: what is drawn, under a title, between two axes.
pub struct Panel {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The layers, the last on top.
    pub plots: Vec<Plot>,
    /// What the whole numbers of the vertical axis stand for, from 0; none for a plain axis.
    pub names: Vec<String>,
}

/// A figure under construction: its panels, row by row, and the series of its legend.
pub struct Grid {
    /// Panels in a row.
    pub across: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The series in the legend, in order.
    pub series: Vec<String>,
}

const FONT: &str = "DejaVu Sans, Liberation Sans, Arial, sans-serif";
const PANEL: (f64, f64) = (330.0, 270.0);

/// The labels of the ticks between the ends of `range`. A logarithmic axis over more than a decade
/// and a half names the powers of ten only, and at most about `room` of them: more names would run
/// into each other.
fn ticks(scale: Scale, range: (f64, f64), room: f64) -> TickFormat {
    let decades = (range.1 / range.0).log10();
    let wide = scale == Scale::Log && decades > 1.5;
    let every = if wide { (decades / room).ceil() } else { 0.0 };
    TickFormat::Custom(Arc::new(move |value| tick(value, scale, every)))
}

/// `every`: how many powers of ten lie between two names; 0 names the steps between as well.
fn tick(value: f64, scale: Scale, every: f64) -> String {
    let power = value.abs().log10();
    let tens = (power - power.round()).abs() < 1e-9;
    match (scale, tens) {
        (Scale::Log, true) if every > 1.0 && power.round() % every != 0.0 => String::new(),
        (Scale::Log, true) if !(-1.5..2.5).contains(&power) => format!("10{}", raised(power)),
        (Scale::Log, false) if every > 0.0 => String::new(),
        // Sums of steps such as 0.30000000000000004 are not meant to be seen.
        _ => crate::html::number((value * 1e12).round() / 1e12),
    }
}

/// A vertical axis with a line for each of `names`.
fn named(layout: Layout, names: Vec<String>) -> Layout {
    let top = names.len() as f64 - 0.4;
    let name = move |value: f64| {
        let whole = (value - value.round()).abs() < 1e-6 && value > -0.5;
        names.get(value.round() as usize).filter(|_| whole).cloned().unwrap_or_default()
    };
    layout
        .with_y_tick_format(TickFormat::Custom(Arc::new(name)))
        .with_y_tick_step(1.0)
        .with_y_axis_min(-0.6)
        .with_y_axis_max(top)
}

/// A whole number as an exponent.
fn raised(power: f64) -> String {
    let exponent = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    format!("{:.0}", power.round()).chars().map(exponent).collect()
}

impl Grid {
    /// Draws the panels, titled `title`; `alt` says in words what there is to see.
    ///
    /// # Errors
    /// When there is no panel.
    pub fn draw(self, title: &str) -> Result<String> {
        if self.panels.is_empty() {
            return Err(Error::Empty { title: title.to_owned(), why: "no panel".to_owned() });
        }
        let rows = self.panels.len().div_ceil(self.across);
        let mut plots = Vec::new();
        let mut layouts = Vec::new();
        for panel in self.panels {
            let mut layout = Layout::auto_from_plots(&panel.plots)
                .with_title(panel.title)
                .with_x_label(panel.x.label)
                .with_y_label(panel.y.label)
                .with_title_size(15)
                .with_label_size(13)
                .with_tick_size(11)
                .with_body_size(12)
                .with_font_family(FONT);
            layout.show_legend = false;
            // The padded ranges may begin below 0, where a logarithmic axis has no place.
            let across = layout.data_x_range.unwrap_or(layout.x_range);
            let up = layout.data_y_range.unwrap_or(layout.y_range);
            layout = layout
                .with_x_tick_format(ticks(panel.x.scale, across, 6.0))
                .with_y_tick_format(ticks(panel.y.scale, up, 12.0));
            if panel.x.scale == Scale::Log {
                layout = layout.with_log_x();
            }
            if panel.y.scale == Scale::Log {
                layout = layout.with_log_y();
            }
            if !panel.names.is_empty() {
                layout = named(layout, panel.names);
            }
            layouts.push(layout);
            plots.push(panel.plots);
        }
        let entries = (self.series.iter().enumerate()).map(|(position, name)| {
            let look = style::of(name, position);
            LegendEntry {
                label: style::label(name),
                color: look.colour.to_owned(),
                shape: LegendShape::Marker(look.marker),
                dasharray: None,
            }
        });
        let entries: Vec<LegendEntry> = entries.collect();
        let mut figure = Panels::new(rows, self.across)
            .with_cell_size(PANEL.0, PANEL.1)
            .with_spacing(12.0)
            .with_plots(plots)
            .with_layouts(layouts);
        if !entries.is_empty() {
            figure = figure.with_shared_legend_right_middle().with_shared_legend_entries(entries);
        }
        Ok(normalise(&SvgBackend::new().render_scene(&figure.render())))
    }
}

/// The clip paths renumbered from 0: the library counts them over the life of the process.
fn normalise(svg: &str) -> String {
    const MARK: &str = "kuva-clip-";
    let mut out = String::with_capacity(svg.len());
    let mut numbers: Vec<&str> = Vec::new();
    let mut parts = svg.split(MARK);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let place = numbers.iter().position(|n| *n == number).unwrap_or_else(|| {
            numbers.push(number);
            numbers.len() - 1
        });
        out += &format!("{MARK}{place}{rest}");
    }
    out
}

/// The finished figure: one image or more under a caption, and the artifacts it was made from.
///
/// # Errors
/// When one of `images` is no SVG.
pub fn show(images: &[String], title: &str, alt: &str, sources: &[(&str, &str)]) -> Result<Html> {
    let mut out = String::from("<figure>");
    for svg in images {
        out += &image(svg, alt)?;
    }
    out += &format!("<figcaption><b>{}.</b> {}<br>", escape(title), escape(alt));
    for (stage, key) in sources {
        out += &provenance(stage, key);
    }
    Ok(Html(out + "</figcaption></figure>"))
}

#[cfg(test)]
mod tests {
    use kuva::prelude::LinePlot;

    use super::*;

    fn drawn() -> String {
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
        let plots = vec![LinePlot::new().with_data([(1.0, 2.0), (10.0, 0.1)]).into()];
        let panel = Panel {
            title: "toy".into(),
            x: axis("CPU time [s]"),
            y: axis("loss"),
            plots,
            names: Vec::new(),
        };
        Grid { across: 1, panels: vec![panel], series: vec!["smbo".into()] }.draw("Toy").unwrap()
    }

    #[test]
    fn the_same_data_give_the_same_bytes() {
        assert_eq!(drawn(), drawn());
    }

    #[test]
    fn labels_units_and_legend_are_there() {
        let svg = drawn();
        for text in ["CPU time [s]", "loss", "toy", "SMBO (GP, EI)"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn ticks_are_short() {
        let of = |value| tick(value, Scale::Log, 1.0);
        assert_eq!(
            [1e-10, 1e-3, 0.1, 2.0, 100.0, 1e4].map(of),
            ["10⁻¹⁰", "10⁻³", "0.1", "", "100", "10⁴"]
        );
        assert_eq!(tick(0.1 + 0.2, Scale::Linear, 0.0), "0.3");
        let sparse = [1e-8, 1e-6, 1e-3, 1.0].map(|value| tick(value, Scale::Log, 3.0));
        assert_eq!(sparse, ["", "10⁻⁶", "10⁻³", "1"]);
    }

    #[test]
    fn clip_paths_count_from_zero() {
        let svg = r#"<clipPath id="kuva-clip-17"/><g clip-path="url(#kuva-clip-17)"/><clipPath id="kuva-clip-3"/>"#;
        let want = r#"<clipPath id="kuva-clip-0"/><g clip-path="url(#kuva-clip-0)"/><clipPath id="kuva-clip-1"/>"#;
        assert_eq!(normalise(svg), want);
    }

    #[test]
    fn no_panel_is_an_error() {
        let grid = Grid { across: 1, panels: Vec::new(), series: Vec::new() };
        assert!(grid.draw("Toy").is_err());
    }
}
