//! The work of HOAG's stages: evaluations of λ × one pass over the data. The number of inner iterations per
//! evaluation depends on tolerances: it is part of the constant and its spread.

use kit::row;
use pipeline::work::{Inputs, Size, Work};

use super::{
    problem::{Model, ProblemSpec},
    stages::{
        curves::Curves, exact::Exact, gradient_error::GradientError, grid_run::GridRun,
        hoag_run::HoagRun, iterdiff_run::IterdiffRun, landscape::Landscape, random_run::RandomRun,
        smbo_run::SmboRun, split::Split, stationarity::Stationarity,
    },
    tables::trace::{Clock, Step},
};

/// Number of evaluations of `exact` in addition to those that the runs visited, to find the optimum.
const REFINED: f64 = 100.0;

/// Number of values that a step of L-BFGS uses for each weight.
const MEMORY: f64 = 20.0;
/// The cost of reading the data set, in passes over all values.
const READ: f64 = 1.5;

/// The same in single passes, while other runs count an evaluation of many passes as one.
const UNROLLED_READ: f64 = 100.0;

/// Multiplications of one pass over the training part, and of a step of the weights.
fn pass(problem: ProblemSpec, inputs: &Inputs) -> f64 {
    let used = inputs.rows("split");
    // A kernel between all rows.
    if problem.model == Model::KernelRidge {
        return (used / 3.0).powi(2);
    }
    let cells = inputs.cells("data") * used / inputs.rows("target").max(1.0) / 3.0;
    // The table of names has one row per feature; a weight per class counts for ten classes here.
    let classes = if problem.model == Model::Multinomial { CLASSES } else { 1.0 };
    classes * (cells + MEMORY * inputs.rows("names"))
}

/// Number of classes of the multinomial problem's data set.
const CLASSES: f64 = 10.0;

/// A number of passes, after reading the data.
fn passes(count: f64, problem: ProblemSpec, inputs: &Inputs) -> f64 {
    count * pass(problem, inputs) + READ * inputs.cells("data")
}

fn variant(problem: ProblemSpec) -> String {
    match problem.model {
        Model::Logistic => "logistic",
        Model::KernelRidge => "kernel ridge",
        Model::Multinomial => "multinomial",
    }
    .to_owned()
}

/// The size of a run's output: at most one row per evaluation of λ.
fn evaluated(output: &str, evaluations: usize) -> Option<Size> {
    let table = match output {
        "times" => row::batch::<Clock>(&[]),
        _ => row::batch::<Step>(&[]),
    };
    Some(Size::new(evaluations, table.ok()?.num_columns()))
}

/// Rows.
impl Work for Split {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.cells("data") + inputs.rows("target")
    }

    fn writes(&self, _: &str, inputs: &Inputs) -> Option<Size> {
        let rows = inputs.rows("target");
        let used = if self.rows == 0 { rows } else { rows.min(self.rows as f64) };
        Some(Size { rows: used, columns: 3.0 })
    }
}

/// Outer iterations × a pass.
impl Work for HoagRun {
    fn work(&self, inputs: &Inputs) -> f64 {
        passes(self.rules.outer_iterations as f64, self.problem, inputs)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        evaluated(output, self.rules.outer_iterations)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Outer iterations × unrolled steps × a pass; these are single passes, compared with which reading costs
/// more.
impl Work for IterdiffRun {
    fn work(&self, inputs: &Inputs) -> f64 {
        let steps = self.settings.outer_iterations * self.settings.unrolled;
        steps as f64 * pass(self.problem, inputs) + UNROLLED_READ * inputs.cells("data")
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        evaluated(output, self.settings.outer_iterations)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Points of the grid × a pass.
impl Work for GridRun {
    fn work(&self, inputs: &Inputs) -> f64 {
        passes((self.points as f64).powf(self.dimensions as f64), self.problem, inputs)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        evaluated(output, self.points.pow(self.dimensions as u32))
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Evaluations × a pass.
impl Work for RandomRun {
    fn work(&self, inputs: &Inputs) -> f64 {
        passes(self.evaluations as f64, self.problem, inputs)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        evaluated(output, self.evaluations)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Evaluations × a pass + those that the surrogate proposes × (candidates and observations, by distances).
impl Work for SmboRun {
    fn work(&self, inputs: &Inputs) -> f64 {
        let (known, candidates) = (self.evaluations as f64, self.settings.candidates as f64);
        let proposed = self.evaluations.saturating_sub(self.settings.starts) as f64;
        let surrogate = candidates * proposed * known * known * self.dimensions as f64;
        passes(known, self.problem, inputs) + surrogate
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        evaluated(output, self.evaluations)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Number of passes in which a kernel machine is solved for one λ once its matrix is factored.
const SOLVED: f64 = 20.0;
/// Number of multiplications of a factorisation in the time of one in a pass, which is limited by memory.
const BLOCKED: f64 = 10.0;

/// The cost of f at one λ, to the limit of the arithmetic: a factorisation for a kernel machine, and solves
/// with it.
fn exact_passes(problem: ProblemSpec, inputs: &Inputs) -> f64 {
    if problem.model == Model::KernelRidge {
        let order = inputs.rows("split") / 3.0;
        return SOLVED + order / 3.0 / BLOCKED;
    }
    1.0
}

/// (λ visited by the runs + evaluations for the optimum) × a solve.
impl Work for Exact {
    fn work(&self, inputs: &Inputs) -> f64 {
        let lambdas = inputs.rows_of("run ") + REFINED;
        passes(lambdas * exact_passes(self.problem, inputs), self.problem, inputs)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// λ × tolerances × a pass.
impl Work for GradientError {
    fn work(&self, inputs: &Inputs) -> f64 {
        let solves = self.values.offsets.len() * (1 + self.values.epsilons.len());
        passes(solves as f64, self.problem, inputs)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Points × a solve.
impl Work for Landscape {
    fn work(&self, inputs: &Inputs) -> f64 {
        let points = match self.problem.model {
            Model::KernelRidge => self.values.grid.pow(2),
            _ => self.values.points,
        };
        let solved = points as f64 * exact_passes(self.problem, inputs);
        passes(solved, self.problem, inputs)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

/// Both ends of each run × a pass.
impl Work for Stationarity {
    fn work(&self, inputs: &Inputs) -> f64 {
        passes(2.0 * inputs.count_of("run "), self.problem, inputs)
    }

    fn variant(&self) -> String {
        variant(self.problem)
    }
}

impl Work for Curves {}

#[cfg(test)]
mod tests {
    use models::bilevel::{kernel_ridge::Distance, logistic::Penalty};
    use tuners::gradient::{hoag_rules::HoagRules, iterdiff::IterdiffSettings};

    use super::*;
    use crate::problem::Scaling;

    /// 100 rows of 20 features, of which 90 are used, and 7 λ visited by two runs.
    fn sized<T>(of: impl Fn(&Inputs) -> T) -> T {
        let sizes = [(100, 20), (100, 1), (20, 1), (90, 3), (3, 5), (4, 5)];
        let look = |place: usize| {
            let (rows, columns): (usize, usize) = sizes[place];
            Some(Size::new(rows, columns))
        };
        of(&Inputs::new(vec!["data", "target", "names", "split", "run a", "run b"], &look))
    }

    fn spec(model: Model) -> ProblemSpec {
        let (scaling, penalty, distance) = (Scaling::None, Penalty::Full, Distance::Squared);
        ProblemSpec { model, scaling, penalty, distance }
    }

    #[test]
    fn a_pass_is_a_third_of_the_cells_and_the_memory_or_a_kernel() {
        let pass = |model| sized(|inputs| pass(spec(model), inputs));
        assert_eq!(pass(Model::Logistic), 30.0 * 20.0 + 20.0 * 20.0);
        assert_eq!(pass(Model::Multinomial), 10.0 * pass(Model::Logistic));
        assert_eq!(pass(Model::KernelRidge), 30.0 * 30.0);
    }

    #[test]
    fn work_counts_evaluations() {
        let mut rules = HoagRules::preset("paper").unwrap();
        rules.outer_iterations = 50;
        let (problem, memory_mib) = (spec(Model::Logistic), 0);
        let hoag = HoagRun { problem, rules, memory_mib };
        assert_eq!(sized(|inputs| hoag.work(inputs)), 50.0 * 1000.0 + 1.5 * 2000.0);
        assert_eq!(hoag.variant(), "logistic");
        let settings = IterdiffSettings { unrolled: 10, outer_iterations: 5, step: rules.step };
        let unrolled = IterdiffRun { problem, settings, memory_mib };
        assert_eq!(sized(|inputs| unrolled.work(inputs)), 50.0 * 1000.0 + 100.0 * 2000.0);
        let problem = spec(Model::KernelRidge);
        let (dimensions, bound, tolerance, points) = (2, 12.0, 1e-5, 10);
        let grid = GridRun { problem, dimensions, bound, tolerance, points, memory_mib };
        assert_eq!(sized(|inputs| grid.work(inputs)), 100.0 * 900.0 + 1.5 * 2000.0);
    }

    #[test]
    fn a_run_writes_a_row_per_evaluation_however_long_one_takes() {
        let mut rules = HoagRules::preset("paper").unwrap();
        rules.outer_iterations = 50;
        let hoag = HoagRun { problem: spec(Model::Logistic), rules, memory_mib: 0 };
        let writes = |output| sized(|inputs| hoag.writes(output, inputs)).unwrap();
        assert_eq!((writes("main"), writes("times")), (Size::new(50, 13), Size::new(50, 3)));
    }

    #[test]
    fn the_truth_costs_what_the_runs_have_visited_and_a_search_for_the_optimum() {
        let (problem, bound, memory_mib) = (spec(Model::Logistic), 12.0, 0);
        let exact = Exact { problem, bound, memory_mib };
        assert_eq!(sized(|inputs| exact.work(inputs)), 107.0 * 1000.0 + 1.5 * 2000.0);
        let problem = spec(Model::KernelRidge);
        let exact = Exact { problem, bound, memory_mib };
        // A kernel of order 30: factored, 30/3 blocked, and solved with.
        assert_eq!(sized(|inputs| exact.work(inputs)), 107.0 * 21.0 * 900.0 + 1.5 * 2000.0);
    }

    #[test]
    fn a_split_has_the_rows_that_are_used() {
        let rows = |rows| {
            let split = Split { model: Model::Logistic, rows };
            sized(|inputs| split.writes("main", inputs)).unwrap().rows
        };
        assert_eq!((rows(0), rows(60), rows(300)), (100.0, 60.0, 100.0));
    }
}
