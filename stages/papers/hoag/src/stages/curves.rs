//! Figures 2, 3 and 5: suboptimality and losses along every run of one problem.

use std::collections::BTreeMap;

use kit::table::{Columns, Rows};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::rounding::{key, lattice};

/// Joins the traces of one problem with the true values of f.
#[derive(Serialize, Deserialize)]
pub struct Curves {
    /// The problem's name.
    pub problem: String,
    /// The runs, in the order of the table.
    pub runs: Vec<RunName>,
}

/// Which run an input holds: the inputs are `trace N`, `times N` for run N of the list, `exact S`
/// and `optimum S` for split S.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunName {
    /// Configuration of HOAG; the headline's for other methods.
    pub rules: String,
    /// Method.
    pub method: String,
    /// Split.
    pub split: u32,
}

/// True f and validation loss by λ; f*.
struct Truth {
    values: BTreeMap<(u64, u64), f64>,
    optimum: f64,
}

struct Row<'a> {
    run: &'a RunName,
    step: u32,
    lambda0: Option<f64>,
    inner: u64,
    suboptimality: f64,
    test: f64,
    validation: f64,
}

impl Stage for Curves {
    const KIND: &'static str = "hoag/curves";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::measured("times")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let truths = self.truths(cx)?;
        let mut rows = Vec::new();
        for (i, run) in self.runs.iter().enumerate() {
            rows.extend(follow(cx, i, run, &truths[&run.split])?);
        }
        let main = Columns::new()
            .text("problem", "bilevel problem", rows.iter().map(|_| &self.problem))
            .text("rules", "configuration of HOAG", rows.iter().map(|r| &r.run.rules))
            .text("method", "tuner", rows.iter().map(|r| &r.run.method))
            .index("split", "random split", rows.iter().map(|r| r.run.split))
            .index("step", "evaluation of λ, from 0", rows.iter().map(|r| r.step))
            .maybe("lambda0", "first hyper-parameter", rows.iter().map(|r| r.lambda0))
            .count("inner_iterations", "inner iterations so far", rows.iter().map(|r| r.inner))
            .real("suboptimality", "(f − f*)/f*: at this λ for gradient methods, at the best so far for black-box ones", rows.iter().map(|r| r.suboptimality))
            .real("test_loss", "outer loss (sum), likewise", rows.iter().map(|r| r.test))
            .real("validation_loss", "validation loss (sum), likewise", rows.iter().map(|r| r.validation))
            .batch()?;
        cx.write("main", &main)?;
        self.write_times(cx)
    }
}

impl Curves {
    fn truths(&self, cx: &Context) -> Result<BTreeMap<u32, Truth>, Stop> {
        let mut truths = BTreeMap::new();
        for split in self.runs.iter().map(|run| run.split) {
            if truths.contains_key(&split) {
                continue;
            }
            let truth = if cx.roles().any(|role| role == format!("exact {split}")) {
                let (exact, optimum) =
                    (cx.input(&format!("exact {split}"))?, cx.input(&format!("optimum {split}"))?);
                let rows = Rows(&exact);
                let at = rows.real("lambda0")?.into_iter().zip(rows.real("lambda1")?).map(key);
                let values = rows.real("outer")?;
                // Of values that agree but for rounding the lowest is f*: none lies below it.
                let found = Rows(&optimum).real("outer")?[0];
                let optimum = values.iter().copied().fold(found, f64::min);
                Truth { values: at.zip(values).collect(), optimum }
            } else {
                // With very many hyper-parameters f* is unknown: the lowest value any run found.
                let mut optimum = f64::INFINITY;
                for i in (0..self.runs.len()).filter(|&i| self.runs[i].split == split) {
                    let trace = cx.input(&format!("trace {i}"))?;
                    optimum = Rows(&trace).real("outer")?.into_iter().fold(optimum, f64::min);
                }
                Truth { values: BTreeMap::new(), optimum }
            };
            truths.insert(split, truth);
        }
        Ok(truths)
    }

    fn write_times(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut rows = Vec::new();
        for (i, run) in self.runs.iter().enumerate() {
            let times = cx.input(&format!("times {i}"))?;
            let times = Rows(&times);
            let seconds = times.real("cpu_s")?.into_iter().zip(times.real("wall_s")?);
            rows.extend(
                times.index("step")?.into_iter().zip(seconds).map(|(step, t)| (run, step, t)),
            );
        }
        let table = Columns::new()
            .text("problem", "bilevel problem", rows.iter().map(|_| &self.problem))
            .text("rules", "configuration of HOAG", rows.iter().map(|r| &r.0.rules))
            .text("method", "tuner", rows.iter().map(|r| &r.0.method))
            .index("split", "random split", rows.iter().map(|r| r.0.split))
            .index("step", "evaluation of λ, from 0", rows.iter().map(|r| r.1))
            .real("cpu_s", "CPU seconds since the start", rows.iter().map(|r| r.2.0))
            .real("wall_s", "elapsed seconds since the start", rows.iter().map(|r| r.2.1))
            .batch()?;
        Ok(cx.write("times", &table)?)
    }
}

/// One run's rows. A black-box method is judged by the best λ it has evaluated so far, as its own
/// losses rank them.
fn follow<'a>(
    cx: &Context,
    i: usize,
    run: &'a RunName,
    truth: &Truth,
) -> Result<Vec<Row<'a>>, Stop> {
    let trace = cx.input(&format!("trace {i}"))?;
    let rows = Rows(&trace);
    let black_box = ["grid", "random", "smbo"].contains(&run.method.as_str());
    let (step, inner) = (rows.index("step")?, rows.count("inner_iterations")?);
    let (first, second) = (rows.real("lambda0")?, rows.real("lambda1")?);
    let (outer, validation) = (rows.real("outer")?, rows.real("validation")?);
    let mut shown = 0;
    let mut out = Vec::with_capacity(step.len());
    for at in 0..step.len() {
        // A NaN loss never becomes the best.
        if !black_box || outer[at] < outer[shown] || outer[shown].is_nan() {
            shown = at;
        }
        let f = truth
            .values
            .get(&key(lattice((first[shown], second[shown]))))
            .copied()
            .unwrap_or(outer[shown]);
        out.push(Row {
            run,
            step: step[at],
            lambda0: Some(first[shown]).filter(|x| !x.is_nan()),
            inner: inner[at],
            suboptimality: (f - truth.optimum) / truth.optimum,
            test: f,
            validation: validation[shown],
        });
    }
    Ok(out)
}
