//! Computes stages again from what the store has, in a separate place: the content of the store is not changed. Where
//! and how a stage is carried out is left to the executor, as in a run.

mod confidence;
mod draw;

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::Instant,
};

pub use self::{
    confidence::at_most,
    draw::{Difference, candidates, differences, draw},
};
use super::{
    GRACE, TICK,
    confined::{Confined, Sandbox},
    executor::{Executor, Order, Site},
    job::{Ending, Job},
    local::Local,
    message::Message,
    slots::{Slots, Taken},
};
use crate::{
    digest::Digest,
    error::{Error, Result},
    event::{Event, Listener},
    graph::{Graph, Id},
    kinds::Kinds,
    plan::{Plan, Reason, State},
    store::{Claim, Produced, Store},
};

/// How a stage that was computed again ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    /// With these outputs: name and digest.
    Done(Vec<(String, Digest)>),
    /// It failed, and why.
    Failed(String),
    /// It cannot be computed here, and why.
    Unavailable(String),
}

/// Everything that is needed to compute stages again.
pub struct Bench<'a> {
    /// The graph, and what the store has of it.
    pub plan: &'a Plan<'a>,
    /// The graph.
    pub graph: &'a Graph,
    /// The store that has the inputs.
    pub store: &'a Arc<Store>,
    /// The stage kinds.
    pub kinds: &'a Arc<Kinds>,
    /// The slots of the machine.
    pub slots: Slots,
    /// The program whose `exec-stage` runs a worker's job.
    pub program: PathBuf,
    /// Set from outside to stop the work.
    pub interrupted: Arc<AtomicBool>,
}

/// A separate store for what is computed again: an attempt's folder like any other, which the next run removes if
/// this process is killed.
struct Scratch {
    store: Arc<Store>,
    dir: PathBuf,
    _claim: Claim,
}

impl Scratch {
    fn below(store: &Store) -> Result<Self> {
        let key = Digest::of(b"retune rerun");
        let claim = store.locks().claim(key)?.ok_or_else(|| {
            Error::usage("another `retune rerun` is using this store").help("wait for it to end")
        })?;
        let dir = store.attempt(key, 0)?;
        Ok(Self { store: Arc::new(Store::open(&dir)?), dir, _claim: claim })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir)); // what remains is removed by the next run
    }
}

/// One stage that is being computed.
struct AtWork {
    id: Id,
    taken: Taken,
    since: Instant,
    tries: u32,
}

impl Bench<'_> {
    /// Computes the stages again, each from the inputs in the store. All must be fresh. After an interruption,
    /// returns those that ended before it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn again(&self, stages: &[Id], listener: &mut dyn Listener) -> Result<Vec<(Id, Again)>> {
        let scratch = Scratch::below(self.store)?;
        let (sender, receiver) = channel();
        let site = Site {
            store: Arc::clone(&scratch.store),
            kinds: Arc::clone(self.kinds),
            sender,
            program: self.program.clone(),
            interrupted: Arc::clone(&self.interrupted),
        };
        let mut executor = Local::new(site, self.slots.clone(), stages.len());
        let mut left: Vec<(Id, u32)> = stages.iter().rev().map(|&id| (id, 0)).collect();
        let mut at_work: Vec<Option<AtWork>> = Vec::new();
        let mut ended = Vec::new();
        let mut stopping: Option<Instant> = None;
        listener.hear(&Event::Begin { wanted: stages.len(), fresh: 0 });
        while ended.len() < stages.len() {
            while stopping.is_none()
                && let Some(&(id, tries)) = left.last()
            {
                if let Some(why) = executor.refusal(&self.graph[id].needs) {
                    left.pop();
                    ended.push((id, Again::Unavailable(why)));
                    continue;
                }
                let Some(taken) = executor.take(&self.graph[id].needs) else { break };
                left.pop();
                let order = self.order(id, &taken, at_work.len(), &scratch.store)?;
                let (stage, why) = (self.graph[id].name.clone(), Reason::Forced);
                listener.hear(&Event::Start { stage, why });
                executor.start(at_work.len(), order)?;
                at_work.push(Some(AtWork { id, taken, since: Instant::now(), tries }));
            }
            if at_work.iter().all(Option::is_none) && (left.is_empty() || stopping.is_some()) {
                break;
            }
            match receiver.recv_timeout(TICK) {
                Ok(Message::Spawned(token, pid)) => executor.spawned(token, pid),
                Ok(Message::Ended(token, result)) => {
                    let Some(work) = at_work[token].take() else { continue };
                    let (ending, produced) = result?;
                    let ending = executor.ended(token, ending);
                    executor.give_back(work.taken);
                    let again = work.tries < self.graph[work.id].needs.retries;
                    if matches!(ending, Ending::Failed(_)) && again {
                        left.push((work.id, work.tries + 1));
                    } else if stopping.is_none() {
                        ended.push((work.id, outcome(ending, &produced)?));
                        self.tell(work.id, work.since, ended.len(), stages.len(), listener);
                    }
                }
                Ok(_) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            executor.tend()?;
            if self.interrupted.load(Ordering::Relaxed) && stopping.is_none() {
                stopping = Some(Instant::now());
                executor.stop(false);
            }
            if stopping.is_some_and(|since| since.elapsed() > GRACE / 3) {
                executor.stop(true);
            }
            // Threads cannot be ended from outside, so the process ends without them.
            if stopping.is_some_and(|since| since.elapsed() > GRACE) {
                break;
            }
        }
        executor.dismiss();
        Ok(ended)
    }

    /// The order for one stage: it reads from the store and writes to the scratch store.
    fn order(&self, id: Id, taken: &Taken, n: usize, scratch: &Store) -> Result<Order> {
        let node = &self.graph[id];
        let State::Fresh(key, _) = self.plan.state(id) else {
            return Err(Error::usage(format!("stage {} has no result", node.name)));
        };
        let files = node.files.iter().map(|path| self.store.source(path, &mut Vec::new()));
        let checkpoints = node.needs.checkpoints.then(|| scratch.checkpoints(*key));
        if let Some(folder) = &checkpoints {
            fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, &e))?;
        }
        let job = Job {
            key: *key,
            kind: node.kind.to_owned(),
            code: node.code.digest,
            name: node.name.clone(),
            params: node.params.clone(),
            inputs: self.plan.inputs(id),
            files: node.files.clone(),
            contents: files.collect::<Result<_>>()?,
            seed: node.seed,
            threads: taken.threads,
            downloads: self.store.downloads(),
            checkpoints,
            dir: scratch.attempt(*key, n)?,
            // If a run confines a stage by default, so does this.
            sandbox: Confined::default().holds(node).then(|| Sandbox::of(node)),
        };
        let (needs, gpus) = (node.needs.clone(), taken.gpus.clone());
        Ok(Order { job, needs, gpus, expected_s: None })
    }

    fn tell(
        &self,
        id: Id,
        since: Instant,
        settled: usize,
        wanted: usize,
        listener: &mut dyn Listener,
    ) {
        let stage = self.graph[id].name.clone();
        listener.hear(&Event::Done { stage, wall_s: since.elapsed().as_secs_f64() });
        let (running, eta_s, between_s, unknown) = (0, None, None, wanted - settled);
        listener.hear(&Event::Progress { settled, wanted, running, eta_s, between_s, unknown });
    }
}

fn outcome(ending: Ending, produced: &Produced) -> Result<Again> {
    Ok(match ending {
        Ending::Done(_) => {
            let outputs = produced.iter().map(|a| (a.output.to_string(), a.digest));
            Again::Done(outputs.collect())
        }
        Ending::Failed(why) => Again::Failed(why),
        Ending::Unavailable(why) => Again::Unavailable(why),
        Ending::Refused(what, help) => {
            let error = Error::new(crate::error::Exit::Store, what);
            return Err(help.into_iter().fold(error, Error::help));
        }
    })
}
