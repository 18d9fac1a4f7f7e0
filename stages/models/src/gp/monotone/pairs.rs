//! Covariances of the targets among each other, and how the evidence changes with the length scales through them: most
//! of the time of a fit. The results are those of [`ArdKernel`] pair by pair but for rounding.
//!
//! The pairs (i, j ≤ i) lie row after row, each row filled up to whole registers.

use ndarray::{Array2, ArrayView1};
use numerics::linalg::simd_dispatch::wide;

use crate::gp::{
    kernel::Kernel as Form,
    monotone::{
        kernel::ArdKernel,
        scaled::{GROUP, LANES, Scaled, fold, weigh},
    },
};

/// The pairs of n points.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    points: Scaled,
    /// The covariances σ² w₀.
    covariances: Vec<f64>,
    /// σ² w₁, half of their slopes by −r².
    slopes: Vec<f64>,
}

/// Places of row i.
fn width(i: usize) -> usize {
    (i + 1).next_multiple_of(LANES)
}

wide! {
    /// The first two weights of each pair.
    fn pairs['a]['a](
        form: Form,
        points: &'a Scaled,
        zeroth: &'a mut [f64],
        first: &'a mut [f64],
    ) -> () {
        let mut point = vec![0.0; points.inputs()];
        let (mut zeroth, mut first) = (zeroth, first);
        for i in 0..points.len() {
            points.read(i, &mut point);
            let (own, rest) = zeroth.split_at_mut(width(i));
            let (slope, after) = first.split_at_mut(width(i));
            weigh(form, points, &point, own, slope);
            (zeroth, first) = (rest, after);
        }
    }
}

wide! {
    /// Adds weight (aᵢ − aⱼ)² of each pair to the slope of each input, where a are the scaled coordinates.
    fn add_slopes['a]['a](points: &'a Scaled, weights: &'a [f64], slopes: &'a mut [f64]) -> () {
        for (group, slopes) in slopes.chunks_mut(GROUP).enumerate() {
            let columns = points.group(group);
            let mut sums = [[0.0_f64; LANES]; GROUP];
            let mut rest = weights;
            for i in 0..points.len() {
                let (row, after) = rest.split_at(width(i));
                let own = columns.map(|column| column[i]);
                for (at, weights) in row.chunks_exact(LANES).enumerate() {
                    for c in 0..GROUP {
                        let others = &columns[c][at * LANES..][..LANES];
                        for l in 0..LANES {
                            let gap = own[c] - others[l];
                            sums[c][l] = (weights[l] * gap).mul_add(gap, sums[c][l]);
                        }
                    }
                }
                rest = after;
            }
            for (slope, s) in slopes.iter_mut().zip(sums) {
                *slope += fold(s);
            }
        }
    }
}

impl Pairs {
    /// The pairs of points with as many coordinates as there are length scales.
    pub(super) fn new(kernel: &ArdKernel, points: &[Vec<f64>]) -> Self {
        let rows = points.iter().map(Vec::as_slice);
        let points = Scaled::new(rows, &kernel.length_scales);
        let places = (0..points.len()).map(width).sum();
        let (mut covariances, mut slopes) = (vec![0.0; places], vec![0.0; places]);
        pairs(kernel.form, &points, &mut covariances, &mut slopes);
        for v in covariances.iter_mut().chain(&mut slopes) {
            *v *= kernel.amplitude;
        }
        Self { points, covariances, slopes }
    }

    /// The covariance matrix below its diagonal, and on the diagonal with `noise`; zero above.
    pub(super) fn lower(&self, noise: f64) -> Array2<f64> {
        let n = self.points.len();
        let mut matrix = vec![0.0; n * n];
        let mut rest = self.covariances.as_slice();
        for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
            let (own, after) = rest.split_at(width(i));
            row[..=i].copy_from_slice(&own[..=i]);
            row[i] += noise;
            rest = after;
        }
        Array2::from_shape_vec((n, n), matrix).expect("n rows of n")
    }

    /// Adds to `slopes` (one per input) the derivatives by ln ℓ, through the covariances, of the evidence, whose
    /// derivatives by the covariances are (αᵢ αⱼ − Pᵢⱼ)/2 with the weights α (n) and the precision P (n×n or more).
    /// Returns the derivative by ln σ².
    pub(super) fn add_slopes(
        &self,
        alpha: ArrayView1<'_, f64>,
        precision: &Array2<f64>,
        slopes: &mut [f64],
    ) -> f64 {
        let mut weights = vec![0.0; self.covariances.len()];
        let (mut at, mut by_amplitude) = (0, 0.0);
        for (i, row) in precision.rows().into_iter().enumerate().take(self.points.len()) {
            let places = at..at + width(i);
            let of_row = weights[places.clone()].iter_mut();
            let known = self.covariances[places.clone()].iter().zip(&self.slopes[places]);
            let sides = alpha.iter().zip(row).take(i + 1).enumerate();
            for ((weight, (covariance, slope)), (j, (a, p))) in of_row.zip(known).zip(sides) {
                let half = if i == j { 0.5 } else { 1.0 };
                let own = half * (alpha[i] * a - p);
                by_amplitude += own * covariance;
                *weight = own * slope;
            }
            at += width(i);
        }
        add_slopes(&self.points, &weights, slopes);
        by_amplitude
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;
    use rand::RngExt as _;
    use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

    use super::*;
    use crate::gp::monotone::kernel::Element;

    #[test]
    fn covariances_and_slopes_are_those_of_the_elements() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for (form, n, d) in [
            (Form::SquaredExponential, 1, 1),
            (Form::SquaredExponential, 13, 4),
            (Form::Matern52, 8, 5),
            (Form::Matern52, 9, 17),
            (Form::Matern52, 30, 40),
        ] {
            let length_scales = (0..d).map(|_| rng.random_range(0.3..4.0)).collect();
            let kernel = ArdKernel { form, amplitude: 1.7, length_scales };
            let points: Vec<Vec<f64>> =
                (0..n).map(|_| (0..d).map(|_| rng.random()).collect()).collect();
            let element = |x: &Vec<f64>| Element { x: x.clone(), derivative: None };
            let elements: Vec<Element> = points.iter().map(element).collect();
            let pairs = Pairs::new(&kernel, &points);
            let matrix = pairs.lower(0.25);
            let alpha = Array1::from_shape_fn(n, |_| rng.random_range(-1.0..1.0));
            let precision = Array2::from_shape_fn((n, n), |_| rng.random_range(-1.0..1.0));
            let (mut slopes, mut expected) = (vec![0.5; d], vec![0.5; d]);
            let by_amplitude = pairs.add_slopes(alpha.view(), &precision, &mut slopes);
            let mut sum = 0.0;
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * n as f64, "{a} {b}");
            for i in 0..n {
                for j in 0..=i {
                    let own = if i == j { 0.25 } else { 0.0 };
                    close(matrix[(i, j)], kernel.covariance(&elements[i], &elements[j]) + own);
                    let half = if i == j { 0.5 } else { 1.0 };
                    let w = half * (alpha[i] * alpha[j] - precision[(i, j)]);
                    sum += w * kernel.add_slopes(&elements[i], &elements[j], w, &mut expected);
                }
                assert!(matrix.row(i).iter().skip(i + 1).all(|v| *v == 0.0));
            }
            close(by_amplitude, sum);
            slopes.iter().zip(&expected).for_each(|(a, b)| close(*a, *b));
        }
    }
}
