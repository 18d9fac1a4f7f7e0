//! Support vector machines with the RBF kernel K(x, z) = exp(−γ‖x − z‖²), two or more classes (one against
//! one). Each pair of classes is solved by `svm/smo`.

pub(crate) mod active;
pub(crate) mod cache;
pub mod fourier;
pub mod kernel;
pub mod linear;
pub(crate) mod panels;
pub(crate) mod search;
pub mod smo;

use ndarray::{Array2, ArrayView2, Axis};
use numerics::linalg::simd_dispatch::wide;
use rayon::prelude::*;

use super::samples::Samples;
use crate::svm::{kernel::RbfRows, panels::LANES, smo::Smo};

/// The kernel's γ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// 1 / (columns · variance of all training features); 1 if these are all equal.
    Scale,
    /// A given value.
    Value(f64),
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
#[error("{name} is {value}: expected a finite positive number")]
pub struct SvmError {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

/// Settings whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SvmSettings {
    c: f64,
    gamma: Gamma,
    smo: Smo,
}

impl SvmSettings {
    /// Penalty C of slack, kernel width, and how exactly the dual is solved.
    ///
    /// # Errors
    /// If a number is not finite and positive.
    pub fn new(c: f64, gamma: Gamma, smo: Smo) -> Result<Self, SvmError> {
        let given = if let Gamma::Value(value) = gamma { value } else { 1.0 };
        for (name, value) in [("C", c), ("gamma", given), ("tolerance", smo.tolerance)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(SvmError { name, value });
            }
        }
        Ok(Self { c, gamma, smo })
    }
}

impl Default for SvmSettings {
    /// The settings of scikit-learn: C = 1, γ by scale, tolerance 1e-3.
    fn default() -> Self {
        Self { c: 1.0, gamma: Gamma::Scale, smo: Smo::default() }
    }
}

/// The machine that separates two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Class of positive decisions.
    pub positive: u32,
    /// Class of negative decisions.
    pub negative: u32,
    /// Support vectors, numbered as rows of [`Svm::vectors`], with their coefficients yᵢαᵢ.
    pub coefficients: Vec<(usize, f64)>,
    /// The offset that is subtracted from the sum.
    pub rho: f64,
    /// The dual objective ½ αᵀQα − Σα at the solution.
    pub objective: f64,
    /// Number of steps.
    pub iterations: usize,
    /// Whether the optimality conditions hold within the tolerance.
    pub converged: bool,
    /// Number of kernel values computed.
    pub evaluations: u64,
}

impl Pair {
    /// Solves the dual of two classes; vectors are numbered as rows of the samples.
    fn solve(
        samples: &Samples,
        (positive, negative): (u32, u32),
        gamma: f64,
        settings: &SvmSettings,
    ) -> Self {
        let own = |&i: &usize| samples.y[i] == positive || samples.y[i] == negative;
        let rows: Vec<usize> = (0..samples.n_rows()).filter(own).collect();
        let sign = |&i: &usize| if samples.y[i] == positive { 1.0 } else { -1.0 };
        let signs: Vec<f64> = rows.iter().map(sign).collect();
        let kernel = RbfRows::new(samples.x.select(Axis(0), &rows).view(), gamma);
        let solution = settings.smo.solve(&kernel, &signs, settings.c);
        let support = rows.iter().zip(&solution.beta).filter(|(_, b)| **b != 0.0);
        Self {
            positive,
            negative,
            coefficients: support.map(|(&row, &b)| (row, b)).collect(),
            rho: solution.rho,
            objective: solution.objective,
            iterations: solution.iterations,
            converged: solution.converged,
            evaluations: solution.evaluations,
        }
    }
}

/// A fitted classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    /// The value of γ that was used.
    pub gamma: f64,
    /// Support vectors of any pair (vectors × features), in the order of the training rows.
    pub vectors: Array2<f64>,
    /// All pairs of classes that occur, in ascending order.
    pub pairs: Vec<Pair>,
    /// The class of every row if only one class occurs.
    only: u32,
    classes: usize,
}

impl Svm {
    /// Solves the dual of every pair of classes.
    pub fn fit(samples: &Samples, settings: &SvmSettings) -> Self {
        let gamma = match settings.gamma {
            Gamma::Value(gamma) => gamma,
            Gamma::Scale => {
                let variance = samples.x.var(0.0);
                let scale = samples.x.ncols() as f64 * variance;
                if scale > 0.0 { 1.0 / scale } else { 1.0 }
            }
        };
        let counts = samples.counts();
        let classes: Vec<u32> =
            (0..samples.classes as u32).filter(|&c| counts[c as usize] > 0).collect();
        let partners = |(at, &positive): (usize, &u32)| {
            classes[at + 1..].iter().map(move |&negative| (positive, negative)).collect::<Vec<_>>()
        };
        let contests: Vec<(u32, u32)> = classes.iter().enumerate().flat_map(partners).collect();
        // Each pair is solved separately: the result does not depend on the number of threads.
        let solve = |&(positive, negative): &(u32, u32)| {
            Pair::solve(samples, (positive, negative), gamma, settings)
        };
        let mut pairs: Vec<Pair> = contests.par_iter().with_max_len(1).map(solve).collect();
        let mut used = vec![false; samples.n_rows()];
        pairs.iter().flat_map(|p| &p.coefficients).for_each(|&(row, _)| used[row] = true);
        let support: Vec<usize> = (0..used.len()).filter(|&i| used[i]).collect();
        for pair in &mut pairs {
            for (row, _) in &mut pair.coefficients {
                *row = support.partition_point(|&s| s < *row);
            }
        }
        let vectors = samples.x.select(Axis(0), &support);
        Self { gamma, vectors, pairs, only: classes[0], classes: samples.classes }
    }

    /// The decision of each pair for each row (n × pairs): positive for its first class.
    pub fn decisions(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut out = Array2::zeros((x.nrows(), self.pairs.len()));
        if self.pairs.is_empty() {
            return out;
        }
        let kernel = RbfRows::new(self.vectors.view(), self.gamma);
        let blocks = out.axis_chunks_iter_mut(Axis(0), LANES).into_par_iter();
        blocks.zip(x.axis_chunks_iter(Axis(0), LANES)).for_each_init(
            Vec::new,
            |values, (mut out, x)| {
                kernel.against(x, values);
                for (p, pair) in self.pairs.iter().enumerate() {
                    let sums = combine(&pair.coefficients, values);
                    for (slot, sum) in out.column_mut(p).iter_mut().zip(sums) {
                        *slot = sum - pair.rho;
                    }
                }
            },
        );
        out
    }

    /// The class that wins the most pairs; of equals the first.
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        let winner = |row: ndarray::ArrayView1<'_, f64>| {
            let mut votes = vec![0_usize; self.classes];
            votes[self.only as usize] += usize::from(self.pairs.is_empty());
            for (&decision, pair) in row.iter().zip(&self.pairs) {
                votes[if decision > 0.0 { pair.positive } else { pair.negative } as usize] += 1;
            }
            let most = votes.iter().copied().max().unwrap_or(0);
            votes.iter().position(|&v| v == most).unwrap_or(0) as u32
        };
        self.decisions(x).rows().into_iter().map(winner).collect()
    }
}

wide! {
    /// Σ b K(v, ·) over pairs (v, b), for the `LANES` rows whose kernel values stand side by side.
    fn combine['a]['a](coefficients: &'a [(usize, f64)], values: &'a [f64]) -> [f64; LANES] {
        let values = values.as_chunks::<LANES>().0;
        let mut sums = [0.0; LANES];
        for &(v, b) in coefficients {
            for (sum, k) in sums.iter_mut().zip(&values[v]) {
                *sum += b * k;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(n: usize, classes: u32) -> Samples {
        let x = Array2::from_shape_fn((n, 2), |(i, j)| {
            let (radius, angle) = (1.0 + f64::from(i as u32 % classes), i as f64 * 0.7);
            radius * if j == 0 { angle.cos() } else { angle.sin() }
        });
        Samples::new(x, (0..n as u32).map(|i| i % classes).collect(), classes as usize).unwrap()
    }

    #[test]
    fn rings_are_told_apart() {
        for classes in [2, 3, 4] {
            let samples = rings(120, classes);
            let settings = SvmSettings::new(10.0, Gamma::Value(1.0), Smo::default()).unwrap();
            let svm = Svm::fit(&samples, &settings);
            assert_eq!(svm.pairs.len(), (classes * (classes - 1) / 2) as usize);
            assert_eq!(svm.classify(samples.x.view()), samples.y);
        }
    }

    #[test]
    fn one_class_alone_is_always_said() {
        let x = Array2::from_shape_fn((5, 1), |(i, _)| i as f64);
        let samples = Samples::new(x, vec![1; 5], 3).unwrap();
        let svm = Svm::fit(&samples, &SvmSettings::default());
        assert_eq!(svm.classify(samples.x.view()), [1; 5]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(SvmSettings::new(bad, Gamma::Scale, Smo::default()).is_err());
            assert!(SvmSettings::new(1.0, Gamma::Value(bad), Smo::default()).is_err());
        }
    }
}
