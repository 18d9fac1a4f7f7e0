//! The stages of Theorem 1, Theorem 2 and Figure 4.

use kit::wire::Wire;
use models::bilevel::logistic::Penalty;
use pipeline::error::Result;
use tuners::gradient::hoag_rules::Sequence;

use super::{Expansion, at, long_rules, read_split};
use crate::{
    stages::{
        gradient_error::GradientError, hoag_run::HoagRun, landscape::Landscape, split::Split,
        stationarity::Stationarity,
    },
    trace,
};

const LONG: [(&str, Sequence); 3] = [
    ("hoag-exponential", Sequence::Exponential),
    ("hoag-quadratic", Sequence::Quadratic),
    ("hoag-cubic", Sequence::Cubic),
];

impl Expansion<'_, '_, '_> {
    /// The split of the long runs: that of the other runs, unless they have their own rows.
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
                let (data, parts) = (self.stage("data"), Split::MAIN.of(self.long_split(split)));
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
                    let seed = self.seed("tune", split);
                    let draft = self.builder.add(name, &run)?.seed(seed);
                    read_split(draft, &data, &parts);
                    runs.push((method, draft.gives(&trace::MAIN)));
                }
                let stage = Stationarity {
                    name: self.name.to_owned(),
                    rules: rules_name.clone(),
                    problem: self.spec(Penalty::Full),
                    bound: self.rules(rules_name)?.step.bound,
                    memory_mib: self.problem.memory_mib,
                };
                let name = self.stage(&format!("stationarity{at}/split={split}"));
                let draft = self.builder.add(name, &stage)?;
                read_split(draft, &data, &parts);
                for (method, run) in runs {
                    draft.reads(&Stationarity::RUNS.at(method), &run);
                }
            }
        }
        Ok(())
    }

    /// Theorem 1 and Figure 4, on the first split.
    pub(super) fn details(&mut self) -> Result<()> {
        let (data, parts) = (self.stage("data"), Split::MAIN.of(self.split(0)));
        let error = GradientError {
            name: self.name.to_owned(),
            problem: self.spec(Penalty::Full),
            values: self.values.gradient_error.clone(),
            memory_mib: self.problem.memory_mib,
        };
        let name = self.stage("gradient-error");
        read_split(self.builder.add(name, &error)?, &data, &parts);
        let landscape = Landscape {
            name: self.name.to_owned(),
            problem: self.spec(Penalty::Full),
            bound: self.values.black_box.bound,
            values: self.values.landscape.clone(),
            memory_mib: self.problem.memory_mib,
        };
        let name = self.stage("landscape");
        read_split(self.builder.add(name, &landscape)?, &data, &parts);
        Ok(())
    }
}
