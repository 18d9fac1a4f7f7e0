//! λ of at most two hyper-parameters as a pair (the second is NaN if there is only one), and the lattice on
//! which the true f is computed.

/// λ as a vector: the second entry of the pair is NaN if there is only one hyper-parameter.
#[must_use]
pub fn lambda((first, second): (f64, f64)) -> Vec<f64> {
    if second.is_nan() { vec![first] } else { vec![first, second] }
}

/// f is computed on a lattice of this spacing: two λ this near differ in suboptimality by less than a
/// hundredth of the smallest one in the claims (1e-4), and all late iterations of a converged method share
/// one evaluation.
const SPACING: f64 = 1e-4;

/// The lattice point of λ.
#[must_use]
pub fn lattice((first, second): (f64, f64)) -> (f64, f64) {
    let round = |x: f64| (x / SPACING).round() * SPACING;
    (round(first), round(second))
}

/// The bits that identify a lattice point.
#[must_use]
pub fn key((first, second): (f64, f64)) -> (u64, u64) {
    // Adding zero makes −0 and 0 the same.
    ((first + 0.0).to_bits(), if second.is_nan() { 0 } else { (second + 0.0).to_bits() })
}
