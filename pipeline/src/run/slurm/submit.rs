//! Submission: what has become ready is packed into arrays and submitted, and again later if the cluster cannot take
//! it now.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use super::{
    Slurm,
    commands::{self, Refusal},
    flight::Out,
    folder::{self, Array},
    pack,
};
use crate::{
    digest::Digest,
    error::{Error, Result},
    machine,
    run::job::Ending,
};

/// How long ready stages wait for others that become ready shortly after.
const GATHER: Duration = Duration::from_millis(150);
/// Pauses after a submission that may succeed later: this, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);
/// How often such a submission is tried while nothing else is on the cluster.
const SUBMISSIONS: u32 = 8;

impl Slurm {
    /// Submits what waits, once it has waited for more of its kind.
    pub(super) fn send_out(&mut self) -> Result<()> {
        let early = self.since.is_none_or(|since| since.elapsed() < GATHER);
        if early || self.refused.is_some_and(|(until, _)| Instant::now() < until) {
            return Ok(());
        }
        let names = std::mem::take(&mut self.waiting);
        self.since = None;
        let ready = names.iter().filter_map(|name| self.flights.get(name)?.ready(name, &self.site));
        for (shape, array) in pack::pack(ready.collect(), &self.settings) {
            if let Err(e) = self.submit(&shape, &array) {
                // The run ends with this error, and waits for no stage that is not on the cluster.
                self.keep_back(&e.to_string());
                return Err(e);
            }
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
                // Only a shortcut: an engine that restarts also finds the array by its name.
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

    /// Nothing more can be submitted: what is not on the cluster has failed.
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

    /// Creates an array's folder, under a name that no other array has.
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
}
