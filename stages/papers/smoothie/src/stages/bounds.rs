//! Claim S10: compares the theorems' bounds with the true second derivatives, on random networks and data.

use kit::port::Out;
use models::{
    curvature::{
        hessian::{self, Norms},
        smoothness::{self, Extent},
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
            let mut rng = cx.rng(&format!("case {case}"))?;
            rows.extend(network(case, &mut rng));
            rows.extend(regression(case, &mut rng));
            rows.extend(naive_bayes(case, &mut rng));
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

fn row(theorem: &'static str, case: u32, data: &Samples, bound: f64, hessians: [f64; 2]) -> Case {
    let [exact, penalised] = hessians;
    Case {
        theorem: theorem.into(),
        case,
        rows: data.n_rows(),
        classes: data.classes,
        bound,
        exact,
        ridge: (penalised - exact) / RIDGE,
    }
}

/// A bound as it is stated, up to a constant, and with the constant of the proof: the number of rows in a
/// class, Σ[y = j], here the largest class.
fn with_factor(row: Case, factored: &'static str, data: &Samples) -> [Case; 2] {
    let mut counts = vec![0_u32; data.classes];
    for &label in &data.y {
        counts[label as usize] += 1;
    }
    let most = f64::from(counts.into_iter().max().unwrap_or(0));
    let proof = Case { theorem: factored.into(), bound: row.bound * most, ..row.clone() };
    [row, proof]
}

/// Theorem 1: ∇² with respect to the weights of the head. Two classes are a softmax of two units here, as in
/// the proof.
fn network(case: u32, rng: &mut ChaCha12Rng) -> [Case; 2] {
    let data = data(rng);
    let hidden = vec![rng.random_range(2..=6); rng.random_range(1..=5)];
    let head = models::neural::feedforward::Head::Softmax(data.classes);
    let network = Network::<f64>::glorot(Shape::new(data.x.ncols(), &hidden, head), rng);
    let (a, p) = (network.last_hidden(data.x.view()), network.outputs(data.x.view()));
    let bound = smoothness::feedforward(&network, data.x.view(), data.classes, Extent::Rows);
    let norm = |ridge| Norms::of(&hessian::cross_entropy(a.view(), p.view(), ridge)).spectral;
    let row = row("Theorem 1", case, &data, bound.theorem(), [norm(0.0), norm(RIDGE)]);
    with_factor(row, "Theorem 1, factor of the proof", &data)
}

/// Corollary 1.1: logistic regression with random weights.
fn regression(case: u32, rng: &mut ChaCha12Rng) -> [Case; 2] {
    let data = data(rng);
    let head = models::neural::feedforward::Head::Softmax(data.classes);
    let model = Network::<f64>::glorot(Shape::new(data.x.ncols(), &[], head), rng);
    let p = model.outputs(data.x.view());
    let bound = smoothness::feedforward(&model, data.x.view(), data.classes, Extent::Rows);
    let norm = |ridge| Norms::of(&hessian::cross_entropy(data.x.view(), p.view(), ridge)).spectral;
    let row = row("Corollary 1.1", case, &data, bound.theorem(), [norm(0.0), norm(RIDGE)]);
    with_factor(row, "Corollary 1.1, factor of the proof", &data)
}

/// Theorem 2, under both signs in which it is printed: the largest over the rows.
fn naive_bayes(case: u32, rng: &mut ChaCha12Rng) -> Vec<Case> {
    let data = data(rng);
    let pooled = Pooled::new(&data);
    let most = |norms: Vec<f64>| norms.into_iter().fold(f64::NAN, f64::max);
    let exact = most(pooled.exact());
    [("Theorem 2, statement", Sign::Statement), ("Theorem 2, proof", Sign::Proof)]
        .into_iter()
        .map(|(name, sign)| row(name, case, &data, most(pooled.theorem(sign)), [exact, f64::NAN]))
        .collect()
}
