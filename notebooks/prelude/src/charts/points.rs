//! Scatter plots: a point per row.

use figures::{
    Scale,
    layer::{Layer, Size},
    panels::{Label, Panel},
};

use crate::{
    charts::{
        figure::{axis, look, size},
        series::Split,
    },
    error::Result,
    html::Html,
    table::Table,
};

/// A scatter plot under construction. [`Points::draw`] comes last.
pub struct Points<'a> {
    table: &'a Table,
    columns: [String; 2],
    axes: [Label; 2],
    split: Split,
}

/// From this many points per panel on, they are small and translucent.
const MANY: usize = 60;

impl Table {
    /// Begins a scatter plot of the column `y` against the column `x`, each with the label and the
    /// scale of its axis.
    #[must_use]
    pub fn points(&self, x: (&str, &str, Scale), y: (&str, &str, Scale)) -> Points<'_> {
        let columns = [x.0.to_owned(), y.0.to_owned()];
        let axes = [axis(x.1, x.2), axis(y.1, y.2)];
        Points { table: self, columns, axes, split: Split { across: 4, ..Split::default() } }
    }
}

impl Points<'_> {
    /// A colour and marker for each value of this text column.
    #[must_use]
    pub fn by(mut self, column: &str) -> Self {
        self.split.by = Some(column.to_owned());
        self
    }

    /// A panel for each value of this text column.
    #[must_use]
    pub fn panels(mut self, column: &str) -> Self {
        self.split.panels = Some(column.to_owned());
        self
    }

    /// Draws the figure under `title`; `alt` describes it in words. Points without a position on the axes are
    /// left out, and so is a panel without any point.
    ///
    /// # Errors
    /// If a column is missing, or there is no point.
    pub fn draw(self, title: &str, alt: &str) -> Result<Html> {
        let [x, y] = &self.columns;
        let (x, y) = (self.table.column::<f64>(x)?, self.table.column::<f64>(y)?);
        let mut panels = Vec::new();
        let held = |&r: &usize| self.axes[0].scale.holds(x[r]) && self.axes[1].scale.holds(y[r]);
        let split = self.split.panels(self.table)?;
        let few = self.table.rows() < MANY * split.len();
        let size = if few { size(1.0) } else { Size { scale: 0.75, faint: true } };
        for (name, parts) in split {
            let mut layers: Vec<Layer> = Vec::new();
            for part in parts {
                let points: Vec<(f64, f64)> =
                    part.rows.iter().filter(|r| held(r)).map(|&r| (x[r], y[r])).collect();
                if !points.is_empty() {
                    layers.push(Layer::Marks(look(&part.series, part.position), size, points));
                }
            }
            if !layers.is_empty() {
                let [x, y] = self.axes.clone();
                panels.push(Panel { title: name, x, y, layers, names: Vec::new() });
            }
        }
        self.split.finish(self.table, panels, title, alt)
    }
}
