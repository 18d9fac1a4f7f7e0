//! Draws curves of repeated runs: a panel for each problem, a line with a band for each method.

use figures::{
    Scale,
    layer::{Layer, Look},
    panels::{Label, Panel},
    style,
};

use crate::{
    charts::figure::{axis, draw, look, show, shows, size},
    error::Result,
    html::Html,
    summary::{Curve, curve},
    table::Table,
};

/// Number of points at which runs of different lengths are compared.
const POINTS: usize = 80;
/// Number of markers along a line.
const MARKERS: usize = 7;
/// The smallest value shown on a logarithmic axis: smaller values are rounding errors, not suboptimality.
const FLOOR: f64 = 1e-10;

struct Row {
    column: String,
    axis: Label,
}

/// Curves under construction. Columns are set first, [`Lines::draw`] is called last.
pub struct Lines<'a> {
    table: &'a Table,
    x: Row,
    rows: Vec<Row>,
    by: Option<String>,
    panels: Option<String>,
    over: Option<String>,
    across: usize,
    lowest: bool,
}

impl Table {
    /// Begins curves over the column `x`, whose axis has `label` (with the unit) and `scale`.
    #[must_use]
    pub fn lines(&self, x: &str, label: &str, scale: Scale) -> Lines<'_> {
        let x = Row { column: x.to_owned(), axis: axis(label, scale) };
        let (rows, across, lowest) = (Vec::new(), 3, false);
        Lines { table: self, x, rows, by: None, panels: None, over: None, across, lowest }
    }
}

impl Lines<'_> {
    /// Adds a row of panels that show the column `y`, whose axis has `label` and `scale`.
    #[must_use]
    pub fn row(mut self, y: &str, label: &str, scale: Scale) -> Self {
        self.rows.push(Row { column: y.to_owned(), axis: axis(label, scale) });
        self
    }

    /// A line for each value of this text column.
    #[must_use]
    pub fn by(mut self, column: &str) -> Self {
        self.by = Some(column.to_owned());
        self
    }

    /// A column of panels for each value of this text column.
    #[must_use]
    pub fn panels(mut self, column: &str) -> Self {
        self.panels = Some(column.to_owned());
        self
    }

    /// Runs that differ in this number are repetitions: median and quartiles are shown.
    #[must_use]
    pub fn over(mut self, column: &str) -> Self {
        self.over = Some(column.to_owned());
        self
    }

    /// At most this many panels side by side.
    #[must_use]
    pub fn across(mut self, panels: usize) -> Self {
        self.across = panels.max(1);
        self
    }

    /// A ring around the lowest point of each line, the first of equals.
    #[must_use]
    pub fn lowest(mut self) -> Self {
        self.lowest = true;
        self
    }

    /// Draws the figure under `title`; `alt` describes it in words.
    ///
    /// # Errors
    /// If a column is missing, or no panel has a point.
    pub fn draw(self, title: &str, alt: &str) -> Result<Html> {
        let panels = self.groups(self.panels.as_deref())?;
        let mut series = self.groups(self.by.as_deref())?;
        series.sort_by_key(|name| style::rank(name));
        let mut images = Vec::new();
        let mut empty = None;
        for chunk in panels.chunks(self.across) {
            let mut drawn = Vec::new();
            for row in &self.rows {
                for panel in chunk {
                    drawn.push(self.panel(panel, row, &series)?);
                }
            }
            if !drawn.iter().any(|panel| shows(&panel.layers)) {
                let why = || format!("no numbers for {}", chunk.join(", "));
                empty = Some(self.table.nothing(title, why)?);
                continue;
            }
            let legend = if self.by.is_some() { series.clone() } else { Vec::new() };
            // Rows of a single panel are placed side by side.
            let across = if chunk.len() == 1 { drawn.len().min(self.across) } else { chunk.len() };
            images.push(draw(across, drawn, &legend, (title, alt))?);
        }
        if images.is_empty() {
            let none = || self.table.nothing(title, || format!("{} has no rows", self.table.stage));
            return empty.map_or_else(none, Ok);
        }
        show(&images, title, alt, &[(&self.table.stage, &self.table.key)])
    }

    fn groups(&self, column: Option<&str>) -> Result<Vec<String>> {
        column.map_or_else(|| Ok(vec![String::new()]), |column| self.table.values(column))
    }

    fn panel(&self, name: &str, row: &Row, series: &[String]) -> Result<Panel> {
        let mut lines = Vec::new();
        let mut bands = Vec::new();
        for (position, one) in series.iter().enumerate() {
            let runs = self.runs(name, one, row)?;
            if let Some(curve) = curve(&runs, self.x.axis.scale, POINTS) {
                let look = look(one, position);
                layers(&curve, &look, position, &mut bands, &mut lines);
                lines.extend(self.lowest.then(|| ring(&curve, look)).flatten());
            }
        }
        bands.append(&mut lines);
        let (x, y) = (self.x.axis.clone(), row.axis.clone());
        Ok(Panel { title: style::label(name), x, y, layers: bands, names: Vec::new() })
    }

    /// The runs of one line: (x, y) in order of x, one list per repetition.
    fn runs(&self, panel: &str, series: &str, row: &Row) -> Result<Vec<Vec<(f64, f64)>>> {
        let x = self.table.column::<f64>(&self.x.column)?;
        let y = self.table.column::<f64>(&row.column)?;
        let text = |column: &Option<String>| {
            column.as_deref().map(|column| self.table.column::<String>(column)).transpose()
        };
        let (panels, by) = (text(&self.panels)?, text(&self.by)?);
        let over = self.over.as_deref().map(|c| self.table.column::<f64>(c)).transpose()?;
        let mut runs = std::collections::BTreeMap::<u64, Vec<(f64, f64)>>::new();
        for r in 0..self.table.rows() {
            let here = panels.is_none_or(|p| p[r] == panel) && by.is_none_or(|b| b[r] == series);
            if here && self.x.axis.scale.holds(x[r]) && y[r].is_finite() {
                let y = if row.axis.scale == Scale::Log { y[r].max(FLOOR) } else { y[r] };
                let run = over.map_or(0, |over| over[r].to_bits());
                runs.entry(run).or_default().push((x[r], y));
            }
        }
        let mut runs: Vec<_> = runs.into_values().collect();
        for run in &mut runs {
            run.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Ok(runs)
    }
}

/// A ring around the lowest point.
fn ring(curve: &Curve, look: Look) -> Option<Layer> {
    let lowest = (0..curve.mid.len()).min_by(|&a, &b| curve.mid[a].total_cmp(&curve.mid[b]))?;
    Some(Layer::Ring(look, (curve.x[lowest], curve.mid[lowest])))
}

/// The band, the line and the markers of one series. Markers of different series are staggered.
fn layers(
    curve: &Curve,
    look: &Look,
    position: usize,
    bands: &mut Vec<Layer>,
    lines: &mut Vec<Layer>,
) {
    let points: Vec<(f64, f64)> = curve.x.iter().copied().zip(curve.mid.iter().copied()).collect();
    if points.len() > 1 && curve.low != curve.high {
        let ends = curve.low.iter().zip(&curve.high);
        let band = curve.x.iter().zip(ends).map(|(&x, (&low, &high))| (x, low, high));
        bands.push(Layer::Band(look.clone(), band.collect()));
    }
    let every = points.len().div_ceil(MARKERS).max(1);
    let marked: Vec<(f64, f64)> =
        points.iter().copied().skip((position * 2) % every).step_by(every).collect();
    lines.push(Layer::Line(look.clone(), points));
    lines.push(Layer::Marks(look.clone(), size(1.0), marked));
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
