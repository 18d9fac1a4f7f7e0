//! A function of one or two hyper-parameters: lines over the first, or level lines over both.

use figures::{Scale, layer::Layer, levels::Levels, panels::Panel, style};

use crate::{
    charts::figure::{axis, draw, look, show, size},
    error::{Error, Result},
    html::Html,
    table::Table,
};

/// The level lines of a function of two hyper-parameters.
const LEVELS: usize = 12;

impl Table {
    /// Draws each problem's objective as a function of its hyper-parameters: the columns are `problem`,
    /// `lambda0`, `lambda1` (missing if there is one hyper-parameter), and `values`, of which only the first
    /// is shown if there are two hyper-parameters. A star marks a minimum.
    ///
    /// # Errors
    /// If a column is missing, or there is no point.
    pub fn landscape(&self, values: &[&str], title: &str, alt: &str) -> Result<Html> {
        if self.rows() == 0 {
            return self.nothing(title, || format!("{} has no rows", self.stage));
        }
        let mut panels = Vec::new();
        let mut flat = false;
        for problem in self.values("problem")? {
            let one = self.only("problem", &[&problem])?;
            let lambda1 = one.column::<f64>("lambda1")?;
            let layers = if lambda1.iter().all(|l| l.is_nan()) {
                flat = true;
                profile(&one, values)?
            } else {
                contour(
                    &one,
                    ["lambda0", "lambda1", values.first().copied().unwrap_or("objective")],
                    title,
                )?
            };
            let two = lambda1.iter().any(|l| !l.is_nan());
            let y = if two { "λ₁" } else { "objective" };
            let title =
                if two { format!("{problem} (log₁₀ of the objective)") } else { problem };
            let (x, y) = (axis("λ₀", Scale::Linear), axis(y, Scale::Linear));
            panels.push(Panel { title, x, y, layers, names: Vec::new() });
        }
        let series = if flat { values.iter().map(|&v| v.to_owned()).collect() } else { Vec::new() };
        let across = panels.len().clamp(1, 3);
        let image = draw(across, panels, &series, (title, alt))?;
        show(&[image], title, alt, &[(&self.stage, &self.key)])
    }
}

impl Table {
    /// Draws level lines of the logarithm of the column `z` over the columns `x` and `y`, each with its
    /// label, in a panel for each value of the text column `panels`. A star marks the minimum.
    ///
    /// # Errors
    /// If a column is missing, or there is no number.
    pub fn levels(
        &self,
        panels: &str,
        [x, y]: [(&str, &str); 2],
        z: &str,
        title: &str,
        alt: &str,
    ) -> Result<Html> {
        if self.rows() == 0 {
            return self.nothing(title, || format!("{} has no rows", self.stage));
        }
        let mut drawn = Vec::new();
        for name in self.values(panels)? {
            let layers = contour(&self.only(panels, &[&name])?, [x.0, y.0, z], title)?;
            let title = style::label(&name);
            let (x, y) = (axis(x.1, Scale::Linear), axis(y.1, Scale::Linear));
            drawn.push(Panel { title, x, y, layers, names: Vec::new() });
        }
        let across = drawn.len().clamp(1, 3);
        let image = draw(across, drawn, &[], (title, alt))?;
        show(&[image], title, alt, &[(&self.stage, &self.key)])
    }
}

fn profile(table: &Table, values: &[&str]) -> Result<Vec<Layer>> {
    let x = table.column::<f64>("lambda0")?;
    let mut layers = Vec::new();
    for (position, name) in values.iter().enumerate() {
        let y = table.column::<f64>(name)?;
        let look = look(name, position);
        let mut points: Vec<(f64, f64)> =
            x.iter().copied().zip(y.iter().copied()).filter(|p| p.1.is_finite()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let every = points.len().div_ceil(6).max(1);
        let marked: Vec<_> = points.iter().copied().skip(position).step_by(every).collect();
        layers.push(Layer::Line(look.clone(), points));
        layers.push(Layer::Marks(look, size(1.0), marked));
        layers.extend(least.map(Layer::Best));
    }
    Ok(layers)
}

/// Level lines of the column `name` over the columns `x` and `y`.
fn contour(table: &Table, [x, y, name]: [&str; 3], title: &str) -> Result<Vec<Layer>> {
    let (xs, ys) = (table.column::<f64>(x)?, table.column::<f64>(y)?);
    let f = table.column::<f64>(name)?;
    let (x, y) = (places(xs), places(ys));
    let place = |of: &[f64], value: f64| of.iter().position(|v| *v == value);
    // A grid point that was not computed shows as the worst: level lines cannot have holes.
    let worst =
        f.iter().copied().filter(|v| *v > 0.0 && v.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    let mut z = vec![vec![worst.log10(); x.len()]; y.len()];
    for row in 0..table.rows() {
        if let (Some(i), Some(j)) = (place(&x, xs[row]), place(&y, ys[row]))
            && f[row] > 0.0
            && f[row].is_finite()
        {
            z[j][i] = f[row].log10();
        }
    }
    let least =
        (0..table.rows()).filter(|&r| f[r].is_finite()).min_by(|&a, &b| f[a].total_cmp(&f[b]));
    let Some(least) = least else {
        return Err(Error::Empty {
            title: title.to_owned(),
            why: format!("no number in `{name}`"),
        });
    };
    let mut sorted: Vec<f64> = z.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    // Levels are at quantiles: with equal steps all of them would be on the steep slopes.
    let levels = (0..LEVELS).map(|l| crate::summary::quantile(&sorted, l as f64 / LEVELS as f64));
    let mut levels: Vec<f64> = levels.collect();
    levels.dedup();
    let filled = Levels { x, y, z, at: levels };
    Ok(vec![Layer::Levels(filled), Layer::Best((xs[least], ys[least]))])
}

fn places(values: &[f64]) -> Vec<f64> {
    let mut places: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    use super::*;

    fn bowl(sides: &[Option<f64>]) -> Table {
        let grid: Vec<f64> = (-3..=3).map(f64::from).collect();
        let cells: Vec<(f64, Option<f64>)> =
            grid.iter().flat_map(|x| sides.iter().map(|y| (*x, *y))).collect();
        let f = cells.iter().map(|(x, y)| 1.0 + x * x + y.unwrap_or(0.0).powi(2));
        let batch = RecordBatch::try_from_iter([
            ("problem", Arc::new(StringArray::from(vec!["bowl"; cells.len()])) as ArrayRef),
            ("lambda0", Arc::new(Float64Array::from_iter_values(cells.iter().map(|c| c.0)))),
            ("lambda1", Arc::new(cells.iter().map(|c| c.1).collect::<Float64Array>())),
            ("outer", Arc::new(Float64Array::from_iter_values(f))),
        ]);
        Table::from_batch(&batch.unwrap(), "toy", "main", "k").unwrap()
    }

    #[test]
    fn one_hyper_parameter_is_a_profile_and_two_are_level_lines() {
        let table = bowl(&[None]);
        assert_eq!(profile(&table, &["outer"]).unwrap().len(), 3);
        assert!(table.landscape(&["outer"], "Bowl", "a bowl").is_ok());
        let table = bowl(&[Some(-1.0), Some(0.0), Some(1.0)]);
        let layers = contour(&table, ["lambda0", "lambda1", "outer"], "Bowl").unwrap();
        assert!(matches!(&layers[0], Layer::Levels(c) if c.z[1][3] == 0.0 && c.z.len() == 3));
        assert!(table.landscape(&["outer"], "Bowl", "a bowl").is_ok());
    }
}
