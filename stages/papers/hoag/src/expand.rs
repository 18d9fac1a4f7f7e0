//! Expands the config to the stages of HOAG.

mod theorems;

use kit::{
    claims::wiring::Source,
    data_sets::source,
    wire::{self, Handle, Wire, gather_any},
};
use models::bilevel::logistic::Penalty;
use pipeline::{
    error::{Error, Result},
    graph::{Builder, Draft},
    seed::Seed,
};
use tuners::{
    bayesian::smbo::SmboSettings,
    gradient::{
        hoag_rules::{HoagRules, Sequence},
        iterdiff::IterdiffSettings,
    },
};

use super::{
    config::{HoagConfig, Problem},
    problem::{self, Model, ProblemSpec},
    stages::{
        claims::HoagCriteria, curves::Curves, exact::Exact, gradient_error::GradientError,
        grid_run::GridRun, hoag_run::HoagRun, iterdiff_run::IterdiffRun, landscape::Landscape,
        random_run::RandomRun, smbo_run::SmboRun, split::Split, stationarity::Stationarity,
    },
    tables::{
        curves::RunName,
        split::Part,
        trace::{Clock, Step},
    },
    trace,
    verdicts::evidence::{CURVES, GRADIENT_ERROR, LANDSCAPE, Place, STATIONARITY, TIMES},
};

/// Adds the stages under one root seed.
pub(super) fn add(values: &HoagConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    for (name, problem) in &values.problems {
        Expansion { values, name, problem, builder }.expand()?;
    }
    gather(values, builder)
}

/// How claims are judged at these sizes.
pub(super) fn criteria(values: &HoagConfig, paper: &HoagConfig) -> HoagCriteria {
    let places = values.problems.iter().map(|(name, problem)| Place {
        name: name.clone(),
        in_paper: problem.in_paper,
        model: problem.model,
        reduced: values.reduced(problem, paper, name),
        reading_of: problem.reading_of.clone(),
    });
    HoagCriteria {
        headline: values.headline.clone(),
        theorem_2: values.theorem_2.clone(),
        variants: values.variants.clone(),
        problems: places.collect(),
    }
}

/// One table a figure, across the problems: what the claims rest on.
fn gather(values: &HoagConfig, builder: &mut Builder) -> Result<Vec<Source>> {
    let details =
        || values.problems.iter().filter(|(_, problem)| problem.detail).map(|(name, _)| name);
    let curves = values.problems.keys().map(|name| (name, format!("hoag/{name}/curves")));
    let all = curves.clone().map(|(name, stage)| (name.clone(), Curves::MAIN.of(stage)));
    let curves_table = gather_any(builder, "hoag/figures/convergence", &Curves::MAIN, all)?;
    let all = details()
        .map(|name| (name.clone(), GradientError::MAIN.of(format!("hoag/{name}/gradient-error"))));
    let errors = gather_any(builder, "hoag/figures/gradient-error", &GradientError::MAIN, all)?;
    let all =
        details().map(|name| (name.clone(), Landscape::MAIN.of(format!("hoag/{name}/landscape"))));
    let landscapes = gather_any(builder, "hoag/figures/landscape", &Landscape::MAIN, all)?;
    let all = curves.map(|(name, stage)| (name.clone(), Curves::TIMES.of(stage)));
    let times = gather_any(builder, "hoag/figures/times", &Curves::TIMES, all)?;
    let mut all = Vec::new();
    for (name, problem) in &values.problems {
        for rules in long_rules(values, problem) {
            for split in 0..problem.long_splits {
                let stage = format!("hoag/{name}/stationarity{}/split={split}", at(values, rules));
                all.push((format!("{name} {rules} {split}"), Stationarity::MAIN.of(stage)));
            }
        }
    }
    let ends = gather_any(builder, "hoag/figures/stationarity", &Stationarity::MAIN, all)?;
    Ok(vec![
        Source::new(&CURVES, &curves_table),
        Source::new(&TIMES, &times),
        Source::new(&GRADIENT_ERROR, &errors),
        Source::new(&LANDSCAPE, &landscapes),
        Source::new(&STATIONARITY, &ends),
    ])
}

/// The configurations with long runs: all on the small problems outside the paper, only the headline and
/// Theorem 2's on the paper's own.
fn long_rules<'a>(values: &'a HoagConfig, problem: &Problem) -> Vec<&'a String> {
    let variants = values.variants.iter().filter(|_| !problem.in_paper);
    [&values.headline, &values.theorem_2].into_iter().chain(variants).collect()
}

/// The part of a stage's name that distinguishes configurations; empty for the headline.
fn at(values: &HoagConfig, rules: &str) -> String {
    if rules == values.headline { String::new() } else { format!("@{rules}") }
}

/// The outputs of a tuning run.
#[derive(Clone)]
struct Traced {
    steps: Handle<Step>,
    clocks: Handle<Clock>,
}

struct Expansion<'a, 'b, 'k> {
    values: &'a HoagConfig,
    name: &'a str,
    problem: &'a Problem,
    builder: &'b mut Builder<'k>,
}

impl Expansion<'_, '_, '_> {
    fn stage(&self, tail: &str) -> String {
        format!("hoag/{}/{tail}", self.name)
    }

    fn split(&self, split: u64) -> String {
        self.stage(&format!("split={split}"))
    }

    fn seed(&self, label: &str, split: u64) -> Seed {
        Seed::new(self.values.root_seed, &format!("hoag/{label}"), split)
    }

    fn spec(&self, penalty: Penalty) -> ProblemSpec {
        let Problem { model, scaling, distance, .. } = *self.problem;
        ProblemSpec { model, scaling, penalty, distance }
    }

    /// The rules of a preset for this problem: the code has a separate variant for kernels.
    fn rules(&self, name: &str) -> Result<HoagRules> {
        let kernel = self.problem.model == Model::KernelRidge && name.starts_with("code");
        HoagRules::preset(if kernel { "code-kernel" } else { name })
            .ok_or_else(|| Error::usage(format!("no configuration of HOAG is named {name}")))
    }

    fn dimensions(&self) -> usize {
        match self.problem.model {
            Model::Logistic => 1,
            Model::KernelRidge => 2,
            Model::Multinomial => {
                let shape = data::find(&self.problem.data_set).map(|entry| entry.shape);
                shape.map_or(0, |shape| shape.features * shape.classes.unwrap_or(0))
            }
        }
    }

    fn expand(&mut self) -> Result<()> {
        source::add(self.builder, self.stage("data"), &self.problem.data_set)?;
        for split in 0..self.problem.splits {
            self.add_split(self.split(split), self.problem.rows, split)?;
        }
        self.compare()?;
        self.long_runs()?;
        if self.problem.detail {
            self.details()?;
        }
        Ok(())
    }

    fn add_split(&mut self, name: String, rows: usize, split: u64) -> Result<()> {
        let label = format!("split {}", self.problem.data_set);
        let seed = Seed::new(self.values.root_seed, &label, split);
        let stage = Split { model: self.problem.model, rows };
        let data = self.stage("data");
        wire::stored(self.builder.add(name, &stage)?.seed(seed), &data);
        Ok(())
    }

    /// Every method on every split, the true values of f, and the curves computed from both.
    fn compare(&mut self) -> Result<()> {
        let mut runs: Vec<(RunName, Traced)> = Vec::new();
        for split in 0..self.problem.splits {
            for method in &self.problem.methods {
                let hoag = method.starts_with("hoag-");
                let variants = self
                    .values
                    .variants
                    .iter()
                    .filter(|_| hoag && split < self.problem.variant_splits);
                for rules in std::iter::once(&self.values.headline).chain(variants) {
                    let name =
                        self.stage(&format!("{method}{}/split={split}", at(self.values, rules)));
                    let traced = self.run(&name, method, rules, split)?;
                    let split = u32::try_from(split).unwrap_or(u32::MAX);
                    let run = RunName { rules: rules.clone(), method: method.clone(), split };
                    runs.push((run, traced));
                }
            }
        }
        // With very many hyper-parameters the true f is not computed.
        let known = self.problem.model != Model::Multinomial;
        let mut truths = Vec::new();
        for split in (0..self.problem.splits).filter(|_| known) {
            let exact = Exact {
                problem: self.spec(Penalty::Full),
                bound: self.values.black_box.bound,
                memory_mib: self.problem.memory_mib,
            };
            let name = self.stage(&format!("exact/split={split}"));
            let (data, parts) = (self.stage("data"), Split::MAIN.of(self.split(split)));
            let draft = self.builder.add(name, &exact)?;
            read_split(draft, &data, &parts);
            for (run, traced) in runs.iter().filter(|(run, _)| u64::from(run.split) == split) {
                let name = format!("{} {}", run.rules, run.method);
                draft.reads(&Exact::RUNS.at(name), &traced.steps);
            }
            truths.push((split, draft.gives(&Exact::MAIN), draft.gives(&Exact::OPTIMUM)));
        }
        let curves = Curves {
            problem: self.name.to_owned(),
            runs: runs.iter().map(|(run, _)| run.clone()).collect(),
        };
        let draft = self.builder.add(self.stage("curves"), &curves)?;
        for (i, (_, traced)) in runs.iter().enumerate() {
            draft.reads(&Curves::TRACES.at(i), &traced.steps);
            draft.reads(&Curves::CLOCKS.at(i), &traced.clocks);
        }
        for (split, exact, optimum) in &truths {
            draft.reads(&Curves::EXACT.at(split), exact);
            draft.reads(&Curves::OPTIMA.at(split), optimum);
        }
        Ok(())
    }

    fn run(&mut self, name: &str, method: &str, rules: &str, split: u64) -> Result<Traced> {
        let (memory_mib, black_box) = (self.problem.memory_mib, &self.values.black_box);
        let (dimensions, bound, tolerance) =
            (self.dimensions(), black_box.bound, black_box.tolerance);
        let evaluations = self.problem.evaluations;
        let full = self.spec(Penalty::Full);
        let sequence = match method {
            "hoag-exponential" => Some(Sequence::Exponential),
            "hoag-quadratic" => Some(Sequence::Quadratic),
            "hoag-cubic" => Some(Sequence::Cubic),
            "hoag-exact" => Some(Sequence::Exact),
            _ => None,
        };
        let seed = self.seed("tune", split);
        let rules = self.rules(rules)?;
        let (data, parts) = (self.stage("data"), Split::MAIN.of(self.split(split)));
        let draft = match (method, sequence) {
            (_, Some(sequence)) => {
                let mut rules = rules;
                rules.tolerances.sequence = sequence;
                rules.outer_iterations = self.problem.outer_iterations;
                let problem = self.spec(rules.penalty);
                self.builder.add(name, &HoagRun { problem, rules, memory_mib })?
            }
            ("iterdiff", _) => {
                let settings = IterdiffSettings {
                    unrolled: black_box.unrolled,
                    outer_iterations: self.problem.outer_iterations,
                    step: rules.step,
                };
                self.builder.add(name, &IterdiffRun { problem: full, settings, memory_mib })?
            }
            ("grid", _) => {
                let points = black_box.grid_points;
                let run =
                    GridRun { problem: full, dimensions, bound, tolerance, points, memory_mib };
                self.builder.add(name, &run)?
            }
            ("random", _) => {
                let run = RandomRun {
                    problem: full,
                    dimensions,
                    bound,
                    tolerance,
                    evaluations,
                    memory_mib,
                };
                self.builder.add(name, &run)?
            }
            ("smbo", _) => {
                let settings = SmboSettings::default();
                let run = SmboRun {
                    problem: full,
                    dimensions,
                    bound,
                    tolerance,
                    evaluations,
                    settings,
                    memory_mib,
                };
                self.builder.add(name, &run)?
            }
            (other, _) => return Err(Error::usage(format!("HOAG's rivals have no {other}"))),
        };
        read_split(draft.seed(seed), &data, &parts);
        Ok(Traced { steps: draft.gives(&trace::MAIN), clocks: draft.gives(&trace::TIMES) })
    }
}

/// Reads the data and one split of them, from which a problem is built.
fn read_split(draft: &mut Draft, data: &str, parts: &Handle<Part>) {
    wire::stored(draft, data);
    draft.reads(&problem::SPLIT, parts);
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
