//! Theorem 2: how far the exact gradient mapping falls along long runs.

use kit::table::{Columns, Rows};
use numerics::{linalg::vector::norm, problem::Bilevel, solve::inner};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{problem::ProblemSpec, rounding::lambda};

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
            let (start, end) = (lambda(start), lambda(end));
            let first = gradient(&mut *problem, &start);
            // Where the rule of the step begins: the first move is of length 1.
            let lipschitz = norm(&first);
            let last = gradient(&mut *problem, &end);
            let start = mapping(&start, &first, lipschitz, self.bound);
            let end = mapping(&end, &last, lipschitz, self.bound);
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

/// ∇f(λ), computed to the limit of the arithmetic.
fn gradient(problem: &mut dyn Bilevel, lambda: &[f64]) -> Vec<f64> {
    let n = problem.n_params();
    inner::exact(problem, lambda, vec![0.0; n]).hypergradient
}

/// `L ‖λ − P_D(λ − ∇f(λ)/L)‖` for D = \[−bound, bound\]ⁿ: the norm of the gradient where D does not cut
/// the step. 0 where the gradient at the start, which is L, was 0.
fn mapping(lambda: &[f64], gradient: &[f64], lipschitz: f64, bound: f64) -> f64 {
    if lipschitz == 0.0 {
        return 0.0;
    }
    let moved =
        lambda.iter().zip(gradient).map(|(l, g)| l - (l - g / lipschitz).clamp(-bound, bound));
    lipschitz * norm(&moved.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_is_the_gradient_where_the_box_does_not_cut_it() {
        let gradient = [30.0, -40.0];
        assert!((mapping(&[0.0, 0.0], &gradient, 50.0, 12.0) - 50.0).abs() < 1e-12);
        // With a step of 1 the box would have cut it to 12√2.
        assert!((mapping(&[0.0, 0.0], &gradient, 1.0, 12.0) - 12.0 * 2.0_f64.sqrt()).abs() < 1e-12);
        // At the edge, a gradient that points out of the box leaves nothing.
        assert_eq!(mapping(&[12.0], &[-3.0], 50.0, 12.0), 0.0);
    }
}
