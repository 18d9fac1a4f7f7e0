//! Attempts on a Slurm cluster: ready stages are submitted as arrays of `exec-stage`, and endings come back through
//! the store's folder on the shared file system. An engine that restarts takes up what is still on the cluster.
//! Independent of the states of stages.

mod attach;
mod commands;
mod flight;
mod folder;
#[cfg(test)]
mod hostile_tests;
mod pack;
mod settings;
mod submit;
pub mod task;
mod watch;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, channel},
    time::{Duration, Instant},
};

pub use self::settings::{Class, Settings};
use self::{
    commands::View,
    flight::{Flight, Out},
    folder::Folder,
};
use super::{
    executor::{Executor, Order, Site},
    job::{Ending, Job},
    message::Message,
    slots::Taken,
};
use crate::{digest::Digest, error::Result, event::Event, stage::Needs, store::Produced};

/// How often the folder of endings is checked.
const LOOK: Duration = Duration::from_millis(200);

/// A cluster.
pub(super) struct Slurm {
    site: Site,
    settings: Settings,
    folder: Folder,
    /// Attempts of this run that are not over, by name.
    flights: BTreeMap<String, Flight>,
    tokens: HashMap<usize, String>,
    /// Names of attempts that wait to be submitted, and since when.
    waiting: Vec<String>,
    since: Option<Instant>,
    /// The time before which nothing is submitted, and how many submissions were refused in a row.
    refused: Option<(Instant, u32)>,
    /// Attempts that an earlier engine submitted, by key.
    left: HashMap<Digest, Out>,
    /// The cluster's job numbers of arrays, by name.
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

    /// Ends an attempt for a reason of its own or of the cluster.
    fn end(&self, token: usize, ending: Ending) {
        drop(self.site.sender.send(Message::Ended(token, Ok((ending, Produced::default())))));
    }

    fn wait(&mut self, name: String) {
        self.waiting.push(name);
        self.since.get_or_insert_with(Instant::now);
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
        if let Some(out) = left.filter(|out| out.attempt == name && !out.array.is_empty()) {
            let stage = &flight.job.name;
            self.say(Event::Cluster { message: format!("{stage} is taken up again") });
            flight.sent(out);
        } else {
            flight.job.save()?;
            self.wait(name.clone());
        }
        self.tokens.insert(token, name.clone());
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
