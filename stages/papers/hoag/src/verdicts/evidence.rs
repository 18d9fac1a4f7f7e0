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
    /// The configuration under which methods other than HOAG are listed.
    pub headline: String,
    /// The configuration with a constant step.
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
        let mut evidence = Self {
            problems: problems.to_vec(),
            headline: headline.to_owned(),
            theorem_2: theorem_2.to_owned(),
            runs: Runs::new(),
            gradient_errors: BTreeMap::new(),
            landscapes: BTreeMap::new(),
            stationarity: BTreeMap::new(),
        };
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

    fn join(&mut self, curves: Vec<Reached>, times: Vec<Taken>) -> Result<(), Stop> {
        // Both tables were computed from the same list of runs, step by step.
        if !curves.iter().map(|row| &row.place).eq(times.iter().map(|row| &row.place)) {
            return Err(Stop::Failed("the tables of curves and of times do not match".to_owned()));
        }
        for (reached, taken) in curves.into_iter().zip(times) {
            let (problem, run) = (reached.place.problem, reached.place.run);
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

    /// The runs of two methods on the splits that both have, paired.
    #[must_use]
    pub fn pairs(
        &self,
        problem: &str,
        a: (&str, &str),
        b: (&str, &str),
    ) -> Vec<(&[Point], &[Point])> {
        let get = |(rules, method): (&str, &str)| -> BTreeMap<u32, &[Point]> {
            let all = self.runs.iter().filter(|((p, r, m, _), _)| {
                (p.as_str(), r.as_str(), m.as_str()) == (problem, rules, method)
            });
            all.map(|((.., split), points)| (*split, points.as_slice())).collect()
        };
        let (a, b) = (get(a), get(b));
        a.iter().filter_map(|(split, run)| Some((*run, *b.get(split)?))).collect()
    }
}

/// CPU seconds at which a run first reaches a suboptimality; infinite if it never does.
#[must_use]
pub fn seconds_to(run: &[Point], target: f64) -> f64 {
    let hit = run.iter().find(|point| point.suboptimality <= target);
    hit.map_or(f64::INFINITY, |point| point.cpu_s)
}
