//! A method that HyperTune is compared with, within the work of HyperTune.

use driver::Told;
use kit::port::In;
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::tuner::{Fidelity, Tuner};

use crate::{
    arm::{Arm, Budget},
    evaluation::Evaluation,
    tables::trials::Evaluated,
    task::{Run, Task},
    trials::{self, Trials},
};

/// HyperTune's run.
pub const HYPERTUNE: In<Evaluated> = In::new("hypertune");

/// One run.
///
/// DIFFERS: the paper's budgets are seconds. Here they are work as the learners count it, so that
/// results do not depend on the clock; times are measured beside it. What tuners themselves take
/// does not count. The convolutional network has a budget of a day in the paper; here it has that of
/// the others.
#[derive(Serialize, Deserialize)]
#[serde(bound = "A: Arm")]
pub struct Rival<A> {
    /// The task.
    pub task: Task,
    /// The method with its settings.
    pub method: A,
    /// Maximum number of evaluations, however little work they take.
    pub most_evaluations: usize,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl<A: Arm> Stage for Rival<A> {
    const KIND: &'static str = A::KIND;
    const MODULE: &'static str = A::MODULE;
    const OUTPUTS: &'static [Output] = trials::OUTPUTS;

    fn needs(&self) -> Needs {
        self.task.needs(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let hypertune = Trials::from(HYPERTUNE.read(cx)?);
        let chosen = hypertune.entries.iter().find(|e| e.chosen);
        let converged = chosen.map_or_else(|| hypertune.work(), |e| e.work);
        let (all, evaluations) = (hypertune.work(), self.most_evaluations);
        let trials = {
            let mut run = Run::new(&self.task, cx, 0.0)?;
            let budget = Budget { converged, all, evaluations };
            self.method.search(&mut run, budget, &mut cx.rng("ask")?)?;
            run.trials
        };
        trials.write(cx, &self.task.label)
    }
}

/// Asks until `allowed` is spent. If the remainder is too small for the last suggestion, that one does not
/// count; the first one always counts.
pub(crate) fn tune<T: Tuner>(
    run: &mut Run<'_>,
    tuner: &mut T,
    (allowed, evaluations): (f64, usize),
    rng: &mut ChaCha12Rng,
) -> Result<(), Stop> {
    run.search(tuner, rng, evaluations, |run, suggestion, _| {
        let Fidelity::Part { divisor } = suggestion.fidelity else { return Ok(None) };
        let found = run.evaluate(&suggestion.config, divisor)?;
        if run.work + found.work > allowed && !run.trials.entries.is_empty() {
            return Ok(None);
        }
        run.enter(suggestion.config.clone(), divisor, found, None);
        Ok(Some(Told::from(found.validation).spent(found.work)))
    })
}

/// Adds the reported configuration, trained on the whole training part, without counting its work.
pub(crate) fn rebuilt(run: &mut Run<'_>, config: Option<Vec<f64>>) -> Result<(), Stop> {
    let Some(config) = config else { return Ok(()) };
    let found = run.rebuild(&config)?;
    let free = Evaluation { work: 0.0, ..found };
    run.enter(config, 1, free, None);
    if let Some(last) = run.trials.entries.last_mut() {
        last.chosen = true;
    }
    Ok(())
}
