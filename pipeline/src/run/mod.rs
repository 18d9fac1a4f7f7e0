//! Carries a plan out: ready stages go to slots, results come back over a channel, readers are
//! settled when their inputs are. A stage that fails stops only what needs it.
//!
//! One thread (this one) decides; attempts run on other threads or in worker processes.

pub mod job;
mod queue;
pub mod slots;
pub mod worker;

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;

use self::{
    job::{Ending, Job},
    queue::Queue,
    slots::{Slots, Taken},
};
use crate::{
    digest::Digest,
    error::{Error, Result},
    event::{Event, Listener},
    graph::{Graph, Id},
    machine,
    plan::{self, Plan, Reason, State},
    registry::Kinds,
    stage::Input,
    store::{
        self, Claim, Fact, Presence, Produced, Store,
        record::{Cost, Record},
    },
};

/// How often an idle engine looks at signals, time-outs and keys held by others.
const TICK: Duration = Duration::from_millis(50);
/// How long stages get to end by themselves after an interruption.
const GRACE: Duration = Duration::from_millis(1500);

/// How to run.
pub struct Options {
    /// What the machine gives.
    pub slots: Slots,
    /// Goes on with independent stages after a failure.
    pub keep_going: bool,
    /// The program whose `exec-stage` runs a worker's job.
    pub program: PathBuf,
    /// Set from outside to stop the run.
    pub interrupted: Arc<AtomicBool>,
    /// Stages to run whatever is recorded, as a mask; empty for none.
    pub forced: Vec<bool>,
}

/// What a run did, by stage name in graph order.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Stages that were computed.
    pub executed: Vec<String>,
    /// Stages whose result was there once their inputs were known.
    pub cut_off: Vec<String>,
    /// Stages that were up to date from the start.
    pub fresh: usize,
    /// Stages that failed, with the message.
    pub failed: Vec<(String, String)>,
    /// Stages that cannot be computed here, with the remedy.
    pub unavailable: Vec<(String, String)>,
    /// Stages not run because they need a failed or unavailable one, with its name.
    pub blocked: Vec<(String, String)>,
    /// Stages not reached because the run was stopped.
    pub unreached: usize,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

struct Attempt {
    id: Id,
    key: Digest,
    dir: PathBuf,
    taken: Taken,
    tries: u32,
    started: Instant,
    pid: Option<u32>,
    timed_out: bool,
    claim: Claim,
}

enum Message {
    Spawned(usize, u32),
    Ended(usize, Result<(Ending, Produced)>),
}

struct Run<'a, 'l> {
    graph: &'a Graph,
    store: &'a Arc<Store>,
    kinds: Arc<Kinds>,
    options: &'a Options,
    plan: Plan<'a>,
    slots: Slots,
    queue: Queue,
    held: Vec<Id>,
    running: HashMap<usize, Attempt>,
    next: usize,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    pool: rayon::ThreadPool,
    listener: &'l mut dyn Listener,
    summary: Summary,
    wanted: usize,
    settled: usize,
    stopping: Option<Instant>,
    /// How many one-thread stages run side by side, for the ETA.
    lanes: u32,
}

/// Brings the wanted stages up to date.
///
/// # Errors
/// When the store refuses; failures of stages are in the summary.
pub fn run(
    graph: &Graph,
    wanted: &[bool],
    store: &Arc<Store>,
    kinds: &Arc<Kinds>,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Summary> {
    let _present = store.locks().presence(Presence::Shared)?.ok_or_else(|| {
        Error::usage("another process is removing artifacts (`retune gc`)").help("try again soon")
    })?;
    store.sweep()?;
    let plan_options = plan::Options { forced: options.forced.clone(), retry: true };
    let plan = Plan::new(graph, wanted, store, plan_options)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.slots.threads())
        .build()
        .map_err(|e| Error::usage(format!("cannot start threads: {e}")))?;
    let (sender, receiver) = channel();
    let settled = plan.states.iter().filter(|s| s.settled()).count();
    let unwanted = plan.states.iter().filter(|s| matches!(s, State::Unwanted)).count();
    let mut run = Run {
        graph,
        store,
        kinds: Arc::clone(kinds),
        options,
        plan,
        slots: options.slots.clone(),
        queue: Queue::default(),
        held: Vec::new(),
        running: HashMap::new(),
        next: 0,
        sender,
        receiver,
        pool,
        listener,
        summary: Summary::default(),
        wanted: graph.len() - unwanted,
        settled: settled - unwanted,
        stopping: None,
        lanes: u32::try_from(options.slots.threads()).unwrap_or(u32::MAX),
    };
    run.begin()?;
    run.carry_out()?;
    run.end()
}

impl Run<'_, '_> {
    fn begin(&mut self) -> Result<()> {
        self.summary.fresh = self.settled;
        self.listener.hear(&Event::Begin { wanted: self.wanted, fresh: self.settled });
        self.remember()?;
        if self.settled == self.wanted {
            return Ok(());
        }
        let records = self.plan.records()?;
        self.queue = Queue::new(self.graph, |node| records.seconds(&node.name, node.kind));
        for &id in self.graph.order() {
            match self.plan.states[id.index()] {
                State::Stale(..) => self.queue.push(id),
                State::Unwanted | State::Fresh(..) => self.queue.forget(id),
                _ => {}
            }
        }
        Ok(())
    }

    fn carry_out(&mut self) -> Result<()> {
        loop {
            self.start_ready()?;
            if self.running.is_empty() && (self.held.is_empty() || self.stopping.is_some()) {
                return Ok(());
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(message) => {
                    self.receive(message)?;
                    while let Ok(message) = self.receiver.try_recv() {
                        self.receive(message)?;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.look_after_time();
            for id in std::mem::take(&mut self.held) {
                self.queue.push(id);
            }
            if self.summary.interrupted
                && self.stopping.is_some_and(|since| since.elapsed() > GRACE)
            {
                // Threads cannot be ended from outside; the process ends without them.
                return Ok(());
            }
        }
    }

    fn start_ready(&mut self) -> Result<()> {
        while self.stopping.is_none() {
            let slots = &mut self.slots;
            let graph = self.graph;
            let Some((id, taken)) = self.queue.pop(|id| slots.take(&graph[id].needs)) else {
                break;
            };
            self.start(id, taken, 0)?;
        }
        Ok(())
    }

    /// Starts an attempt, unless the stage turns out to be done or held by another process.
    fn start(&mut self, id: Id, taken: Taken, tries: u32) -> Result<()> {
        let node = &self.graph[id];
        let State::Stale(key, _) = self.plan.states[id.index()] else {
            self.slots.give_back(taken);
            return Ok(());
        };
        if !self.slots.possible(&node.needs) {
            self.slots.give_back(taken);
            return self.unavailable(
                id,
                key,
                "needs a GPU; start with --gpus N where there is one",
            );
        }
        // A key in flight in this very process is as held as one in another.
        let twin = self.running.values().any(|attempt| attempt.key == key);
        let claim = if twin { None } else { self.store.locks().claim(key)? };
        let Some(claim) = claim else {
            self.slots.give_back(taken);
            if !twin && !self.queue.announced(id) {
                let by = self.store.holder(key);
                self.listener.hear(&Event::Held { stage: node.name.clone(), by });
            }
            self.held.push(id);
            return Ok(());
        };
        // Taken before the key is checked once more: what the stage reads must be what the key says.
        let learned = &mut self.plan.learned;
        let files = node.files.iter().map(|path| self.store.source(path, learned));
        let contents = files.collect::<Result<Vec<_>>>()?;
        // Another process may have finished it between the plan and the claim.
        self.store.facts().refresh()?;
        self.plan.settle(id)?;
        let reason = match &self.plan.states[id.index()] {
            State::Fresh(..) => {
                self.slots.give_back(taken);
                return self.cut_off(id);
            }
            State::Stale(now, why) if *now == key => why.clone(),
            // A file of the user changed meanwhile: the claim is on the wrong key.
            _ => {
                self.slots.give_back(taken);
                self.queue.push(id);
                return Ok(());
            }
        };
        if let Reason::Corrupt { artifact } = &reason {
            store::quarantine(artifact)?;
        }
        let dir = self.store.attempt(key, self.next)?;
        let job = self.job(id, key, dir.clone(), contents, &taken);
        let attempt = Attempt {
            id,
            key,
            dir,
            taken,
            tries,
            started: Instant::now(),
            pid: None,
            timed_out: false,
            claim,
        };
        self.listener.hear(&Event::Start { stage: node.name.clone(), why: reason });
        self.plan.states[id.index()] = State::Running(key);
        let token = self.next;
        self.next += 1;
        self.launch(token, job, node.needs.worker, attempt.taken.gpus.clone());
        self.running.insert(token, attempt);
        Ok(())
    }

    fn job(&self, id: Id, key: Digest, dir: PathBuf, contents: Vec<Digest>, taken: &Taken) -> Job {
        let node = &self.graph[id];
        let mut inputs = std::collections::BTreeMap::new();
        for edge in &node.inputs {
            if let State::Fresh(_, produced) = &self.plan.states[edge.from.index()]
                && let Some(digest) = plan::output(produced, edge.output)
            {
                let stage = self.graph[edge.from].name.clone();
                let input = Input { path: self.store.object(digest), digest, stage };
                inputs.insert(edge.role.clone(), input);
            }
        }
        Job {
            key,
            kind: node.kind.to_owned(),
            name: node.name.clone(),
            params: node.params.clone(),
            inputs,
            files: node.files.clone(),
            contents,
            seed: node.seed,
            threads: taken.threads,
            downloads: self.store.downloads(),
            dir,
        }
    }

    /// Runs the job elsewhere; its end comes back as a message.
    fn launch(&self, token: usize, job: Job, in_worker: bool, gpus: Vec<usize>) {
        let sender = self.sender.clone();
        let store = Arc::clone(self.store);
        let send = move |result| drop(sender.send(Message::Ended(token, result)));
        if in_worker {
            let spawned = self.sender.clone();
            let program = self.options.program.clone();
            // A plain thread: the kernel ties the worker's life to the thread that started it.
            std::thread::spawn(move || {
                let result = worker::start(&program, &job, &gpus).and_then(|mut child| {
                    drop(spawned.send(Message::Spawned(token, child.id())));
                    let status = child.wait().map_err(|e| Error::io("wait for", &program, &e))?;
                    store.collect(&job, worker::ending(&job.dir, status))
                });
                send(result);
            });
        } else {
            let kinds = Arc::clone(&self.kinds);
            let cancelled = Arc::clone(&self.options.interrupted);
            self.pool.spawn(move || {
                let ending = job.execute(&kinds, cancelled, false);
                send(store.collect(&job, ending));
            });
        }
    }

    fn receive(&mut self, message: Message) -> Result<()> {
        match message {
            Message::Spawned(token, pid) => {
                if let Some(attempt) = self.running.get_mut(&token) {
                    attempt.pid = Some(pid);
                }
                Ok(())
            }
            Message::Ended(token, result) => match self.running.remove(&token) {
                Some(attempt) => self.ended(attempt, result),
                None => Ok(()),
            },
        }
    }

    fn ended(&mut self, attempt: Attempt, result: Result<(Ending, Produced)>) -> Result<()> {
        let Attempt { id, key, dir, taken, tries, timed_out, claim, .. } = attempt;
        self.slots.give_back(taken);
        drop(claim); // a second try takes it again
        let node = &self.graph[id];
        let outcome = result?;
        // The attempt's folder has served; leaving it would cost disk but do no harm.
        drop(fs::remove_dir_all(&dir));
        match outcome {
            (Ending::Done(_, cost), produced) => self.done(id, key, cost, produced),
            (Ending::Unavailable(why), _) => self.unavailable(id, key, &why),
            (Ending::Failed(_), _) if self.summary.interrupted => {
                self.plan.states[id.index()] = State::Waiting(Vec::new());
                Ok(())
            }
            (Ending::Failed(why), _) => {
                let seconds = node.needs.timeout_s.unwrap_or(0);
                let message = if timed_out {
                    format!("took longer than its limit of {seconds} s and was stopped")
                } else {
                    why
                };
                let again = tries < node.needs.retries;
                self.listener.hear(&Event::Failed {
                    stage: node.name.clone(),
                    message: message.clone(),
                    again,
                });
                if again {
                    self.plan.settle(id)?;
                    if let Some(taken) = self.slots.take(&node.needs) {
                        return self.start(id, taken, tries + 1);
                    }
                }
                self.summary.failed.push((node.name.clone(), message.clone()));
                self.plan.states[id.index()] = State::Failed(message);
                if !self.options.keep_going {
                    self.stop();
                }
                self.settled(id)
            }
        }
    }

    fn done(&mut self, id: Id, key: Digest, cost: Cost, produced: Produced) -> Result<()> {
        let node = &self.graph[id];
        self.plan.states[id.index()] = State::Fresh(key, produced.clone());
        if let Some(manifest) = self.plan.manifest(id)? {
            let outputs = produced.iter().map(|a| (a.output.clone(), a.digest)).collect();
            self.store.record(&Record {
                key,
                name: node.name.clone(),
                kind: node.kind.to_owned(),
                manifest,
                outputs,
                cost,
                host: machine::host(),
                finished: machine::now(),
                program: env!("CARGO_PKG_VERSION").to_owned(),
            })?;
        }
        self.listener.hear(&Event::Done { stage: node.name.clone(), wall_s: cost.wall_s });
        self.summary.executed.push(node.name.clone());
        self.settled(id)
    }

    fn cut_off(&mut self, id: Id) -> Result<()> {
        let name = self.graph[id].name.clone();
        self.listener.hear(&Event::CutOff { stage: name.clone() });
        self.summary.cut_off.push(name);
        self.settled(id)
    }

    fn unavailable(&mut self, id: Id, key: Digest, why: &str) -> Result<()> {
        let name = self.graph[id].name.clone();
        self.listener.hear(&Event::Unavailable { stage: name.clone(), message: why.to_owned() });
        if self.store.facts().known().unavailable(key) != Some(why) {
            self.store.append(&[Fact::Unavailable(key, &name, why)])?;
        }
        self.summary.unavailable.push((name, why.to_owned()));
        self.plan.states[id.index()] = State::Unavailable(key, why.to_owned());
        self.settled(id)
    }

    /// A stage is settled: its readers may be now, and so on down the graph.
    fn settled(&mut self, id: Id) -> Result<()> {
        let mut news = vec![id];
        while let Some(id) = news.pop() {
            self.settled += 1;
            self.queue.forget(id);
            let readers: Vec<_> = self.graph.readers(id).collect();
            for reader in readers {
                if !matches!(self.plan.states[reader.index()], State::Waiting(_)) {
                    continue;
                }
                self.plan.settle(reader)?;
                let name = &self.graph[reader].name;
                match &self.plan.states[reader.index()] {
                    State::Stale(..) => self.queue.push(reader),
                    State::Fresh(..) => {
                        self.listener.hear(&Event::CutOff { stage: name.clone() });
                        self.summary.cut_off.push(name.clone());
                        news.push(reader);
                    }
                    State::Blocked(root) => {
                        self.summary.blocked.push((name.clone(), self.graph[*root].name.clone()));
                        news.push(reader);
                    }
                    _ => {}
                }
            }
        }
        let eta_s = self.queue.remaining_s().map(|s| s / f64::from(self.lanes));
        self.listener.hear(&Event::Progress {
            settled: self.settled,
            wanted: self.wanted,
            running: self.running.len(),
            eta_s,
        });
        Ok(())
    }

    /// Time-outs and interruption.
    fn look_after_time(&mut self) {
        for attempt in self.running.values_mut() {
            let limit = self.graph[attempt.id].needs.timeout_s.map(Duration::from_secs);
            if let (Some(limit), Some(pid)) = (limit, attempt.pid)
                && attempt.started.elapsed() > limit
            {
                attempt.timed_out = true;
                worker::signal_group(pid, Signal::SIGKILL);
            }
        }
        if self.options.interrupted.load(Ordering::Relaxed) && !self.summary.interrupted {
            self.summary.interrupted = true;
            self.stop();
        }
        if let Some(since) = self.stopping {
            let late = since.elapsed() > GRACE / 3 && self.summary.interrupted;
            for pid in self.running.values().filter_map(|attempt| attempt.pid).filter(|_| late) {
                worker::signal_group(pid, Signal::SIGKILL);
            }
        }
    }

    /// Starts nothing more. After an interruption, running workers are told to end.
    fn stop(&mut self) {
        self.stopping.get_or_insert_with(Instant::now);
        if self.summary.interrupted {
            for pid in self.running.values().filter_map(|attempt| attempt.pid) {
                worker::signal_group(pid, Signal::SIGTERM);
            }
        }
    }

    fn end(mut self) -> Result<Summary> {
        self.remember()?;
        self.summary.unreached = self.plan.states.iter().filter(|s| !s.settled()).count();
        let rank: HashMap<&str, usize> = self
            .graph
            .order()
            .iter()
            .enumerate()
            .map(|(rank, &id)| (self.graph[id].name.as_str(), rank))
            .collect();
        self.summary.executed.sort_by_key(|name| rank[name.as_str()]);
        self.summary.cut_off.sort_by_key(|name| rank[name.as_str()]);
        for list in
            [&mut self.summary.failed, &mut self.summary.unavailable, &mut self.summary.blocked]
        {
            list.sort_by_key(|(name, _)| rank[name.as_str()]);
        }
        Ok(self.summary)
    }

    /// Appends what planning learned: stamps of hashed files, and which key a name has now.
    fn remember(&mut self) -> Result<()> {
        let learned = std::mem::take(&mut self.plan.learned);
        let rebind = std::mem::take(&mut self.plan.rebind);
        let mut facts: Vec<_> = learned
            .iter()
            .map(|(path, stamp, digest)| Fact::Source(path, *stamp, *digest))
            .collect();
        facts.extend(rebind.iter().map(|(key, id)| Fact::Bound(*key, &self.graph[*id].name)));
        self.store.append(&facts)
    }
}
