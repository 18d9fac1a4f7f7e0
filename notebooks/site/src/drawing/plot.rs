//! Small pieces of figures as SVG that takes its colours from the page, so that a figure follows its light
//! and dark looks and its print.

use std::fmt::Write;

use crate::words::{escape, number};

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    Linear,
    /// Equal ratios, equal distances; holds positive numbers only.
    Log,
}

/// From values to places: `low` lies at `from`, `high` at `to`.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

/// Smallest and largest of `values` that a scale holds.
#[must_use]
pub fn range(scale: Scale, values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let held = values.into_iter().filter(|v| v.is_finite() && (scale == Scale::Linear || *v > 0.0));
    held.fold(None, |range, v| {
        let (low, high) = range.unwrap_or((v, v));
        Some((low.min(v), high.max(v)))
    })
}

impl Axis {
    /// An axis over `range`, widened a little, or a lot where it is one point.
    #[must_use]
    pub fn new(scale: Scale, range: (f64, f64), from: f64, to: f64) -> Self {
        let (low, high) = match scale {
            Scale::Linear => range,
            Scale::Log => (range.0.log10(), range.1.log10()),
        };
        let wide = if high > low { (high - low) * 0.04 } else { 0.5_f64.max(low.abs() * 0.1) };
        Self { scale, low: low - wide, high: high + wide, from, to }
    }

    /// Where `value` lies; outside of the range at its end.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    /// At most about `most` values for marks, each with its label.
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let room = most.max(2) as f64;
        let span = self.high - self.low;
        let rough = span / room;
        if self.scale == Scale::Log {
            let step = rough.ceil().max(1.0);
            if (1.0..room / 2.0).contains(&span) {
                let within = |v: &f64| (self.low..=self.high).contains(&v.log10());
                return steps(self.low.floor(), self.high, 1.0)
                    .flat_map(|power| [1.0, 2.0, 5.0].map(|f| f * 10.0_f64.powf(power)))
                    .filter(within)
                    .map(|value| (value, number(value)))
                    .collect();
            }
            if span >= 1.0 {
                return steps(self.low, self.high, step)
                    .map(|power| (10.0_f64.powf(power), power_of_ten(power)))
                    .collect();
            }
            let (low, high) = (10.0_f64.powf(self.low), 10.0_f64.powf(self.high));
            let step = nice((high - low) / room);
            return steps(low, high, step).filter(|v| *v > 0.0).map(labelled(step)).collect();
        }
        let step = nice(rough);
        steps(self.low, self.high, step).map(labelled(step)).collect()
    }
}

/// Multiples of `step` between `low` and `high`.
fn steps(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step).ceil();
    let last = (high / step).floor();
    let count = if last >= first { last - first + 1.0 } else { 0.0 };
    let count = count.min(1000.0) as u32;
    (0..count).map(move |i| (first + f64::from(i)) * step)
}

/// `value` and its label, without the crumbs of adding up steps.
fn labelled(step: f64) -> impl Fn(f64) -> (f64, String) {
    move |value| (value, number((value / step).round() * step))
}

/// The next of 1, 2, 2.5, 5 times a power of ten.
fn nice(rough: f64) -> f64 {
    let power = 10.0_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|f| f * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

fn power_of_ten(power: f64) -> String {
    if (-2.5..3.5).contains(&power) {
        return number(10.0_f64.powf(power));
    }
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    format!("10{}", format!("{power:.0}").chars().map(raised).collect::<String>())
}

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

    /// The mark of series `series`: each has a shape of its own.
    pub fn mark(&mut self, series: usize, at: (f64, f64)) -> &mut Self {
        let shape = mark(series, at);
        let _ = writeln!(self.body, "{shape}");
        self
    }

    /// What follows until [`Drawing::close`] belongs together; `attributes` as in markup.
    pub fn open(&mut self, attributes: &str) -> &mut Self {
        let _ = writeln!(self.body, "<g {attributes}>");
        self
    }

    /// Ends what [`Drawing::open`] began.
    pub fn close(&mut self) -> &mut Self {
        self.body.push_str("</g>\n");
        self
    }

    /// What a pointer that rests on the group shows.
    pub fn title(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<title>{}</title>", escape(text));
        self
    }

    /// The frame of a panel with the marks of both axes.
    pub fn frame(&mut self, x: &Axis, y: &Axis, marks: (usize, usize)) -> &mut Self {
        let (left, right) = (x.from, x.to);
        // Ranks grow downwards.
        let (bottom, top) = (y.from.max(y.to), y.from.min(y.to));
        for (value, label) in y.ticks(marks.1) {
            let at = y.place(value);
            self.line("grid", (left, at), (right, at));
            self.text("tick", (left - 5.0, at + 3.5), "end", &label);
        }
        for (value, label) in x.ticks(marks.0) {
            let at = x.place(value);
            self.line("grid", (at, bottom), (at, top));
            self.text("tick", (at, bottom + 14.0), "middle", &label);
        }
        self.line("axis", (left, bottom), (right, bottom));
        self.line("axis", (left, bottom), (left, top))
    }

    /// The finished drawing; `alt` says in words what there is to see.
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

/// How many series look different.
pub const LOOKS: usize = 8;

/// The mark of the `series`-th series around `at`.
#[must_use]
pub fn mark(series: usize, (x, y): (f64, f64)) -> String {
    let class = format!("mark s{}", series % LOOKS);
    let polygon = |points: &[(f64, f64)]| {
        let points: Vec<_> =
            points.iter().map(|(dx, dy)| format!("{},{}", px(x + dx), px(y + dy))).collect();
        format!(r#"<polygon class="{class}" points="{}"/>"#, points.join(" "))
    };
    match series % LOOKS {
        0 => format!(r#"<circle class="{class}" cx="{}" cy="{}" r="3.5"/>"#, px(x), px(y)),
        1 => polygon(&[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]),
        2 => polygon(&[(0.0, -4.4), (4.2, 3.2), (-4.2, 3.2)]),
        3 => polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]),
        4 => polygon(&[(0.0, 4.4), (4.2, -3.2), (-4.2, -3.2)]),
        5 => polygon(&[(-4.5, -1.5), (4.5, -1.5), (4.5, 1.5), (-4.5, 1.5)]),
        6 => polygon(&[(-1.5, -4.5), (1.5, -4.5), (1.5, 4.5), (-1.5, 4.5)]),
        _ => polygon(&[(-4.0, -4.0), (4.0, -4.0), (0.0, 0.0), (4.0, 4.0), (-4.0, 4.0), (0.0, 0.0)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_within_the_axis() {
        let axis = Axis::new(Scale::Linear, (0.13, 0.87), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.2", "0.4", "0.6", "0.8"]);
        let axis = Axis::new(Scale::Log, (1e-5, 1e3), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["10⁻⁴", "0.01", "1", "100"]);
        let axis = Axis::new(Scale::Log, (0.04, 0.9), 0.0, 100.0);
        let labels: Vec<_> = axis.ticks(5).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.05", "0.1", "0.2", "0.5", "1"]);
    }

    #[test]
    fn places_are_between_the_ends() {
        let axis = Axis::new(Scale::Log, (1.0, 100.0), 10.0, 110.0);
        assert!((axis.place(10.0) - 60.0).abs() < 1e-9);
        assert!(axis.place(1e9) <= 110.0 && axis.place(0.0) >= 10.0);
        let point = Axis::new(Scale::Linear, (3.0, 3.0), 0.0, 10.0);
        assert!((point.place(3.0) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn what_an_axis_cannot_hold_does_not_widen_it() {
        assert_eq!(range(Scale::Log, [0.0, f64::NAN, 2.0, -1.0, 8.0]), Some((2.0, 8.0)));
        assert_eq!(range(Scale::Linear, [f64::INFINITY]), None);
    }
}
