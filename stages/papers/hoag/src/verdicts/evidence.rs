//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::port::In;
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    problem::Model,
    tables::{
        curves::{Reached, Taken},
        gradient_error::GradientErrorRow,
        landscape::LandscapeRow,
        stationarity::Ends,
    },
};

/// A problem as far as verdicts need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// The model: `logistic`, `kernel-ridge`, `multinomial`.
    pub model: Model,
    /// The sizes in which it differs from the paper's.
    pub reduced: Vec<Size>,
    /// The paper's problem of which it is another reading.
    pub reading_of: Option<String>,
}

/// A size of a problem on which a claim can rest. The number of splits is not one: it is reflected by the
/// intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// Its rows, with its data, model and scaling.
    Rows,
    /// The outer iterations of gradient methods.
    Iterations,
    /// The evaluations of the methods without gradients, the unrolled steps of Iterdiff, the box.
    Rivals,
    /// The long runs of Theorem 2.
    Long,
    /// The points at which Theorem 1 is measured.
    GradientError,
    /// The points of Figure 4.
    Landscape,
}

/// One point of a run.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// (f − f*)/f*.
    pub suboptimality: f64,
    /// Outer loss.
    pub test: f64,
    /// Validation loss.
    pub validation: f64,
    /// CPU seconds.
    pub cpu_s: f64,
}

/// (problem, rules, method, split) → the run's points.
type Runs = BTreeMap<(String, String, String, u32), Vec<Point>>;

/// Every step of every run.
pub const CURVES: In<Reached> = In::new("curves");
/// The time of each step.
pub const TIMES: In<Taken> = In::new("times");
/// Theorem 1.
pub const GRADIENT_ERROR: In<GradientErrorRow> = In::new("gradient-error");
/// Figure 4.
pub const LANDSCAPE: In<LandscapeRow> = In::new("landscape");
/// Theorem 2.
pub const STATIONARITY: In<Ends> = In::new("stationarity");

/// All evidence for the verdicts.
pub struct Evidence {
    /// The requested problems.
    pub problems: Vec<Place>,
    /// The variant under which methods other than HOAG are listed.
    pub headline: String,
    /// The variant with a constant step.
    pub theorem_2: String,
    runs: Runs,
    /// Problem → errors of the hypergradient.
    pub gradient_errors: BTreeMap<String, Vec<GradientErrorRow>>,
    /// Problem → f along the grid, by λ (one hyper-parameter only).
    pub landscapes: BTreeMap<String, Vec<f64>>,
    /// (problem, rules) → the ends of long runs.
    pub stationarity: BTreeMap<(String, String), Vec<Ends>>,
}

impl Evidence {
    /// Reads the stage's inputs; unavailable ones are empty.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(
        cx: &Context,
        problems: &[Place],
        [headline, theorem_2]: [&str; 2],
    ) -> Result<Self, Stop> {
        let mut evidence = Self::without_tables(problems, [headline, theorem_2]);
        if let (Some(curves), Some(times)) = (CURVES.read_if_there(cx)?, TIMES.read_if_there(cx)?) {
            evidence.join(curves, times)?;
        }
        for row in GRADIENT_ERROR.read_if_there(cx)?.unwrap_or_default() {
            evidence.gradient_errors.entry(row.problem.clone()).or_default().push(row);
        }
        let landscape = LANDSCAPE.read_if_there(cx)?.unwrap_or_default();
        for row in landscape.into_iter().filter(|row| row.lambda1.is_none()) {
            evidence.landscapes.entry(row.problem).or_default().push(row.outer);
        }
        for row in STATIONARITY.read_if_there(cx)?.unwrap_or_default() {
            let place = (row.problem.clone(), row.rules.clone());
            evidence.stationarity.entry(place).or_default().push(row);
        }
        Ok(evidence)
    }

    /// The problems and the configurations that count, and no table yet.
    pub(super) fn without_tables(problems: &[Place], [headline, theorem_2]: [&str; 2]) -> Self {
        Self {
            problems: problems.to_vec(),
            headline: headline.to_owned(),
            theorem_2: theorem_2.to_owned(),
            runs: Runs::new(),
            gradient_errors: BTreeMap::new(),
            landscapes: BTreeMap::new(),
            stationarity: BTreeMap::new(),
        }
    }

    /// Takes what every run reached, and when.
    pub(super) fn join(&mut self, curves: Vec<Reached>, times: Vec<Taken>) -> Result<(), Stop> {
        // Both tables were made from the same list of runs, step by step.
        if !curves.iter().map(|row| &row.at).eq(times.iter().map(|row| &row.at)) {
            return Err(Stop::Failed("the tables of curves and of times do not match".to_owned()));
        }
        for (reached, taken) in curves.into_iter().zip(times) {
            let (problem, run) = (reached.at.problem, reached.at.run);
            let key = (problem, run.rules, run.method, run.split);
            self.runs.entry(key).or_default().push(Point {
                suboptimality: reached.suboptimality,
                test: reached.test_loss,
                validation: reached.validation_loss,
                cpu_s: taken.cpu_s,
            });
        }
        Ok(())
    }

    /// Adds a run of a method under some rules.
    #[cfg(test)]
    pub(super) fn add(&mut self, problem: &str, of: (&str, &str), split: u32, run: Vec<Point>) {
        let key = (problem.to_owned(), of.0.to_owned(), of.1.to_owned(), split);
        self.runs.insert(key, run);
    }

    /// The runs of a method on a problem, by split.
    #[must_use]
    pub fn runs(&self, problem: &str, rules: &str, method: &str) -> Vec<&[Point]> {
        let from = (problem.to_owned(), rules.to_owned(), method.to_owned(), 0);
        let range = self.runs.range(from..);
        let same = range.take_while(|((p, r, m, _), _)| {
            (p.as_str(), r.as_str(), m.as_str()) == (problem, rules, method)
        });
        same.map(|(_, points)| points.as_slice()).collect()
    }

    /// The runs of a method on a problem with their splits; the method with its rules.
    #[must_use]
    pub fn by_split(
        &self,
        problem: &str,
        (rules, method): (&str, &str),
    ) -> BTreeMap<u32, &[Point]> {
        let all = self.runs.iter().filter(|((p, r, m, _), _)| {
            (p.as_str(), r.as_str(), m.as_str()) == (problem, rules, method)
        });
        all.map(|((.., split), points)| (*split, points.as_slice())).collect()
    }

    /// The runs of two methods on the splits that both have, paired.
    #[must_use]
    pub fn pairs(
        &self,
        problem: &str,
        a: (&str, &str),
        b: (&str, &str),
    ) -> Vec<(&[Point], &[Point])> {
        let (a, b) = (self.by_split(problem, a), self.by_split(problem, b));
        a.iter().filter_map(|(split, run)| Some((*run, *b.get(split)?))).collect()
    }
}

/// CPU seconds at which a run first reaches a suboptimality; infinite if it never does.
#[must_use]
pub fn seconds_to(run: &[Point], target: f64) -> f64 {
    let hit = run.iter().find(|point| point.suboptimality <= target);
    hit.map_or(f64::INFINITY, |point| point.cpu_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::curves;

    fn step(method: &str, split: u32, step: usize) -> curves::RunStep {
        let (rules, method) = ("paper".to_owned(), method.to_owned());
        let run = curves::RunName { rules, method, split };
        curves::RunStep { problem: "p".to_owned(), run, step }
    }

    fn reached(at: curves::RunStep, suboptimality: f64) -> Reached {
        Reached {
            at,
            lambda0: 0.0,
            inner_iterations: 0,
            suboptimality,
            test_loss: 0.0,
            validation_loss: 0.0,
        }
    }

    fn taken(at: curves::RunStep, cpu_s: f64) -> Taken {
        Taken { at, cpu_s, wall_s: 2.0 * cpu_s }
    }

    fn evidence(runs: &[(&str, u32)]) -> Evidence {
        let mut evidence = Evidence::without_tables(&[], ["paper", "paper-constant-L"]);
        for &(method, split) in runs {
            let places = [step(method, split, 0), step(method, split, 1)];
            let [first, second] = places.clone().map(|place| reached(place, 0.5));
            let [at, later] = places.map(|place| taken(place, f64::from(split)));
            evidence.join(vec![first, second], vec![at, later]).unwrap();
        }
        evidence
    }

    #[test]
    fn runs_of_a_method_are_told_from_those_whose_names_begin_alike() {
        let all = evidence(&[("hoag-exact", 1), ("hoag-exact", 0), ("hoag-exact-too", 0)]);
        let runs = all.runs("p", "paper", "hoag-exact");
        let seconds: Vec<f64> = runs.iter().map(|run| run[0].cpu_s).collect();
        assert_eq!((seconds, runs[0].len()), (vec![0.0, 1.0], 2));
        assert!(all.runs("p", "code-head", "hoag-exact").is_empty());
        assert!(all.runs("q", "paper", "hoag-exact").is_empty());
    }

    #[test]
    fn pairs_are_of_the_splits_that_both_have() {
        let all = evidence(&[("a", 0), ("a", 1), ("a", 3), ("b", 1), ("b", 2), ("b", 3)]);
        let pairs = all.pairs("p", ("paper", "a"), ("paper", "b"));
        let splits: Vec<_> = pairs.iter().map(|(a, b)| (a[0].cpu_s, b[0].cpu_s)).collect();
        assert_eq!(splits, [(1.0, 1.0), (3.0, 3.0)]);
    }

    #[test]
    fn times_of_other_steps_are_refused() {
        let mut all = Evidence::without_tables(&[], ["paper", "paper"]);
        let curves = vec![reached(step("a", 0, 0), 0.1)];
        assert!(all.join(curves, vec![taken(step("a", 0, 1), 1.0)]).is_err());
    }

    #[test]
    fn a_run_arrives_where_it_first_is_as_low_as_asked() {
        let point = |suboptimality, cpu_s| {
            let loss = 0.0;
            Point { suboptimality, test: loss, validation: loss, cpu_s }
        };
        let run = [point(f64::NAN, 1.0), point(0.2, 2.0), point(0.01, 3.0), point(0.001, 4.0)];
        assert_eq!(seconds_to(&run, 0.01), 3.0);
        assert_eq!(seconds_to(&run, 1e-4), f64::INFINITY);
    }
}
