//! A figure of several panels with one legend: as one standalone drawing, and as a part of a page, where the
//! panels are separate drawings that are laid out by the available width.

use crate::{
    axis::{Axis, Scale, range},
    drawing::{Drawing, mark},
    layer::{Layer, Look},
    theme,
    words::{escape, number},
};

/// The label of an axis, with the unit in brackets, and its scale.
#[derive(Clone, Debug)]
pub struct Label {
    /// The label.
    pub text: String,
    /// The scale.
    pub scale: Scale,
}

/// One panel: layers between two axes, under a title.
pub struct Panel {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Label,
    /// The vertical axis.
    pub y: Label,
    /// The layers, the last on top.
    pub layers: Vec<Layer>,
    /// The names for the whole numbers of the vertical axis, from 0; empty for a plain axis.
    pub names: Vec<String>,
}

/// A figure under construction.
pub struct Grid {
    /// Panels in a row.
    pub across: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The series in the legend, in order.
    pub legend: Vec<Look>,
}

/// A finished figure.
pub struct Drawn {
    /// One standalone drawing.
    pub alone: String,
    /// The legend and the panels as HTML for a page whose style sheet has [`theme::sheet`].
    pub page: String,
}

/// A panel's width and height; a panel with names is as high as these need.
const SIZE: (f64, f64) = (340.0, 270.0);
/// The approximate width of a letter in a tick label.
const LETTER: f64 = 6.3;
/// The height of a line of names.
const ROW: f64 = 19.0;
/// The width of a colour bar with its numbers.
const BAR: f64 = 74.0;
/// The space between panels, and around the legend.
const GAP: f64 = 14.0;

impl Panel {
    fn height(&self) -> f64 {
        if self.names.is_empty() {
            SIZE.1
        } else {
            (self.names.len() as f64 * ROW + 76.0).max(150.0)
        }
    }

    fn range(&self, scale: Scale, of: impl Fn((f64, f64)) -> f64) -> (f64, f64) {
        let points = self.layers.iter().flat_map(Layer::points);
        range(scale, points.map(of)).unwrap_or((1.0, 2.0))
    }

    /// The panel as a drawing with this height.
    fn draw(&self, height: f64) -> Drawing {
        let levels = self.layers.iter().find_map(|layer| match layer {
            Layer::Levels(levels) => Some(levels),
            _ => None,
        });
        let up = if self.names.is_empty() {
            self.range(self.y.scale, |point| point.1)
        } else {
            (0.0, self.names.len() as f64 - 1.0)
        };
        let (bottom, top) = (height - 46.0, 28.0);
        let mut y = Axis::new(self.y.scale, up, bottom, top);
        let named = self.names.iter().enumerate().map(|(i, name)| (i as f64, name.clone()));
        let ticks: Vec<(f64, String)> =
            if self.names.is_empty() { y.ticks(6) } else { named.collect() };
        if !self.names.is_empty() {
            y = Axis::between(-0.6, self.names.len() as f64 - 0.4, bottom, top);
        }
        let longest = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let label = if self.y.text.is_empty() { 0.0 } else { 18.0 };
        // Names can take half of it.
        let left = (longest as f64 * LETTER + 10.0).min(SIZE.0 / 2.0) + label;
        let right = SIZE.0 - if levels.is_some() { BAR } else { 10.0 };
        let x = Axis::new(self.x.scale, self.range(self.x.scale, |point| point.0), left, right);
        let mut drawing = Drawing::new(SIZE.0, height);
        drawing.text("panel-title", (left, 16.0), "start", &self.title);
        drawing.scales((&x, &x.ticks(5)), (&y, &ticks));
        drawing.text("label", (f64::midpoint(left, right), height - 10.0), "middle", &self.x.text);
        drawing.text_up("label", (12.0, f64::midpoint(bottom, top)), &self.y.text);
        for layer in &self.layers {
            layer.draw(&mut drawing, (&x, &y), [self.x.scale, self.y.scale]);
        }
        if let Some(levels) = levels {
            let step = (bottom - top) / levels.at.len().max(1) as f64;
            for (i, colour) in levels.colours().iter().enumerate() {
                let low = bottom - step * i as f64;
                let (from, to) = (right + 10.0, right + 20.0);
                let corners = vec![(from, low), (to, low), (to, low - step), (from, low - step)];
                drawing.filled(colour, &[corners]);
                if i.is_multiple_of(3) || i + 1 == levels.at.len() {
                    drawing.text("tick", (to + 4.0, low + 3.0), "start", &number(levels.at[i]));
                }
            }
        }
        drawing
    }
}

impl Grid {
    /// Draws the panels; `alt` describes the figure in words.
    #[must_use]
    pub fn draw(&self, alt: &str) -> Drawn {
        let across = self.across.max(1);
        let rows: Vec<&[Panel]> = self.panels.chunks(across).collect();
        let height = |row: &[Panel]| row.iter().map(Panel::height).fold(0.0, f64::max);
        let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0) as f64;
        let width = columns * (SIZE.0 + GAP);
        let longest = self.legend.iter().map(|look| look.name.chars().count()).max();
        let beside = longest.map_or(0.0, |longest| longest as f64 * 7.2 + 2.0 * GAP + 16.0);
        let all: f64 = rows.iter().map(|row| height(row) + GAP).sum();
        let entries = self.legend.len() as f64 * ROW;
        let all = all.max(entries + GAP);
        let mut whole = Drawing::new(width + beside, all);
        let (mut y, mut page) = (0.0, String::new());
        for row in rows {
            for (i, panel) in row.iter().enumerate() {
                let drawing = panel.draw(height(row));
                whole.part(&drawing, (i as f64 * (SIZE.0 + GAP), y));
                let told = if panel.title.is_empty() { alt } else { &panel.title };
                page += &drawing.finish(told, "");
            }
            y += height(row) + GAP;
        }
        for (i, look) in self.legend.iter().enumerate() {
            let y = f64::midpoint(all, -entries) + ROW * (i as f64 + 0.5);
            whole.mark(look.series, (width + GAP, y));
            whole.text("", (width + GAP + 12.0, y + 4.0), "start", &look.name);
        }
        let entry = |look: &Look| {
            let mark = mark(look.series, (7.0, 7.0));
            let name = escape(&look.name);
            format!(
                "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\">{mark}</svg> {name}</li>"
            )
        };
        let entries: String = self.legend.iter().map(entry).collect();
        let legend = if entries.is_empty() {
            entries
        } else {
            format!("<ul class=\"series\">{entries}</ul>")
        };
        let page = format!(
            "<div role=\"group\" aria-label=\"{}\">{legend}<div class=\"panels\" style=\"--across:{}\">{page}</div></div>",
            escape(alt),
            across.min(self.panels.len().max(1))
        );
        Drawn { alone: theme::alone(&whole.finish(alt, "")), page }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let label = |text: &str, scale| Label { text: text.to_owned(), scale };
        let look = Look { series: 4, name: "SMBO <GP>".to_owned() };
        let panel = |title: &str| Panel {
            title: title.to_owned(),
            x: label("CPU time [s]", Scale::Log),
            y: label("loss", Scale::Log),
            layers: vec![Layer::Line(look.clone(), vec![(1.0, 2.0), (10.0, 0.1), (100.0, 0.0)])],
            names: Vec::new(),
        };
        let panels = vec![panel("digits"), panel("iris"), panel("wine")];
        Grid { across: 2, panels, legend: vec![look] }
    }

    #[test]
    fn labels_units_titles_and_legend_are_there_on_both() {
        let drawn = grid().draw("two lines");
        for text in ["CPU time [s]", "loss", "digits", "SMBO &lt;GP&gt;"] {
            assert!(drawn.alone.contains(text) && drawn.page.contains(text), "{text}");
        }
        assert!(drawn.page.contains("<title>SMBO &lt;GP&gt;</title>"));
        assert_eq!(drawn.page.matches("role=\"img\"").count(), 3, "a drawing a panel");
        assert_eq!(drawn.alone.matches("<svg").count(), 1, "one drawing");
        assert!(drawn.page.contains("--across:2"));
    }

    #[test]
    fn the_same_data_give_the_same_bytes_and_a_zero_has_no_place_on_a_logarithm() {
        let (one, other) = (grid().draw(""), grid().draw(""));
        assert_eq!((&one.alone, &one.page), (&other.alone, &other.page));
        assert!(!one.alone.contains("NaN") && !one.alone.contains("inf"), "{}", one.alone);
    }

    #[test]
    fn names_have_a_line_each_and_make_the_panel_higher() {
        let mut grid = grid();
        grid.panels.truncate(1);
        let panel = &mut grid.panels[0];
        panel.y = Label { text: String::new(), scale: Scale::Linear };
        panel.names = (0..12).map(|i| format!("method {i}")).collect();
        assert!(panel.height() > SIZE.1);
        let drawn = grid.draw("");
        assert!((0..12).all(|i| drawn.page.contains(&format!(">method {i}</text>"))));
    }
}
