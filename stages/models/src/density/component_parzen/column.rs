//! Kernels of one parameter, evaluated for all of them at once. Lengths are shares of the parameter's range, which
//! includes half a step on either side where there are steps.

use numerics::linalg::simd_dispatch::wide;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use super::{bandwidth::Rule, heights::heights};
use crate::density::{
    normal_mass::ln_mass,
    product_parzen::{Parameter, Range},
    truncated_normal,
};

/// Up to so many values a parameter's kernels are tabulated.
const TABULATED: f64 = 64.0;
/// Least probability of another category.
const LEAST: f64 = 1e-12;

/// Where the values of a numerical parameter lie in its range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    range: Range,
    lower: f64,
    width: f64,
}

impl Scale {
    pub fn new(range: Range) -> Self {
        let half = 0.5 * range.step.unwrap_or(0.0);
        let at = |x: f64| if range.log { x.ln() } else { x };
        let lower = at(range.low - half);
        Self { range, lower, width: at(range.high + half) - lower }
    }

    pub fn unit(&self, x: f64) -> f64 {
        ((if self.range.log { x.ln() } else { x }) - self.lower) / self.width
    }

    /// The first and the last value.
    pub fn ends(&self) -> (f64, f64) {
        (self.unit(self.range.low), self.unit(self.range.high))
    }

    /// The number of values; infinite for an interval.
    fn values(&self) -> f64 {
        let Range { low, high, step, .. } = self.range;
        step.map_or(f64::INFINITY, |step| ((high - low) / step).round() + 1.0)
    }

    /// The value nearest to a place in the range.
    fn value(&self, unit: f64) -> f64 {
        let Range { low, high, log, step } = self.range;
        let place = unit.mul_add(self.width, self.lower);
        let x = if log { place.exp() } else { place };
        let x = step.map_or(x, |step| low + ((x - low) / step).round() * step);
        x.max(low).min(high)
    }
}

/// The kernels of one parameter, the oldest first, the prior's last.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// Normal densities on an interval.
    Interval(Normals),
    /// Probabilities of steps.
    Steps { normals: Normals, step: f64 },
    /// Logarithms of the probabilities of few values: a row per different kernel.
    Table { rows: Vec<u32>, ln: Vec<f64>, levels: usize, values: Values },
}

/// What the columns of a table stand for.
#[derive(Debug, Clone)]
pub(super) enum Values {
    /// Steps of a number, with the kernels to draw from.
    Steps(Normals, f64),
    /// Categories.
    Categories,
}

/// Normal distributions truncated to the range.
#[derive(Debug, Clone)]
pub(super) struct Normals {
    scale: Scale,
    means: Vec<f64>,
    widths: Vec<f64>,
    /// 1/width
    inverse: Vec<f64>,
    /// 1/(√2π · width · probability of the range)
    heights: Vec<f64>,
}

impl Normals {
    fn new(scale: Scale, means: Vec<f64>, widths: Vec<f64>) -> Self {
        let inverse: Vec<f64> = widths.iter().map(|width| 1.0 / width).collect();
        let heights = heights(&means, &inverse);
        Self { scale, means, widths, inverse, heights }
    }

    /// A draw from a kernel: a proposal is drawn until it lies between the first and the last value, and rounded.
    fn draw(&self, kernel: usize, rng: &mut ChaCha12Rng) -> f64 {
        let (first, last) = self.scale.ends();
        let length = last - first;
        let mean = ((self.means[kernel] - first) / length).clamp(0.0, 1.0);
        let drawn = truncated_normal::draw(mean, self.widths[kernel] / length, rng);
        self.scale.value(drawn.mul_add(length, first))
    }

    /// ln of the probability of the step at x.
    fn ln_step(&self, kernel: usize, x: f64, step: f64) -> f64 {
        let ends = [x - 0.5 * step, x + 0.5 * step].map(|end| self.scale.unit(end));
        let inverse = self.inverse[kernel];
        let mass = ln_mass((ends[0] - self.means[kernel]) * inverse, (ends[1] - ends[0]) * inverse);
        // The height is 1/(√2π · width · inside).
        let inside = inverse / (std::f64::consts::TAU.sqrt() * self.heights[kernel]);
        mass - inside.ln()
    }
}

impl Column {
    /// The kernels at the values of one parameter. `prior` tells whether there is one, `parameters` how many are
    /// modelled jointly, `category` the bandwidth of categories, with `None` Optuna's.
    pub fn fit(
        parameter: Parameter,
        points: &[f64],
        prior: bool,
        parameters: usize,
        (rule, category): (Rule, Option<f64>),
    ) -> Self {
        match parameter {
            Parameter::Numerical(range) => Self::numbers(range, points, prior, parameters, rule),
            Parameter::Categorical { choices } => {
                Self::categories(choices, points, prior, category)
            }
        }
    }

    fn numbers(range: Range, points: &[f64], prior: bool, parameters: usize, rule: Rule) -> Self {
        let scale = Scale::new(range);
        let mut means: Vec<f64> = points.iter().map(|&x| scale.unit(x)).collect();
        let mut widths = rule.widths(&means, scale.ends(), prior.then_some(0.5), parameters);
        if prior {
            means.push(0.5);
            widths.push(1.0);
        }
        let normals = Normals::new(scale, means, widths);
        match range.step {
            None => Self::Interval(normals),
            Some(step) if scale.values() <= TABULATED => {
                let levels = scale.values() as usize;
                let mut seen: Vec<[u64; 2]> = Vec::new();
                let (mut rows, mut ln) = (Vec::with_capacity(normals.means.len()), Vec::new());
                for k in 0..normals.means.len() {
                    let own = [normals.means[k].to_bits(), normals.widths[k].to_bits()];
                    let row = seen.iter().position(|one| *one == own).unwrap_or_else(|| {
                        seen.push(own);
                        let value = |level: usize| range.low + level as f64 * step;
                        ln.extend((0..levels).map(|i| normals.ln_step(k, value(i), step)));
                        seen.len() - 1
                    });
                    rows.push(row as u32);
                }
                Self::Table { rows, ln, levels, values: Values::Steps(normals, step) }
            }
            Some(step) => Self::Steps { normals, step },
        }
    }

    /// Kernels after Aitchison and Aitken: the own category with 1 − b, each other with b/(choices − 1).
    fn categories(choices: usize, points: &[f64], prior: bool, bandwidth: Option<f64>) -> Self {
        let (c, m) = (choices as f64, points.len() as f64 + 1.0);
        let bandwidth = bandwidth.unwrap_or_else(|| 1.0 - (1.0 + 1.0 / m) / (1.0 + c / m));
        let other = (bandwidth / (c - 1.0).max(1.0)).max(LEAST);
        let same = if choices == 1 { 1.0 } else { 1.0 - other * (c - 1.0) };
        let mut ln = Vec::with_capacity(choices * (choices + 1));
        for own in 0..choices {
            ln.extend((0..choices).map(|x| if x == own { same.ln() } else { other.ln() }));
        }
        ln.extend((0..choices).map(|_| -c.ln()));
        let mut rows: Vec<u32> = points.iter().map(|&x| x as u32).collect();
        if prior {
            rows.push(choices as u32);
        }
        Self::Table { rows, ln, levels: choices, values: Values::Categories }
    }

    /// Multiplies each kernel's weight by its height, where [`add`](Self::add) leaves this out.
    pub fn raise(&self, weights: &mut [f64]) {
        if let Self::Interval(normals) = self {
            weights.iter_mut().zip(&normals.heights).for_each(|(w, height)| *w *= height);
        }
    }

    /// Adds ln of each kernel at x to `sums`, for densities without their height.
    pub fn add(&self, x: f64, sums: &mut [f64]) {
        match self {
            Self::Interval(normals) => {
                let Range { low, high, .. } = normals.scale.range;
                if !(low <= x && x <= high) {
                    return sums.fill(if x.is_nan() { f64::NAN } else { f64::NEG_INFINITY });
                }
                subtract_squares(normals.scale.unit(x), &normals.means, &normals.inverse, sums);
            }
            Self::Steps { normals, step } => {
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum += normals.ln_step(k, x, *step);
                }
            }
            Self::Table { rows, ln, levels, values } => {
                let level = match values {
                    Values::Steps(normals, step) => (x - normals.scale.range.low) / step,
                    Values::Categories => x,
                };
                if !(level > -0.5 && level < *levels as f64 - 0.5) {
                    return sums.fill(if x.is_nan() { f64::NAN } else { f64::NEG_INFINITY });
                }
                let level = level.round() as usize;
                for (sum, &row) in sums.iter_mut().zip(rows) {
                    *sum += ln[row as usize * levels + level];
                }
            }
        }
    }

    /// A draw from a kernel.
    pub fn draw(&self, kernel: usize, rng: &mut ChaCha12Rng) -> f64 {
        match self {
            Self::Interval(normals)
            | Self::Steps { normals, .. }
            | Self::Table { values: Values::Steps(normals, _), .. } => normals.draw(kernel, rng),
            Self::Table { rows, ln, levels, values: Values::Categories } => {
                let own = &ln[rows[kernel] as usize * levels..][..*levels];
                let mut at: f64 = rng.random();
                let last = levels - 1;
                let found = own.iter().position(|ln| {
                    at -= ln.exp();
                    at < 0.0
                });
                found.unwrap_or(last) as f64
            }
        }
    }

    /// Widths of the kernels of a number; none for categories.
    #[cfg(test)]
    pub fn widths(&self) -> &[f64] {
        match self {
            Self::Interval(normals)
            | Self::Steps { normals, .. }
            | Self::Table { values: Values::Steps(normals, _), .. } => &normals.widths,
            Self::Table { .. } => &[],
        }
    }
}

wide! {
    /// Subtracts half the square of (x − mean)/width from each sum.
    fn subtract_squares['a]['a](x: f64, means: &'a [f64], inverse: &'a [f64], sums: &'a mut [f64]) -> () {
        for ((sum, mean), inverse) in sums.iter_mut().zip(means).zip(inverse) {
            let z = (x - mean) * inverse;
            *sum = (-0.5 * z).mul_add(z, *sum);
        }
    }
}
