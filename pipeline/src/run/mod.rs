//! Carries a plan out: ready stages are given slots, results come back over a channel, and readers are settled once
//! their inputs are. A stage that fails stops only what needs it.
//!
//! One thread (this one) decides; attempts run on other threads or in worker processes.

pub mod again;
mod attempt;
mod confined;
mod crew;
mod exchange;
mod executor;
pub mod job;
mod local;
mod message;
mod queue;
pub mod sandbox;
pub mod simulate;
pub mod slots;
pub mod slurm;
mod summary;
mod surroundings;
mod transition;
pub mod worker;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

pub use self::summary::{Backend, Options, Summary};
use self::{
    attempt::Attempt,
    exchange::Exchange,
    executor::{Executor, Site},
    local::Local,
    message::Message,
    queue::Queue,
    slurm::Slurm,
    surroundings::Surroundings,
};
use crate::{
    error::{Error, Result},
    estimate::pace::{Left, Pace},
    event::{Event, Listener},
    graph::{Graph, Id},
    kinds::Kinds,
    plan::{self, Plan, State},
    remote::Remote,
    store::{Fact, Store},
};

/// How often an idle engine looks at signals, time-outs and keys held by others.
const TICK: Duration = Duration::from_millis(50);
/// The time left is computed no more often than this,
const OFTEN: Duration = Duration::from_millis(500);
/// and no less often.
const RARELY: Duration = Duration::from_secs(30);
/// How long stages get to end by themselves after an interruption.
const GRACE: Duration = Duration::from_millis(1500);

struct Run<'a, 'l> {
    graph: &'a Graph,
    store: &'a Arc<Store>,
    options: &'a Options,
    plan: Plan<'a>,
    executor: Box<dyn Executor>,
    exchange: Option<Exchange>,
    /// Stages whose result is being pulled from the remote.
    pulled: HashSet<Id>,
    queue: Queue,
    held: Vec<Id>,
    running: HashMap<usize, Attempt>,
    next: usize,
    /// The number of stages that were started, not counting further tries.
    started: usize,
    receiver: Receiver<Message>,
    listener: &'l mut dyn Listener,
    summary: Summary,
    wanted: usize,
    settled: usize,
    stopping: Option<Instant>,
    /// Why the store can no longer be used: running stages may still end, then this error ends the run.
    refused: Option<Error>,
    /// How long stages take in this run.
    pace: Pace,
    kinds: &'a Kinds,
    began: Instant,
    /// What was last reported about the time left, and when.
    left: Option<(Instant, Left)>,
    surroundings: Surroundings,
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
    let _present = store.present()?;
    let confines = |&id: &Id| wanted[id.index()] && options.sandbox.holds(&graph[id]);
    if graph.order().iter().any(confines) && !sandbox::available()? {
        let message = "the sandbox leaves the network open: this kernel's Landlock has no rules for it \
                       (Linux 6.7 has)";
        listener.hear(&Event::Sandbox { message: message.to_owned() });
    }
    store.sweep()?;
    let (forced, given) = (options.forced.clone(), options.given.clone());
    let plan_options = plan::Options { forced, given, retry: true };
    let plan = Plan::new(graph, wanted, store, plan_options)?;
    let (sender, receiver) = channel();
    let shared =
        |remote: &Arc<Remote>| Exchange::new(remote.clone(), store.clone(), sender.clone());
    let exchange = options.remote.as_ref().map(shared);
    let settled = plan.states().iter().filter(|s| s.settled()).count();
    let executor = executor(store, kinds, sender, options, graph.len() - settled)?;
    let unwanted = plan.states().iter().filter(|s| matches!(s, State::Unwanted)).count();
    let mut run = Run {
        graph,
        store,
        options,
        plan,
        queue: Queue::default(),
        held: Vec::new(),
        running: HashMap::new(),
        next: 0,
        started: 0,
        receiver,
        listener,
        summary: Summary::default(),
        wanted: graph.len() - unwanted,
        settled: settled - unwanted,
        stopping: None,
        refused: None,
        pace: Pace::default(),
        kinds,
        began: Instant::now(),
        left: None,
        executor,
        exchange,
        pulled: HashSet::new(),
        surroundings: Surroundings::new(options.sources.clone()),
    };
    run.begin()?;
    run.carry_out()?;
    run.end()
}

/// The executor of this run's attempts, at `stages` stages or fewer.
fn executor(
    store: &Arc<Store>,
    kinds: &Arc<Kinds>,
    sender: Sender<Message>,
    options: &Options,
    stages: usize,
) -> Result<Box<dyn Executor>> {
    let site = Site {
        store: Arc::clone(store),
        kinds: Arc::clone(kinds),
        sender,
        program: options.program.clone(),
        interrupted: Arc::clone(&options.interrupted),
    };
    Ok(match &options.backend {
        Backend::Here(slots) => Box::new(Local::new(site, slots.clone(), stages)),
        Backend::Slurm(settings) => Box::new(Slurm::new(site, settings.clone())?),
    })
}

impl Run<'_, '_> {
    fn begin(&mut self) -> Result<()> {
        self.summary.fresh = self.settled;
        self.listener.hear(&Event::Begin { wanted: self.wanted, fresh: self.settled });
        self.remember()?;
        if self.settled == self.wanted {
            return Ok(());
        }
        self.store.writable()?;
        let lanes = self.executor.lanes() as f64;
        let records = self.plan.take_records()?;
        self.pace = Pace::new(self.graph, &self.plan, self.kinds, self.store, &records, lanes);
        self.plan.give_records(records);
        let seconds = self.pace.all_seconds(0.0);
        self.queue = Queue::new(self.graph, |id| seconds[id.index()]);
        for &id in self.graph.order() {
            if let State::Stale(..) = self.plan.state(id) {
                self.queue.push(id);
            }
        }
        self.began = Instant::now();
        Ok(())
    }

    fn carry_out(&mut self) -> Result<()> {
        loop {
            if let Err(e) = self.start_ready() {
                self.give_up(e);
            }
            if self.running.is_empty() && (self.held.is_empty() || self.stopping.is_some()) {
                return self.refused.take().map_or(Ok(()), Err);
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(message) => {
                    self.receive(message);
                    while let Ok(message) = self.receiver.try_recv() {
                        self.receive(message);
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
                // Threads cannot be ended from outside, so the process ends without them.
                return Ok(());
            }
        }
    }

    fn start_ready(&mut self) -> Result<()> {
        while self.stopping.is_none() {
            if self.options.limit.is_some_and(|limit| self.started >= limit) {
                // Running stages may finish.
                self.stopping = Some(Instant::now());
                break;
            }
            let executor = &mut self.executor;
            let graph = self.graph;
            let Some((id, taken)) = self.queue.pop(|id| executor.take(&graph[id].needs)) else {
                break;
            };
            self.start(id, taken, 0)?;
        }
        Ok(())
    }

    /// Seconds since the first stage could start.
    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Reports the progress of the run. The time left is recomputed now and then.
    fn progress(&mut self) {
        let now_s = self.now_s();
        let left = match self.left {
            Some((at, left)) if at.elapsed() < OFTEN => left,
            _ => self.pace.left(self.graph, now_s),
        };
        if self.left.is_none_or(|(at, _)| at.elapsed() >= OFTEN) {
            self.left = Some((Instant::now(), left));
        }
        self.listener.hear(&Event::Progress {
            settled: self.settled,
            wanted: self.wanted,
            running: self.running.len(),
            eta_s: left.seconds,
            between_s: left.between,
            unknown: left.unknown,
        });
    }

    /// Handles time-outs and interruption, and reports the progress, also if nothing ends for long.
    fn look_after_time(&mut self) {
        if self.left.is_some_and(|(at, _)| at.elapsed() >= RARELY) {
            self.progress();
        }
        if let Err(e) = self.executor.tend() {
            self.give_up(e);
        }
        if self.options.interrupted.load(Ordering::Relaxed) && !self.summary.interrupted {
            self.summary.interrupted = true;
            self.stop();
        }
        let late = self.stopping.is_some_and(|since| since.elapsed() > GRACE / 3);
        if late && self.summary.interrupted {
            self.executor.stop(true);
        }
    }

    /// Starts nothing more. After an interruption, running workers are told to end.
    fn stop(&mut self) {
        self.stopping.get_or_insert_with(Instant::now);
        if self.summary.interrupted {
            self.executor.stop(false);
            if let Some(exchange) = &self.exchange {
                exchange.stop();
            }
        }
    }

    /// Waits until all results are pushed, and passes on what there is to report about it.
    fn finish_exchange(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        let refused = exchange.finish();
        while let Ok(message) = self.receiver.try_recv() {
            if let Message::Said(event) = message {
                self.listener.hear(&event);
            }
        }
        if let Some(message) = refused {
            self.listener.hear(&Event::Remote { message });
        }
    }

    /// Starts nothing more, lets running stages end and keeps their results, and then ends the run with this error,
    /// unless there was one before.
    fn give_up(&mut self, error: Error) {
        self.refused.get_or_insert(error);
        self.stop();
    }

    fn end(mut self) -> Result<Summary> {
        self.executor.dismiss();
        self.finish_exchange();
        self.remember()?;
        self.summary.unreached = self.plan.states().iter().filter(|s| !s.settled()).count();
        // The snapshot is not needed: if it cannot be written, the next run merely starts more slowly.
        drop(self.store.snapshot());
        self.summary.sort(self.graph);
        Ok(self.summary)
    }

    /// Appends what planning has learned: stamps of files and artifacts that were hashed, and the current keys of
    /// names.
    fn remember(&mut self) -> Result<()> {
        let learned = std::mem::take(&mut self.plan.learned);
        let rebind = std::mem::take(&mut self.plan.rebind);
        let confirmed = std::mem::take(&mut self.plan.confirmed);
        let mut facts: Vec<_> = learned
            .iter()
            .map(|(path, stamp, digest)| Fact::Source(path, *stamp, *digest))
            .collect();
        let name = |id: &Id| self.graph[*id].name.as_str();
        facts.extend(confirmed.iter().map(|(key, id, found)| Fact::Done(*key, name(id), found)));
        facts.extend(rebind.iter().map(|(key, id)| Fact::Bound(*key, name(id))));
        self.store.append(&facts)
    }
}
