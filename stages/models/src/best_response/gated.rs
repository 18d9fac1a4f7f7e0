//! Theorem 2 of \[MacKay2019\]: the best response of a two-layer linear network whose Jacobian is penalised
//! consists of gates on its hidden units.

use ndarray::{Array1, Array2, ArrayView2};
use numerics::linalg::{
    cholesky::{Cholesky, NotPositiveDefinite},
    dense,
    elementary::logistic,
    singular::Singular,
};

/// The network y = sᵀ Q x with D hidden units, gated by σ(λ v + c), v = −1.
#[derive(Clone, Debug)]
pub struct GatedNetwork {
    /// Q₀ (D×D): its rows are the principal axes of the inputs.
    basis: Array2<f64>,
    /// s₀ (D): the least-squares weights given Q₀.
    outer: Array1<f64>,
    /// c (D).
    constants: Vec<f64>,
}

/// There are fewer independent inputs than columns: some singular value is 0 to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the inputs have no full column rank")]
pub struct NotOfFullRank;

impl GatedNetwork {
    /// For inputs `x` (N×D, N ≥ D) and targets `t` (N): c = 2 ln d with d the singular values of `x`, the
    /// best response to the loss ‖Xu − t‖² + e^λ ‖u‖² of u = Qᵀs (eq. 20).
    ///
    /// # Errors
    /// If the columns of `x` are linearly dependent or not finite.
    pub fn new(x: ArrayView2<'_, f64>, t: &[f64]) -> Result<Self, NotOfFullRank> {
        let Singular { left, values, right } = Singular::new(x).ok_or(NotOfFullRank)?;
        let least = values.first().map_or(0.0, |d| d * f64::EPSILON * x.nrows() as f64);
        if right.nrows() < right.ncols() || !values.iter().all(|d| *d > least) {
            return Err(NotOfFullRank);
        }
        let outer = left.t().dot(&Array1::from(t.to_vec())) / Array1::from(values.clone());
        let constants = values.iter().map(|d| 2.0 * d.ln()).collect();
        Ok(Self { basis: right, outer, constants })
    }

    /// The same network with `shift` added to every c: the best response to the penalty e^{λ − shift}.
    #[must_use]
    pub fn shifted(mut self, shift: f64) -> Self {
        self.constants.iter_mut().for_each(|c| *c += shift);
        self
    }

    /// c (D), descending.
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }

    /// σ(c − λ) (D).
    pub fn gates(&self, lambda: f64) -> Vec<f64> {
        self.constants.iter().map(|c| logistic(lambda - c).1).collect()
    }

    /// Q*(λ) = σ(λ v + c) ⊙_row Q₀ (D×D); s* is s₀ for every λ.
    pub fn first_layer(&self, lambda: f64) -> Array2<f64> {
        let mut q = self.basis.clone();
        for (mut row, gate) in q.rows_mut().into_iter().zip(self.gates(lambda)) {
            row.mapv_inplace(|v| gate * v);
        }
        q
    }

    /// Q*(λ)ᵀ s* (D), the weights of the linear map that the network is.
    pub fn weights(&self, lambda: f64) -> Array1<f64> {
        self.first_layer(lambda).t().dot(&self.outer)
    }
}

/// The u that minimises ‖Xu − t‖² + `penalty` ‖u‖² (D), from its normal equations, independently of the
/// singular values.
///
/// # Errors
/// If `XᵀX + penalty I` is not positive definite.
pub fn ridge(
    x: ArrayView2<'_, f64>,
    t: &[f64],
    penalty: f64,
) -> Result<Array1<f64>, NotPositiveDefinite> {
    let columns = x.ncols();
    let rows = x.as_standard_layout();
    let rows = rows.as_slice().expect("standard layout");
    let mut gram = Array2::zeros((columns, columns));
    let products = gram.as_slice_mut().expect("standard layout");
    dense::gram(rows, columns, &vec![1.0; t.len()], products);
    gram.diag_mut().iter_mut().for_each(|v| *v += penalty);
    let mut moments = Array1::zeros(columns);
    dense::add_transpose_times(rows, columns, t, moments.as_slice_mut().expect("one row"));
    Ok(Cholesky::new(&gram)?.solve(moments.view()))
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;
    use rand_distr::{Distribution as _, StandardNormal};

    use super::*;

    fn problem(rows: usize, columns: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let x = Array2::from_shape_simple_fn((rows, columns), &mut normal);
        (x, (0..rows).map(|_| normal()).collect())
    }

    #[test]
    fn gates_of_a_known_problem() {
        // d = (2, 1): c = (2 ln 2, 0), and s₀ has the size of t/d.
        let x = array![[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        let network = GatedNetwork::new(x.view(), &[6.0, 5.0, 1.0]).unwrap();
        assert!((network.constants()[0] - 4.0_f64.ln()).abs() < 1e-15);
        assert!(network.constants()[1].abs() < 1e-15);
        // e^λ = 4: gates 4/8 and 1/5, of least-squares weights 3 and 5.
        let gates = network.gates(4.0_f64.ln());
        assert!((gates[0] - 0.5).abs() < 1e-15 && (gates[1] - 0.2).abs() < 1e-15);
        let weights = network.weights(4.0_f64.ln());
        assert!((weights[0] - 1.5).abs() < 1e-14 && (weights[1] - 1.0).abs() < 1e-14, "{weights}");
    }

    #[test]
    fn the_network_is_the_ridge_regression_at_every_penalty() {
        for (seed, columns) in [1, 2, 7, 20].into_iter().enumerate() {
            let (x, t) = problem(30, columns, seed as u64);
            let network = GatedNetwork::new(x.view(), &t).unwrap();
            for lambda in [-9.0, -2.0, 0.0, 1.5, 6.0, 12.0_f64] {
                let exact = ridge(x.view(), &t, lambda.exp()).unwrap();
                let error = (network.weights(lambda) - &exact).mapv(|v| v * v).sum().sqrt();
                assert!(error < 1e-12 * exact.dot(&exact).sqrt(), "{columns} {lambda} {error:e}");
                // A tenth of a penalty away it is not optimal.
                let other = (network.weights(lambda + 0.1) - &exact).mapv(|v| v * v).sum().sqrt();
                assert!(other > 1e-9 * exact.dot(&exact).sqrt());
            }
            // With the penalty e^λ/N the constants shift by ln N.
            let exact = ridge(x.view(), &t, 2.0_f64.exp() / 30.0).unwrap();
            let error = network.shifted(30.0_f64.ln()).weights(2.0) - &exact;
            assert!(error.iter().all(|e| e.abs() < 1e-12));
        }
    }

    #[test]
    fn no_derivative_of_the_loss_is_left_at_the_weights() {
        let (x, t) = problem(25, 6, 9);
        let network = GatedNetwork::new(x.view(), &t).unwrap();
        let u = network.weights(0.7);
        let residual = x.dot(&u) - Array1::from(t);
        let gradient = x.t().dot(&residual) + u * 0.7_f64.exp();
        assert!(gradient.iter().all(|g| g.abs() < 1e-12), "{gradient}");
    }

    #[test]
    fn dependent_columns_are_refused() {
        let (x, t) = problem(10, 2, 3);
        let twice = ndarray::concatenate![ndarray::Axis(1), x, x];
        assert_eq!(GatedNetwork::new(twice.view(), &t).unwrap_err(), NotOfFullRank);
        assert_eq!(GatedNetwork::new(x.t(), &t[..2]).unwrap_err(), NotOfFullRank);
    }
}
