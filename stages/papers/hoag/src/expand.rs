//! From the config to the stages of HOAG.

mod theorems;

use kit::{
    claims::{
        self,
        criteria::{Criteria, Source, conclude},
    },
    gather::Gather,
    source, stored,
};
use models::bilevel::logistic::Penalty;
use pipeline::{
    config::Config,
    error::{Error, Result},
    graph::Builder,
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
        claims::HoagCriteria,
        curves::{Curves, RunName},
        exact::Exact,
        grid_run::GridRun,
        hoag_run::HoagRun,
        iterdiff_run::IterdiffRun,
        random_run::RandomRun,
        smbo_run::SmboRun,
        split::Split,
    },
    verdicts::evidence::Place,
};

/// Adds every stage that the config asks for.
pub(super) fn expand(config: &Config, builder: &mut Builder) -> Result<()> {
    let values = HoagConfig::read(config)?;
    add(config, &values, builder)?;
    values.again.expand(builder, HoagCriteria::CLAIMS, |root_seed, builder| {
        let again = values.again.inside();
        add(config, &HoagConfig { root_seed, again, ..values.clone() }, builder)
    })
}

/// Adds the stages under one root seed.
fn add(config: &Config, values: &HoagConfig, builder: &mut Builder) -> Result<()> {
    for (name, problem) in &values.problems {
        Expansion { values, name, problem, builder }.expand()?;
    }
    gather(values, builder)?;
    let file = config.file().with_file_name("hoag.claims.toml");
    // The file as it stands is the paper's scale.
    let paper = HoagConfig::read(&Config::read(config.file(), "paper")?)?;
    let places = values.problems.iter().map(|(name, problem)| Place {
        name: name.clone(),
        in_paper: problem.in_paper,
        model: problem.model,
        reduced: values.reduced(problem, &paper, name),
        reading_of: problem.reading_of.clone(),
    });
    let criteria = HoagCriteria {
        headline: values.headline.clone(),
        theorem_2: values.theorem_2.clone(),
        variants: values.variants.clone(),
        problems: places.collect(),
    };
    let figures = [
        ("curves", "convergence"),
        ("times", "times"),
        ("gradient-error", "gradient-error"),
        ("landscape", "landscape"),
        ("stationarity", "stationarity"),
    ];
    let sources =
        figures.map(|(role, figure)| Source::new(role, format!("hoag/figures/{figure}"), "main"));
    let seeds = (values.root_seed, &values.again);
    conclude(builder, seeds, claims::read(&file)?, &criteria, &sources)
}

/// One table a figure, across the problems.
fn gather(values: &HoagConfig, builder: &mut Builder) -> Result<()> {
    let figures = [
        ("convergence", "curves", "main"),
        ("gradient-error", "gradient-error", "main"),
        ("landscape", "landscape", "main"),
    ];
    for (figure, stage, output) in figures {
        let draft = builder.add(format!("hoag/figures/{figure}"), &Gather::<false> {})?;
        for (name, problem) in &values.problems {
            if figure == "convergence" || problem.detail {
                draft.read(name.clone(), format!("hoag/{name}/{stage}"), output, true);
            }
        }
    }
    let draft = builder.add("hoag/figures/times", &Gather::<true> {})?;
    for name in values.problems.keys() {
        draft.read(name.clone(), format!("hoag/{name}/curves"), "times", true);
    }
    let draft = builder.add("hoag/figures/stationarity", &Gather::<false> {})?;
    for (name, problem) in &values.problems {
        for rules in long_rules(values, problem) {
            for split in 0..problem.long_splits {
                let stage = format!("hoag/{name}/stationarity{}/split={split}", at(values, rules));
                draft.read(format!("{name} {rules} {split}"), stage, "main", true);
            }
        }
    }
    Ok(())
}

/// The configurations whose long runs are made: all on the small problems outside the paper, the
/// headline and Theorem 2's on the paper's own.
fn long_rules<'a>(values: &'a HoagConfig, problem: &Problem) -> Vec<&'a String> {
    let variants = values.variants.iter().filter(|_| !problem.in_paper);
    [&values.headline, &values.theorem_2].into_iter().chain(variants).collect()
}

/// The part of a stage's name that tells configurations apart; none for the headline.
fn at(values: &HoagConfig, rules: &str) -> String {
    if rules == values.headline { String::new() } else { format!("@{rules}") }
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

    /// The rules of a preset for this problem: the code has a kernel variant of its own.
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
        stored::inputs(self.builder.add(name, &stage)?.seed(seed), &data);
        Ok(())
    }

    /// Every method on every split, the true values of f, and the curves made of both.
    fn compare(&mut self) -> Result<()> {
        let mut runs: Vec<(RunName, String)> = Vec::new();
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
                    self.run(&name, method, rules, split)?;
                    let split = u32::try_from(split).unwrap_or(u32::MAX);
                    runs.push((
                        RunName { rules: rules.clone(), method: method.clone(), split },
                        name,
                    ));
                }
            }
        }
        let known = self.problem.model != Model::Multinomial;
        for split in (0..self.problem.splits).filter(|_| known) {
            let exact = Exact {
                problem: self.spec(Penalty::Full),
                bound: self.values.black_box.bound,
                memory_mib: self.problem.memory_mib,
            };
            let (name, data, parts) = (
                self.stage(&format!("exact/split={split}")),
                self.stage("data"),
                self.split(split),
            );
            let draft = self.builder.add(name, &exact)?;
            problem::inputs(draft, &data, &parts);
            for (run, stage) in runs.iter().filter(|(run, _)| u64::from(run.split) == split) {
                draft.input(format!("run {} {}", run.rules, run.method), stage.clone());
            }
        }
        let curves = Curves {
            problem: self.name.to_owned(),
            runs: runs.iter().map(|(run, _)| run.clone()).collect(),
        };
        let (name, exact) = (self.stage("curves"), self.stage("exact"));
        let draft = self.builder.add(name, &curves)?;
        for (i, (_, stage)) in runs.iter().enumerate() {
            draft.input(format!("trace {i}"), stage.clone());
            draft.read(format!("times {i}"), stage.clone(), "times", false);
        }
        for split in (0..self.problem.splits).filter(|_| known) {
            draft.input(format!("exact {split}"), format!("{exact}/split={split}"));
            draft.read(
                format!("optimum {split}"),
                format!("{exact}/split={split}"),
                "optimum",
                false,
            );
        }
        Ok(())
    }

    fn run(&mut self, name: &str, method: &str, rules: &str, split: u64) -> Result<()> {
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
        let (data, parts) = (self.stage("data"), self.split(split));
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
        problem::inputs(draft.seed(seed), &data, &parts);
        Ok(())
    }
}
