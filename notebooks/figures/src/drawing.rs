//! Drawings as SVG without colours: their parts have classes, whose appearance is defined in the style sheet
//! of the page ([`crate::theme`]), so that a figure follows the page's light and dark themes and its print
//! style.

use std::fmt::Write;

use crate::{axis::Axis, style::LOOKS, words::escape};

/// A drawing under construction. Coordinates are pixels at the drawing's natural size.
pub struct Drawing {
    width: f64,
    height: f64,
    body: String,
}

/// Pixels with one decimal: the same bytes for the same data.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").map_or(text.as_str(), |whole| whole);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl Drawing {
    /// An empty drawing.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) -> &mut Self {
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        let _ = writeln!(
            self.body,
            r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#
        );
        self
    }

    /// A line through `points`.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) -> &mut Self {
        let data = through(points);
        let _ = writeln!(self.body, r#"<path class="{class}" d="{data}"/>"#);
        self
    }

    /// The area within `points`.
    pub fn area(&mut self, class: &str, points: &[(f64, f64)]) -> &mut Self {
        let data = through(points);
        let _ = writeln!(self.body, r#"<path class="{class}" d="{data}Z"/>"#);
        self
    }

    /// A curve that leaves and arrives horizontally.
    pub fn arrow(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) -> &mut Self {
        let bend = ((to.0 - from.0) / 2.0).max(12.0);
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        let (c1, c2) = (px(from.0 + bend), px(to.0 - bend));
        let _ = writeln!(
            self.body,
            r#"<path class="{class}" d="M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}"/>"#
        );
        self
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64)) -> &mut Self {
        let (x, y, w, h) = (px(at.0), px(at.1), px(size.0), px(size.1));
        let _ = writeln!(
            self.body,
            r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}" rx="4"/>"#
        );
        self
    }

    /// Text; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: &str, text: &str) -> &mut Self {
        let (x, y, text) = (px(at.0), px(at.1), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
        );
        self
    }

    /// The mark of series `series`; each has its own shape.
    pub fn mark(&mut self, series: usize, at: (f64, f64)) -> &mut Self {
        let shape = mark(series, at);
        let _ = writeln!(self.body, "{shape}");
        self
    }

    /// A finished shape, such as a [`mark`].
    pub(crate) fn shape(&mut self, shape: &str) -> &mut Self {
        let _ = writeln!(self.body, "{shape}");
        self
    }

    /// A finished shape, with its tooltip.
    pub(crate) fn told(&mut self, shape: &str, told: &str) -> &mut Self {
        self.open("").title(told).shape(shape).close()
    }

    /// Begins a group that ends at [`Drawing::close`]; `attributes` are written as in markup.
    pub fn open(&mut self, attributes: &str) -> &mut Self {
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, "<g{space}{attributes}>");
        self
    }

    /// Ends the group that [`Drawing::open`] began.
    pub fn close(&mut self) -> &mut Self {
        self.body.push_str("</g>\n");
        self
    }

    /// The tooltip of the group.
    pub fn title(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<title>{}</title>", escape(text));
        self
    }

    /// The frame of a panel with at most about this many tick marks along each axis.
    pub fn frame(&mut self, x: &Axis, y: &Axis, marks: (usize, usize)) -> &mut Self {
        self.scales((x, &x.ticks(marks.0)), (y, &y.ticks(marks.1)))
    }

    /// The frame of a panel with these tick marks along both axes.
    pub fn scales(
        &mut self,
        (x, across): (&Axis, &[(f64, String)]),
        (y, up): (&Axis, &[(f64, String)]),
    ) -> &mut Self {
        let (left, right) = (x.from, x.to);
        // Ranks increase downwards.
        let (bottom, top) = (y.from.max(y.to), y.from.min(y.to));
        for (value, label) in up {
            let at = y.place(*value);
            self.line("grid", (left, at), (right, at));
            self.text("tick", (left - 5.0, at + 3.5), "end", label);
        }
        for (value, label) in across {
            let at = x.place(*value);
            self.line("grid", (at, bottom), (at, top));
            self.text("tick", (at, bottom + 14.0), "middle", label);
        }
        self.line("axis", (left, bottom), (right, bottom));
        self.line("axis", (left, bottom), (left, top))
    }

    /// Text that runs upwards, centred at `at`.
    pub fn text_up(&mut self, class: &str, at: (f64, f64), text: &str) -> &mut Self {
        let (x, y, text) = (px(at.0), px(at.1), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text class="{class}" transform="translate({x} {y}) rotate(-90)" text-anchor="middle">{text}</text>"#
        );
        self
    }

    /// A ring around a point.
    pub fn ring(&mut self, class: &str, at: (f64, f64), radius: f64) -> &mut Self {
        let (x, y, r) = (px(at.0), px(at.1), px(radius));
        let _ = writeln!(self.body, r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#);
        self
    }

    /// Several areas of one fixed colour that is not one of the page, such as a step of a colour map.
    pub fn filled(&mut self, colour: &str, areas: &[Vec<(f64, f64)>]) -> &mut Self {
        let data: String = areas.iter().map(|points| through(points) + "Z").collect();
        // The stroke closes the seams between cells.
        let _ = writeln!(
            self.body,
            r#"<path fill="{colour}" stroke="{colour}" stroke-width=".7" d="{data}"/>"#
        );
        self
    }

    /// Another drawing as a part of this one, with its corner at `at`.
    pub fn part(&mut self, other: &Self, at: (f64, f64)) -> &mut Self {
        let (x, y) = (px(at.0), px(at.1));
        let _ = write!(self.body, "<g transform=\"translate({x} {y})\">\n{}</g>\n", other.body);
        self
    }

    /// The finished drawing; `alt` describes it in words.
    #[must_use]
    pub fn finish(&self, alt: &str, attributes: &str) -> String {
        let (w, h) = (px(self.width), px(self.height));
        format!(
            "<svg {attributes} viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" aria-label=\"{}\">\n{}</svg>",
            escape(alt),
            self.body
        )
    }
}

fn through(points: &[(f64, f64)]) -> String {
    let mut data = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(data, "{}{} {}", if i == 0 { 'M' } else { 'L' }, px(*x), px(*y));
    }
    data
}

/// The mark of the `series`-th series around `at`.
#[must_use]
pub fn mark(series: usize, at: (f64, f64)) -> String {
    mark_of(series, at, 1.0)
}

/// The same, `scale` times as large.
pub(crate) fn mark_of(series: usize, (x, y): (f64, f64), scale: f64) -> String {
    let class = format!("mark s{}", series % LOOKS);
    let polygon = |points: &[(f64, f64)]| {
        let point =
            |(dx, dy): &(f64, f64)| format!("{},{}", px(x + dx * scale), px(y + dy * scale));
        let points: Vec<_> = points.iter().map(point).collect();
        format!(r#"<polygon class="{class}" points="{}"/>"#, points.join(" "))
    };
    match series % LOOKS {
        0 => {
            let (x, y, r) = (px(x), px(y), px(3.5 * scale));
            format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#)
        }
        1 => polygon(&[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]),
        2 => polygon(&[(0.0, -4.4), (4.2, 3.2), (-4.2, 3.2)]),
        3 => polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]),
        4 => polygon(&[(0.0, 4.4), (4.2, -3.2), (-4.2, -3.2)]),
        5 => polygon(&[(-4.5, -1.5), (4.5, -1.5), (4.5, 1.5), (-4.5, 1.5)]),
        6 => polygon(&[(-1.5, -4.5), (1.5, -4.5), (1.5, 4.5), (-1.5, 4.5)]),
        _ => polygon(&[(-4.0, -4.0), (4.0, -4.0), (0.0, 0.0), (4.0, 4.0), (-4.0, 4.0), (0.0, 0.0)]),
    }
}
