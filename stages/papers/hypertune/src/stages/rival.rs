//! The methods that HyperTune is compared with, within the work of HyperTune.

use kit::port::In;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::{
        directed::{Directed, DirectedSettings},
        fabolas::{Fabolas, FabolasSettings},
    },
    multi_fidelity::hyperband::{Hyperband, HyperbandSettings},
    tuner::{Fidelity, Trial, Tuner},
};

use crate::{
    evaluation::Evaluation,
    tables::trials::Evaluated,
    task::{Run, Task, fail},
    trials::{self, Trials},
};

/// A method with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Method {
    /// GP-EI on the whole training part, up to HyperTune's last evaluation.
    Ei(DirectedSettings),
    /// Fabolas, whose recommendation is finally trained on the whole training part.
    Fabolas(FabolasSettings),
    /// Hyperband, with training rows as the resource.
    Hyperband(HyperbandSettings),
}

impl Method {
    /// Its name in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ei(_) => "ei",
            Self::Fabolas(_) => "fabolas",
            Self::Hyperband(_) => "hyperband",
        }
    }
}

/// One run.
///
/// DIFFERS: the paper's budgets are seconds. Here they are work as the learners count it, so that
/// results do not depend on the clock; times are measured beside it. What tuners themselves take
/// does not count. The convolutional network has a budget of a day in the paper; here it has that of
/// the others.
#[derive(Serialize, Deserialize)]
pub struct Rival {
    /// The task.
    pub task: Task,
    /// The method.
    pub method: Method,
    /// Maximum number of evaluations, however little work they take.
    pub most_evaluations: usize,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

/// The budget of a run.
struct Budget {
    /// Until HyperTune had converged.
    converged: f64,
    /// The total budget of the run.
    allowed: f64,
    evaluations: usize,
}

impl Rival {
    /// HyperTune's run.
    pub const HYPERTUNE: In<Evaluated> = In::new("hypertune");
}

impl Stage for Rival {
    const KIND: &'static str = "hypertune/rival";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trials::OUTPUTS;

    fn needs(&self) -> Needs {
        self.task.needs(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let hypertune = Trials::from(Self::HYPERTUNE.read(cx)?);
        let chosen = hypertune.entries.iter().find(|e| e.chosen);
        let converged = chosen.map_or_else(|| hypertune.work(), |e| e.work);
        let allowed = if let Method::Ei(_) = self.method { hypertune.work() } else { converged };
        let budget = Budget { converged, allowed, evaluations: self.most_evaluations };
        let trials = {
            let mut run = Run::new(&self.task, cx, 0.0)?;
            let mut rng = cx.rng("ask")?;
            let space = run.space.clone();
            match self.method {
                Method::Ei(settings) => {
                    let mut tuner = Directed::new(space, settings).map_err(fail)?;
                    tune(&mut run, &mut tuner, &budget, &mut rng)?;
                    within(&mut run.trials, budget.converged);
                }
                Method::Hyperband(settings) => {
                    let mut tuner = Hyperband::new(space, settings).map_err(fail)?;
                    tune(&mut run, &mut tuner, &budget, &mut rng)?;
                    promoted(&mut run)?;
                }
                Method::Fabolas(settings) => {
                    let mut tuner = Fabolas::new(space, settings).map_err(fail)?;
                    tune(&mut run, &mut tuner, &budget, &mut rng)?;
                    let recommended = run.tuning(|| tuner.recommend(&mut rng));
                    rebuilt(&mut run, recommended)?;
                }
            }
            run.trials
        };
        trials.write(cx, &self.task.label)
    }
}

/// Asks until the budget is spent. If the remainder is too small for the last suggestion, that one does not
/// count; the first one always counts.
fn tune(
    run: &mut Run<'_>,
    tuner: &mut dyn Tuner,
    budget: &Budget,
    rng: &mut rand_chacha::ChaCha12Rng,
) -> Result<(), Stop> {
    while run.trials.entries.len() < budget.evaluations {
        let asked = run.tuning(|| tuner.ask(rng));
        let Some(suggestion) = asked else { break };
        let Fidelity::Part { divisor } = suggestion.fidelity else { break };
        let found = run.evaluate(&suggestion.config, divisor)?;
        if run.work + found.work > budget.allowed && !run.trials.entries.is_empty() {
            break;
        }
        run.enter(suggestion.config.clone(), divisor, found, None);
        run.tuning(|| {
            tuner.spent(suggestion.id, found.work);
            tuner.tell(Trial { suggestion, value: found.validation });
        });
    }
    Ok(())
}

/// The best evaluation within `work`, or the first if that took longer.
fn within(trials: &mut Trials, work: f64) {
    let inside = trials.entries.iter().take_while(|e| e.work <= work).count().max(1);
    let lowest = trials.entries[..inside.min(trials.entries.len())]
        .iter()
        .map(|e| e.validation)
        .fold(f64::INFINITY, f64::min);
    if let Some(best) = trials.entries.iter_mut().find(|e| e.validation == lowest) {
        best.chosen = true;
    }
}

/// The best evaluation on the largest share.
fn promoted(run: &mut Run<'_>) -> Result<(), Stop> {
    let entries = &run.trials.entries;
    let Some(largest) = entries.iter().map(|e| e.divisor).min() else { return Ok(()) };
    let whole = entries.iter().enumerate().filter(|(_, e)| e.divisor == largest);
    let best = whole.min_by(|a, b| a.1.validation.total_cmp(&b.1.validation)).map(|(i, _)| i);
    let Some(best) = best else { return Ok(()) };
    if largest == 1 {
        run.trials.entries[best].chosen = true;
        Ok(())
    } else {
        let config = run.trials.entries[best].config.0.clone();
        rebuilt(run, Some(config))
    }
}

/// Adds the reported configuration, trained on the whole training part, without counting its work.
fn rebuilt(run: &mut Run<'_>, config: Option<Vec<f64>>) -> Result<(), Stop> {
    let Some(config) = config else { return Ok(()) };
    let found = run.rebuild(&config)?;
    let free = Evaluation { work: 0.0, ..found };
    run.enter(config, 1, free, None);
    if let Some(last) = run.trials.entries.last_mut() {
        last.chosen = true;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trials::Entry;

    #[test]
    fn what_comes_after_the_budget_is_not_reported() {
        let entry = |work, validation| Entry { validation, work, ..Entry::default() };
        let entries = vec![entry(1.0, 0.4), entry(2.0, 0.3), entry(3.0, 0.3), entry(4.0, 0.1)];
        let chosen = |work| {
            let mut trials = Trials { entries: entries.clone(), ..Trials::default() };
            within(&mut trials, work);
            trials.entries.iter().position(|e| e.chosen)
        };
        assert_eq!([0.5, 1.5, 3.0, 9.0].map(chosen), [Some(0), Some(0), Some(1), Some(3)]);
    }
}
