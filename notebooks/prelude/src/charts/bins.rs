//! Histograms: outlines of shares, one per series, over equal steps of a linear or logarithmic axis.

use figures::{
    Scale,
    layer::{Layer, Look},
    panels::{Label, Panel},
};

use crate::{
    charts::{
        figure::{axis, look},
        series::Split,
    },
    error::Result,
    html::Html,
    table::Table,
};

/// A histogram under construction. [`Bins::draw`] comes last.
pub struct Bins<'a> {
    table: &'a Table,
    column: String,
    axis: Label,
    count: usize,
    mark: Option<f64>,
    split: Split,
}

impl Table {
    /// Begins a histogram of the column `x`, whose axis has `label` and `scale`, in `count` bins.
    #[must_use]
    pub fn bins(&self, x: &str, label: &str, scale: Scale, count: usize) -> Bins<'_> {
        let split = Split { across: 3, ..Split::default() };
        let count = count.max(1);
        Bins {
            table: self,
            column: x.to_owned(),
            axis: axis(label, scale),
            count,
            mark: None,
            split,
        }
    }
}

impl Bins<'_> {
    /// An outline for each value of this text column.
    #[must_use]
    pub fn by(mut self, column: &str) -> Self {
        self.split.by = Some(column.to_owned());
        self
    }

    /// A panel for each value of this text column, all with the same bins.
    #[must_use]
    pub fn panels(mut self, column: &str) -> Self {
        self.split.panels = Some(column.to_owned());
        self
    }

    /// A dashed line at this number.
    #[must_use]
    pub fn mark(mut self, at: f64) -> Self {
        self.mark = Some(at);
        self
    }

    /// Draws the figure under `title`; `alt` describes it in words. Numbers without a position on the axis
    /// are left out.
    ///
    /// # Errors
    /// If the column is missing, or holds no such number.
    pub fn draw(self, title: &str, alt: &str) -> Result<Html> {
        let scale = self.axis.scale;
        let x = self.table.column::<f64>(&self.column)?;
        let edges = edges(x, scale, self.count);
        let mut panels = Vec::new();
        for (name, parts) in self.split.panels(self.table)? {
            let mut layers: Vec<Layer> = Vec::new();
            let mut most = 0.0_f64;
            for part in parts {
                let own: Vec<f64> =
                    part.rows.iter().map(|&r| x[r]).filter(|&v| scale.holds(v)).collect();
                if !own.is_empty() {
                    let look = look(&part.series, part.position);
                    let shares = shares(&edges, &own);
                    most = shares.iter().copied().fold(most, f64::max);
                    layers.extend(outline(&edges, &shares, look));
                }
            }
            if !layers.is_empty() {
                if let Some(at) = self.mark {
                    layers.push(Layer::At((at, 0.0), (at, most)));
                }
                let y = axis("share of cases", Scale::Linear);
                panels.push(Panel {
                    title: name,
                    x: self.axis.clone(),
                    y,
                    layers,
                    names: Vec::new(),
                });
            }
        }
        self.split.finish(self.table, panels, title, alt)
    }
}

/// The `count` + 1 edges of bins over all of `values` that the scale can show.
fn edges(values: &[f64], scale: Scale, count: usize) -> Vec<f64> {
    let held = values.iter().copied().filter(|&v| scale.holds(v));
    let to = |v: f64| if scale == Scale::Log { v.log10() } else { v };
    let (mut low, mut high) = held
        .map(to)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low == high {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let edge = |i: usize| low + (high - low) * i as f64 / count as f64;
    let back = |v: f64| if scale == Scale::Log { 10_f64.powf(v) } else { v };
    (0..=count).map(|i| back(edge(i))).collect()
}

/// The share of `values` in each bin. Rounding of the outer edges loses no value.
fn shares(edges: &[f64], values: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len() - 1];
    let inner = &edges[1..edges.len() - 1];
    for value in values {
        counts[inner.partition_point(|edge| edge <= value)] += 1.0;
    }
    counts.iter().map(|count| count / values.len() as f64).collect()
}

/// The area and the line over the bins.
fn outline(edges: &[f64], shares: &[f64], look: Look) -> [Layer; 2] {
    let mut points = vec![(edges[0], 0.0)];
    for (i, &share) in shares.iter().enumerate() {
        points.extend([(edges[i], share), (edges[i + 1], share)]);
    }
    points.push((edges[shares.len()], 0.0));
    let area = points.iter().map(|&(x, share)| (x, 0.0, share)).collect();
    [Layer::Band(look.clone(), area), Layer::Line(look, points)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_ratios_on_a_logarithmic_axis() {
        let edges = edges(&[1.0, 100.0, -3.0, f64::NAN], Scale::Log, 2);
        assert!((edges[1] - 10.0).abs() < 1e-12 && edges.len() == 3);
        assert_eq!(shares(&edges, &[1.0, 2.0, 50.0, 100.0]), [0.5, 0.5]);
    }

    proptest! {
        #[test]
        fn every_value_lies_in_a_bin(values in prop::collection::vec(1e-9..1e9f64, 1..50)) {
            for scale in [Scale::Linear, Scale::Log] {
                let shares = shares(&edges(&values, scale, 7), &values);
                prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
}
