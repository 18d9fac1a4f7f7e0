//! The synthetic functions: sparse polynomials, each of which selects the next (section 5.4), and random
//! sparse ones.

use std::collections::BTreeSet;

use models::polynomial::{
    parity::{Basis, TooManyColumns},
    sparse_parity::{Polynomial, Term},
};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

/// How the hierarchical function is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// \[Hazan2018\] sec. 5.4: level i = 0, 1, 2 has weights in [10 + 10⁻ⁱ, 10 + 10²⁻ⁱ] and the noise
    /// is uniform on [−A, A].
    Paper,
    /// The authors' code: weights ±(100 to 200)/4ⁱ, noise on [0, A).
    Code,
}

impl Weights {
    fn draw(self, level: usize, rng: &mut ChaCha12Rng) -> f64 {
        let i = level as i32;
        match self {
            Self::Paper => rng.random_range(10.0 + 10_f64.powi(-i)..=10.0 + 10_f64.powi(2 - i)),
            Self::Code => {
                let sign = if rng.random() { 1.0 } else { -1.0 };
                sign * (100.0 + 100.0 * rng.random::<f64>()) / 4_f64.powi(i)
            }
        }
    }

    /// ξ at noise level A.
    pub fn noise(self, level: f64, rng: &mut ChaCha12Rng) -> f64 {
        let unit: f64 = rng.random();
        match self {
            Self::Paper => level * (2.0 * unit - 1.0),
            Self::Code => level * unit,
        }
    }

    /// The mean of ξ.
    pub fn mean_noise(self, level: f64) -> f64 {
        match self {
            Self::Paper => 0.0,
            Self::Code => 0.5 * level,
        }
    }
}

/// h without its noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy {
    /// Level i has 2^(features i) sparse vectors.
    levels: Vec<Vec<Polynomial>>,
}

impl Hierarchy {
    /// A random function of the first `variables`: its features are uniform over the monomials of
    /// degree 1 to `degree`, as in the authors' code; the paper does not say.
    ///
    /// # Errors
    /// If there are too many monomials to number.
    pub fn draw(
        weights: Weights,
        (variables, degree): (usize, usize),
        (levels, features): (usize, usize),
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, TooManyColumns> {
        let basis = Basis::new((0..variables).collect(), degree)?;
        let mut level = |i: usize| {
            let mut vector = |_| {
                let terms = (0..features).map(|_| Term {
                    weight: weights.draw(i, rng),
                    monomial: basis.monomial(rng.random_range(1..basis.columns())),
                });
                Polynomial { terms: terms.collect() }
            };
            (0..1_usize << (features * i)).map(&mut vector).collect()
        };
        Ok(Self { levels: (0..levels).map(&mut level).collect() })
    }

    /// h(x), where `true` is −1.
    pub fn value(&self, minus: &[bool]) -> f64 {
        self.path(minus).iter().map(|vector| vector.value(minus)).sum()
    }

    /// The sparse vectors that x selects, one per level: the signs of a vector's terms, as bits, select the
    /// next.
    pub fn path(&self, minus: &[bool]) -> Vec<&Polynomial> {
        let mut code = 0;
        let mut path = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            let vector = &level[code];
            for term in &vector.terms {
                code = 2 * code + usize::from(term.value(minus) > 0.0);
            }
            path.push(vector);
        }
        path
    }
}

/// A polynomial of `terms` different monomials of degree 1 to `degree`, drawn uniformly from these, with
/// normal weights.
///
/// # Errors
/// If there are too many monomials to number.
///
/// # Panics
/// If there are fewer monomials than terms.
pub fn sparse(
    (variables, degree): (usize, usize),
    terms: usize,
    rng: &mut ChaCha12Rng,
) -> Result<Polynomial, TooManyColumns> {
    let basis = Basis::new((0..variables).collect(), degree)?;
    assert!(terms < basis.columns(), "{terms} of {} monomials", basis.columns() - 1);
    let mut columns = BTreeSet::new();
    while columns.len() < terms {
        columns.insert(rng.random_range(1..basis.columns()));
    }
    let term = |c| Term { monomial: basis.monomial(c), weight: StandardNormal.sample(rng) };
    Ok(Polynomial { terms: columns.into_iter().map(term).collect() })
}

/// Uniform signs.
pub fn signs(variables: usize, rng: &mut ChaCha12Rng) -> Vec<bool> {
    (0..variables).map(|_| rng.random()).collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn weights_and_noise_lie_where_the_section_says() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let paper = [(11.0, 110.0), (10.1, 20.0), (10.01, 11.0)];
        for (level, (low, high)) in paper.into_iter().enumerate() {
            let all: Vec<f64> = (0..2000).map(|_| Weights::Paper.draw(level, &mut rng)).collect();
            assert!(all.iter().all(|w| (low..=high).contains(w)));
            let near = 0.01 * (high - low);
            assert!(all.iter().any(|w| w - low < near) && all.iter().any(|w| high - w < near));
            let code = Weights::Code.draw(level, &mut rng).abs() * 4_f64.powi(level as i32);
            assert!((100.0..200.0).contains(&code));
        }
        for weights in [Weights::Paper, Weights::Code] {
            let all: Vec<f64> = (0..4000).map(|_| weights.noise(6.0, &mut rng)).collect();
            let mean = all.iter().sum::<f64>() / 4000.0;
            // Four standard errors of the wider distribution, 2 √3/√4000 of its half width.
            assert!((mean - weights.mean_noise(6.0)).abs() < 0.22, "{mean}");
            assert_eq!(weights.noise(0.0, &mut rng), 0.0);
        }
    }

    #[test]
    fn the_signs_of_a_vector_choose_the_next() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        for weights in [Weights::Paper, Weights::Code] {
            let h = Hierarchy::draw(weights, (9, 3), (3, 2), &mut rng).unwrap();
            assert_eq!(h.levels.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4, 16]);
            for _ in 0..50 {
                let x = signs(9, &mut rng);
                let positive = |v: &Polynomial| {
                    let bits = v.terms.iter().map(|t| {
                        let product: f64 =
                            t.monomial.iter().map(|&j| if x[j] { -1.0 } else { 1.0 }).product();
                        usize::from(t.weight * product > 0.0)
                    });
                    bits.fold(0, |code, bit| 2 * code + bit)
                };
                let first = positive(&h.levels[0][0]);
                let second = positive(&h.levels[1][first]);
                let third = &h.levels[2][4 * first + second];
                let sum = h.levels[0][0].value(&x) + h.levels[1][first].value(&x) + third.value(&x);
                assert_eq!(h.value(&x), sum);
            }
        }
    }

    #[test]
    fn sparse_polynomials_have_different_terms() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let f = sparse((4, 2), 10, &mut rng).unwrap();
        let monomials: BTreeSet<_> = f.terms.iter().map(|t| t.monomial.clone()).collect();
        assert_eq!(monomials.len(), 10);
        assert!(monomials.iter().all(|m| (1..=2).contains(&m.len())));
    }
}
