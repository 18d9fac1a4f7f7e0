//! Computes second derivatives from their definition, for comparison with the bounds of `smoothness`.

use ndarray::{Array2, ArrayView2};
use numerics::linalg::{dense, symmetric, vector};

use crate::neural::feedforward::{Network, train::Rows};

/// The Hessian of the mean cross-entropy with respect to the weights W that multiply the activations `a`
/// (m×d), given the output probabilities: m×1 for a sigmoid (of class 1), m×k for a softmax. Weights are
/// ordered class-major, offsets left out: (d·1)² or (d·k)².
///
/// With a = a^\[L−1\] this is ∇²_{W^\[L\]} E of theorem 1, with a = X that of corollary 1.1. `ridge` is λ
/// of a penalty λ/2 ‖W‖².
pub fn cross_entropy(
    a: ArrayView2<'_, f64>,
    probabilities: ArrayView2<'_, f64>,
    ridge: f64,
) -> Array2<f64> {
    let ((m, d), units) = (a.dim(), probabilities.ncols());
    // Zeros behind the features fill whole registers, and change no sum.
    let width = d.next_multiple_of(8);
    let mut rows = vec![0.0; m * width];
    for (row, features) in rows.chunks_exact_mut(width).zip(a.rows()) {
        row.iter_mut().zip(features).for_each(|(slot, v)| *slot = *v);
    }
    let n = d * units;
    let mut hessian = vec![0.0; n * n];
    let mut block = vec![0.0; width * width];
    for c in 0..units {
        for e in c..units {
            let weight = |i: usize| {
                let (p, q) = (probabilities[[i, c]], probabilities[[i, e]]);
                (if c == e { p * (1.0 - p) } else { -p * q }) / m as f64
            };
            let weights: Vec<f64> = (0..m).map(weight).collect();
            dense::gram(&rows, width, &weights, &mut block);
            for (i, row) in block.chunks_exact(width).take(d).enumerate() {
                hessian[(c * d + i) * n + e * d..][..d].copy_from_slice(&row[..d]);
                if c != e {
                    // The block is symmetric.
                    hessian[(e * d + i) * n + c * d..][..d].copy_from_slice(&row[..d]);
                }
            }
        }
    }
    let mut hessian = Array2::from_shape_vec((n, n), hessian).expect("n rows of n");
    hessian.diag_mut().iter_mut().for_each(|v| *v += ridge);
    hessian
}

/// Two norms of a Hessian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norms {
    /// The largest absolute value of an eigenvalue: the smoothness β.
    pub spectral: f64,
    /// The square root of the sum of squares.
    pub frobenius: f64,
}

impl Norms {
    /// The norms of a symmetric matrix.
    pub fn of(hessian: &Array2<f64>) -> Self {
        let values = symmetric::eigenvalues(hessian);
        let ends = [values.first(), values.last()].map(|v| v.map_or(f64::NAN, |v| v.abs()));
        let frobenius = hessian.iter().map(|v| v * v).sum::<f64>().sqrt();
        Self { spectral: if ends[0] > ends[1] { ends[0] } else { ends[1] }, frobenius }
    }
}

/// The largest absolute value of an eigenvalue of a symmetric map of `n` numbers, by power iteration from a
/// fixed start, until its relative change is at most `tolerance`; `None` if that takes more than `limit`
/// products. `product(v, out)` sets out ← H v.
pub fn spectral_norm(
    n: usize,
    tolerance: f64,
    limit: usize,
    mut product: impl FnMut(&[f64], &mut [f64]),
) -> Option<f64> {
    // Not a constant vector: symmetric maps often have it in their kernel.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * ((i * i + 3 * i) as f64).sin()).collect();
    let length = vector::norm(&v);
    for t in &mut v {
        *t /= length;
    }
    let (mut out, mut last) = (vec![0.0; n], f64::NAN);
    for _ in 0..limit {
        product(&v, &mut out);
        let value = vector::norm(&out);
        if value == 0.0 || (value - last).abs() <= tolerance * value {
            return Some(value);
        }
        last = value;
        for (t, o) in v.iter_mut().zip(&out) {
            *t = o / value;
        }
    }
    None
}

/// ‖∇²E‖ of the mean loss with respect to all parameters of a network, offsets included, by power iteration
/// on central differences of the gradient; `ridge` adds λ/2 of their squares to the loss. `None` if the
/// iteration does not converge to six digits.
///
/// At a kink of a ReLU the second derivative does not exist; a difference across it is the change that a step
/// of that length would see.
pub fn network(network: &Network<f64>, rows: &Rows<f64>, ridge: f64) -> Option<f64> {
    const STEP: f64 = 1e-5;
    let n = network.parameters().len();
    let mut moved = network.clone();
    let (mut above, mut below) = (vec![0.0; n], vec![0.0; n]);
    spectral_norm(n, 1e-7, 5000, |v, out| {
        for (gradient, step) in [(&mut above, STEP), (&mut below, -STEP)] {
            vector::add_scaled(network.parameters(), step, v, moved.parameters_mut());
            moved.loss_gradient(rows, gradient);
        }
        for ((o, v), (a, b)) in out.iter_mut().zip(v).zip(above.iter().zip(&below)) {
            *o = (a - b) / (2.0 * STEP) + ridge * v;
        }
    })
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::neural::feedforward::{Head, Shape};

    fn setup(head: Head) -> (Network<f64>, Rows<f64>, Array2<f64>) {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let net = Network::glorot(Shape::new(3, &[5], head), &mut rng);
        let x = Array2::from_shape_fn((60, 3), |(i, j)| ((i * 5 + j * 3) as f64).sin());
        let classes = head.units().max(2) as u32;
        let y: Vec<u32> = (0..60).map(|i| i % classes).collect();
        let rows = Rows::classified(x.view(), &y);
        (net, rows, x)
    }

    #[test]
    fn the_last_layers_hessian_is_the_differentiated_gradient() {
        for head in [Head::Sigmoid, Head::Softmax(3)] {
            let (mut net, rows, x) = setup(head);
            let hessian =
                cross_entropy(net.last_hidden(x.view()).view(), net.outputs(x.view()).view(), 0.0);
            let (last, n) = (net.shape().last(), net.parameters().len());
            let (mut above, mut below) = (vec![0.0; n], vec![0.0; n]);
            for column in 0..last.inputs * last.outputs {
                let at = last.weights + column;
                net.parameters_mut()[at] += 1e-5;
                net.loss_gradient(&rows, &mut above);
                net.parameters_mut()[at] -= 2e-5;
                net.loss_gradient(&rows, &mut below);
                net.parameters_mut()[at] += 1e-5;
                for row in 0..last.inputs * last.outputs {
                    let at = last.weights + row;
                    let numeric = (above[at] - below[at]) / 2e-5;
                    let exact = hessian[[row, column]];
                    assert!((exact - numeric).abs() < 1e-9, "{head:?} {exact} {numeric}");
                }
            }
        }
    }

    #[test]
    fn a_ridge_adds_exactly_itself() {
        let (net, rows, x) = setup(Head::Softmax(3));
        let (a, p) = (net.last_hidden(x.view()), net.outputs(x.view()));
        let spectral = |ridge| Norms::of(&cross_entropy(a.view(), p.view(), ridge)).spectral;
        assert!((spectral(0.37) - spectral(0.0) - 0.37).abs() < 1e-13);
        // The same holds for the whole network, whose largest eigenvalue is positive here.
        let whole = |ridge| network(&net, &rows, ridge).unwrap();
        assert!((whole(0.37) - whole(0.0) - 0.37).abs() < 1e-4);
        assert!(whole(0.0) > spectral(0.0), "a block's norm is at most the whole's");
    }

    #[test]
    fn power_iteration_finds_the_largest_magnitude() {
        let by_diagonal = |d: [f64; 3]| {
            spectral_norm(3, 1e-13, 10_000, |v, out| {
                for i in 0..3 {
                    out[i] = d[i] * v[i];
                }
            })
        };
        assert!((by_diagonal([1.0, -3.0, 2.0]).unwrap() - 3.0).abs() < 1e-9);
        assert!((by_diagonal([3.0, -3.0, 2.0]).unwrap() - 3.0).abs() < 1e-9);
        assert_eq!(by_diagonal([0.0; 3]), Some(0.0));
        assert_eq!(by_diagonal([f64::NAN; 3]), None);
    }
}
