//! The parity basis `χ_S(x) = Π_{i∈S} x_i` over ±1 variables, as bits: a column of signs is a row of words
//! with one bit per sample, a product of columns is their XOR, an inner product a popcount. \[Hazan2018\]
//! sec. 2

use rayon::prelude::*;

/// Columns are numbered by 32 bits; more columns could not be enumerated anyway.
const MOST_COLUMNS: u64 = 1 << 32;

/// A basis that has too many columns.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
#[error("{variables} variables at degree {degree} have more than 2^32 parities: lower the degree")]
pub struct TooManyColumns {
    /// Number of variables.
    pub variables: usize,
    /// Largest degree.
    pub degree: usize,
}

/// Samples of ±1 variables, one bit each; a set bit is −1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signs {
    rows: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Signs {
    /// Samples as rows of one `bool` per variable, where `true` is −1. A row is truncated to `variables` or
    /// padded with +1.
    pub fn new(variables: usize, samples: &[Vec<bool>]) -> Self {
        let words = samples.len().div_ceil(64);
        let mut bits = vec![0; variables * words];
        for (i, row) in samples.iter().enumerate() {
            for (j, _) in row.iter().take(variables).enumerate().filter(|(_, minus)| **minus) {
                bits[j * words + i / 64] |= 1 << (i % 64);
            }
        }
        Self { rows: samples.len(), words, bits }
    }

    /// Number of samples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The bits of a variable, one per sample.
    pub fn variable(&self, j: usize) -> &[u64] {
        &self.bits[j * self.words..(j + 1) * self.words]
    }
}

/// C(n, k), or a number above 2^63 if it is larger than that.
fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let next = |c: u128, i: usize| (c * (n - i) as u128 / (i + 1) as u128).min(1 << 64);
    (0..k.min(n - k)).fold(1, next).min(1 << 63) as u64
}

/// The parities up to a degree over some variables. Column 0 is the constant; then come the monomials of
/// degree 1, 2, …, each degree in lexicographic order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    variables: Vec<usize>,
    degree: usize,
    columns: usize,
}

impl Basis {
    /// The basis over `variables` (ascending).
    ///
    /// # Errors
    /// If it has more than 2³² columns.
    pub fn new(variables: Vec<usize>, degree: usize) -> Result<Self, TooManyColumns> {
        let n = variables.len();
        let all = (0..=degree.min(n)).try_fold(0_u64, |sum, d| {
            let sum = sum.saturating_add(binomial(n, d));
            (sum <= MOST_COLUMNS).then_some(sum)
        });
        let columns = all.ok_or(TooManyColumns { variables: n, degree })? as usize;
        Ok(Self { variables, degree: degree.min(n), columns })
    }

    /// Number of columns, the constant included.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The variables of a column, ascending; none for the constant.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn monomial(&self, column: usize) -> Vec<usize> {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        let n = self.variables.len();
        let (mut rank, mut degree) = (column as u64, 0);
        while rank >= binomial(n, degree) {
            rank -= binomial(n, degree);
            degree += 1;
        }
        let mut monomial = Vec::with_capacity(degree);
        for i in 0..n {
            let left = degree - monomial.len();
            if left == 0 {
                break;
            }
            let with = binomial(n - i - 1, left - 1);
            if rank < with {
                monomial.push(self.variables[i]);
            } else {
                rank -= with;
            }
        }
        monomial
    }
}

/// The columns of a basis at samples. Only the bits of the variables are stored.
#[derive(Debug, Clone)]
pub struct Design {
    signs: Signs,
    basis: Basis,
}

impl Design {
    /// The columns of the basis at the samples, which must have all of its variables.
    pub fn new(signs: Signs, basis: Basis) -> Self {
        Self { signs, basis }
    }

    /// The basis.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// Number of samples n.
    pub fn rows(&self) -> usize {
        self.signs.rows
    }

    /// The bits of a column, one per sample; a set bit is −1.
    pub fn column(&self, column: usize) -> Vec<u64> {
        let mut bits = vec![0; self.signs.words];
        for j in self.basis.monomial(column) {
            bits.iter_mut().zip(self.signs.variable(j)).for_each(|(b, v)| *b ^= v);
        }
        bits
    }

    /// χᵀr of every column (length columns), for r of length n.
    ///
    /// A table holds the signed sums of every eight neighbouring samples, so that a column costs n/8
    /// additions. Columns are distributed over threads by their first variable; each sum has a fixed order,
    /// whatever the number of threads.
    pub fn products(&self, r: &[f64]) -> Vec<f64> {
        let tables = tables(r, self.signs.words);
        let mut products = vec![0.0; self.basis.columns];
        let mut jobs: Vec<(usize, usize, &mut [f64])> = Vec::new();
        let (constant, mut rest) = products.split_at_mut(1);
        let none = vec![0; self.signs.words];
        constant[0] = signed_sum(&none, &none, &tables);
        let n = self.basis.variables.len();
        for degree in 1..=self.basis.degree {
            for first in 0..n {
                let count = binomial(n - first - 1, degree - 1) as usize;
                let (own, after) = rest.split_at_mut(count);
                jobs.push((first, degree, own));
                rest = after;
            }
        }
        jobs.into_par_iter().for_each(|(first, degree, own)| {
            let mut stack = vec![none.clone(); degree - 1];
            let variable = self.signs.variable(self.basis.variables[first]);
            if degree == 1 {
                own[0] = signed_sum(&none, variable, &tables);
            } else {
                self.fill(first + 1, variable, &mut stack, own, &tables);
            }
        });
        products
    }

    /// The products of `prefix` with as many variables, from number `first` on, as the stack is high; returns
    /// how many there are.
    fn fill(
        &self,
        first: usize,
        prefix: &[u64],
        stack: &mut [Vec<u64>],
        out: &mut [f64],
        tables: &[Table],
    ) -> usize {
        let left = stack.len();
        let end = (self.basis.variables.len() + 1).saturating_sub(left);
        let variable = |i: usize| self.signs.variable(self.basis.variables[i]);
        if left == 1 {
            for (out, i) in out.iter_mut().zip(first..end) {
                *out = signed_sum(prefix, variable(i), tables);
            }
            return end.saturating_sub(first);
        }
        let (own, deeper) = stack.split_at_mut(1);
        let mut done = 0;
        for i in first..end {
            for ((o, p), v) in own[0].iter_mut().zip(prefix).zip(variable(i)) {
                *o = p ^ v;
            }
            done += self.fill(i + 1, &own[0], deeper, &mut out[done..], tables);
        }
        done
    }
}

/// The signed sums of eight neighbouring samples by their eight signs, for each byte of a word.
type Table = [[f64; 256]; 8];

/// A table for each word of samples; samples beyond the last one count as 0.
fn tables(r: &[f64], words: usize) -> Vec<Table> {
    let mut tables = vec![[[0.0; 256]; 8]; words];
    for (table, eight) in tables.iter_mut().flatten().zip(r.chunks(8)) {
        table[0] = eight.iter().sum();
        for signs in 1..256_usize {
            let last = signs.trailing_zeros() as usize;
            let term = eight.get(last).copied().unwrap_or(0.0);
            table[signs] = table[signs & (signs - 1)] - 2.0 * term;
        }
    }
    tables
}

/// χᵀr of the product of two columns.
fn signed_sum(a: &[u64], b: &[u64], tables: &[Table]) -> f64 {
    let mut sum = 0.0;
    for ((a, b), table) in a.iter().zip(b).zip(tables) {
        let bytes = (a ^ b).to_le_bytes();
        let at = |k: usize| table[k][usize::from(bytes[k])];
        sum += ((at(0) + at(1)) + (at(2) + at(3))) + ((at(4) + at(5)) + (at(6) + at(7)));
    }
    sum
}

/// Number of samples where a column is −1.
pub fn minuses(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// Number of samples where two columns differ.
pub fn differences(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Columns by degree, then by their indices, enumerated without ranks.
    fn listed(variables: &[usize], degree: usize) -> Vec<Vec<usize>> {
        let n = variables.len();
        let chosen = |mask: u32| -> Vec<usize> {
            (0..n).filter(|i| mask >> i & 1 == 1).map(|i| variables[i]).collect()
        };
        let mut all: Vec<Vec<usize>> =
            (0..1_u32 << n).map(chosen).filter(|m| m.len() <= degree).collect();
        all.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        all
    }

    #[test]
    fn columns_come_by_degree_and_then_in_lexicographic_order() {
        for (variables, degree) in
            [(vec![0, 1, 2, 3, 4], 3), (vec![2, 3, 7, 9], 4), (vec![1, 5], 6), (vec![], 3)]
        {
            let basis = Basis::new(variables.clone(), degree).unwrap();
            let all: Vec<_> = (0..basis.columns()).map(|c| basis.monomial(c)).collect();
            assert_eq!(all, listed(&variables, degree));
        }
        assert_eq!(Basis::new((0..60).collect(), 3).unwrap().columns(), 36_051);
        assert_eq!(Basis::new((0..200).collect(), 3).unwrap().columns(), 1_333_501);
        assert!(Basis::new((0..500).collect(), 6).is_err());
        assert!(Basis::new((0..10_000).collect(), 9_999).is_err());
    }

    #[test]
    fn bits_multiply_as_signs_do() {
        for (seed, rows) in [(1, 1), (2, 63), (3, 64), (4, 130)] {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let samples: Vec<Vec<bool>> =
                (0..rows).map(|_| (0..9).map(|_| rng.random()).collect()).collect();
            let r: Vec<f64> = (0..rows).map(|_| rng.random_range(-1.0..1.0)).collect();
            let basis = Basis::new(vec![0, 2, 3, 5, 8], 4).unwrap();
            let design = Design::new(Signs::new(9, &samples), basis);
            let products = design.products(&r);
            assert_eq!(products.len(), design.basis().columns());
            let sign = |row: &Vec<bool>, m: &[usize]| -> f64 {
                m.iter().map(|&j| if row[j] { -1.0 } else { 1.0 }).product()
            };
            let column = |c: usize| -> Vec<f64> {
                let m = design.basis().monomial(c);
                samples.iter().map(|row| sign(row, &m)).collect()
            };
            for (c, product) in products.iter().enumerate() {
                let signs = column(c);
                let direct: f64 = signs.iter().zip(&r).map(|(s, r)| s * r).sum();
                assert!((product - direct).abs() < 1e-12, "column {c}: {product} {direct}");
                let bits = design.column(c);
                let minus = signs.iter().filter(|s| **s < 0.0).count();
                assert_eq!(minuses(&bits) as usize, minus);
                let differ = signs.iter().zip(column(1)).filter(|(a, b)| **a != *b).count();
                assert_eq!(differences(&bits, &design.column(1)) as usize, differ);
            }
        }
    }
}
