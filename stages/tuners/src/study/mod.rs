//! A search that is asked and told by any number of workers, kept in a file or in memory.
//!
//! A [`Study`] hands out trials ([`Study::ask`]) and is told what came of them ([`Study::tell`]), in any order and from
//! any number of threads ([`Study::run`]) or processes ([`Study::open`] on one file). How its tuner sees the results is
//! its [`Mode`]:
//!
//! - [`Mode::Rounds`] **is deterministic.** Which configurations at which fidelities the trials 0, 1, 2, … have follows
//!   from the space, the method, the seed, the size of a round and the losses (and costs, for tuners that use them) of
//!   these trials. It does not depend on the number of workers or processes, on which of them evaluates what, on the
//!   order or the times of tellings, on trials given back, or on how often the study was interrupted and resumed. A
//!   worker may have to wait for the others at the end of a round. It holds for one version of this library and one
//!   setting of its feature `lapack`.
//! - [`Mode::Asynchronous`] **is not deterministic with several workers**: nobody waits, each suggestion is made from
//!   what has been told so far, so that the trials depend on the order in which results arrive. With one worker it is
//!   `Rounds` of size 1.
//!
//! ```
//! use tuners::{bayesian::tpe::TpeSettings, method::Method, space::Bounds};
//! use tuners::study::{Mode, Settings, Study};
//!
//! let settings = Settings { seed: 1, mode: Mode::Rounds { size: 4 }, ..Settings::default() };
//! let method = Method::Tpe(TpeSettings::default());
//! let mut study = Study::new(Bounds::cube(2, 1.0)?.into(), method, settings)?;
//! // 60 trials, by two workers.
//! study.run(60, 2, |trial| trial.config().iter().map(|x| x * x).sum::<f64>())?;
//! assert!(study.best().is_some_and(|best| best.value().is_some_and(|loss| loss < 0.1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conditions;
mod error;
mod journal;
mod ledger;
mod run;

use std::{collections::BTreeSet, path::Path};

use numerics::space::{Parameter, Space};
use serde::{Deserialize, Serialize};

use crate::{method::Method, tuner::Fidelity};
pub use conditions::Condition;
pub use error::Error;
use journal::{Event, Journal};
use ledger::Ledger;
pub use ledger::{Assignment, Outcome, Record, State};

/// The version of the file's format.
const FORMAT: u32 = 1;

/// How the tuner sees the results of several workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Mode {
    /// Trials are made in rounds, and the tuner is told the results of a round when all are there, in the order of the
    /// trials. The same seed and size give the same trials at any number of workers.
    Rounds {
        /// Trials per round, at least 1; the number of workers or more, so that all have something to do. Fewer where
        /// the tuner needs results first.
        size: usize,
    },
    /// The tuner is told each result at once. With several workers the trials depend on the order in which results
    /// arrive.
    Asynchronous,
}

/// What makes a study, beside its space and its method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// All randomness comes from it.
    pub seed: u64,
    /// How the tuner sees results.
    pub mode: Mode,
    /// A text that is kept with the study and has to be the same when it is opened again, such as the names of
    /// categories.
    pub note: String,
    /// Which parameters are active only where others have certain values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

impl Default for Settings {
    /// Seed 0, rounds of one trial.
    fn default() -> Self {
        let (note, conditions) = (String::new(), Vec::new());
        Self { seed: 0, mode: Mode::Rounds { size: 1 }, note, conditions }
    }
}

/// The first line of a study's file.
#[derive(Debug, Serialize)]
struct Header<'a> {
    format: u32,
    space: &'a [Parameter],
    method: Method,
    settings: &'a Settings,
}

/// What a worker gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A trial to evaluate.
    Trial(Assignment),
    /// None until trials that are out have been told.
    Wait,
    /// None: the tuner has no more to ask, or the wanted number has been handed out.
    Done,
}

/// A search: its trials, its tuner, and the file that it is kept in, if any.
pub struct Study {
    ledger: Ledger,
    journal: Option<Journal>,
    /// Trials that are out with this process.
    own: BTreeSet<u64>,
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Study")
            .field("trials", &self.ledger.records().len())
            .finish_non_exhaustive()
    }
}

impl Study {
    /// A study in memory.
    ///
    /// # Errors
    /// If a setting of the method is out of range, a condition does not fit the space, or a round has no trials.
    pub fn new(space: Space, method: Method, settings: Settings) -> Result<Self, Error> {
        Ok(Self {
            ledger: Ledger::new(space, method, &settings)?,
            journal: None,
            own: BTreeSet::new(),
        })
    }

    /// The study in a file, which is begun if it is not there. Several processes may have it open.
    ///
    /// Everything asked and told is a line of the file, with a checksum that covers the lines before, and is on the disk
    /// before a call returns. What a process was writing when it was killed is dropped; what it had been told is there.
    /// Trials that were out with processes that have ended are handed out again once no process has the study open.
    /// Opening it asks the tuner for everything again, so it takes as long as the suggestions had taken.
    ///
    /// Beside the file lies an empty one, `PATH.lock`, by which processes know of each other.
    ///
    /// # Errors
    /// As [`Study::new`]; if the file cannot be read, locked or written, is of another space, method or settings, or
    /// is damaged.
    pub fn open(
        path: &Path,
        space: Space,
        method: Method,
        settings: Settings,
    ) -> Result<Self, Error> {
        let parameters = space.parameters().to_vec();
        let header = Header { format: FORMAT, space: &parameters, method, settings: &settings };
        let header = serde_json::to_string(&header).map_err(|e| Error::header(path, &e))?;
        let ledger = Ledger::new(space, method, &settings)?;
        let journal = Some(Journal::open(path, &header)?);
        let mut study = Self { ledger, journal, own: BTreeSet::new() };
        study.reclaim()?;
        Ok(study)
    }

    /// Gives the trials back that are out with other processes, if these have ended: if no other process has the study
    /// open. Opening a study does so, and [`Study::run`] while it waits. Where one of three or more processes was
    /// killed, [`Study::give_back`] what it had.
    ///
    /// # Errors
    /// If the study's file cannot be read, locked or written, or is damaged.
    pub fn reclaim(&mut self) -> Result<(), Error> {
        self.locked(|study| {
            if !study.journal.as_mut().map_or(Ok(false), Journal::alone)? {
                return Ok(());
            }
            for id in study
                .ledger
                .out()
                .into_iter()
                .filter(|id| !study.own.contains(id))
                .collect::<Vec<_>>()
            {
                study.keep(Event::Back { id })?;
                study.ledger.give_back(id)?;
            }
            Ok(())
        })
    }

    /// The next trial to evaluate.
    ///
    /// # Errors
    /// If the study's file cannot be read or written, or is damaged.
    pub fn ask(&mut self) -> Result<Answer, Error> {
        self.ask_below(u64::MAX)
    }

    /// As [`Study::ask`], among the trials with numbers below `total`.
    ///
    /// # Errors
    /// As [`Study::ask`].
    pub fn ask_below(&mut self, total: u64) -> Result<Answer, Error> {
        self.locked(|study| {
            let answer = study.ledger.next(total);
            if let Answer::Trial(Assignment { suggestion, .. }) = &answer {
                study.keep(Event::asked(suggestion))?;
                study.own.insert(suggestion.id);
            }
            Ok(answer)
        })
    }

    /// Records what came of a trial: its loss (NaN or infinite if it failed, which counts as the worst), or an
    /// [`Outcome`] with its cost. It may have been handed out by another process.
    ///
    /// # Errors
    /// If no such trial was handed out or it has been told already; if the study's file cannot be read or written.
    pub fn tell(&mut self, id: u64, outcome: impl Into<Outcome>) -> Result<(), Error> {
        let outcome = outcome.into();
        self.locked(|study| {
            study.ledger.may_tell(id)?;
            study.keep(Event::Told { id, outcome })?;
            study.own.remove(&id);
            study.ledger.tell(id, outcome)
        })
    }

    /// Gives a trial back that its worker will not finish: it is handed out again.
    ///
    /// # Errors
    /// If the trial is not out; if the study's file cannot be read or written.
    pub fn give_back(&mut self, id: u64) -> Result<(), Error> {
        self.locked(|study| {
            study.ledger.may_give_back(id)?;
            study.keep(Event::Back { id })?;
            study.own.remove(&id);
            study.ledger.give_back(id)
        })
    }

    /// Takes in what other processes have done meanwhile.
    ///
    /// # Errors
    /// If the study's file cannot be read or is damaged.
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.locked(|_| Ok(()))
    }

    /// All trials that were suggested, by number, as far as this process knows.
    pub fn trials(&self) -> &[Record] {
        self.ledger.records()
    }

    /// The trials that are out with workers, by number.
    pub fn pending(&self) -> Vec<u64> {
        self.ledger.out()
    }

    /// The space.
    pub fn space(&self) -> &Space {
        self.ledger.space()
    }

    /// Which parameters of a configuration are active, in the order of the space. The others have no meaning, and the
    /// middle of their range.
    pub fn active(&self, config: &[f64]) -> Vec<bool> {
        self.ledger.conditions().active(config)
    }

    /// The full evaluation with the lowest loss; the first of equals. `None` if there is none.
    pub fn best(&self) -> Option<&Record> {
        let full = self.trials().iter().filter(|r| r.suggestion.fidelity == Fidelity::FULL);
        let told = full.filter_map(|record| Some((record.value()?, record)));
        told.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, record)| record)
    }

    /// Holds the file's lock, takes in what others have written, and does something.
    fn locked<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let Some(journal) = &mut self.journal else { return act(self) };
        journal.lock()?;
        let done = self.catch_up().and_then(|()| act(self));
        if let Some(journal) = &mut self.journal {
            // What was done and not written would be missing in other processes.
            if done.as_ref().is_err_and(Error::breaks) {
                journal.give_up();
            }
            journal.unlock();
        }
        done
    }

    fn catch_up(&mut self) -> Result<(), Error> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        for (line, event) in journal.news()? {
            let unfit = |_| Error::unfit(journal.path(), line);
            match event {
                Event::Asked { suggestion } => match self.ledger.next(u64::MAX) {
                    Answer::Trial(own) if own.suggestion == suggestion => {}
                    _ => return Err(Error::other(journal.path(), line, suggestion.id)),
                },
                Event::Told { id, outcome } => self.ledger.tell(id, outcome).map_err(unfit)?,
                Event::Back { id } => self.ledger.give_back(id).map_err(unfit)?,
            }
        }
        Ok(())
    }

    fn keep(&mut self, event: Event) -> Result<(), Error> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.append(&event))
    }
}
