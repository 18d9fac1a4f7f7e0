//! Kernels of one numerical parameter: normal distributions truncated to its range, of the logarithm if the
//! parameter is on a logarithmic scale; with a step, the probabilities of the step's intervals.

use rand_chacha::ChaCha12Rng;

use super::{Bandwidth, KernelSettings};
use crate::density::{normal_mass, truncated_normal};

/// Minimum width of a kernel without the magic clip.
const NARROWEST: f64 = 1e-12;
/// Width of a kernel after \[Scott1992\]: this share of the range, times n^(−1/(d + 4)).
const SCOTT: f64 = 0.2;

/// The values of a numerical parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Whether kernels and densities are on a logarithmic scale; `low − step/2` is above 0 then.
    pub log: bool,
    /// Distance of neighbouring values, the first at `low`; `None` for an interval.
    pub step: Option<f64>,
}

impl Range {
    fn half_step(&self) -> f64 {
        self.step.map_or(0.0, |step| 0.5 * step)
    }

    /// Lower end: a value with a step stands for the interval of half a step on either side.
    fn lower(&self) -> f64 {
        self.low - self.half_step()
    }

    fn upper(&self) -> f64 {
        self.high + self.half_step()
    }

    /// A value in the kernels' space.
    fn position(&self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }

    /// The distance from a to b in the kernels' space.
    fn distance(&self, a: f64, b: f64) -> f64 {
        if self.log { ln_ratio(b, a) } else { b - a }
    }

    /// The nearest value of the parameter.
    fn snap(&self, value: f64) -> f64 {
        let value = match self.step {
            Some(step) => self.low + ((value - self.low) / step).round() * step,
            None => value,
        };
        value.max(self.low).min(self.high)
    }
}

/// ln(b/a), precise if both are near each other.
fn ln_ratio(b: f64, a: f64) -> f64 {
    let ratio = b / a;
    if ratio > 0.5 && ratio < 2.0 { ((b - a) / a).ln_1p() } else { b.ln() - a.ln() }
}

/// One normal distribution.
#[derive(Debug, Clone, Copy)]
struct Kernel {
    /// Mean as a value of the parameter.
    centre: f64,
    deviation: f64,
    /// ln of the normal probability of the range.
    ln_inside: f64,
}

/// Kernels of one numerical parameter, the oldest first, the prior's last.
#[derive(Debug, Clone)]
pub struct Numerical {
    range: Range,
    means: Vec<f64>,
    kernels: Vec<Kernel>,
}

impl Numerical {
    /// A kernel at each of `points` and the prior's. `parameters` is the number of parameters that are
    /// modelled jointly.
    pub(super) fn fit(
        range: Range,
        points: &[f64],
        parameters: usize,
        settings: KernelSettings,
    ) -> Self {
        let (lower, upper) = (range.lower(), range.upper());
        let width = range.distance(lower, upper);
        let kernels = (points.len() + 1) as f64;
        let least =
            if settings.magic_clip { width / (1.0 + kernels).min(100.0) } else { NARROWEST };
        let deviations = match settings.bandwidth {
            Bandwidth::Neighbours => gaps(&range, points, settings.endpoints),
            Bandwidth::Scott => {
                let n = points.len() as f64;
                let scott = SCOTT * n.powf(-1.0 / (parameters as f64 + 4.0)) * width;
                vec![scott; points.len()]
            }
        };
        let kernel = |centre: f64, deviation: f64| {
            let from = range.distance(centre, lower) / deviation;
            let ln_inside = normal_mass::ln_mass(from, width / deviation);
            Kernel { centre, deviation, ln_inside }
        };
        // `clamp` is not used, since it panics on a minimum width above the range.
        let clipped = deviations.iter().map(|d| d.max(least).min(width));
        let mut own: Vec<Kernel> =
            points.iter().zip(clipped).map(|(&x, deviation)| kernel(x, deviation)).collect();
        let middle = 0.5 * (range.position(lower) + range.position(upper));
        own.push(kernel(if range.log { middle.exp() } else { middle }, width));
        let mut means: Vec<f64> = points.iter().map(|&x| range.position(x)).collect();
        means.push(middle);
        Self { range, means, kernels: own }
    }

    /// Means in the kernels' space (length n + 1).
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Standard deviations in the kernels' space (length n + 1).
    pub fn deviations(&self) -> Vec<f64> {
        self.kernels.iter().map(|k| k.deviation).collect()
    }

    /// ln of a kernel's density at x, or of its probability if there is a step: −∞ outside an interval. On a
    /// logarithmic scale the density is that of ln x.
    pub(super) fn ln_density(&self, kernel: usize, x: f64) -> f64 {
        let Kernel { centre, deviation, ln_inside } = self.kernels[kernel];
        if x.is_nan() {
            return f64::NAN;
        }
        match self.range.step {
            None if x < self.range.low || x > self.range.high => f64::NEG_INFINITY,
            None => {
                let z = self.range.distance(centre, x) / deviation;
                normal_mass::ln_density(z) - deviation.ln() - ln_inside
            }
            Some(step) => {
                let (left, right) = (x - 0.5 * step, x + 0.5 * step);
                let width = if self.range.log { ln_ratio(right, left) } else { step };
                let from = self.range.distance(centre, left) / deviation;
                normal_mass::ln_mass(from, width / deviation) - ln_inside
            }
        }
    }

    /// A draw from a kernel.
    pub(super) fn draw(&self, kernel: usize, rng: &mut ChaCha12Rng) -> f64 {
        let lower = self.range.position(self.range.lower());
        let width = self.range.distance(self.range.lower(), self.range.upper());
        let (mean, deviation) = (self.means[kernel], self.kernels[kernel].deviation);
        let mean = ((mean - lower) / width).clamp(0.0, 1.0);
        let position = lower + width * truncated_normal::draw(mean, deviation / width, rng);
        self.range.snap(if self.range.log { position.exp() } else { position })
    }
}

/// The larger gap of each point to its neighbours, including the ends of the range; for the first and the
/// last point only the inner gap, unless the ends count as `endpoints` or there is only one point. Equal
/// points are neighbours in their order.
fn gaps(range: &Range, points: &[f64], endpoints: bool) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // The sum makes −0 to 0.
    order.sort_by(|&a, &b| (points[a] + 0.0).total_cmp(&(points[b] + 0.0)));
    let ends = endpoints || points.len() < 2;
    let mut gaps = vec![0.0; points.len()];
    for (at, &i) in order.iter().enumerate() {
        let left = at.checked_sub(1).map(|l| points[order[l]]);
        let right = order.get(at + 1).map(|&r| points[r]);
        let to = |neighbour: f64| range.distance(neighbour, points[i]).abs();
        gaps[i] = match (left, right) {
            (Some(l), Some(r)) => to(l).max(to(r)),
            (None, Some(r)) if !ends => to(r),
            (Some(l), None) if !ends => to(l),
            (l, r) => to(l.unwrap_or(range.lower())).max(to(r.unwrap_or(range.upper()))),
        };
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_near_one_keep_their_digits() {
        let x = 1e-5;
        assert!((ln_ratio(x * (1.0 + 1e-9), x) / 1e-9 - 1.0).abs() < 1e-6);
        assert!((ln_ratio(8.0, 2.0) - 4.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn gaps_are_inner_ones_at_the_ends() {
        let range = Range { low: 0.0, high: 10.0, log: false, step: None };
        let points = [9.0, 1.0, 2.0, 2.0];
        assert_eq!(gaps(&range, &points, false), [7.0, 1.0, 1.0, 7.0]);
        assert_eq!(gaps(&range, &points, true), [7.0, 1.0, 1.0, 7.0]);
        let points = [1.5, 2.0];
        assert_eq!(gaps(&range, &points, false), [0.5, 0.5]);
        assert_eq!(gaps(&range, &points, true), [1.5, 8.0]);
        assert_eq!(gaps(&range, &[3.0], false), [7.0]);
        let log = Range { low: 1.0, high: 16.0, log: true, step: None };
        let near = gaps(&log, &[4.0, 2.0, 16.0], false);
        let expected = [4.0_f64.ln(), 2.0_f64.ln(), 4.0_f64.ln()];
        assert!(near.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{near:?}");
    }

    #[test]
    fn draws_are_values_of_the_range() {
        let range = Range { low: 0.1, high: 0.7, log: false, step: Some(0.2) };
        assert!([0.1, 0.3, 0.5, 0.7].iter().all(|v| (range.snap(v + 0.09) - v).abs() < 1e-12));
        assert!(range.snap(9.0) == 0.7 && range.snap(-9.0) == 0.1);
    }
}
