//! Quadratic training losses, whose best response is affine \[MacKay2019\] B.3.

use ndarray::{Array1, Array2, ArrayView1};
use numerics::linalg::{
    cholesky::{Cholesky, NotPositiveDefinite},
    dense, symmetric,
};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::Lower;

/// f(λ, w) = ½ wᵀCw + λᵀBw + eᵀw. Terms in λ alone, which the paper also has, do not change the best
/// response.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// B (n×m).
    cross: Array2<f64>,
    /// C (m×m), positive definite.
    curvature: Array2<f64>,
    /// e (m).
    linear: Array1<f64>,
    factor: Cholesky,
}

impl Quadratic {
    /// The loss with B (n×m), C (m×m) and e (m).
    ///
    /// # Errors
    /// If C is not positive definite.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn new(
        cross: Array2<f64>,
        curvature: Array2<f64>,
        linear: Array1<f64>,
    ) -> Result<Self, NotPositiveDefinite> {
        let m = cross.ncols();
        assert_eq!((curvature.dim(), linear.len()), ((m, m), m), "the shapes do not fit");
        let factor = Cholesky::new(&curvature)?;
        Ok(Self { cross, curvature, linear, factor })
    }

    /// A random loss for n hyper-parameters and m weights: B and e normal; C = I + GᵀG/m with G m×m normal,
    /// whose eigenvalues lie between 1 and about 5.
    ///
    /// # Errors
    /// If C has no Cholesky factor; a positive definite C always has one.
    pub fn draw(n: usize, m: usize, rng: &mut ChaCha12Rng) -> Result<Self, NotPositiveDefinite> {
        let mut normal = |shape| {
            Array2::from_shape_simple_fn(shape, || -> f64 { StandardNormal.sample(&mut *rng) })
        };
        let (cross, g, linear) = (normal((n, m)), normal((m, m)), normal((1, m)));
        let mut curvature = Array2::zeros((m, m));
        let products = curvature.as_slice_mut().expect("standard layout");
        dense::gram(g.as_slice().expect("standard layout"), m, &vec![1.0 / m as f64; m], products);
        curvature.diag_mut().iter_mut().for_each(|v| *v += 1.0);
        Self::new(cross, curvature, linear.row(0).to_owned())
    }

    /// w*(λ) = −C⁻¹(Bᵀλ + e) (m).
    pub fn response(&self, lambda: &[f64]) -> Array1<f64> {
        let pull = self.cross.t().dot(&ArrayView1::from(lambda)) + &self.linear;
        -self.factor.solve(pull.view())
    }

    /// ∂w*/∂λ = −C⁻¹Bᵀ (m×n).
    pub fn jacobian(&self) -> Array2<f64> {
        let mut all = Array2::zeros((self.weights(), self.hypers()));
        for (mut column, row) in all.columns_mut().into_iter().zip(self.cross.rows()) {
            column.assign(&-self.factor.solve(row));
        }
        all
    }

    /// The largest eigenvalue of C.
    pub fn largest_curvature(&self) -> f64 {
        symmetric::largest(&self.curvature)
    }
}

impl Lower for Quadratic {
    fn hypers(&self) -> usize {
        self.cross.nrows()
    }

    fn weights(&self) -> usize {
        self.linear.len()
    }

    fn value(&self, lambda: &[f64], w: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (j, out) in gradient.iter_mut().enumerate() {
            let curved: f64 = self.curvature.row(j).iter().zip(w).map(|(c, v)| c * v).sum();
            let crossed: f64 = self.cross.column(j).iter().zip(lambda).map(|(b, l)| b * l).sum();
            let flat = crossed + self.linear[j];
            value += w[j] * (0.5 * curved + flat);
            *out = curved + flat;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn a_known_quadratic() {
        // ½(2w₁² + 4w₂²) + λ(3w₁ − w₂) + w₂ at λ = 2, w = (1, −1).
        let curvature = array![[2.0, 0.0], [0.0, 4.0]];
        let f = Quadratic::new(array![[3.0, -1.0]], curvature, array![0.0, 1.0]).unwrap();
        let mut gradient = [0.0; 2];
        assert_eq!(f.value(&[2.0], &[1.0, -1.0], &mut gradient), 10.0);
        assert_eq!(gradient, [8.0, -5.0]);
        let response = f.response(&[2.0]) - array![-3.0, 0.25];
        let jacobian = f.jacobian() - array![[-1.5], [0.25]];
        assert!(response.iter().chain(&jacobian).all(|off| off.abs() < 1e-14));
    }

    #[test]
    fn the_response_has_no_gradient_and_the_jacobian_is_its_slope() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        for (n, m) in [(1, 1), (2, 5), (7, 3)] {
            let f = Quadratic::draw(n, m, &mut rng).unwrap();
            let mut lambda: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let w = f.response(&lambda);
            let mut gradient = vec![0.0; m];
            f.value(&lambda, w.as_slice().unwrap(), &mut gradient);
            assert!(gradient.iter().all(|g| g.abs() < 1e-12), "{gradient:?}");
            lambda[n - 1] += 1.0;
            let moved = f.response(&lambda) - w;
            assert!((moved - f.jacobian().column(n - 1)).iter().all(|d| d.abs() < 1e-12));
        }
        assert!(Quadratic::new(array![[1.0]], array![[-1.0]], array![0.0]).is_err());
    }
}
