//! Covariances of the targets among each other, and how the evidence changes with the length scales through them: most
//! of the time of a fit. The results are those of [`ArdKernel`] pair by pair, bit for bit, for several pairs or inputs
//! at once.

use ndarray::Array2;
use numerics::linalg::simd_dispatch::wide;

use crate::gp::monotone::kernel::ArdKernel;

/// The pairs (i, j ≤ i) of n points, in the order (0, 0), (1, 0), (1, 1), (2, 0), …
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    /// The covariances σ² w₀.
    covariances: Vec<f64>,
    /// σ² w₁, half of their slopes by −r².
    slopes: Vec<f64>,
    /// The points, row after row.
    points: Vec<f64>,
}

wide! {
    /// Adds ((xᵢ − xⱼ)/ℓ)² to r² of each pair.
    fn add_squares['a]['a](x: &'a [f64], scale: f64, squares: &'a mut [f64]) -> () {
        let mut rest = squares;
        for (i, &own) in x.iter().enumerate() {
            let (row, after) = rest.split_at_mut(i + 1);
            for (square, other) in row.iter_mut().zip(x) {
                let gap = (own - other) / scale;
                *square += gap * gap;
            }
            rest = after;
        }
    }
}

wide! {
    /// Adds weight ((xᵢ − xⱼ)/ℓ)² of each pair to the slope of each input.
    fn add_slopes['a]['a](
        points: &'a [f64],
        scales: &'a [f64],
        weights: &'a [f64],
        slopes: &'a mut [f64],
    ) -> () {
        let mut weights = weights.iter();
        for (i, own) in points.chunks_exact(scales.len()).enumerate() {
            for (other, weight) in points.chunks_exact(scales.len()).take(i + 1).zip(&mut weights) {
                for (((slope, x), z), scale) in slopes.iter_mut().zip(own).zip(other).zip(scales) {
                    let gap = (x - z) / scale;
                    *slope += weight * gap * gap;
                }
            }
        }
    }
}

impl Pairs {
    /// The pairs of points with as many coordinates as there are length scales.
    pub(super) fn new(kernel: &ArdKernel, points: &[Vec<f64>]) -> Self {
        let mut covariances = vec![0.0; points.len() * (points.len() + 1) / 2];
        let mut column = vec![0.0; points.len()];
        for (d, scale) in kernel.length_scales.iter().enumerate() {
            for (to, point) in column.iter_mut().zip(points) {
                *to = point[d];
            }
            add_squares(&column, *scale, &mut covariances);
        }
        let mut slopes = vec![0.0; covariances.len()];
        for (covariance, slope) in covariances.iter_mut().zip(&mut slopes) {
            let (value, weight) = kernel.form.value(*covariance);
            (*covariance, *slope) = (kernel.amplitude * value, kernel.amplitude * weight);
        }
        Self { covariances, slopes, points: points.concat() }
    }

    /// The covariance matrix below its diagonal, and on the diagonal with `noise`; zero above.
    pub(super) fn lower(&self, points: usize, noise: f64) -> Array2<f64> {
        let mut matrix = Array2::zeros((points, points));
        let mut rest = self.covariances.as_slice();
        for (i, mut row) in matrix.rows_mut().into_iter().enumerate() {
            let (own, after) = rest.split_at(i + 1);
            for (to, from) in row.iter_mut().zip(own) {
                *to = *from;
            }
            row[i] += noise;
            rest = after;
        }
        matrix
    }

    /// Adds the sum over the pairs of a weight times the derivatives of the covariance to the slopes by ln ℓ (one per
    /// input); returns the sum of weight times covariance, which is the slope by ln σ².
    pub(super) fn add_slopes(
        &self,
        kernel: &ArdKernel,
        weights: &[f64],
        slopes: &mut [f64],
    ) -> f64 {
        let by_distance: Vec<f64> = weights.iter().zip(&self.slopes).map(|(w, s)| w * s).collect();
        add_slopes(&self.points, &kernel.length_scales, &by_distance, slopes);
        // In order, from zero, as one by one.
        weights.iter().zip(&self.covariances).fold(0.0, |sum, (w, c)| sum + w * c)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

    use super::*;
    use crate::gp::{kernel::Kernel, monotone::kernel::Element};

    #[test]
    fn covariances_and_slopes_are_those_of_the_elements_to_the_last_bit() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for (form, n, d) in [
            (Kernel::SquaredExponential, 1, 1),
            (Kernel::SquaredExponential, 13, 4),
            (Kernel::Matern52, 9, 17),
            (Kernel::Matern52, 30, 40),
        ] {
            let length_scales = (0..d).map(|_| rng.random_range(0.3..4.0)).collect();
            let kernel = ArdKernel { form, amplitude: 1.7, length_scales };
            let points: Vec<Vec<f64>> =
                (0..n).map(|_| (0..d).map(|_| rng.random()).collect()).collect();
            let element = |x: &Vec<f64>| Element { x: x.clone(), derivative: None };
            let elements: Vec<Element> = points.iter().map(element).collect();
            let pairs = Pairs::new(&kernel, &points);
            let matrix = pairs.lower(n, 0.25);
            let weights: Vec<f64> =
                (0..n * (n + 1) / 2).map(|_| rng.random_range(-1.0..1.0)).collect();
            let (mut slopes, mut expected) = (vec![0.0; d], vec![0.0; d]);
            let by_amplitude = pairs.add_slopes(&kernel, &weights, &mut slopes);
            let (mut sum, mut weight) = (0.0, weights.iter());
            for i in 0..n {
                for j in 0..=i {
                    let own = if i == j { 0.25 } else { 0.0 };
                    assert_eq!(matrix[(i, j)], kernel.covariance(&elements[i], &elements[j]) + own);
                    let w = *weight.next().unwrap();
                    sum += w * kernel.add_slopes(&elements[i], &elements[j], w, &mut expected);
                }
            }
            assert_eq!((slopes, by_amplitude), (expected, sum), "{form:?} {n} {d}");
        }
    }
}
