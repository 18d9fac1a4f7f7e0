//! Where attempts are carried out, as the run sees it. There are two executors: this machine (`local`) and a cluster
//! (`slurm`). An executor does not decide states: it starts what it is given and reports how it ended.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool, mpsc::Sender},
};

use super::{
    job::{Ending, Job},
    message::Message,
    slots::Taken,
};
use crate::{digest::Digest, error::Result, kinds::Kinds, stage::Needs, store::Store};

/// What both executors need.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) store: Arc<Store>,
    pub(super) kinds: Arc<Kinds>,
    pub(super) sender: Sender<Message>,
    pub(super) program: PathBuf,
    pub(super) interrupted: Arc<AtomicBool>,
}

impl Site {
    /// The program that carries out stages with these needs.
    pub(super) fn program(&self, needs: &Needs) -> PathBuf {
        let beside = |name| self.program.with_file_name(name);
        needs.program.map_or_else(|| self.program.clone(), beside)
    }

    /// Why that program cannot be started; `None` if it can.
    pub(super) fn program_missing(&self, needs: &Needs) -> Option<String> {
        let (name, program) = (needs.program?, self.program(needs));
        if program.is_file() {
            return None;
        }
        let build = self.kinds.build_of(name);
        let remedy =
            build.map_or_else(String::new, |command| format!("\nremedy: `{command}` builds it"));
        Some(format!("needs the program {}, which is not built{remedy}", program.display()))
    }
}

/// One attempt to be carried out.
pub(super) struct Order {
    pub(super) job: Job,
    pub(super) needs: Needs,
    pub(super) gpus: Vec<usize>,
    /// Expected seconds, if something is known.
    pub(super) expected_s: Option<f64>,
}

/// A place that carries out attempts.
pub(super) trait Executor {
    /// Why stages with these needs can never run here; `None` if they can.
    fn refusal(&self, needs: &Needs) -> Option<String>;

    /// How many one-thread stages can run in parallel, for the time left.
    fn lanes(&self) -> usize;

    /// Takes slots for a stage if they are free.
    fn take(&mut self, needs: &Needs) -> Option<Taken>;

    /// Returns slots.
    fn give_back(&mut self, taken: Taken);

    /// A folder for attempt number `n` of this engine at `key`. The caller holds the claim on it.
    fn folder(&mut self, key: Digest, n: usize) -> Result<PathBuf>;

    /// Carries an attempt out; its end comes as a message.
    fn start(&mut self, token: usize, order: Order) -> Result<()>;

    /// The attempt's process has started.
    fn spawned(&mut self, token: usize, pid: u32);

    /// The attempt is over, with this ending as far as its own process could tell.
    fn ended(&mut self, token: usize, ending: Ending) -> Ending;

    /// Called regularly.
    fn tend(&mut self) -> Result<()>;

    /// Tells everything to end; if it is `late`, kills it.
    fn stop(&mut self, late: bool);

    /// The run is over: nothing on this machine outlives it.
    fn dismiss(&mut self);
}
