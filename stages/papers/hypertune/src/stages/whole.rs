//! HyperTune on the whole training part, after its subset searches (\[Joy2019\] Algorithm 2).

use kit::port::Many;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::bayesian::hypertune::{HyperTune, HyperTuneSettings};

use crate::{
    tables::trials::Evaluated,
    task::{Run, Task, fail},
    trials::{self, Trials},
};

/// The search.
#[derive(Serialize, Deserialize)]
pub struct Whole {
    /// The task.
    pub task: Task,
    /// HyperTune.
    pub settings: HyperTuneSettings,
    /// Number of evaluations on the whole training part.
    pub iterations: usize,
    /// An improvement counts if it is above this many standard deviations of the noise.
    pub settled: f64,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Whole {
    /// The subset searches.
    pub const SUBSETS: Many<Evaluated> = Many::new("subset ");
}

impl Stage for Whole {
    const KIND: &'static str = "hypertune/whole";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trials::OUTPUTS;

    fn needs(&self) -> Needs {
        self.task.needs(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let searches: Vec<Trials> =
            Self::SUBSETS.read(cx)?.into_iter().map(|(_, rows)| rows.into()).collect();
        let before: f64 = searches.iter().map(Trials::work).sum();
        let best = |search: &Trials| search.best().map(|e| e.config.0.clone());
        let optima: Vec<Vec<f64>> = searches.iter().filter_map(best).collect();
        let trials = {
            let mut run = Run::new(&self.task, cx, before)?;
            let space = run.space.clone();
            let made = HyperTune::resume(space, self.settings, &optima, &mut cx.rng("signs")?);
            let mut tuner = made.map_err(fail)?;
            let mut rng = cx.rng("ask")?;
            run.search(&mut tuner, &mut rng, self.iterations, |run, suggestion, tuner| {
                let found = run.evaluate(&suggestion.config, 1)?;
                run.enter(suggestion.config.clone(), 1, found, tuner.noise());
                Ok(Some(found.validation.into()))
            })?;
            let mut trials = run.trials;
            if let Some(end) = converged(&trials, self.settled) {
                trials.entries[end].chosen = true;
            }
            trials
        };
        trials.write(cx, &self.task.label)
    }
}

/// The evaluation at which the run had converged: the first one whose error is within `settled` standard
/// deviations of the noise of the lowest. The work until then is the budget of all methods.
///
/// DIFFERS: the paper runs until improvements stay within 2σ and does not say for how long it looks;
/// here the run has a fixed length, and the rule finds the point of convergence in it.
fn converged(trials: &Trials, settled: f64) -> Option<usize> {
    let lowest = trials.best()?.validation;
    let variance = trials.entries.iter().rev().find_map(|e| e.noise).unwrap_or(0.0);
    let noise = variance.sqrt();
    // An evaluation within the tolerance has a held-out error only if it was a new best at the time.
    let near = |e: &trials::Entry| e.held_out.is_some() && e.validation <= lowest + settled * noise;
    trials.entries.iter().position(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trials::Entry;

    #[test]
    fn a_run_has_converged_where_the_rest_is_noise() {
        let entry = |validation: f64, new: bool| Entry {
            validation,
            held_out: new.then_some(validation),
            noise: Some(1e-6),
            ..Entry::default()
        };
        let entries =
            vec![entry(0.5, true), entry(0.211, true), entry(0.212, false), entry(0.21, true)];
        let trials = Trials { entries, ..Trials::default() };
        // The standard deviation of the noise is 0.001.
        assert_eq!(converged(&trials, 2.0), Some(1));
        assert_eq!(converged(&trials, 0.5), Some(3));
        assert_eq!(converged(&Trials::default(), 2.0), None);
    }
}
