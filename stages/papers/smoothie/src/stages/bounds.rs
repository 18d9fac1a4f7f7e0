//! Claim S10: compares the theorems' bounds with the true second derivatives, on random networks and data.

use kit::port::Out;
use models::{
    curvature::{
        hessian::{self, Norms},
        smoothness::{self, Bound, Extent},
        smoothness_naive_bayes::{Pooled, Sign},
    },
    neural::feedforward::{Network, Shape},
    samples::Samples,
};
use ndarray::Array2;
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::tables::bounds::Case;

/// Random cases of each theorem.
#[derive(Serialize, Deserialize)]
pub struct Bounds {
    /// Number of cases.
    pub cases: u32,
    /// Rows of a batch, whose norm the search takes.
    pub batch: usize,
}

/// λ of the penalty that Theorem 4 adds.
const RIDGE: f64 = 0.37;

impl Bounds {
    /// All cases.
    pub const MAIN: Out<Case> = Out::table("main");
}

impl Stage for Bounds {
    const KIND: &'static str = "smoothie/bounds";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        // LAPACK rounds by its number of threads and its kernels, which only a worker's environment fixes.
        Needs::worker(100)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for case in 0..self.cases {
            rows.extend(self.case(case, &mut cx.rng(&format!("case {case}"))?));
        }
        Self::MAIN.write(cx, &rows)
    }
}

/// Normal features around one random centre per class.
fn data(rng: &mut ChaCha12Rng) -> Samples {
    let (m, d, k) =
        (rng.random_range(20..=200), rng.random_range(2..=10), rng.random_range(2..=4_u32));
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let centres = Array2::from_shape_fn((k as usize, d), |_| normal());
    let y: Vec<u32> = (0..m as u32).map(|i| i % k).collect();
    let x = Array2::from_shape_fn((m, d), |(i, j)| centres[[y[i] as usize, j]] + normal());
    Samples { x, y, classes: k as usize }
}

/// The true norm without a penalty, and with one.
type Exact = [f64; 2];

/// A bound by its name, with what its supremum is over.
fn row(
    (theorem, norm): (String, &'static str),
    case: u32,
    data: &Samples,
    bound: f64,
    [exact, penalised]: Exact,
) -> Case {
    Case {
        theorem: theorem.into(),
        norm: norm.into(),
        decides: true,
        case,
        rows: data.n_rows(),
        classes: data.classes,
        bound,
        exact,
        ridge: (penalised - exact) / RIDGE,
    }
}

/// The constant that the proof of Theorem 1 drops: the number of rows in a class, Σ[y = j], here the largest class.
fn dropped(data: &Samples) -> f64 {
    let mut counts = vec![0_u32; data.classes];
    for &label in &data.y {
        counts[label as usize] += 1;
    }
    f64::from(counts.into_iter().max().unwrap_or(0))
}

impl Bounds {
    /// The rows of one case.
    fn case(&self, case: u32, rng: &mut ChaCha12Rng) -> Vec<Case> {
        let mut rows = self.network(case, rng);
        rows.extend(self.regression(case, rng));
        rows.extend(naive_bayes(case, rng));
        rows
    }

    /// The bound as it guides the search, with the largest norm of a batch, on which the claim rests; beside it with
    /// the other norms that its ‖a‖ can be read as, and each with the constant of the proof.
    fn variants(
        &self,
        (theorem, case): (&str, u32),
        data: &Samples,
        exact: Exact,
        bound: impl Fn(Extent) -> Bound,
    ) -> Vec<Case> {
        let all = [
            ("", "batches", Extent::Batches(self.batch)),
            (", norm of all rows", "all rows", Extent::Batches(data.n_rows())),
            (", norm of a row", "single rows", Extent::Rows),
        ];
        let rows = |(of, norm, extent): (&str, &'static str, Extent)| {
            let name = (format!("{theorem}{of}"), norm);
            let plain = row(name, case, data, bound(extent).theorem(), exact);
            let plain = Case { decides: of.is_empty(), ..plain };
            let proof = Case {
                theorem: format!("{}, factor of the proof", plain.theorem).into(),
                bound: plain.bound * dropped(data),
                decides: false,
                ..plain.clone()
            };
            [plain, proof]
        };
        all.into_iter().flat_map(rows).collect()
    }

    /// Theorem 1: ∇² with respect to the weights of the head. Two classes are a softmax of two units here, as in
    /// the proof.
    fn network(&self, case: u32, rng: &mut ChaCha12Rng) -> Vec<Case> {
        let data = data(rng);
        let hidden = vec![rng.random_range(2..=6); rng.random_range(1..=5)];
        let head = models::neural::feedforward::Head::Softmax(data.classes);
        let network = Network::<f64>::glorot(Shape::new(data.x.ncols(), &hidden, head), rng);
        let (a, p) = (network.last_hidden(data.x.view()), network.outputs(data.x.view()));
        let norm = |ridge| Norms::of(&hessian::cross_entropy(a.view(), p.view(), ridge)).spectral;
        self.variants(("Theorem 1", case), &data, [norm(0.0), norm(RIDGE)], |extent| {
            smoothness::feedforward(&network, data.x.view(), data.classes, extent)
        })
    }

    /// Corollary 1.1: logistic regression with random weights.
    fn regression(&self, case: u32, rng: &mut ChaCha12Rng) -> Vec<Case> {
        let data = data(rng);
        let head = models::neural::feedforward::Head::Softmax(data.classes);
        let model = Network::<f64>::glorot(Shape::new(data.x.ncols(), &[], head), rng);
        let (x, p) = (data.x.view(), model.outputs(data.x.view()));
        let norm = |ridge| Norms::of(&hessian::cross_entropy(x, p.view(), ridge)).spectral;
        self.variants(("Corollary 1.1", case), &data, [norm(0.0), norm(RIDGE)], |extent| {
            smoothness::feedforward(&model, x, data.classes, extent)
        })
    }
}

/// Theorem 2, under both signs in which it is printed: the largest over the rows.
fn naive_bayes(case: u32, rng: &mut ChaCha12Rng) -> Vec<Case> {
    let data = data(rng);
    let pooled = Pooled::new(&data);
    let most = |norms: Vec<f64>| norms.into_iter().fold(f64::NAN, f64::max);
    let exact = [most(pooled.exact()), f64::NAN];
    [("Theorem 2, statement", Sign::Statement), ("Theorem 2, proof", Sign::Proof)]
        .into_iter()
        .map(|(name, sign)| {
            let name = (name.to_owned(), "single rows");
            row(name, case, &data, most(pooled.theorem(sign)), exact)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pipeline::seed::Seed;

    use super::*;

    /// The cases of a run at the paper's size under its root seed.
    fn cases() -> Vec<Case> {
        let bounds = Bounds { cases: 100, batch: 128 };
        let seed = Seed::new(20240117, "smoothie/bounds", 0);
        (0..100)
            .flat_map(|case| bounds.case(case, &mut seed.rng(&format!("case {case}"))))
            .collect()
    }

    #[test]
    fn a_bound_is_named_by_its_norm_and_decides_as_it_guides_the_search() {
        let all = cases();
        let mut norms: BTreeMap<&str, (&str, bool, usize)> = BTreeMap::new();
        for case in &all {
            let (.., n) = norms.entry(&case.theorem).or_insert((&case.norm, case.decides, 0));
            *n += 1;
        }
        assert!(norms.values().all(|(.., n)| *n == 100), "{norms:?}");
        let deciding: Vec<&str> =
            norms.iter().filter(|(_, (_, decides, _))| *decides).map(|(name, _)| *name).collect();
        let expected = ["Corollary 1.1", "Theorem 1", "Theorem 2, proof", "Theorem 2, statement"];
        assert_eq!(deciding, expected);
        assert_eq!(norms["Theorem 1"].0, "batches");
        assert_eq!(norms["Corollary 1.1, norm of all rows, factor of the proof"].0, "all rows");
        assert_eq!(norms["Theorem 1, norm of a row"].0, "single rows");
    }

    #[test]
    fn norms_grow_with_the_rows_that_they_are_of() {
        let all = cases();
        let of = |theorem: &str| -> Vec<&Case> {
            all.iter().filter(|case| case.theorem == theorem).collect()
        };
        let (batches, whole) = (of("Corollary 1.1"), of("Corollary 1.1, norm of all rows"));
        let rows = of("Corollary 1.1, norm of a row");
        let mut larger = 0;
        for ((batch, whole), row) in batches.iter().zip(whole).zip(rows) {
            assert!(row.bound < batch.bound && batch.bound <= whole.bound);
            assert_eq!(batch.bound < whole.bound, batch.rows > 128, "one batch has all rows");
            larger += usize::from(batch.rows > 128);
            assert_eq!([row.exact, whole.exact], [batch.exact; 2]);
        }
        assert!((20..80).contains(&larger), "{larger}");
    }

    #[test]
    fn the_constant_of_the_proof_is_the_number_of_rows_in_the_largest_class() {
        let all = cases();
        for theorem in ["Theorem 1", "Corollary 1.1, norm of a row"] {
            let of =
                |name: &str| all.iter().filter(|case| case.theorem == name).collect::<Vec<_>>();
            let (plain, proof) = (of(theorem), of(&format!("{theorem}, factor of the proof")));
            for (plain, proof) in plain.into_iter().zip(proof) {
                // The first classes have a row more, where they cannot all have as many.
                let most = plain.rows.div_ceil(plain.classes) as f64;
                // Both are 0 where no hidden unit is active.
                let error = (proof.bound - most * plain.bound).abs();
                assert!(error <= 1e-12 * proof.bound, "{theorem} {}", plain.case);
            }
        }
    }
}
