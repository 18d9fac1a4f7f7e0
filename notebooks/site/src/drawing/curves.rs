//! Anytime curves: the best value so far of each method on each problem, or that of what it would choose, medians and
//! quartiles over repeats, and the average rank of the methods as the budget grows.

use std::collections::BTreeMap;

use figures::{Axis, Drawing, Scale, range};
use pipeline::artifacts::Artifacts;

use crate::{
    budgets,
    drawing::{
        frame::Frame,
        method::{self, Method},
        ranks::{self, Block},
    },
    error::Result,
    sources::{Course, Curves},
    words::number,
};

/// A step of a curve: budget spent; lower quartile, median and upper quartile of the value, negated if
/// necessary so that smaller is better.
pub type Step = (f64, [f64; 3]);

/// The curves of one problem, by method.
pub struct Panel {
    /// The table that it comes from.
    pub source: &'static Curves,
    /// The problem.
    pub problem: String,
    /// Method → steps, budgets ascending.
    pub curves: BTreeMap<String, Vec<Step>>,
}

/// One run: (budget, value).
type Trace = Vec<(f64, f64)>;

/// Maximum number of steps drawn of a curve.
const STEPS: usize = 80;

/// The panels of a table; empty if the table does not exist.
///
/// # Errors
/// If a column is missing.
pub fn panels(artifacts: &Artifacts, source: &'static Curves) -> Result<Vec<Panel>> {
    let Some(frame) = Frame::find(artifacts, source.stage, source.output)? else {
        return Ok(Vec::new());
    };
    let problem = frame.problems(&source.problem)?;
    let (method, repeat) = (frame.label(source.method)?, frame.label(source.repeat)?);
    let (at, value) = (frame.number(source.at)?, frame.number(source.value)?);
    let keep = kept(&frame, source.only)?;
    let sign = source.sign();
    let mut traces: BTreeMap<&str, BTreeMap<&str, BTreeMap<&str, Trace>>> = BTreeMap::new();
    for r in (0..frame.rows()).filter(|r| keep[*r] && at[*r].is_finite()) {
        let problems = traces.entry(&problem[r]).or_default();
        let trace = problems.entry(&method[r]).or_default().entry(&repeat[r]).or_default();
        trace.push((at[r], sign * value[r]));
    }
    let panel = |(problem, methods): (&str, BTreeMap<&str, BTreeMap<&str, Trace>>)| {
        let names = budgets::common(methods.keys().copied());
        let curve = |(method, repeats): (&str, BTreeMap<&str, Trace>)| {
            let name = if source.budgets { names[method].clone() } else { method.to_owned() };
            (name, steps(repeats.into_values().collect(), source.course))
        };
        let curves = methods.into_iter().map(curve).filter(|(_, steps)| !steps.is_empty());
        Panel { source, problem: problem.to_owned(), curves: curves.collect() }
    };
    let panels = traces.into_iter().map(panel);
    Ok(panels.filter(|panel| !panel.curves.is_empty()).collect())
}

impl Curves {
    /// The factor that makes smaller values better.
    fn sign(&self) -> f64 {
        if self.more { -1.0 } else { 1.0 }
    }
}

/// The rows that have the requested values.
///
/// # Errors
/// If a column is missing.
pub fn kept(frame: &Frame, only: &[(&str, &str)]) -> Result<Vec<bool>> {
    let mut keep = vec![true; frame.rows()];
    for (column, wanted) in only {
        for (kept, value) in keep.iter_mut().zip(frame.text(column)?) {
            *kept &= value == *wanted;
        }
    }
    Ok(keep)
}

/// Quartiles over runs at every budget that occurs in one of them, from the first budget at which all have a
/// value. Of values found the best so far counts.
fn steps(mut traces: Vec<Trace>, course: Course) -> Vec<Step> {
    for trace in &mut traces {
        trace.sort_by(|a, b| a.0.total_cmp(&b.0));
        if course == Course::Chosen {
            continue;
        }
        let mut best = f64::INFINITY;
        for (_, value) in trace.iter_mut() {
            best = best.min(*value); // a NaN is skipped
            *value = best;
        }
    }
    let mut budgets: Vec<f64> = traces.iter().flatten().map(|(at, _)| *at).collect();
    budgets.sort_by(f64::total_cmp);
    budgets.dedup();
    let every = budgets.len().div_ceil(STEPS).max(1);
    let last = budgets.len().saturating_sub(1);
    let budgets = budgets.into_iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last);
    let step = |(_, budget): (usize, f64)| {
        let reached = |trace: &Trace| {
            let (_, value) = trace.iter().rev().find(|(at, _)| *at <= budget)?;
            value.is_finite().then_some(*value)
        };
        let mut values = traces.iter().map(reached).collect::<Option<Vec<_>>>()?;
        values.sort_by(f64::total_cmp);
        Some((budget, [0.25, 0.5, 0.75].map(|share| quantile(&values, share))))
    };
    budgets.filter_map(step).collect()
}

/// The quantile of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (place - place.floor()) * (sorted[high] - sorted[low])
}

/// The methods of all panels.
#[must_use]
pub fn methods(panels: &[Panel]) -> Vec<Method> {
    method::methods(panels.iter().flat_map(|panel| panel.curves.keys()))
}

const LEFT: f64 = 52.0;
const SIZE: (f64, f64) = (340.0, 236.0);

impl Panel {
    /// The median that `method` has reached at `budget`; NaN before its first.
    fn reached(&self, method: &str, budget: f64) -> f64 {
        let steps = self.curves.get(method).map_or(&[][..], Vec::as_slice);
        steps.iter().rev().find(|(at, _)| *at <= budget).map_or(f64::NAN, |(_, [_, m, _])| *m)
    }

    /// The median of `method` at the end.
    #[must_use]
    pub fn last(&self, method: &str) -> f64 {
        // Avoids a negative zero.
        self.source.sign() * self.reached(method, f64::INFINITY) + 0.0
    }

    /// The panel as a drawing. Series are `methods` by position.
    #[must_use]
    pub fn draw(&self, methods: &[Method]) -> Option<String> {
        let (source, sign) = (self.source, self.source.sign());
        let steps = || self.curves.values().flatten();
        let across = range(source.across, steps().map(|(at, _)| *at))?;
        // Quartiles beyond the medians' range can leave the panel: the medians matter.
        let up = range(source.up, steps().map(|(_, [_, m, _])| sign * m))?;
        let (bottom, right) = (SIZE.1 - 40.0, SIZE.0 - 18.0);
        let x = Axis::new(source.across, across, LEFT, right);
        let y = Axis::new(source.up, up, bottom, 26.0);
        let mut drawing = Drawing::new(SIZE.0, SIZE.1);
        drawing.text("panel-title", (LEFT, 15.0), "start", &self.problem);
        drawing.frame(&x, &y, (5, 5));
        drawing.text("label", (f64::midpoint(LEFT, right), SIZE.1 - 6.0), "middle", source.budget);
        let mut told = Vec::new();
        for (series, method) in methods.iter().enumerate() {
            let Some(steps) = self.curves.get(&method.id) else { continue };
            told.push(format!("{} {}", method.name, number(self.last(&method.id))));
            let height = |values: &[f64; 3], quartile: usize| y.place(sign * values[quartile]);
            let stairs = |quartile: usize| stairs(steps, across.1, &x, |v| height(v, quartile));
            let mut band = stairs(0);
            band.extend(stairs(2).into_iter().rev());
            let line = stairs(1);
            drawing.open(&format!("data-series=\"{series}\""));
            drawing.title(&method.name);
            drawing.area(&method.band(), &band);
            drawing.path(&method.line(), &line);
            if let Some(end) = line.last() {
                drawing.mark(method.look, *end);
            }
            drawing.close();
        }
        let alt = format!("{}: {} at the end: {}.", self.problem, source.label, told.join(", "));
        Some(
            drawing
                .finish(&alt, &format!("data-panel=\"{}\"", crate::words::escape(&self.problem))),
        )
    }
}

/// The corners of a step function with these heights.
fn stairs(
    steps: &[Step],
    end: f64,
    x: &Axis,
    height: impl Fn(&[f64; 3]) -> f64,
) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (at, values) in steps {
        let here = (x.place(*at), height(values));
        if let Some((_, before)) = corners.last().copied() {
            corners.push((here.0, before));
        }
        corners.push(here);
    }
    if let Some((_, last)) = corners.last().copied() {
        corners.push((x.place(end), last));
    }
    corners
}

/// Average ranks of the methods that every panel has, over the share of the budget.
pub struct Race {
    /// The shares, ascending.
    pub shares: Vec<f64>,
    /// Method → average rank at each share.
    pub ranks: BTreeMap<String, Vec<f64>>,
}

/// Number of shares of the budget at which ranks are averaged.
const MOMENTS: u32 = 24;

/// The race over `panels`; `None` with fewer than two panels or methods.
#[must_use]
pub fn race(panels: &[Panel]) -> Option<Race> {
    let everywhere = |method: &String| panels.iter().all(|p| p.curves.contains_key(method));
    let methods: Vec<String> =
        methods(panels).into_iter().map(|method| method.id).filter(everywhere).collect();
    if panels.len() < 2 || methods.len() < 2 {
        return None;
    }
    let shares: Vec<f64> = (0..=MOMENTS).map(|i| f64::from(i) / f64::from(MOMENTS)).collect();
    let ends: Vec<(f64, f64)> = panels
        .iter()
        .filter_map(|panel| {
            range(panel.source.across, panel.curves.values().flatten().map(|(at, _)| *at))
        })
        .collect();
    if ends.len() < panels.len() {
        return None;
    }
    let mut race: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for share in &shares {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (panel, (low, high)) in panels.iter().zip(&ends) {
            let budget = match panel.source.across {
                Scale::Linear => low + share * (high - low),
                Scale::Log => low * (high / low).powf(*share),
            };
            let block: Block = methods
                .iter()
                .map(|m| (m.clone(), panel.reached(m, budget * (1.0 + 1e-9))))
                .collect();
            for (method, rank) in ranks::ranks(&block) {
                let own = methods.iter().find(|m| *m == method)?;
                *sums.entry(own).or_default() += rank;
            }
        }
        let count = panels.len() as f64;
        for (method, sum) in sums {
            race.entry(method.to_owned()).or_default().push(sum / count);
        }
    }
    Some(Race { shares, ranks: race })
}

impl Race {
    /// The race as a drawing: rank 1 on top. Series are `methods` by position.
    #[must_use]
    pub fn draw(&self, methods: &[Method], label: &str) -> String {
        let (width, height) = (520.0, 300.0);
        let worst = self.ranks.len() as f64;
        let x = Axis::new(Scale::Linear, (0.0, 1.0), LEFT, width - 10.0);
        let y = Axis::new(Scale::Linear, (1.0, worst), 12.0, height - 40.0);
        let mut drawing = Drawing::new(width, height);
        drawing.frame(&x, &y, (5, self.ranks.len().min(8)));
        drawing.text("label", (f64::midpoint(LEFT, width), height - 6.0), "middle", label);
        let mut told = Vec::new();
        for (series, method) in methods.iter().enumerate() {
            let Some(ranks) = self.ranks.get(&method.id) else { continue };
            let points: Vec<_> =
                self.shares.iter().zip(ranks).map(|(s, r)| (x.place(*s), y.place(*r))).collect();
            drawing.open(&format!("data-series=\"{series}\"")).title(&method.name);
            drawing.path(&method.line(), &points);
            if let (Some(end), Some(rank)) = (points.last(), ranks.last()) {
                drawing.mark(method.look, *end);
                told.push(format!("{} {}", method.name, number(*rank)));
            }
            drawing.close();
        }
        let alt = format!("Average rank over the budget; at its end: {}.", told.join(", "));
        drawing.finish(&alt, "class=\"race\"")
    }
}

#[cfg(test)]
#[path = "curves_tests.rs"]
mod tests;
