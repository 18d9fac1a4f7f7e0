//! Attempts on a Slurm cluster: ready stages go out as arrays of `exec-stage`, endings come back through
//! the store's folder on the shared file system. An engine that starts anew takes up what is still out.
//! Knows no state of a stage.

mod attach;
mod commands;
mod flight;
mod folder;
mod pack;
mod settings;
pub mod task;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
    time::{Duration, Instant},
};

pub use self::settings::{Class, Settings};
use self::{
    commands::{Refusal, View},
    flight::{Flight, Out},
    folder::{Array, Folder, Outcome},
};
use super::{
    executor::{Executor, Message, Order, Site},
    job::{Ending, Job},
    slots::Taken,
};
use crate::{
    digest::Digest,
    error::{Error, Result},
    event::Event,
    machine,
    stage::Needs,
    store::Produced,
};

/// How long stages that become ready one after another wait for each other.
const GATHER: Duration = Duration::from_millis(150);
/// How often the folder of endings is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Pauses after a submission that may go better later: this, then twice as long each time.
const PAUSE: Duration = Duration::from_secs(1);
/// How often such a submission is tried while nothing else is out.
const SUBMISSIONS: u32 = 8;

/// A cluster.
pub(super) struct Slurm {
    site: Site,
    settings: Settings,
    folder: Folder,
    /// Attempts of this run that are not over, by name.
    flights: BTreeMap<String, Flight>,
    tokens: HashMap<usize, String>,
    /// Names of attempts that wait to be sent out, and since when.
    waiting: Vec<String>,
    since: Option<Instant>,
    /// No submission before this, and how many were refused in a row.
    refused: Option<(Instant, u32)>,
    /// Attempts that an earlier engine sent out, by key.
    left: HashMap<Digest, Out>,
    /// The cluster's numbers of arrays, by name.
    ids: HashMap<String, u64>,
    looked: Instant,
    polled: Instant,
    polling: Option<(Instant, Receiver<Result<View>>)>,
    silent: bool,
    /// Outcomes on their way into the store.
    collector: Sender<(usize, Job, Ending)>,
    next: u32,
}

impl Slurm {
    pub(super) fn new(site: Site, settings: Settings) -> Result<Self> {
        let folder = Folder::of(&site.store)?;
        let (left, ids) = attach::take_up(&site.store, &folder)?;
        let (collector, outcomes) = channel::<(usize, Job, Ending)>();
        let (store, sender) = (site.store.clone(), site.sender.clone());
        std::thread::spawn(move || {
            for (token, job, ending) in outcomes {
                if sender.send(Message::Ended(token, store.collect(&job, ending))).is_err() {
                    break;
                }
            }
        });
        let now = Instant::now();
        Ok(Self {
            site,
            settings,
            folder,
            flights: BTreeMap::new(),
            tokens: HashMap::new(),
            waiting: Vec::new(),
            since: None,
            refused: None,
            left,
            ids,
            looked: now,
            polled: now,
            polling: None,
            silent: false,
            collector,
            next: 0,
        })
    }

    fn say(&self, event: Event) {
        drop(self.site.sender.send(Message::Said(event)));
    }

    /// The attempt is over for reasons of its own or of the cluster.
    fn end(&self, token: usize, ending: Ending) {
        drop(self.site.sender.send(Message::Ended(token, Ok((ending, Produced::default())))));
    }

    fn wait(&mut self, name: String) {
        self.waiting.push(name);
        self.since.get_or_insert_with(Instant::now);
    }

    /// Sends out what waits, once it has waited for more of its kind.
    fn send_out(&mut self) -> Result<()> {
        let early = self.since.is_none_or(|since| since.elapsed() < GATHER);
        if early || self.refused.is_some_and(|(until, _)| Instant::now() < until) {
            return Ok(());
        }
        let names = std::mem::take(&mut self.waiting);
        self.since = None;
        let ready = names.iter().filter_map(|name| self.flights.get(name)?.ready(name, &self.site));
        for (shape, array) in pack::pack(ready.collect(), &self.settings) {
            self.submit(&shape, &array)?;
        }
        Ok(())
    }

    fn submit(&mut self, shape: &pack::Shape, array: &Array) -> Result<()> {
        let (name, dir) = self.new_array(array)?;
        let flags = pack::flags(shape, array, &name, &dir, &self.settings);
        let program = pack::absolute(&self.site.program);
        let all: Vec<String> = array.tasks.iter().flatten().map(|e| e.attempt.clone()).collect();
        match commands::submit(&flags, &pack::script(&program, &dir, shape)) {
            Ok(id) => {
                self.refused = None;
                self.ids.insert(name.clone(), id);
                // Only a help: an engine that starts anew finds the array by its name, too.
                drop(std::fs::write(dir.join("id"), id.to_string()));
                for (task, entries) in array.tasks.iter().enumerate() {
                    for entry in entries {
                        if let Some(flight) = self.flights.get_mut(&entry.attempt) {
                            flight.sent(Out::new(&entry.attempt, &name, task));
                        }
                    }
                }
                return Ok(());
            }
            Err(Refusal::Impossible(why)) => {
                for attempt in &all {
                    if let Some(flight) = self.flights.get_mut(attempt) {
                        flight.over = true;
                        let token = flight.token;
                        self.end(token, Ending::Unavailable(why.clone()));
                    }
                }
            }
            Err(Refusal::Wrong(why)) => {
                self.keep_back(&why);
                return Err(Error::usage(why).help("correct the settings of --slurm and run again"));
            }
            Err(Refusal::Later(why)) => {
                let before = self.refused.map_or(0, |(_, times)| times);
                let alone = !self.flights.values().any(|flight| flight.out.is_some());
                if alone && before >= SUBMISSIONS {
                    self.keep_back(&why);
                    return Err(Error::usage(why).help("look after the cluster and run again"));
                }
                let pause = PAUSE * 2u32.pow(before.min(5));
                self.refused = Some((Instant::now() + pause, before + 1));
                for attempt in all {
                    self.wait(attempt);
                }
            }
        }
        drop(std::fs::remove_dir_all(dir));
        Ok(())
    }

    /// Nothing more can go out: what is not out has failed.
    fn keep_back(&mut self, why: &str) {
        self.waiting.clear();
        let mut kept = Vec::new();
        for flight in self.flights.values_mut().filter(|flight| flight.out.is_none()) {
            if !std::mem::replace(&mut flight.over, true) {
                kept.push(flight.token);
            }
        }
        for token in kept {
            self.end(token, Ending::Failed(why.to_owned()));
        }
    }

    /// Makes an array's folder, under a name that no other has.
    fn new_array(&mut self, array: &Array) -> Result<(String, PathBuf)> {
        loop {
            self.next += 1;
            let (host, process) = (machine::host(), std::process::id());
            let text = format!("{host} {process} {} {}", self.next, machine::now());
            let name = format!("retune-{}", Digest::of(text.as_bytes()).short());
            let dir = self.folder.array(&name);
            match std::fs::create_dir(&dir) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::io("create", &dir, &e)),
                Ok(()) => {
                    let path = dir.join("array.json");
                    folder::publish(&path, &dir.join("array.new"), array)?;
                    return Ok((name, dir));
                }
            }
        }
    }

    /// Takes the endings that have come.
    fn look(&mut self) {
        self.looked = Instant::now();
        for name in self.folder.ended() {
            let Some(flight) = self.flights.get_mut(&name) else { continue };
            if std::mem::replace(&mut flight.over, true) {
                continue;
            }
            let (token, job) = (flight.token, flight.job.clone());
            match folder::read(&self.folder.outcome(&name)) {
                Ok(Outcome { ending, dir }) => {
                    drop(self.collector.send((token, Job { dir, ..job }, ending)));
                }
                Err(e) => self.end(token, Ending::Failed(e.to_string())),
            }
        }
    }

    /// Looks at the cluster's queue, on a thread: it may take long to answer.
    fn poll(&mut self) {
        let answer = match &self.polling {
            Some((begun, answer)) => match answer.try_recv() {
                Ok(view) => (*begun, view),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.polling = None;
                    return;
                }
            },
            None => {
                let out = self.flights.values().any(|flight| flight.out.is_some() && !flight.over);
                let pause = Duration::from_secs_f64(self.settings.poll_seconds);
                if out && self.polled.elapsed() >= pause {
                    self.polled = Instant::now();
                    let (sender, receiver) = channel();
                    std::thread::spawn(move || drop(sender.send(commands::queue())));
                    self.polling = Some((self.polled, receiver));
                }
                return;
            }
        };
        self.polling = None;
        match answer {
            (begun, Ok(view)) => {
                self.silent = false;
                // What ended before that look has left its ending by now.
                self.look();
                self.miss(begun, &view);
            }
            (_, Err(e)) => {
                // Nothing is known, so nothing is lost.
                if !std::mem::replace(&mut self.silent, true) {
                    self.say(Event::Cluster { message: format!("{e}; waiting for it") });
                }
            }
        }
    }

    /// Finds attempts whose task is over without an ending.
    fn miss(&mut self, begun: Instant, view: &View) {
        let mut again = Vec::new();
        for (name, flight) in &mut self.flights {
            let Some(verdict) = flight.judge(name, begun, view, &self.folder, &self.settings)
            else {
                continue;
            };
            match verdict {
                Ok(why) => again.push((name.clone(), flight.job.name.clone(), why)),
                Err(why) => {
                    flight.over = true;
                    let ended = (Ending::Failed(why), Produced::default());
                    drop(self.site.sender.send(Message::Ended(flight.token, Ok(ended))));
                }
            }
        }
        for (name, stage, why) in again {
            self.say(Event::Cluster { message: format!("{stage} goes out again: {why}") });
            self.wait(name);
        }
    }
}

impl Executor for Slurm {
    fn refusal(&self, needs: &Needs) -> Option<String> {
        self.site.program_missing(needs)
    }

    fn lanes(&self) -> usize {
        self.settings.stages
    }

    fn take(&mut self, needs: &Needs) -> Option<Taken> {
        (self.tokens.len() < self.settings.stages).then(|| Taken::elsewhere(needs))
    }

    fn give_back(&mut self, _: Taken) {}

    fn folder(&mut self, key: Digest, _: usize) -> Result<PathBuf> {
        let name = match self.left.get(&key) {
            Some(out) => out.attempt.clone(),
            None => self.folder.new_attempt(key)?,
        };
        Ok(self.folder.attempt(&name))
    }

    fn start(&mut self, token: usize, order: Order) -> Result<()> {
        let name = order.job.dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let left = self.left.remove(&order.job.key);
        let mut flight = Flight::new(token, order);
        self.tokens.insert(token, name.clone());
        match left.filter(|out| out.attempt == name && !out.array.is_empty()) {
            Some(out) => {
                let stage = &flight.job.name;
                self.say(Event::Cluster { message: format!("{stage} is taken up again") });
                flight.sent(out);
            }
            None => {
                flight.job.save()?;
                self.wait(name.clone());
            }
        }
        self.flights.insert(name, flight);
        Ok(())
    }

    fn spawned(&mut self, _: usize, _: u32) {}

    fn ended(&mut self, token: usize, ending: Ending) -> Ending {
        if let Some(name) = self.tokens.remove(&token) {
            let array = self.flights.remove(&name).and_then(|flight| flight.out);
            self.folder.forget(&name);
            let array = array.map(|out| out.array);
            let used =
                |flight: &Flight| flight.out.as_ref().map(|out| &out.array) == array.as_ref();
            if let Some(array) = &array
                && !self.flights.values().any(used)
            {
                drop(std::fs::remove_dir_all(self.folder.array(array)));
                self.ids.remove(array);
            }
        }
        ending
    }

    fn tend(&mut self) -> Result<()> {
        self.send_out()?;
        if self.looked.elapsed() >= LOOK && !self.flights.is_empty() {
            self.look();
        }
        self.poll();
        Ok(())
    }

    fn stop(&mut self, _: bool) {
        let open: Vec<usize> = self
            .flights
            .values()
            .filter(|flight| !flight.over)
            .map(|flight| flight.token)
            .collect();
        if open.is_empty() {
            return;
        }
        let arrays: BTreeSet<_> =
            self.flights.values().filter_map(|flight| Some(&flight.out.as_ref()?.array)).collect();
        let ids: Vec<u64> = arrays.iter().filter_map(|name| self.ids.get(*name)).copied().collect();
        if let Err(e) = commands::cancel(&ids) {
            self.say(Event::Cluster { message: format!("{e}; its jobs may go on") });
        }
        self.waiting.clear();
        for flight in self.flights.values_mut() {
            flight.over = true;
        }
        for token in open {
            self.end(token, Ending::Failed("cancelled".to_owned()));
        }
    }

    fn dismiss(&mut self) {}
}
