//! Theorem 2: how far the exact gradient mapping falls along long runs.

use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    linalg::vector::norm,
    papers::hoag::{lattice::lambda, problem::ProblemSpec},
    problem::Bilevel,
    solve::inner,
    table::{Columns, Rows},
};

/// Measures the ends of long runs on one split.
#[derive(Serialize, Deserialize)]
pub struct Stationarity {
    /// Its name in tables.
    pub name: String,
    /// The problem, in the parametrisation of eq. (4) or (5).
    pub problem: ProblemSpec,
    /// Configuration of HOAG, in tables.
    pub rules: String,
    /// D = [−bound, bound]ˢ.
    pub bound: f64,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for Stationarity {
    const KIND: &'static str = "hoag/stationarity";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut problem = self.problem.build(cx)?;
        let mut rows = Vec::new();
        for role in cx.roles().map(str::to_owned).collect::<Vec<_>>() {
            let Some(method) = role.strip_prefix("run ") else { continue };
            let trace = cx.input(&role)?;
            let (first, second) = (Rows(&trace).real("lambda0")?, Rows(&trace).real("lambda1")?);
            let path: Vec<_> = first.into_iter().zip(second).collect();
            let (Some(&start), Some(&end)) = (path.first(), path.last()) else { continue };
            let start = self.mapping(&mut *problem, &lambda(start));
            let end = self.mapping(&mut *problem, &lambda(end));
            rows.push((method.to_owned(), start, end, path.len()));
        }
        let table = Columns::new()
            .text("problem", "bilevel problem", rows.iter().map(|_| &self.name))
            .text("rules", "configuration of HOAG", rows.iter().map(|_| &self.rules))
            .text("method", "tolerance sequence", rows.iter().map(|r| &r.0))
            .real("start", "norm of the exact gradient mapping at λ₁", rows.iter().map(|r| r.1))
            .real("end", "the same at the last λ", rows.iter().map(|r| r.2))
            .index("steps", "outer iterations", rows.iter().map(|r| r.3 as u32))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}

impl Stationarity {
    /// `‖λ − P_D(λ − ∇f(λ))‖`, computed to the limit of the arithmetic.
    fn mapping(&self, problem: &mut dyn Bilevel, lambda: &[f64]) -> f64 {
        let n = problem.n_params();
        let exact = inner::exact(problem, lambda, vec![0.0; n]);
        let moved = lambda
            .iter()
            .zip(&exact.hypergradient)
            .map(|(l, g)| l - (l - g).clamp(-self.bound, self.bound));
        norm(&moved.collect::<Vec<_>>())
    }
}
