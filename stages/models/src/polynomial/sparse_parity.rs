//! Sparse polynomials of parities: their recovery from samples by the Lasso, PSR of \[Hazan2018\] Procedure
//! 2, and their minimisers.

use super::lasso::{Fit, Lasso, LassoError};
use super::parity::{Basis, Design};

/// Maximum number of variables |J| whose 2^|J| assignments are enumerated.
pub const MOST_VARIABLES: usize = 24;

/// A polynomial over more variables than can be enumerated.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
#[error("a polynomial of {0} variables: expected at most 24, or lower the degree or the terms")]
pub struct TooManyVariables(pub usize);

/// A weighted parity.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Its variables, ascending.
    pub monomial: Vec<usize>,
    /// Its weight.
    pub weight: f64,
}

impl Term {
    /// The value at an assignment of all variables, where `true` is −1.
    ///
    /// # Panics
    /// If a variable is missing.
    pub fn value(&self, minus: &[bool]) -> f64 {
        let odd = self.monomial.iter().filter(|&&j| minus[j]).count() % 2 == 1;
        if odd { -self.weight } else { self.weight }
    }
}

/// A sum of weighted parities.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polynomial {
    /// The terms; recovered ones have the heaviest first.
    pub terms: Vec<Term>,
}

/// The lowest assignments of a polynomial. In a code, bit j is set where the j-th of its variables
/// is −1.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimisers {
    /// The lowest value.
    pub lowest: f64,
    /// How many have exactly this value.
    pub tied: u64,
    /// The requested codes, the lowest value first, equal ones in the order of their codes.
    pub codes: Vec<u32>,
}

impl Polynomial {
    /// The `size` terms of a fit with the largest |w|, equal ones in the order of columns; fewer if the fit
    /// has fewer weights that are not 0.
    ///
    /// DIFFERS: the authors' code fills up with terms of weight 0, which fix variables at random.
    pub fn heaviest(fit: &Fit, basis: &Basis, size: usize) -> Self {
        let mut all = fit.coefficients.clone();
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let term = |(column, weight)| Term { monomial: basis.monomial(column), weight };
        Self { terms: all.into_iter().take(size).map(term).collect() }
    }

    /// The variables of all terms, ascending.
    pub fn variables(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.terms.iter().flat_map(|t| t.monomial.clone()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The value at an assignment of all variables, where `true` is −1.
    ///
    /// # Panics
    /// If a variable is missing.
    pub fn value(&self, minus: &[bool]) -> f64 {
        self.terms.iter().map(|t| t.value(minus)).sum()
    }

    /// The `count` lowest assignments of its variables.
    ///
    /// # Errors
    /// If it has too many variables to enumerate.
    pub fn minimisers(&self, count: usize) -> Result<Minimisers, TooManyVariables> {
        let variables = self.variables();
        if variables.len() > MOST_VARIABLES {
            return Err(TooManyVariables(variables.len()));
        }
        let mask = |t: &Term| {
            let bit = |j: &usize| 1_u32 << variables.partition_point(|v| v < j);
            (t.monomial.iter().map(bit).sum::<u32>(), t.weight)
        };
        let terms: Vec<(u32, f64)> = self.terms.iter().map(mask).collect();
        let (mut lowest, mut tied) = (f64::INFINITY, 0);
        let mut best: Vec<(f64, u32)> = Vec::new();
        for code in 0..1_u32 << variables.len() {
            let odd = |mask: u32| (code & mask).count_ones() % 2 == 1;
            let score: f64 = terms.iter().map(|&(m, w)| if odd(m) { -w } else { w }).sum();
            if score < lowest {
                (lowest, tied) = (score, 0);
            }
            tied += u64::from(score == lowest);
            if best.len() < count || best.last().is_some_and(|last| score < last.0) {
                let at = best.partition_point(|other| other.0 <= score);
                best.insert(at, (score, code));
                best.truncate(count);
            }
        }
        Ok(Minimisers { lowest, tied, codes: best.into_iter().map(|(_, code)| code).collect() })
    }
}

/// PSR: the Lasso over all parities of the design, of whose solution the `size` heaviest terms are kept.
///
/// # Errors
/// As [`Lasso::fit`].
pub fn recover(
    design: &Design,
    y: &[f64],
    lasso: &Lasso,
    alpha: f64,
    size: usize,
) -> Result<Polynomial, LassoError> {
    let fit = lasso.fit(design, y, alpha)?;
    Ok(Polynomial::heaviest(&fit, design.basis(), size))
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn term(monomial: &[usize], weight: f64) -> Term {
        Term { monomial: monomial.to_vec(), weight }
    }

    #[test]
    fn minimisers_are_the_lowest_of_all_assignments() {
        let mut rng = ChaCha12Rng::seed_from_u64(11);
        for count in [0, 1, 4, 30, 1000] {
            // Integer weights, so that there are ties.
            let mut random = || {
                let monomial: Vec<usize> =
                    [1, 4, 5, 9, 12].into_iter().filter(|_| rng.random()).collect();
                Term { monomial, weight: f64::from(rng.random_range(-3_i32..=3)) }
            };
            let g = Polynomial { terms: (0..6).map(|_| random()).collect() };
            let variables = g.variables();
            let value = |code: u32| {
                let mut minus = [false; 13];
                variables.iter().enumerate().for_each(|(j, &v)| minus[v] = code >> j & 1 == 1);
                g.value(&minus)
            };
            let mut all: Vec<u32> = (0..1 << variables.len()).collect();
            all.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
            let found = g.minimisers(count).unwrap();
            assert_eq!(found.codes, all[..count.min(all.len())]);
            assert_eq!(found.lowest, value(all[0]));
            let tied = all.iter().filter(|c| value(**c) == found.lowest).count();
            assert_eq!(found.tied, tied as u64);
        }
    }

    #[test]
    fn a_known_polynomial() {
        let g = Polynomial { terms: vec![term(&[2, 7], 3.0), term(&[7], -1.0), term(&[], 0.5)] };
        assert_eq!(g.variables(), [2, 7]);
        let found = g.minimisers(2).unwrap();
        // x7 = +1, x2 = -1; then x7 = -1, x2 = +1.
        assert_eq!((found.lowest, found.tied), (-3.5, 1));
        assert_eq!(found.codes, [1, 2]);
        let constant = Polynomial::default().minimisers(3).unwrap();
        assert_eq!(constant, Minimisers { lowest: 0.0, tied: 1, codes: vec![0] });
        let many = Polynomial { terms: vec![term(&(0..30).collect::<Vec<_>>(), 1.0)] };
        assert_eq!(many.minimisers(1), Err(TooManyVariables(30)));
    }
}
