//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::table::Rows;
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use crate::problem::Model;

/// A problem as far as verdicts need to know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// The model: `logistic`, `kernel-ridge`, `multinomial`.
    pub model: Model,
    /// What of it is of another size than the paper's.
    pub reduced: Vec<Size>,
    /// The paper's problem that it is another reading of.
    pub reading_of: Option<String>,
}

/// A size of a problem that a claim may rest on. How many splits there are is none: intervals tell that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// Its rows, with its data, model and scaling.
    Rows,
    /// Outer iterations of gradient methods.
    Iterations,
    /// Evaluations of the methods that use no gradient, the unrolled steps of Iterdiff, the box.
    Rivals,
    /// The long runs of Theorem 2.
    Long,
    /// What Theorem 1 is measured at.
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

/// (tolerance sequence, gradient mapping at the start, at the end) of one long run.
type Ends = (String, f64, f64);

/// (problem, rules, method, split) → the run's points.
type Runs = BTreeMap<(String, String, String, u32), Vec<Point>>;

/// Everything the verdicts look at.
pub struct Evidence {
    /// The problems asked for.
    pub problems: Vec<Place>,
    /// The configuration under which methods other than HOAG are listed.
    pub headline: String,
    /// The configuration with a constant step.
    pub theorem_2: String,
    runs: Runs,
    /// Problem → (first hyper-parameter, ε, error, exact norm).
    pub gradient_errors: BTreeMap<String, Vec<[f64; 4]>>,
    /// Problem → f along the grid, by λ (one hyper-parameter only).
    pub landscapes: BTreeMap<String, Vec<f64>>,
    /// (problem, rules) → (tolerance sequence, gradient mapping at the start, at the end).
    pub stationarity: BTreeMap<(String, String), Vec<Ends>>,
}

impl Evidence {
    /// Reads the stage's inputs; what is unavailable is simply empty.
    ///
    /// # Errors
    /// When a table is corrupt or lacks a column.
    pub fn read(
        cx: &Context,
        problems: &[Place],
        [headline, theorem_2]: [&str; 2],
    ) -> Result<Self, Stop> {
        let has = |role: &str| cx.roles().any(|r| r == role);
        let mut evidence = Self {
            problems: problems.to_vec(),
            headline: headline.to_owned(),
            theorem_2: theorem_2.to_owned(),
            runs: Runs::new(),
            gradient_errors: BTreeMap::new(),
            landscapes: BTreeMap::new(),
            stationarity: BTreeMap::new(),
        };
        if has("curves") && has("times") {
            evidence.read_runs(cx)?;
        }
        if has("gradient-error") {
            let table = cx.input("gradient-error")?;
            let rows = Rows(&table);
            let numbers = ["lambda0", "epsilon", "error", "gradient"].map(|name| rows.real(name));
            let [a, b, c, d] = numbers;
            let (a, b, c, d) = (a?, b?, c?, d?);
            for (i, problem) in rows.text("problem")?.into_iter().enumerate() {
                let row = [a[i], b[i], c[i], d[i]];
                evidence.gradient_errors.entry(problem).or_default().push(row);
            }
        }
        if has("landscape") {
            let table = cx.input("landscape")?;
            let rows = Rows(&table);
            let (second, outer) = (rows.real("lambda1")?, rows.real("outer")?);
            for (i, problem) in rows.text("problem")?.into_iter().enumerate() {
                if second[i].is_nan() {
                    evidence.landscapes.entry(problem).or_default().push(outer[i]);
                }
            }
        }
        if has("stationarity") {
            let table = cx.input("stationarity")?;
            let rows = Rows(&table);
            let (method, start, end) =
                (rows.text("method")?, rows.real("start")?, rows.real("end")?);
            let places = rows.text("problem")?.into_iter().zip(rows.text("rules")?);
            for (i, place) in places.enumerate() {
                let row = (method[i].clone(), start[i], end[i]);
                evidence.stationarity.entry(place).or_default().push(row);
            }
        }
        Ok(evidence)
    }

    fn read_runs(&mut self, cx: &Context) -> Result<(), Stop> {
        let (curves, times) = (cx.input("curves")?, cx.input("times")?);
        let (curves, times) = (Rows(&curves), Rows(&times));
        let names = |rows: Rows| -> Result<Vec<(String, String, String, u32)>, Stop> {
            let (rules, method) = (rows.text("rules")?, rows.text("method")?);
            let split = rows.index("split")?;
            let problems = rows.text("problem")?.into_iter().enumerate();
            Ok(problems.map(|(i, p)| (p, rules[i].clone(), method[i].clone(), split[i])).collect())
        };
        let keys = names(curves)?;
        // Both tables were made from the same list of runs, step by step.
        if keys != names(times)? || curves.index("step")? != times.index("step")? {
            return Err(Stop::Failed("the tables of curves and of times do not match".to_owned()));
        }
        let (sub, test) = (curves.real("suboptimality")?, curves.real("test_loss")?);
        let (validation, cpu) = (curves.real("validation_loss")?, times.real("cpu_s")?);
        for (i, key) in keys.into_iter().enumerate() {
            self.runs.entry(key).or_default().push(Point {
                suboptimality: sub[i],
                test: test[i],
                validation: validation[i],
                cpu_s: cpu[i],
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
