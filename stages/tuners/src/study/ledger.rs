//! The trials of a study and the order in which its tuner is asked and told.

use std::collections::{BTreeMap, BTreeSet};

use numerics::space::Space;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

use super::{Answer, Error, Mode, Settings, conditions::Conditions};
use crate::{
    method::Method,
    tuner::{Fidelity, Suggestion, Trial, Tuner},
};

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The loss, or the statistic of a probe; `None` if the evaluation failed, which counts as the worst.
    pub value: Option<f64>,
    /// What the evaluation cost, finite and not negative, in the same unit for all trials; for tuners that use it.
    pub cost: Option<f64>,
}

impl From<f64> for Outcome {
    /// A loss; NaN and infinities are failures.
    fn from(value: f64) -> Self {
        Self { value: Some(value).filter(|v| v.is_finite()), cost: None }
    }
}

/// Where a trial is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// Suggested, not yet handed out.
    Ready,
    /// Handed out and given back.
    Back,
    /// With a worker.
    Out,
    /// Told.
    Told(Outcome),
}

/// A trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its configuration and fidelity.
    pub suggestion: Suggestion,
    /// The trial of the same configuration at the next lower fidelity, whose training it may go on with.
    pub continues: Option<u64>,
    /// Where it is.
    pub state: State,
}

impl Record {
    /// The loss; `None` if the trial failed or was not told.
    pub fn value(&self) -> Option<f64> {
        if let State::Told(outcome) = self.state { outcome.value } else { None }
    }
}

/// A trial to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Its number, configuration and fidelity.
    pub suggestion: Suggestion,
    /// The trial of the same configuration at the next lower fidelity, whose training it may go on with.
    pub continues: Option<u64>,
}

impl Assignment {
    /// The number to tell.
    pub fn id(&self) -> u64 {
        self.suggestion.id
    }

    /// One number per parameter: categories by index, whole numbers as themselves.
    pub fn config(&self) -> &[f64] {
        &self.suggestion.config
    }

    /// How much of a resource of this size the evaluation gets; 0 for a probe.
    pub fn resource(&self, full: f64) -> f64 {
        self.suggestion.fidelity.of(full)
    }
}

/// Trials, and the tuner that suggests them.
pub(super) struct Ledger {
    conditions: Conditions,
    tuner: Box<dyn Tuner>,
    rng: ChaCha12Rng,
    mode: Mode,
    records: Vec<Record>,
    /// To be handed out, lowest number first.
    ready: BTreeSet<u64>,
    /// Trials whose outcome is not known.
    open: usize,
    /// Those before it were told to the tuner (in rounds).
    settled: usize,
    /// The last trial of a configuration at part of the resource, by the bits of its values.
    partial: BTreeMap<Vec<u64>, u64>,
}

impl Ledger {
    pub(super) fn new(space: Space, method: Method, settings: &Settings) -> Result<Self, Error> {
        if settings.mode == (Mode::Rounds { size: 0 }) {
            return Err(Error::EmptyRound);
        }
        Ok(Self {
            tuner: method.tuner(space.clone())?,
            conditions: Conditions::new(space, &settings.conditions)?,
            rng: ChaCha12Rng::seed_from_u64(settings.seed),
            mode: settings.mode,
            records: Vec::new(),
            ready: BTreeSet::new(),
            open: 0,
            settled: 0,
            partial: BTreeMap::new(),
        })
    }

    pub(super) fn space(&self) -> &Space {
        self.conditions.space()
    }

    pub(super) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    pub(super) fn out(&self) -> Vec<u64> {
        let out =
            |(id, record): (usize, &Record)| (record.state == State::Out).then_some(id as u64);
        self.records.iter().enumerate().filter_map(out).collect()
    }

    /// Hands out the next trial with a number below `total`.
    pub(super) fn next(&mut self, total: u64) -> Answer {
        if self.ready.is_empty() && (self.records.len() as u64) < total {
            let size = match self.mode {
                Mode::Rounds { .. } if self.open > 0 => return Answer::Wait,
                Mode::Rounds { size } => size,
                Mode::Asynchronous => 1,
            };
            for _ in 0..size {
                let Some(suggestion) = self.tuner.ask(&mut self.rng) else { break };
                self.add(suggestion);
            }
            if self.ready.is_empty() {
                return if self.open > 0 { Answer::Wait } else { Answer::Done };
            }
        }
        let Some(&id) = self.ready.first().filter(|id| **id < total) else { return Answer::Done };
        self.ready.remove(&id);
        let record = &mut self.records[id as usize];
        record.state = State::Out;
        let (suggestion, continues) = (record.suggestion.clone(), record.continues);
        Answer::Trial(Assignment { suggestion, continues })
    }

    fn add(&mut self, mut suggestion: Suggestion) {
        self.conditions.settle(&mut suggestion.config);
        let id = self.records.len() as u64;
        let bits = || suggestion.config.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let divisor = match suggestion.fidelity {
            Fidelity::Probe => u64::MAX,
            Fidelity::Part { divisor } => divisor,
        };
        let lower = |other: u64| match self.records[other as usize].suggestion.fidelity {
            Fidelity::Probe => true,
            Fidelity::Part { divisor: before } => before > divisor,
        };
        let mut continues = None;
        if divisor > 1 || !self.partial.is_empty() {
            let bits = bits();
            continues = self.partial.get(&bits).copied().filter(|other| lower(*other));
            if divisor > 1 {
                self.partial.insert(bits, id);
            }
        }
        self.records.push(Record { suggestion, continues, state: State::Ready });
        self.ready.insert(id);
        self.open += 1;
    }

    /// Whether a trial may be told.
    pub(super) fn may_tell(&self, id: u64) -> Result<(), Error> {
        match self.records.get(id as usize).map(|record| record.state) {
            None | Some(State::Ready) => Err(Error::Unknown { id }),
            Some(State::Told(_)) => Err(Error::AlreadyTold { id }),
            Some(State::Out | State::Back) => Ok(()),
        }
    }

    pub(super) fn tell(&mut self, id: u64, outcome: Outcome) -> Result<(), Error> {
        self.may_tell(id)?;
        self.ready.remove(&id);
        self.records[id as usize].state = State::Told(outcome);
        self.open -= 1;
        match self.mode {
            Mode::Asynchronous => self.pass_on(id as usize, outcome),
            Mode::Rounds { .. } if self.open > 0 => {}
            Mode::Rounds { .. } => {
                for at in self.settled..self.records.len() {
                    if let State::Told(outcome) = self.records[at].state {
                        self.pass_on(at, outcome);
                    }
                }
                self.settled = self.records.len();
            }
        }
        Ok(())
    }

    fn pass_on(&mut self, at: usize, outcome: Outcome) {
        let suggestion = self.records[at].suggestion.clone();
        if let Some(cost) = outcome.cost {
            self.tuner.spent(suggestion.id, cost);
        }
        self.tuner.tell(Trial { suggestion, value: outcome.value.unwrap_or(f64::NAN) });
    }

    /// Whether a trial may be given back.
    pub(super) fn may_give_back(&self, id: u64) -> Result<(), Error> {
        self.may_tell(id)?;
        let out = self.records[id as usize].state == State::Out;
        if out { Ok(()) } else { Err(Error::NotOut { id }) }
    }

    pub(super) fn give_back(&mut self, id: u64) -> Result<(), Error> {
        self.may_give_back(id)?;
        self.records[id as usize].state = State::Back;
        self.ready.insert(id);
        Ok(())
    }
}
