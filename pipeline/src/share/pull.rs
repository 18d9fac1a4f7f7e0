//! Gets from a remote what it has of the wanted stages. A stage's key follows from the contents of its inputs, so the
//! graph is walked in waves, inputs before readers, and a stage that depends on a missing result has no key. A
//! missing optional input is left out, as a run leaves it out if it is unavailable.
//!
//! A recorded run does not keep all tables, but lists the digests of all. The list gives the keys of what the run
//! kept; of the other stages, only the digests are known. A run computes them if they are wanted, and if one comes
//! out different, its readers get other keys.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    digest::Digest,
    error::{Error, Result},
    graph::{Graph, Id},
    manifest::{self, Contents},
    plan::{Options, Plan, State},
    recorded::list::{self, Line},
    remote::{self, Remote},
    share::side_by_side,
    store::{Fact, Health, Store, record::Record},
    table,
};

/// Output → content digest.
type Outputs = Vec<(String, Digest)>;

/// Why the result of a stage could not be pulled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// The remote does not have it.
    Absent,
    /// The remote lists it under another key: it was made with other code, config or data.
    Moved,
    /// It is made from downloads, and no trusted key was given.
    Downloads,
    /// Its key cannot be known, because the result of this stage, which it needs, is missing.
    Needs(String),
    /// Another process is computing it.
    Held,
    /// The remote has it in an invalid form: the reason.
    Unsound(String),
    /// Nobody who is trusted has signed it: who has, in words that fit after "results".
    Untrusted(String),
}

/// The outcome for the wanted stages.
#[derive(Debug, Default)]
pub struct Pulled {
    /// Stages whose result is in the store now, with their keys.
    pub had: BTreeMap<String, Digest>,
    /// Those among them that came from the remote.
    pub pulled: usize,
    /// Stages of which only the digests are known, from the list of a recorded run.
    pub told: usize,
    /// The others, by reason.
    pub lacking: BTreeMap<Lack, Vec<String>>,
}

enum Known {
    Outputs(Outputs),
    /// Missing, because of this stage.
    Lacking(String),
}

/// Gets the results of the wanted stages into the store.
///
/// # Errors
/// When the remote cannot be reached, a user's file cannot be read, or the store refuses.
pub fn pull(graph: &Graph, wanted: &[bool], store: &Store, remote: &Remote) -> Result<Pulled> {
    let _present = store.present()?;
    store.writable()?;
    store.sweep()?;
    let mut plan = Plan::new(graph, wanted, store, Options::default())?;
    let told = told(store, remote)?;
    let mut walk =
        Walk { graph, store, remote, told, known: HashMap::new(), pulled: Pulled::default() };
    let mut open: Vec<Id> = graph.order().iter().copied().filter(|id| wanted[id.index()]).collect();
    while !open.is_empty() {
        let ready =
            |id: &Id| graph[*id].inputs.iter().all(|edge| walk.known.contains_key(&edge.from));
        let (wave, later) = open.into_iter().partition(ready);
        walk.wave(&mut plan, wave)?;
        open = later;
    }
    Ok(walk.pulled)
}

/// What the list of a recorded run contains: the outputs by key, and the names.
struct Told {
    outputs: HashMap<Digest, Outputs>,
    names: HashSet<String>,
}

/// The list is not signed, so it is not used if only signed results are accepted.
fn told(store: &Store, remote: &Remote) -> Result<Told> {
    let mut told = Told { outputs: HashMap::new(), names: HashSet::new() };
    let blob = if remote.is_trusted() { None } else { remote.list()? };
    let Some(blob) = blob else { return Ok(told) };
    let dir = store.attempt(Digest::of(&blob), 0)?;
    let path = table::file_name(&dir, "stages");
    let lines = store
        .disk()
        .write(&path, &blob)
        .map_err(|e| Error::io("write", &path, &e))
        .and_then(|_| list::read(&path));
    drop(store.disk().remove_folder(&dir));
    for Line { stage, key, output, digest, .. } in lines? {
        told.outputs.entry(key).or_default().push((output, digest));
        told.names.insert(stage);
    }
    Ok(told)
}

struct Walk<'a> {
    graph: &'a Graph,
    store: &'a Store,
    remote: &'a Remote,
    told: Told,
    /// What is known about the stages that were walked.
    known: HashMap<Id, Known>,
    pulled: Pulled,
}

/// The answer for one stage.
enum Answer {
    Had(Outputs, Option<Box<Record>>),
    Lacking(Lack),
}

impl Walk<'_> {
    /// Settles stages whose inputs were all walked.
    fn wave(&mut self, plan: &mut Plan, wave: Vec<Id>) -> Result<()> {
        let mut asked = Vec::new();
        for id in wave {
            if let State::Fresh(key, produced) = plan.state(id) {
                let outputs = produced.iter().map(|a| (a.output.to_string(), a.digest)).collect();
                self.had(id, *key, outputs);
                continue;
            }
            match self.contents(plan, id)? {
                Ok(contents) => asked.push((id, manifest::key(&self.graph[id], &contents))),
                Err(root) => self.lacks(id, Lack::Needs(root)),
            }
        }
        // Stages with the same key are one computation: the first is asked for, and the others then get the same
        // answer.
        let mut keys = HashSet::new();
        let (first, twins): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|(_, key)| keys.insert(*key));
        self.settle(plan, first)?;
        self.settle(plan, twins)
    }

    /// Asks for stages whose keys are known; no two have the same key.
    fn settle(&mut self, plan: &mut Plan, asked: Vec<(Id, Digest)>) -> Result<()> {
        let answers = side_by_side(&asked, |(id, key)| self.ask(*id, *key))?;
        for ((id, key), answer) in asked.into_iter().zip(answers) {
            match answer {
                Answer::Had(outputs, record) => {
                    if let Some(record) = record {
                        self.pulled.pulled += 1;
                        if plan.records()?.get(key).is_none_or(|own| own.outputs != record.outputs)
                        {
                            self.store.record(&record)?;
                        }
                    }
                    self.had(id, key, outputs);
                }
                Answer::Lacking(lack) => match self.told.outputs.get(&key) {
                    Some(outputs) => {
                        self.pulled.told += 1;
                        self.known.insert(id, Known::Outputs(outputs.clone()));
                    }
                    None => self.lacks(id, lack),
                },
            }
        }
        Ok(())
    }

    fn had(&mut self, id: Id, key: Digest, outputs: Outputs) {
        self.pulled.had.insert(self.graph[id].name.clone(), key);
        self.known.insert(id, Known::Outputs(outputs));
    }

    fn lacks(&mut self, id: Id, lack: Lack) {
        let name = self.graph[id].name.clone();
        let root = if let Lack::Needs(root) = &lack { root } else { &name };
        self.known.insert(id, Known::Lacking(root.clone()));
        self.pulled.lacking.entry(lack).or_default().push(name);
    }

    /// The contents of a stage's inputs and files, or the name of an input that it needs and that is missing.
    fn contents(&self, plan: &mut Plan, id: Id) -> Result<Result<Contents, String>> {
        let node = &self.graph[id];
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for edge in &node.inputs {
            inputs.push(match self.known.get(&edge.from) {
                Some(Known::Outputs(outputs)) => {
                    outputs.iter().find(|(name, _)| name == edge.output).map(|(_, digest)| *digest)
                }
                _ if edge.optional => None,
                Some(Known::Lacking(root)) => return Ok(Err(root.clone())),
                None => return Ok(Err(self.graph[edge.from].name.clone())),
            });
        }
        let files = node.files.iter().map(|path| self.store.source(path, &mut plan.learned));
        Ok(Ok(Contents { inputs, files: files.collect::<Result<_>>()? }))
    }

    /// The result under a key: from the store, otherwise from the remote.
    fn ask(&self, id: Id, key: Digest) -> Result<Answer> {
        let node = &self.graph[id];
        if let Some(outputs) = self.kept(key, &node.name)? {
            return Ok(Answer::Had(outputs, None));
        }
        if !self.remote.may_give(node) {
            return Ok(Answer::Lacking(Lack::Downloads));
        }
        let Some(_claim) = self.store.locks().claim(key)? else {
            return Ok(Answer::Lacking(Lack::Held));
        };
        let dir = self.store.attempt(key, id.index())?;
        let pulled =
            self.remote.pull(self.store, key, &node.name, node.outputs, &dir.join("pulled"));
        drop(self.store.disk().remove_folder(&dir));
        Ok(match pulled? {
            remote::Pulled::Here(record, _) => Answer::Had(record.outputs.clone(), Some(record)),
            remote::Pulled::Absent if self.told.names.contains(&node.name) => {
                Answer::Lacking(Lack::Moved)
            }
            remote::Pulled::Absent => Answer::Lacking(Lack::Absent),
            remote::Pulled::Unsound(why) => Answer::Lacking(Lack::Unsound(why)),
            remote::Pulled::Untrusted(whose) => Answer::Lacking(Lack::Untrusted(whose)),
        })
    }

    /// The outputs under a key whose result is sound in the store, although that of an input is not.
    fn kept(&self, key: Digest, name: &str) -> Result<Option<Outputs>> {
        let (produced, bound) = {
            let log = self.store.facts();
            (log.known().done(key).cloned(), log.known().key_of(name))
        };
        let Some(produced) = produced else { return Ok(None) };
        for artifact in produced.iter() {
            if matches!(self.store.health(artifact)?, Health::Missing | Health::Corrupt) {
                return Ok(None);
            }
        }
        if bound != Some(key) {
            self.store.append(&[Fact::Bound(key, name)])?;
        }
        Ok(Some(produced.iter().map(|a| (a.output.to_string(), a.digest)).collect()))
    }
}
