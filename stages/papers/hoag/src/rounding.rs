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

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    #[test]
    fn one_hyper_parameter_has_one_entry() {
        assert_eq!(lambda((1.5, NONE)), [1.5]);
        assert_eq!(lambda((1.5, -2.0)), [1.5, -2.0]);
    }

    #[test]
    fn what_is_nearer_than_the_spacing_has_one_key_and_what_is_farther_has_another() {
        let at = |first, second| key(lattice((first, second)));
        assert_eq!(at(0.50001, NONE), at(0.49997, NONE));
        assert_ne!(at(0.5001, NONE), at(0.5, NONE));
        // From both sides of zero, and with or without a second.
        assert_eq!(at(-0.00001, 0.00001), at(0.00001, -0.00001));
        assert_eq!(at(1.0, NONE), key((1.0, -NONE)));
        assert_ne!(at(1.0, 2.0), at(2.0, 1.0));
    }
}
