//! A tuner that asks a process.

use std::{process::Command, time::Duration};

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use tuners::tuner::{Suggestion, Trial, Tuner};

use crate::{
    error::{Error, Result},
    message::{self, PROTOCOL, Reply, Request},
    process::Process,
};

/// What an optimiser is started with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// All its randomness has to come from it.
    pub seed: u64,
    /// How many full evaluations may be spent, in sum.
    pub budget: f64,
    /// The least part of a full evaluation that may be asked for: 1 / `divisor`.
    pub divisor: u64,
    /// How long it gets for an answer.
    pub limit: Duration,
}

/// An optimiser in a process of its own, as a tuner. After an error it asks for nothing more: whoever drives it
/// looks at [`Optimiser::finish`] at the end.
pub struct Optimiser {
    process: Process,
    space: Space,
    settings: Settings,
    /// What it calls itself.
    name: String,
    version: String,
    /// Whether it can be started again.
    restarts: bool,
    asked: u64,
    /// What the evaluation of the suggestion that is told next cost.
    cost: Option<(u64, f64)>,
    failed: Option<Error>,
}

impl Optimiser {
    /// Starts `command` on `space`.
    ///
    /// # Errors
    /// When it cannot be started, or does not answer as the protocol says.
    pub fn start(command: &mut Command, space: Space, settings: Settings) -> Result<Self> {
        Self::begin(Process::start(command, settings.limit)?, space, settings)
    }

    /// Ends this run and begins another on `space`, in the same process where it can, else in a new one of `command`.
    ///
    /// # Errors
    /// What went wrong in this run; as [`Optimiser::start`] for the next.
    pub fn restart(self, command: &mut Command, space: Space, settings: Settings) -> Result<Self> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.restarts {
            Self::begin(self.process, space, settings)
        } else {
            drop(self.process);
            Self::start(command, space, settings)
        }
    }

    fn begin(mut process: Process, space: Space, settings: Settings) -> Result<Self> {
        let Settings { seed, budget, divisor, .. } = settings;
        let request =
            Request::Start { protocol: PROTOCOL, space: space.parameters(), seed, budget, divisor };
        match process.ask(&request)? {
            Reply::Ready { name, version, restarts } => Ok(Self {
                process,
                space,
                settings,
                name,
                version,
                restarts,
                asked: 0,
                cost: None,
                failed: None,
            }),
            other => Err(unexpected(&mut process, "start", &other)),
        }
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Ends the process.
    ///
    /// # Errors
    /// What went wrong while it was asked and told.
    pub fn finish(self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn next(&mut self) -> Result<Option<Suggestion>> {
        match self.process.ask(&Request::Ask)? {
            Reply::Suggest { config, divisor } => {
                let smallest = self.settings.divisor;
                let made = message::suggestion(&self.space, self.asked, &config, divisor, smallest);
                let suggestion = made.map_err(|what| {
                    let line = serde_json::Value::Object(config).to_string();
                    self.process.wrong("ask", what, &line)
                })?;
                self.asked += 1;
                Ok(Some(suggestion))
            }
            Reply::Wait {} | Reply::Exhausted {} => Ok(None),
            other => Err(unexpected(&mut self.process, "ask", &other)),
        }
    }

    fn told(&mut self, trial: &Trial) -> Result<()> {
        let full = trial.suggestion.fidelity.of(1.0);
        let said = self.cost.take().filter(|(id, _)| *id == trial.suggestion.id);
        let cost = said.map_or(full, |(_, cost)| cost);
        match self.process.ask(&Request::tell(trial, cost))? {
            Reply::Told {} => Ok(()),
            other => Err(unexpected(&mut self.process, "tell", &other)),
        }
    }
}

fn unexpected(process: &mut Process, request: &'static str, reply: &Reply) -> Error {
    process.wrong(request, "out of place".to_owned(), reply.name())
}

impl Tuner for Optimiser {
    fn ask(&mut self, _: &mut ChaCha12Rng) -> Option<Suggestion> {
        if self.failed.is_some() {
            return None;
        }
        self.next().unwrap_or_else(|error| {
            self.failed = Some(error);
            None
        })
    }

    fn spent(&mut self, id: u64, cost: f64) {
        self.cost = Some((id, cost));
    }

    fn tell(&mut self, trial: Trial) {
        if self.failed.is_none() {
            self.failed = self.told(&trial).err();
        }
    }
}
