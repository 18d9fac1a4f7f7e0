//! The squared exponential covariance of a function and its partial derivatives, \[Riihimaki2010\]
//! eqs. (3), (4). Knows no data.

/// A value of the function, or of one of its partial derivatives, at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Where.
    pub x: Vec<f64>,
    /// The input (from 0) that the function is differentiated by; `None` for the function itself.
    pub derivative: Option<usize>,
}

/// σ² exp(−½ Σ ((xⱼ − zⱼ)/ℓⱼ)²).
#[derive(Debug, Clone, PartialEq)]
pub struct SquaredExponentialArd {
    /// σ², the variance of the function.
    pub amplitude: f64,
    /// ℓ, one length scale an input.
    pub length_scales: Vec<f64>,
}

impl SquaredExponentialArd {
    /// s = (x − z)/ℓ and the covariance of f(x) and f(z).
    fn scaled(&self, x: &[f64], z: &[f64]) -> (Vec<f64>, f64) {
        let pairs = x.iter().zip(z).zip(&self.length_scales);
        let s: Vec<f64> = pairs.map(|((p, q), l)| (p - q) / l).collect();
        let squared: f64 = s.iter().map(|v| v * v).sum();
        (s, self.amplitude * (-0.5 * squared).exp())
    }

    /// What the covariance of f(x) and f(z) is multiplied with for the derivatives `d` and `e`.
    fn factor(&self, s: &[f64], d: Option<usize>, e: Option<usize>) -> f64 {
        let l = &self.length_scales;
        match (d, e) {
            (None, None) => 1.0,
            (None, Some(e)) => s[e] / l[e],
            (Some(d), None) => -s[d] / l[d],
            (Some(d), Some(e)) => (f64::from(u8::from(d == e)) - s[d] * s[e]) / (l[d] * l[e]),
        }
    }

    /// The covariance of two elements.
    pub fn covariance(&self, a: &Element, b: &Element) -> f64 {
        let (s, k) = self.scaled(&a.x, &b.x);
        k * self.factor(&s, a.derivative, b.derivative)
    }

    /// The covariance of f(x) and an element, and its gradient by x into `gradient` (one number an
    /// input): the covariances of the derivatives of f at x with the element.
    pub fn at_point(&self, x: &[f64], b: &Element, gradient: &mut [f64]) -> f64 {
        let (s, k) = self.scaled(x, &b.x);
        for (j, g) in gradient.iter_mut().enumerate() {
            *g = k * self.factor(&s, Some(j), b.derivative);
        }
        k * self.factor(&s, None, b.derivative)
    }

    /// Adds `weight` times the derivatives of the covariance of two elements by ln ℓ to `slopes`
    /// (one number an input). The derivative by ln σ² is the covariance itself.
    pub fn add_slopes(&self, a: &Element, b: &Element, weight: f64, slopes: &mut [f64]) {
        let (s, k) = self.scaled(&a.x, &b.x);
        let factor = self.factor(&s, a.derivative, b.derivative);
        for (slope, v) in slopes.iter_mut().zip(&s) {
            *slope += weight * k * factor * v * v;
        }
        let l = &self.length_scales;
        match (a.derivative, b.derivative) {
            (None, None) => {}
            (Some(d), None) | (None, Some(d)) => slopes[d] -= 2.0 * weight * k * factor,
            (Some(d), Some(e)) => {
                let same = f64::from(u8::from(d == e));
                let both = weight * k * (2.0 * s[d] * s[e] - same) / (l[d] * l[e]);
                slopes[d] += both;
                slopes[e] += both;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    const D: usize = 3;

    fn random(rng: &mut ChaCha12Rng) -> (SquaredExponentialArd, Element, Element) {
        let mut point = || -> Vec<f64> { (0..D).map(|_| rng.random::<f64>()).collect() };
        let value = |x| Element { x, derivative: None };
        let (a, b) = (value(point()), value(point()));
        let length_scales = (0..D).map(|_| 0.4 + rng.random::<f64>()).collect();
        (SquaredExponentialArd { amplitude: 1.7, length_scales }, a, b)
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
        for _ in 0..20 {
            let (kernel, a, b) = random(&mut rng);
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
        for _ in 0..10 {
            let (kernel, a, b) = random(&mut rng);
            for (d, e) in kinds.iter().flat_map(|d| kinds.map(|e| (*d, e))) {
                let a = Element { derivative: d, ..a.clone() };
                let b = Element { derivative: e, ..b.clone() };
                let mut slopes = [0.0; D];
                kernel.add_slopes(&a, &b, 0.5, &mut slopes);
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
}
