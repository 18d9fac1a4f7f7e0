//! Figures 2, 3 and 5: suboptimality and losses along every run of one problem.

use std::collections::BTreeMap;

use kit::port::{Many, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    rounding::{key, lattice},
    tables::{
        curves::{Reached, RunName, RunStep, Taken},
        exact::{Optimum, Visited},
        trace::{Clock, Step},
    },
};

/// Joins the traces of one problem with the true values of f.
#[derive(Serialize, Deserialize)]
pub struct Curves {
    /// The problem's name.
    pub problem: String,
    /// The runs, in the order of the table.
    pub runs: Vec<RunName>,
}

/// True f and validation loss by λ; f*.
struct Truth {
    values: BTreeMap<(u64, u64), f64>,
    optimum: f64,
}

impl Curves {
    /// The runs, by their indices in the list.
    pub const TRACES: Many<Step> = Many::new("trace ");
    /// Their times.
    pub const CLOCKS: Many<Clock> = Many::new("times ");
    /// The true f, by split.
    pub const EXACT: Many<Visited> = Many::new("exact ");
    /// f*, by split.
    pub const OPTIMA: Many<Optimum> = Many::new("optimum ");
    /// Every step of every run.
    pub const MAIN: Out<Reached> = Out::table("main");
    /// The time of the step.
    pub const TIMES: Out<Taken> = Out::measured("times");
}

impl Stage for Curves {
    const KIND: &'static str = "hoag/curves";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::TIMES.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let truths = self.truths(cx)?;
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for (i, run) in self.runs.iter().enumerate() {
            rows.extend(self.follow(run, &Self::TRACES.at(i).read(cx)?, &truths[&run.split]));
            times.extend(Self::CLOCKS.at(i).read(cx)?.into_iter().map(|clock| Taken {
                at: self.at(run, clock.step),
                cpu_s: clock.cpu_s,
                wall_s: clock.wall_s,
            }));
        }
        Self::MAIN.write(cx, &rows)?;
        Self::TIMES.write(cx, &times)
    }
}

impl Curves {
    fn at(&self, run: &RunName, step: usize) -> RunStep {
        RunStep { problem: self.problem.clone(), run: run.clone(), step }
    }

    fn truths(&self, cx: &Context) -> Result<BTreeMap<u32, Truth>, Stop> {
        let mut truths = BTreeMap::new();
        for split in self.runs.iter().map(|run| run.split) {
            if truths.contains_key(&split) {
                continue;
            }
            let truth = if let Some(visited) = Self::EXACT.at(split).read_if_there(cx)? {
                // Of values that agree up to rounding the lowest is f*, so that none is below it.
                let found = Self::OPTIMA.at(split).read(cx)?[0].outer;
                let optimum = visited.iter().map(|at| at.outer).fold(found, f64::min);
                let value = |at: &Visited| (key((at.lambda0, at.lambda1)), at.outer);
                Truth { values: visited.iter().map(value).collect(), optimum }
            } else {
                // With very many hyper-parameters f* is unknown: the lowest value that any run found is used.
                let mut optimum = f64::INFINITY;
                for i in (0..self.runs.len()).filter(|&i| self.runs[i].split == split) {
                    let steps = Self::TRACES.at(i).read(cx)?;
                    optimum = steps.iter().map(|step| step.outer).fold(optimum, f64::min);
                }
                Truth { values: BTreeMap::new(), optimum }
            };
            truths.insert(split, truth);
        }
        Ok(truths)
    }

    /// One run's rows. A black-box method is judged by the best λ that it has evaluated so far, ranked by its
    /// own losses.
    fn follow(&self, run: &RunName, steps: &[Step], truth: &Truth) -> Vec<Reached> {
        let black_box = ["grid", "random", "smbo"].contains(&run.method.as_str());
        let mut shown = 0;
        let mut out = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            // A NaN loss never becomes the best.
            let best = steps[shown].outer;
            if !black_box || step.outer < best || best.is_nan() {
                shown = at;
            }
            let best = &steps[shown];
            let f = truth.values.get(&key(lattice(best.lambda()))).copied().unwrap_or(best.outer);
            out.push(Reached {
                at: self.at(run, step.step),
                lambda0: best.lambda().0,
                inner_iterations: step.inner_iterations,
                suboptimality: (f - truth.optimum) / truth.optimum,
                test_loss: f,
                validation_loss: best.validation,
            });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(step: usize, lambda: f64, outer: f64, validation: f64) -> Step {
        Step { step, lambda0: Some(lambda), outer, validation, ..Step::default() }
    }

    /// Five evaluations; f at λ = 1 is known better than the run does, and f* = 2.
    fn followed(method: &str) -> Vec<Reached> {
        let run = RunName { rules: "paper".to_owned(), method: method.to_owned(), split: 0 };
        let curves = Curves { problem: "p".to_owned(), runs: vec![run.clone()] };
        let known = (key(lattice((1.0, f64::NAN))), 3.5);
        let truth = Truth { values: BTreeMap::from([known]), optimum: 2.0 };
        let steps = [
            step(0, 0.0, f64::NAN, 50.0),
            step(1, 1.0, 3.0, 30.0),
            step(2, 2.0, 4.0, 10.0),
            step(3, 3.0, f64::NAN, 60.0),
            step(4, 4.0, 2.0, 20.0),
        ];
        curves.follow(&run, &steps, &truth)
    }

    #[test]
    fn a_black_box_method_stands_at_the_best_that_it_has_seen() {
        for method in ["grid", "random", "smbo"] {
            let rows = followed(method);
            let losses: Vec<f64> = rows.iter().map(|row| row.test_loss).collect();
            assert!(losses[0].is_nan());
            assert_eq!(losses[1..], [3.5, 3.5, 3.5, 2.0]);
            let validation: Vec<f64> = rows.iter().map(|row| row.validation_loss).collect();
            assert_eq!(validation, [50.0, 30.0, 30.0, 30.0, 20.0]);
            assert_eq!((rows[2].lambda0, rows[2].at.step), (1.0, 2));
            assert_eq!((rows[2].suboptimality, rows[4].suboptimality), (0.75, 0.0));
        }
    }

    #[test]
    fn a_gradient_method_stands_where_it_is() {
        let rows = followed("hoag-exponential");
        let validation: Vec<f64> = rows.iter().map(|row| row.validation_loss).collect();
        assert_eq!(validation, [50.0, 30.0, 10.0, 60.0, 20.0]);
        assert_eq!((rows[1].test_loss, rows[2].test_loss), (3.5, 4.0));
        assert!(rows[3].suboptimality.is_nan());
    }
}
