//! Dot plots of numbers by name: one line for each name, with a dot for each series; and the diagram of
//! average ranks \[Demsar2006\].

use figures::{
    Scale,
    layer::Layer,
    panels::{Label, Panel},
    style,
};

use crate::{
    charts::{
        figure::{axis, draw, look, show, size},
        series::Split,
    },
    error::Result,
    html::Html,
    summary::quantile,
    table::Table,
};

/// Dots under construction. [`Dots::draw`] comes last.
pub struct Dots<'a> {
    table: &'a Table,
    name: String,
    column: String,
    axis: Label,
    split: Split,
}

impl Table {
    /// Begins a figure of the number column `x`, whose axis has `label` and `scale`, by the text
    /// column `name`: the median over rows of the same name and series, and a line between the
    /// quartiles.
    #[must_use]
    pub fn dots(&self, name: &str, x: &str, label: &str, scale: Scale) -> Dots<'_> {
        let split = Split { across: 3, ..Split::default() };
        let (name, column) = (name.to_owned(), x.to_owned());
        Dots { table: self, name, column, axis: axis(label, scale), split }
    }

    /// Draws the average ranks of this table (columns `treatment`, `average_rank`, `critical_difference`),
    /// the best on top; a line on the right joins the treatments that do not differ according to `bars`
    /// (columns `best`, `worst`).
    ///
    /// # Errors
    /// If a column is missing, or there is no rank.
    pub fn critical(&self, bars: &Self, title: &str, alt: &str) -> Result<Html> {
        let treatment = self.column::<String>("treatment")?;
        let rank = self.column::<f64>("average_rank")?;
        let critical = self.column::<f64>("critical_difference")?;
        let mut order: Vec<usize> = (0..self.rows()).filter(|&r| rank[r].is_finite()).collect();
        order.sort_by(|&a, &b| rank[b].total_cmp(&rank[a]));
        let (mut layers, mut names): (Vec<Layer>, Vec<String>) = (Vec::new(), Vec::new());
        for (line, &r) in order.iter().enumerate() {
            let dot = vec![(rank[r], line as f64)];
            layers.push(Layer::Marks(look(&treatment[r], line), size(1.5), dot));
            names.push(style::label(&treatment[r]));
        }
        if order.is_empty() {
            return self.nothing(title, || format!("{} has no ranks", self.stage));
        }
        if bars.is_absent() {
            return bars.nothing(title, String::new);
        }
        let worst = order.first().map_or(1.0, |&r| rank[r]);
        let line_of = |name: &str| order.iter().position(|&r| treatment[r] == name);
        let ends = bars.column::<String>("best")?.iter().zip(bars.column::<String>("worst")?);
        for (i, (best, last)) in ends.enumerate() {
            if let (Some(top), Some(bottom)) = (line_of(best), line_of(last)) {
                let x = worst + 0.25 + 0.15 * i as f64;
                layers.push(Layer::Bar((x, bottom as f64 - 0.2), (x, top as f64 + 0.2)));
            }
        }
        if let Some(&r) = order.last() {
            let (best, above) = (rank[r], order.len() as f64);
            layers.push(Layer::Bar((best, above), (best + critical[r], above)));
            names.push("critical difference".to_owned());
        }
        let (x, y) = (axis("average rank (1 is best)", Scale::Linear), axis("", Scale::Linear));
        let panel = Panel { title: String::new(), x, y, layers, names };
        let image = draw(1, vec![panel], &[], (title, alt))?;
        let sources = [(self.stage.as_str(), self.key.as_str()), (&bars.stage, &bars.key)];
        show(&[image], title, alt, &sources)
    }
}

impl Dots<'_> {
    /// A dot for each value of this text column.
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

    /// Draws the figure under `title`; `alt` describes it in words. Numbers without a position on the axis
    /// are left out.
    ///
    /// # Errors
    /// If a column is missing, or there is no number.
    pub fn draw(self, title: &str, alt: &str) -> Result<Html> {
        let x = self.table.column::<f64>(&self.column)?;
        let name = self.table.column::<String>(&self.name)?;
        let series = self.split.series(self.table)?.len();
        let mut panels = Vec::new();
        for (title, parts) in self.split.panels(self.table)? {
            let mut names: Vec<String> = Vec::new();
            for &row in parts.iter().flat_map(|part| &part.rows) {
                if !names.contains(&name[row]) {
                    names.push(name[row].clone());
                }
            }
            // The first is on top.
            names.sort_by_key(|name| std::cmp::Reverse((style::rank(name), name.clone())));
            let mut layers: Vec<Layer> = Vec::new();
            for part in &parts {
                let look = look(&part.series, part.position);
                let mut dots = Vec::new();
                for (line, one) in names.iter().enumerate() {
                    let own = part.rows.iter().filter(|&&r| name[r] == *one).map(|&r| x[r]);
                    let mut own: Vec<f64> = own.filter(|&v| self.axis.scale.holds(v)).collect();
                    own.sort_by(f64::total_cmp);
                    if own.is_empty() {
                        continue;
                    }
                    // Series side by side around the line of the name.
                    let aside = (series - 1) as f64 / 2.0 - part.position as f64;
                    let y = line as f64 + 0.14 * aside;
                    let reach = vec![(quantile(&own, 0.25), y), (quantile(&own, 0.75), y)];
                    if reach[0].0 < reach[1].0 {
                        layers.push(Layer::Line(look.clone(), reach));
                    }
                    dots.push((quantile(&own, 0.5), y));
                }
                if !dots.is_empty() {
                    layers.push(Layer::Marks(look, size(1.1), dots));
                }
            }
            let names = names.iter().map(|name| style::label(name)).collect();
            let y = axis("", Scale::Linear);
            panels.push(Panel { title, x: self.axis.clone(), y, layers, names });
        }
        self.split.finish(self.table, panels, title, alt)
    }
}
