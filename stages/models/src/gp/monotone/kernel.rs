//! Stationary covariances of a function and its partial derivatives, \[Riihimaki2010\] eqs. (3), (4).

use crate::gp::kernel::Kernel;

/// A value of the function, or of one of its partial derivatives, at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// The point.
    pub x: Vec<f64>,
    /// The input (from 0) with respect to which the function is differentiated; `None` for the function
    /// itself.
    pub derivative: Option<usize>,
}

/// σ² times a stationary covariance of r² = Σ ((xⱼ − zⱼ)/ℓⱼ)², with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct ArdKernel {
    /// The covariance of variance 1.
    pub form: Kernel,
    /// σ², the variance of the function.
    pub amplitude: f64,
    /// ℓ, one length scale per input.
    pub length_scales: Vec<f64>,
}

impl ArdKernel {
    /// `(x_d − z_d)/ℓ_d`.
    fn scaled(&self, x: &[f64], z: &[f64], d: usize) -> f64 {
        (x[d] - z[d]) / self.length_scales[d]
    }

    /// The form's weights at the distance of two points, times σ².
    fn weights(&self, x: &[f64], z: &[f64]) -> [f64; 4] {
        let squared = (0..x.len()).map(|d| self.scaled(x, z, d)).map(|s| s * s).sum();
        self.form.weights(squared).map(|w| self.amplitude * w)
    }

    /// The covariance of ∂ᵈf(x) and ∂ᵉf(z), given the weights at their distance.
    fn of_derivatives(
        &self,
        w: &[f64; 4],
        (x, d): (&[f64], Option<usize>),
        (z, e): (&[f64], Option<usize>),
    ) -> f64 {
        let l = &self.length_scales;
        match (d, e) {
            (None, None) => w[0],
            (None, Some(e)) => w[1] * self.scaled(x, z, e) / l[e],
            (Some(d), None) => -w[1] * self.scaled(x, z, d) / l[d],
            (Some(d), Some(e)) => {
                let own = if d == e { w[1] } else { 0.0 };
                (own - w[2] * self.scaled(x, z, d) * self.scaled(x, z, e)) / (l[d] * l[e])
            }
        }
    }

    /// The covariance of two elements.
    pub fn covariance(&self, a: &Element, b: &Element) -> f64 {
        let w = self.weights(&a.x, &b.x);
        self.of_derivatives(&w, (&a.x, a.derivative), (&b.x, b.derivative))
    }

    /// The covariance of f(x) and an element.
    pub fn value_at(&self, x: &[f64], b: &Element) -> f64 {
        self.of_derivatives(&self.weights(x, &b.x), (x, None), (&b.x, b.derivative))
    }

    /// The covariance of f(x) and an element; writes its gradient with respect to x to `gradient` (one number
    /// per input): the covariances of the derivatives of f at x with the element.
    pub fn at_point(&self, x: &[f64], b: &Element, gradient: &mut [f64]) -> f64 {
        let w = self.weights(x, &b.x);
        for (j, g) in gradient.iter_mut().enumerate() {
            *g = self.of_derivatives(&w, (x, Some(j)), (&b.x, b.derivative));
        }
        self.of_derivatives(&w, (x, None), (&b.x, b.derivative))
    }

    /// Adds `weight` times the derivatives of the covariance of two elements with respect to ln ℓ to `slopes`
    /// (one number per input), and returns the covariance, which is its derivative with respect to ln σ².
    pub fn add_slopes(&self, a: &Element, b: &Element, weight: f64, slopes: &mut [f64]) -> f64 {
        let (x, z) = (&a.x, &b.x);
        let w = self.weights(x, z);
        let from = |w: &[f64; 4]| self.of_derivatives(w, (x, a.derivative), (z, b.derivative));
        let covariance = from(&w);
        // Through r², every weight is replaced by the next one; ∂r²/∂ln ℓ = −2s².
        let by_distance = weight * from(&[w[1], w[2], w[3], 0.0]);
        for (j, slope) in slopes.iter_mut().enumerate() {
            let s = self.scaled(x, z, j);
            *slope += by_distance * s * s;
        }
        // Through the factors s/ℓ and 1/ℓ of the derivatives themselves.
        match (a.derivative, b.derivative) {
            (None, None) => {}
            (Some(d), None) | (None, Some(d)) => slopes[d] -= 2.0 * weight * covariance,
            (Some(d), Some(e)) => {
                let l = self.length_scales[d] * self.length_scales[e];
                let pair = w[2] * self.scaled(x, z, d) * self.scaled(x, z, e) / l;
                slopes[d] += weight * (pair - covariance);
                slopes[e] += weight * (pair - covariance);
            }
        }
        covariance
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    const D: usize = 3;

    const FORMS: [Kernel; 2] = [Kernel::SquaredExponential, Kernel::Matern52];

    fn random(form: Kernel, rng: &mut ChaCha12Rng) -> (ArdKernel, Element, Element) {
        let mut point = || -> Vec<f64> { (0..D).map(|_| rng.random::<f64>()).collect() };
        let value = |x| Element { x, derivative: None };
        let (a, b) = (value(point()), value(point()));
        let length_scales = (0..D).map(|_| 0.4 + rng.random::<f64>()).collect();
        (ArdKernel { form, amplitude: 1.7, length_scales }, a, b)
    }

    fn moved(a: &Element, j: usize, h: f64) -> Element {
        let mut b = a.clone();
        b.x[j] += h;
        b
    }

    /// Each block is the central difference of the block with one derivative less.
    #[test]
    fn derivative_blocks_are_finite_differences_of_the_kernel() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let h = 1e-5;
        for i in 0..40 {
            let (kernel, a, b) = random(FORMS[i % 2], &mut rng);
            for d in 0..D {
                let with = |e: &Element| Element { derivative: Some(d), ..e.clone() };
                let rise = kernel.covariance(&moved(&a, d, h), &b)
                    - kernel.covariance(&moved(&a, d, -h), &b);
                assert!((kernel.covariance(&with(&a), &b) - rise / (2.0 * h)).abs() < 1e-8);
                for e in 0..D {
                    let of = |z: &Element| Element { derivative: Some(e), ..z.clone() };
                    let rise = kernel.covariance(&with(&a), &moved(&b, e, h))
                        - kernel.covariance(&with(&a), &moved(&b, e, -h));
                    let both = kernel.covariance(&with(&a), &of(&b));
                    assert!((both - rise / (2.0 * h)).abs() < 1e-8, "{d} {e}");
                    let turned = kernel.covariance(&of(&b), &with(&a));
                    assert!((both - turned).abs() < 1e-13);
                }
                let mut gradient = [0.0; D];
                let value = kernel.at_point(&a.x, &with(&b), &mut gradient);
                assert_eq!(value, kernel.covariance(&a, &with(&b)));
                assert_eq!(value, kernel.value_at(&a.x, &with(&b)));
                for (j, slope) in gradient.iter().enumerate() {
                    let rise = kernel.covariance(&moved(&a, j, h), &with(&b))
                        - kernel.covariance(&moved(&a, j, -h), &with(&b));
                    assert!((slope - rise / (2.0 * h)).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn slopes_by_length_scales_are_finite_differences() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let h = 1e-5_f64;
        let kinds = [None, Some(0), Some(1)];
        for i in 0..20 {
            let (kernel, a, b) = random(FORMS[i % 2], &mut rng);
            for (d, e) in kinds.iter().flat_map(|d| kinds.map(|e| (*d, e))) {
                let a = Element { derivative: d, ..a.clone() };
                let b = Element { derivative: e, ..b.clone() };
                let mut slopes = [0.0; D];
                let value = kernel.add_slopes(&a, &b, 0.5, &mut slopes);
                assert_eq!(value, kernel.covariance(&a, &b));
                for (j, slope) in slopes.iter().enumerate() {
                    let at = |h: f64| {
                        let mut k = kernel.clone();
                        k.length_scales[j] *= h.exp();
                        k.covariance(&a, &b)
                    };
                    let difference = 0.5 * (at(h) - at(-h)) / (2.0 * h);
                    assert!((slope - difference).abs() < 1e-7, "{d:?} {e:?} {j}");
                }
            }
        }
    }
    /// At one point, where the last weight of the Matérn form is not finite, all covariances are finite, and
    /// values and slopes are independent in the prior: σ², and w₁σ²/ℓ² for a slope.
    #[test]
    fn at_one_point_all_is_finite() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        for (form, first) in [(Kernel::SquaredExponential, 1.0), (Kernel::Matern52, 5.0 / 3.0)] {
            let (kernel, a, _) = random(form, &mut rng);
            let of = |d| Element { derivative: d, ..a.clone() };
            for (d, e) in [(None, None), (Some(0), None), (Some(1), Some(1)), (Some(0), Some(2))] {
                let mut slopes = [0.0; D];
                let value = kernel.add_slopes(&of(d), &of(e), 1.0, &mut slopes);
                let expected = match (d, e) {
                    (None, None) => 1.7,
                    (Some(1), Some(1)) => 1.7 * first / kernel.length_scales[1].powi(2),
                    _ => 0.0,
                };
                assert!((value - expected).abs() < 1e-14 && slopes.iter().all(|s| s.is_finite()));
            }
        }
    }
}
