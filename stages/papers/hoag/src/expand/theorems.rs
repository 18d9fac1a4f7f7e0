//! The stages of Theorem 1, Theorem 2 and Figure 4.

use models::bilevel::logistic::Penalty;
use pipeline::error::Result;
use tuners::gradient::hoag_rules::Sequence;

use super::{Expansion, at, long_rules};
use crate::{
    problem,
    stages::{
        gradient_error::GradientError, hoag_run::HoagRun, landscape::Landscape,
        stationarity::Stationarity,
    },
};

const LONG: [(&str, Sequence); 3] = [
    ("hoag-exponential", Sequence::Exponential),
    ("hoag-quadratic", Sequence::Quadratic),
    ("hoag-cubic", Sequence::Cubic),
];

impl Expansion<'_, '_, '_> {
    /// The split of the long runs: that of all others, unless they have rows of their own.
    fn long_split(&self, split: u64) -> String {
        let own = self.problem.long_rows != self.problem.rows;
        if own { self.stage(&format!("split-long={split}")) } else { self.split(split) }
    }

    /// Theorem 2: runs long enough for the tolerances to become small.
    pub(super) fn long_runs(&mut self) -> Result<()> {
        if self.problem.long_rows != self.problem.rows {
            for split in 0..self.problem.long_splits {
                self.add_split(self.long_split(split), self.problem.long_rows, split)?;
            }
        }
        for rules_name in long_rules(self.values, self.problem) {
            let at = at(self.values, rules_name);
            for split in 0..self.problem.long_splits {
                let mut runs = Vec::new();
                for (method, sequence) in LONG {
                    let mut rules = self.rules(rules_name)?;
                    rules.tolerances.sequence = sequence;
                    rules.outer_iterations = self.problem.long_iterations;
                    let run = HoagRun {
                        problem: self.spec(rules.penalty),
                        rules,
                        memory_mib: self.problem.memory_mib,
                    };
                    let name = self.stage(&format!("{method}-long{at}/split={split}"));
                    let (data, parts, seed) =
                        (self.stage("data"), self.long_split(split), self.seed("tune", split));
                    problem::inputs(
                        self.builder.add(name.clone(), &run)?.seed(seed),
                        &data,
                        &parts,
                    );
                    runs.push((method, name));
                }
                let stage = Stationarity {
                    name: self.name.to_owned(),
                    rules: rules_name.clone(),
                    problem: self.spec(Penalty::Full),
                    bound: self.rules(rules_name)?.step.bound,
                    memory_mib: self.problem.memory_mib,
                };
                let name = self.stage(&format!("stationarity{at}/split={split}"));
                let (data, parts) = (self.stage("data"), self.long_split(split));
                let draft = self.builder.add(name, &stage)?;
                problem::inputs(draft, &data, &parts);
                for (method, run) in runs {
                    draft.input(format!("run {method}"), run);
                }
            }
        }
        Ok(())
    }

    /// Theorem 1 and Figure 4, on the first split.
    pub(super) fn details(&mut self) -> Result<()> {
        let (data, parts) = (self.stage("data"), self.split(0));
        let error = GradientError {
            name: self.name.to_owned(),
            problem: self.spec(Penalty::Full),
            values: self.values.gradient_error.clone(),
            memory_mib: self.problem.memory_mib,
        };
        let name = self.stage("gradient-error");
        problem::inputs(self.builder.add(name, &error)?, &data, &parts);
        let landscape = Landscape {
            name: self.name.to_owned(),
            problem: self.spec(Penalty::Full),
            bound: self.values.black_box.bound,
            values: self.values.landscape.clone(),
            memory_mib: self.problem.memory_mib,
        };
        let name = self.stage("landscape");
        problem::inputs(self.builder.add(name, &landscape)?, &data, &parts);
        Ok(())
    }
}
