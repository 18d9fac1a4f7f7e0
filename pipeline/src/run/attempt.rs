//! One attempt at one stage: its claim and slots, its start, and the consequences of its end. It does not decide
//! states: it reports what happened, and the run's transition does the rest.

use std::path::PathBuf;

use super::{
    Run,
    confined::Sandbox,
    executor::Order,
    job::{Ending, Job, Report},
    message::{Fetched, Message},
    slots::Taken,
};
use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    event::Event,
    graph::Id,
    machine,
    plan::{Reason, State},
    store::{self, Claim, Fact, Produced, record::Record},
};

/// What is known about a running attempt.
pub(super) struct Attempt {
    id: Id,
    key: Digest,
    dir: PathBuf,
    taken: Taken,
    tries: u32,
    claim: Claim,
    /// What is carried out if the remote does not have the result, and why it runs.
    order: Option<(Order, Reason)>,
}

impl Run<'_, '_> {
    /// Starts an attempt, unless the stage turns out to be done or held by another process.
    pub(super) fn start(&mut self, id: Id, taken: Taken, tries: u32) -> Result<()> {
        let node = &self.graph[id];
        let State::Stale(key, _) = *self.plan.state(id) else {
            self.executor.give_back(taken);
            return Ok(());
        };
        if let Some(why) = self.executor.refusal(&node.needs) {
            self.executor.give_back(taken);
            return self.unavailable(id, key, &why);
        }
        // A key that is in flight in this process is held just like one in another process.
        let twin = self.running.values().any(|attempt| attempt.key == key);
        let claim = if twin { None } else { self.store.locks().claim(key)? };
        let Some(claim) = claim else {
            self.executor.give_back(taken);
            if !twin && !self.queue.announced(id) {
                let by = self.store.holder(key);
                self.listener.hear(&Event::Held { stage: node.name.clone(), by });
            }
            self.held.push(id);
            return Ok(());
        };
        // Read before the key is checked once more: what the stage reads must be what the key says.
        let learned = &mut self.plan.learned;
        let files = node.files.iter().map(|path| self.store.source(path, learned));
        let contents = files.collect::<Result<Vec<_>>>()?;
        // Another process may have finished it between the plan and the claim.
        self.store.facts().refresh()?;
        let now = self.plan.decide(id)?;
        let reason = match &now {
            State::Stale(now, why) if *now == key => why.clone(),
            _ => {
                self.executor.give_back(taken);
                if now.settled() {
                    return self.conclude(id, now);
                }
                // A file of the user changed meanwhile, so the claim is on the wrong key.
                self.transition(id, now);
                self.queue.push(id);
                return Ok(());
            }
        };
        if let Reason::Corrupt { artifact } = &reason {
            store::quarantine(self.store.disk(), artifact)?;
        }
        let dir = self.executor.folder(key, self.next)?;
        if node.needs.checkpoints {
            let folder = self.store.checkpoints(key);
            self.store
                .disk()
                .make_folders(&folder)
                .map_err(|e| Error::io("create", &folder, &e))?;
        }
        let order = Order {
            job: self.job(id, key, dir.clone(), contents, &taken),
            needs: node.needs.clone(),
            gpus: taken.gpus.clone(),
            expected_s: self.pace.seconds(id, self.now_s()),
        };
        self.transition(id, State::Running(key));
        let token = self.next;
        self.next += 1;
        self.started += usize::from(tries == 0);
        let mut attempt = Attempt { id, key, dir: dir.clone(), taken, tries, claim, order: None };
        let asked = reason != Reason::Forced && tries == 0;
        let exchange = self.exchange.as_ref().filter(|exchange| asked && exchange.may_have(node));
        if let Some(exchange) = exchange {
            exchange.pull(token, key, &node.name, node.outputs, dir);
            attempt.order = Some((order, reason));
            self.running.insert(token, attempt);
            return Ok(());
        }
        self.running.insert(token, attempt);
        self.compute(token, id, order, reason)
    }

    /// Has an attempt carried out.
    fn compute(&mut self, token: usize, id: Id, order: Order, why: Reason) -> Result<()> {
        self.listener.hear(&Event::Start { stage: self.graph[id].name.clone(), why });
        self.pace.start(id, self.now_s());
        let started = self.executor.start(token, order);
        if started.is_err() {
            self.forget(token);
        }
        started
    }

    /// Gives back what an attempt has that will not be carried out.
    fn forget(&mut self, token: usize) {
        if let Some(attempt) = self.running.remove(&token) {
            self.executor.give_back(attempt.taken);
            self.pace.stop(attempt.id);
            self.transition(attempt.id, State::Waiting(Vec::new()));
        }
    }

    /// The remote has answered: either its result becomes the stage's, or the attempt is carried out.
    fn fetched(&mut self, token: usize, fetched: Fetched) -> Result<()> {
        let Some(attempt) = self.running.get_mut(&token) else { return Ok(()) };
        let (id, key) = (attempt.id, attempt.key);
        let Some((order, why)) = attempt.order.take() else { return Ok(()) };
        let Some((record, produced)) = fetched else {
            if self.summary.interrupted {
                let nothing = (Ending::Failed("interrupted".to_owned()), Produced::default());
                return self.over(token, Ok(nothing));
            }
            // After an error, or a failure that ends the run, nothing more is started.
            if self.refused.is_some() || self.stopping.is_some() && !self.options.keep_going {
                self.forget(token);
                return Ok(());
            }
            return self.compute(token, id, order, why);
        };
        if let Some(Attempt { taken, claim, dir, .. }) = self.running.remove(&token) {
            self.executor.give_back(taken);
            drop(claim);
            drop(self.store.disk().remove_folder(&dir));
            // What an earlier attempt left is no longer needed.
            drop(self.store.disk().remove_folder(&self.store.checkpoints(key)));
        }
        self.store.record(&record)?;
        self.pulled.insert(id);
        self.conclude(id, State::Fresh(key, produced))
    }

    /// The attempt is over, in whatever way.
    fn over(&mut self, token: usize, result: Result<(Ending, Produced)>) -> Result<()> {
        match self.running.remove(&token) {
            Some(attempt) => self.ended(attempt, result),
            None => Ok(()),
        }
    }

    fn job(&self, id: Id, key: Digest, dir: PathBuf, contents: Vec<Digest>, taken: &Taken) -> Job {
        let node = &self.graph[id];
        Job {
            key,
            kind: node.kind.to_owned(),
            code: node.code.digest,
            name: node.name.clone(),
            params: node.params.clone(),
            inputs: self.plan.inputs(id),
            files: node.files.clone(),
            contents,
            seed: node.seed,
            threads: taken.threads,
            downloads: self.store.downloads(),
            checkpoints: node.needs.checkpoints.then(|| self.store.checkpoints(key)),
            dir,
            sandbox: self.options.sandbox.holds(node).then(|| Sandbox::of(node)),
        }
    }

    pub(super) fn receive(&mut self, message: Message) {
        match message {
            Message::Spawned(token, pid) => self.executor.spawned(token, pid),
            Message::Said(event) => self.listener.hear(&event),
            Message::Fetched(token, fetched) => {
                if let Err(e) = self.fetched(token, fetched) {
                    self.give_up(e);
                }
            }
            Message::Ended(token, result) => {
                let result = match result {
                    Ok((ending, produced)) => Ok((self.executor.ended(token, ending), produced)),
                    Err(e) => {
                        self.executor.ended(token, Ending::Failed(e.to_string()));
                        Err(e)
                    }
                };
                if let Err(e) = self.over(token, result) {
                    self.give_up(e);
                }
            }
        }
    }

    fn ended(&mut self, attempt: Attempt, result: Result<(Ending, Produced)>) -> Result<()> {
        let Attempt { id, key, dir, taken, tries, claim, .. } = attempt;
        self.executor.give_back(taken);
        self.pace.stop(id);
        drop(claim); // a second try takes it again
        let node = &self.graph[id];
        // The attempt's folder is no longer needed; leaving it would cost disk space but do no harm.
        drop(self.store.disk().remove_folder(&dir));
        match result? {
            (Ending::Done(report), produced) => self.done(id, key, report, produced),
            (Ending::Unavailable(why), _) => self.unavailable(id, key, &why),
            (Ending::Refused(what, help), _) => {
                let error = Error::new(Exit::Store, what);
                Err(help.into_iter().fold(error, Error::help))
            }
            (Ending::Failed(_), _) if self.summary.interrupted => {
                self.transition(id, State::Waiting(Vec::new()));
                Ok(())
            }
            (Ending::Failed(message), _) => {
                let again = tries < node.needs.retries;
                self.listener.hear(&Event::Failed {
                    stage: node.name.clone(),
                    message: message.clone(),
                    again,
                });
                if again {
                    let next = self.plan.decide(id)?;
                    if next.settled() {
                        // Another process has finished it since this one released its claim.
                        self.transition(id, State::Waiting(Vec::new()));
                        return self.conclude(id, next);
                    }
                    self.transition(id, next);
                    if let Some(taken) = self.executor.take(&node.needs) {
                        return self.start(id, taken, tries + 1);
                    }
                }
                if !self.options.keep_going {
                    self.stop();
                }
                self.conclude(id, State::Failed(message))
            }
        }
    }

    fn done(&mut self, id: Id, key: Digest, report: Report, produced: Produced) -> Result<()> {
        let node = &self.graph[id];
        let cost = report.cost;
        self.pace.finish(id, cost.wall_s);
        if let Some(manifest) = self.plan.manifest(id)? {
            let outputs = produced.iter().map(|a| (a.output.to_string(), a.digest)).collect();
            let (environment, host) = self.surroundings.of(self.store, report.machine)?;
            let record = Record {
                key,
                name: node.name.clone(),
                kind: node.kind.to_owned(),
                manifest,
                outputs,
                cost,
                threads: node.needs.threads,
                gpus: node.needs.gpus,
                bytes: produced.iter().map(|artifact| artifact.stamp.size).sum(),
                environment: Some(environment),
                host,
                finished: machine::now(),
                program: env!("CARGO_PKG_VERSION").to_owned(),
            };
            self.store.record(&record)?;
            if let Some(exchange) = &self.exchange {
                exchange.push(record);
            }
        }
        self.listener.hear(&Event::Done { stage: node.name.clone(), wall_s: cost.wall_s });
        self.conclude(id, State::Fresh(key, produced))
    }

    fn unavailable(&mut self, id: Id, key: Digest, why: &str) -> Result<()> {
        if self.store.facts().known().unavailable(key) != Some(why) {
            self.store.append(&[Fact::Unavailable(key, &self.graph[id].name, why)])?;
        }
        self.conclude(id, State::Unavailable(key, why.to_owned()))
    }
}
