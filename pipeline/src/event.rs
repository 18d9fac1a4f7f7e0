//! What happens in a run, as data. A progress bar, a machine-readable log and the tests all listen to the same
//! events.

use serde::Serialize;

use crate::plan::Reason;

/// One thing that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The run begins.
    Begin {
        /// Stages asked for, with what they need.
        wanted: usize,
        /// Of these, up to date.
        fresh: usize,
    },
    /// A stage starts.
    Start {
        /// Its name.
        stage: String,
        /// Why it runs.
        why: Reason,
    },
    /// The result of a stage turned out to exist already once its inputs were known.
    CutOff {
        /// Its name.
        stage: String,
    },
    /// A stage is done.
    Done {
        /// Its name.
        stage: String,
        /// Elapsed seconds.
        wall_s: f64,
    },
    /// A stage failed.
    Failed {
        /// Its name.
        stage: String,
        /// Why.
        message: String,
        /// It will be tried again.
        again: bool,
    },
    /// A stage cannot be computed here.
    Unavailable {
        /// Its name.
        stage: String,
        /// Why, and the remedy.
        message: String,
    },
    /// Another process computes this stage; this run waits for it.
    Held {
        /// Its name.
        stage: String,
        /// Who holds it.
        by: String,
    },
    /// A stage's result came from the remote.
    Pulled {
        /// Its name.
        stage: String,
    },
    /// Something about the remote through which results are shared.
    Remote {
        /// What.
        message: String,
    },
    /// Something about the cluster on which a run computes.
    Cluster {
        /// What.
        message: String,
    },
    /// Something that the kernel cannot confine.
    Sandbox {
        /// What.
        message: String,
    },
    /// The progress of the run.
    Progress {
        /// Stages settled.
        settled: usize,
        /// Stages wanted.
        wanted: usize,
        /// Stages running.
        running: usize,
        /// Expected seconds left, from the times of recorded stages and of those of this run; `None` while too little
        /// is known.
        eta_s: Option<f64>,
        /// The least and the most that these may be, with a probability of 90 %.
        between_s: Option<(f64, f64)>,
        /// Stages about which nothing is known yet: they are not included.
        unknown: usize,
    },
}

/// Listens to a run.
pub trait Listener {
    /// Called on the engine's thread, in order.
    fn hear(&mut self, event: &Event);
}

impl<F: FnMut(&Event)> Listener for F {
    fn hear(&mut self, event: &Event) {
        self(event);
    }
}
