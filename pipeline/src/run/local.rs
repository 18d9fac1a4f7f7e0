//! Attempts on this machine: light stages on threads of the engine, heavy ones in processes of their own or of a
//! crew. Attempts are ended when their time is up.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;

use super::{
    crew::{Crew, Hand, Post},
    executor::{Executor, Order, Site},
    job::{Ending, Job},
    message::Message,
    slots::{Slots, Taken},
    worker::{self, Gpus},
};
use crate::{
    digest::Digest,
    error::{Error, Result},
    stage::Needs,
};

/// This machine.
pub(super) struct Local {
    site: Site,
    slots: Slots,
    crew: Crew,
    /// The threads of light stages, from the first one on.
    pool: Option<rayon::ThreadPool>,
    /// How many threads those are.
    threads: usize,
    at_work: HashMap<usize, Work>,
}

/// What is known about a running attempt.
struct Work {
    started: Instant,
    limit_s: Option<u64>,
    pid: Option<u32>,
    timed_out: bool,
    /// The worker whose process it runs in, if that is one that stays alive.
    hand: Option<Hand>,
}

impl Local {
    /// This machine, for at most `stages` stages.
    pub(super) fn new(site: Site, slots: Slots, stages: usize) -> Self {
        // Beyond the stages, threads are of use only to a stage that divides its own work: no more than there are cores.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = slots.threads().min(stages.max(cores));
        Self { site, slots, crew: Crew::default(), pool: None, threads, at_work: HashMap::new() }
    }

    /// Runs the job in a worker of this program, or on a thread; its end comes back as a message.
    fn launch(
        &mut self,
        token: usize,
        job: Job,
        program: Option<PathBuf>,
        gpus: Vec<usize>,
    ) -> Result<()> {
        let sender = self.site.sender.clone();
        let store = Arc::clone(&self.site.store);
        let send = move |result| drop(sender.send(Message::Ended(token, result)));
        if let Some(program) = program {
            let spawned = self.site.sender.clone();
            // A plain thread, since the kernel ties the worker's life to the thread that started it.
            std::thread::spawn(move || {
                let started = worker::start(&program, &job, Gpus::These(&gpus));
                let result = started.and_then(|mut child| {
                    drop(spawned.send(Message::Spawned(token, child.id())));
                    let status = child.wait().map_err(|e| Error::io("wait for", &program, &e))?;
                    store.collect(&job, worker::ending(&job, status))
                });
                send(result);
            });
        } else {
            let kinds = Arc::clone(&self.site.kinds);
            let cancelled = Arc::clone(&self.site.interrupted);
            self.pool()?.spawn(move || {
                let ending = job.execute(&kinds, cancelled, store.disk(), false);
                send(store.collect(&job, ending));
            });
        }
        Ok(())
    }

    /// The threads, which start when the first light stage does.
    fn pool(&mut self) -> Result<&rayon::ThreadPool> {
        let pool = match self.pool.take() {
            Some(pool) => pool,
            None => {
                rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(|e| {
                    Error::usage(format!("cannot start {} threads: {e}", self.threads))
                        .because(e)
                        .help("`--jobs N` with a smaller number starts fewer")
                })?
            }
        };
        Ok(self.pool.insert(pool))
    }

    fn signal(&self, signal: Signal) {
        for pid in self.at_work.values().filter_map(|work| work.pid) {
            worker::signal_group(pid, signal);
        }
    }
}

impl Executor for Local {
    fn refusal(&self, needs: &Needs) -> Option<String> {
        if !self.slots.possible(needs) {
            return Some("needs a GPU, and there is none (or more than --gpus allows)".to_owned());
        }
        self.site.program_missing(needs)
    }

    fn lanes(&self) -> usize {
        self.slots.threads()
    }

    fn take(&mut self, needs: &Needs) -> Option<Taken> {
        self.slots.take(needs)
    }

    fn give_back(&mut self, taken: Taken) {
        self.slots.give_back(taken);
    }

    fn folder(&mut self, key: Digest, n: usize) -> Result<PathBuf> {
        self.site.store.attempt(key, n)
    }

    fn start(&mut self, token: usize, order: Order) -> Result<()> {
        let Order { job, needs, gpus, .. } = order;
        let mut hand = None;
        // A process that was confined to one stage cannot be used for another.
        if needs.program.is_some() && job.sandbox.is_none() {
            let post = Post { program: self.site.program(&needs), threads: job.threads, gpus };
            let hired = self.crew.hire(post, &self.site.sender, &self.site.store);
            hired.start(token, job);
            hand = Some(hired);
        } else {
            let in_worker = needs.worker || job.sandbox.is_some();
            self.launch(token, job, in_worker.then(|| self.site.program(&needs)), gpus)?;
        }
        let (started, limit_s) = (Instant::now(), needs.timeout_s);
        self.at_work.insert(token, Work { started, limit_s, pid: None, timed_out: false, hand });
        Ok(())
    }

    fn spawned(&mut self, token: usize, pid: u32) {
        if let Some(work) = self.at_work.get_mut(&token) {
            work.pid = Some(pid);
        }
    }

    fn ended(&mut self, token: usize, ending: Ending) -> Ending {
        let Some(work) = self.at_work.remove(&token) else { return ending };
        if let Some(hand) = work.hand {
            self.crew.take_back(hand, self.slots.threads());
        }
        match (ending, work.limit_s) {
            (Ending::Failed(_), Some(limit_s)) if work.timed_out => Ending::out_of_time(limit_s),
            (ending, _) => ending,
        }
    }

    fn tend(&mut self) -> Result<()> {
        for work in self.at_work.values_mut() {
            let limit = work.limit_s.map(Duration::from_secs);
            if let (Some(limit), Some(pid)) = (limit, work.pid)
                && work.started.elapsed() > limit
            {
                work.timed_out = true;
                worker::signal_group(pid, Signal::SIGKILL);
            }
        }
        Ok(())
    }

    fn stop(&mut self, late: bool) {
        self.signal(if late { Signal::SIGKILL } else { Signal::SIGTERM });
    }

    fn dismiss(&mut self) {
        self.crew.dismiss();
    }
}
