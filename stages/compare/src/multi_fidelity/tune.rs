//! One tuner on all data sets: the learner that each run has chosen when so much is spent.

use std::{collections::BTreeSet, marker::PhantomData};

use driver::{Budget, Search, Told};
use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::{
    multi_fidelity::brackets::Budgets,
    tuner::{Fidelity, Tuner},
};

use super::{
    arm::Arm,
    tables::{Choice, PartTraining},
    task::{Task, tasks},
};

/// The runs of a tuner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The parts.
    pub budgets: Budgets,
    /// Trainings on the whole whose price is spent when the choice is looked at, in ascending order.
    pub spent: Vec<u32>,
    /// Runs on each data set.
    pub runs: u32,
}

/// A tuner on all data sets.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TuneParts<A> {
    /// Its runs.
    pub runs: Runs,
    /// The tuner that the stage kind runs.
    #[serde(skip)]
    arm: PhantomData<fn() -> A>,
}

/// The trainings that are looked up.
pub const PARTS: In<PartTraining> = In::new("parts");
/// The choices of every run.
pub const MAIN: Out<Choice> = Out::table("main");

impl<A: Arm> TuneParts<A> {
    /// The stage of these runs.
    #[must_use]
    pub fn new(runs: Runs) -> Self {
        Self { runs, arm: PhantomData }
    }
}

impl<A: Arm> Stage for TuneParts<A> {
    const KIND: &'static str = A::KIND;
    const MODULE: &'static str = A::MODULE;

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut choices = Vec::new();
        for task in tasks(&PARTS.read(cx)?) {
            let space = task.space().map_err(Stop::failed)?;
            for run in 0..self.runs.runs {
                let mut tuner = A::tuner(space.clone(), self.runs.budgets).map_err(Stop::failed)?;
                let mut rngs = Rngs::of(cx, &task, run)?;
                let steps = self.runs.search(&task, tuner.as_mut(), &mut rngs)?;
                choices.extend(self.runs.choices(&task, &steps, (A::NAME, run)));
            }
        }
        MAIN.write(cx, &choices)
    }
}

/// The random numbers of a run.
pub(super) struct Rngs {
    /// For the tuner.
    pub(super) ask: ChaCha12Rng,
    /// For the recorded trainings.
    look_up: ChaCha12Rng,
}

impl Rngs {
    /// Those of a run on a task, the same for all tuners.
    pub(super) fn of(cx: &Context, task: &Task, run: u32) -> Result<Self, Stop> {
        let rng = |what: &str| cx.rng(&format!("{what} {} {run}", task.data_set));
        Ok(Self { ask: rng("ask")?, look_up: rng("look up")? })
    }
}

/// A run after one of its trainings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// Spent so far, in trainings on the whole.
    spent: f64,
    /// The time of all trainings so far, in seconds.
    seconds: f64,
    /// The divisor of the largest part so far.
    divisor: u64,
    /// The lowest validation error on it.
    lowest: f64,
    /// The learner that has it.
    learner: usize,
    /// Different learners so far, on any part and on the whole.
    learners: [u32; 2],
}

/// Sums of 1/k have rounding errors.
const ROUNDING: f64 = 1e-6;

impl Runs {
    /// The price that a run may spend.
    pub(crate) fn most(&self) -> f64 {
        self.spent.last().map_or(0.0, |last| f64::from(*last))
    }

    /// A run, until the budget is spent or the tuner has nothing more to ask. The tuner is told prices in trainings on
    /// the whole.
    pub(super) fn search(
        &self,
        task: &Task,
        tuner: &mut dyn Tuner,
        rngs: &mut Rngs,
    ) -> Result<Vec<Step>, Stop> {
        let mut budget = Budget::new(self.most());
        let mut steps: Vec<Step> = Vec::new();
        let mut seen = [BTreeSet::new(), BTreeSet::new()];
        Search::new(tuner, &mut rngs.ask).run(usize::MAX, |suggestion, _| {
            let price = suggestion.fidelity.of(1.0);
            if !budget.take(price) {
                return Ok(None);
            }
            let learner = suggestion.config[0] as usize;
            let part = match suggestion.fidelity {
                Fidelity::Part { divisor } => Some(divisor),
                Fidelity::Probe => None,
            };
            let found = part.and_then(|divisor| {
                Some((divisor, task.look_up(learner, divisor, &mut rngs.look_up)?))
            });
            let (divisor, drawn) = found.ok_or_else(|| {
                Stop::Failed(format!("a tuner asked for what is not recorded: {suggestion:?}"))
            })?;
            let (spent, lowest) = (budget.spent(), drawn.validation);
            seen[0].insert(learner);
            if divisor == 1 {
                seen[1].insert(learner);
            }
            let learners = seen.each_ref().map(|seen| seen.len() as u32);
            let own = Step { spent, seconds: drawn.seconds, divisor, lowest, learner, learners };
            steps.push(steps.last().map_or(own, |before| before.then(own)));
            Ok(Some(Told::from(drawn.validation).spent(price)))
        })?;
        Ok(steps)
    }

    /// What a run of this tuner and number had chosen when so much was spent.
    pub(super) fn choices(
        &self,
        task: &Task,
        steps: &[Step],
        (tuner, run): (&str, u32),
    ) -> Vec<Choice> {
        let choice = |&spent: &u32| {
            let limit = f64::from(spent) + ROUNDING;
            let done = steps.partition_point(|step| step.spent <= limit);
            let step = steps[..done].last()?;
            Some(Choice {
                data_set: task.data_set,
                tuner: tuner.to_owned(),
                run,
                spent,
                trainings: done as u32,
                learners: step.learners[0],
                learners_on_the_whole: step.learners[1],
                learner: task.name(step.learner).to_owned(),
                divisor: step.divisor,
                excess: task.excess(step.learner),
                seconds: step.seconds,
            })
        };
        self.spent.iter().filter_map(choice).collect()
    }
}

impl Step {
    /// The run after `next`, a training by itself: what counts is the largest part so far, and on it the lowest error; of
    /// equals the first.
    fn then(self, next: Self) -> Self {
        let (spent, seconds) = (next.spent, self.seconds + next.seconds);
        let learners = next.learners;
        let better = next.divisor < self.divisor
            || (next.divisor == self.divisor && next.lowest < self.lowest);
        Self { spent, seconds, learners, ..if better { next } else { self } }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;
    use tuners::multi_fidelity::brackets::{Arithmetic, Sizes};

    use super::*;
    use crate::multi_fidelity::{list, task::tests::rows};

    const BUDGETS: Budgets = Budgets {
        minimum: 1,
        maximum: 9,
        eta: 3,
        arithmetic: Arithmetic::Exact,
        sizes: Sizes::Paper,
    };

    fn runs(spent: &[u32]) -> Runs {
        Runs { budgets: BUDGETS, spent: spent.to_vec(), runs: 1 }
    }

    fn rngs(seed: u64) -> Rngs {
        let rng = ChaCha12Rng::seed_from_u64;
        Rngs { ask: rng(seed), look_up: rng(seed + 1) }
    }

    fn steps<A: Arm>(runs: &Runs, seed: u64) -> Vec<Step> {
        let task = &tasks(&rows())[0];
        let mut tuner = A::tuner(task.space().unwrap(), runs.budgets).unwrap();
        runs.search(task, tuner.as_mut(), &mut rngs(seed)).unwrap()
    }

    #[test]
    fn the_largest_part_decides_and_on_it_the_lowest_error() {
        let step = |divisor, lowest, learner| Step {
            spent: learner as f64,
            seconds: 1.0,
            divisor,
            lowest,
            learner,
            learners: [1, 0],
        };
        let all = [step(9, 0.5, 1), step(9, 0.25, 2), step(3, 0.75, 3), step(9, 0.0, 4)];
        let mut run = all[0];
        let mut chosen = vec![run.learner];
        for next in &all[1..] {
            run = run.then(*next);
            chosen.push(run.learner);
        }
        assert_eq!((chosen, run.seconds, run.spent), (vec![1, 2, 3, 3], 4.0, 4.0));
    }

    #[test]
    fn a_run_spends_its_budget_and_no_more() {
        use crate::multi_fidelity::arms::{hyperband::HyperbandArm, random::RandomArm};

        for seed in 0..20 {
            let whole = steps::<RandomArm>(&runs(&[1, 4]), seed);
            assert_eq!(
                whole.iter().map(|step| step.spent).collect::<Vec<_>>(),
                [1.0, 2.0, 3.0, 4.0]
            );
            // Nine on 1/9, three on 1/3, one on the whole: a bracket costs three.
            let parts = steps::<HyperbandArm>(&runs(&[3]), seed);
            assert_eq!((parts.len(), parts[8].divisor, parts[12].divisor), (13, 9, 1));
            assert!((parts[12].spent - 3.0).abs() < 1e-12);
            assert!((parts[12].seconds - 27.0).abs() < 1e-12, "as long as three on the whole");
        }
    }

    /// `a` looks worst on the smallest part and is the best on the whole.
    #[test]
    fn a_choice_is_looked_at_when_so_much_is_spent() {
        use crate::multi_fidelity::arms::{
            random::RandomArm, successive_halving::SuccessiveHalvingArm,
        };

        let task = &tasks(&rows())[0];
        let (mut early, mut late) = (0.0, 0.0);
        for seed in 0..50 {
            let runs = runs(&[1, 30]);
            let halving = steps::<SuccessiveHalvingArm>(&runs, seed);
            let found = runs.choices(task, &halving, ("halving", 0));
            let told: Vec<_> = found.iter().map(|c| (c.spent, c.divisor, c.trainings)).collect();
            assert_eq!(told, [(1, 9, 9), (30, 1, 130)]);
            assert_eq!(found[0].learners_on_the_whole, 0);
            assert!(found[0].learners > 1 && found[1].learners >= found[1].learners_on_the_whole);
            early += found[0].excess;
            late += found[1].excess;
            // Random search has drawn `a` in 30 trials, and no other learner is ever as good.
            let whole = steps::<RandomArm>(&runs, seed);
            let last = runs.choices(task, &whole, ("random", 0)).pop().unwrap();
            assert_eq!((last.excess, last.learner.as_str()), (0.0, "a"));
        }
        assert!(
            early > 0.0 && late > 0.0,
            "{early} {late}: halving leaves out what looks bad first"
        );
    }

    #[test]
    fn every_tuner_asks_for_what_is_recorded() {
        let task = &tasks(&rows())[0];
        for listed in list::TUNERS {
            let mut tuner = (listed.tuner)(task.space().unwrap(), BUDGETS).unwrap();
            let found = runs(&[12]).search(task, tuner.as_mut(), &mut rngs(3)).unwrap();
            assert!(found.last().unwrap().spent > 11.0, "{}", listed.name);
        }
    }
}
