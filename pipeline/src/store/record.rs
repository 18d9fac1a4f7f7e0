//! How each result came about: the manifest that made its key, and where and how long it ran. Kept beside the log;
//! not needed for correctness, only for explanations and estimates.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
};

use serde::{Deserialize, Serialize};

use super::Store;
use crate::{
    digest::Digest,
    disk::Open,
    error::{Error, Result},
    manifest::Manifest,
};

/// The record of one execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The key that it was computed under.
    pub key: Digest,
    /// The stage's name then.
    pub name: String,
    /// The stage's kind.
    pub kind: String,
    /// Everything that entered the key.
    pub manifest: Manifest,
    /// Output name → content digest.
    pub outputs: Vec<(String, Digest)>,
    /// What it cost.
    pub cost: Cost,
    /// The number of CPU slots that it had.
    #[serde(default = "one")]
    pub threads: usize,
    /// The number of GPUs that it had.
    #[serde(default)]
    pub gpus: usize,
    /// Bytes of its outputs together.
    #[serde(default)]
    pub bytes: u64,
    /// Machine, program and libraries ([`Store::environment`]).
    #[serde(default)]
    pub environment: Option<Digest>,
    /// Host name.
    pub host: String,
    /// Seconds since the epoch at the end.
    pub finished: u64,
    /// The program's version.
    pub program: String,
}

fn one() -> usize {
    1
}

/// What an execution cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Elapsed seconds.
    pub wall_s: f64,
    /// CPU seconds, if the stage had a process of its own.
    pub cpu_s: Option<f64>,
    /// Peak resident memory in MiB, if the stage had a process of its own.
    pub peak_mib: Option<u64>,
}

/// The records of a store.
#[derive(Default)]
pub struct Records {
    by_key: HashMap<Digest, Record>,
    /// Keys in the order of their first execution.
    order: Vec<Digest>,
    by_name: HashMap<String, Vec<Digest>>,
    repeats: HashMap<Digest, Vec<Repeat>>,
}

/// An output that was computed again under the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The output.
    pub output: String,
    /// Whether it came out with the same bytes.
    pub same: bool,
}

impl Records {
    /// The record of the execution that made `key`.
    #[must_use]
    pub fn get(&self, key: Digest) -> Option<&Record> {
        self.by_key.get(&key)
    }

    /// The last record of every key, in the order in which they were first computed.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.order.iter().filter_map(|key| self.by_key.get(key))
    }

    /// The outputs of `key` that were computed again, and how they came out.
    #[must_use]
    pub fn repeats(&self, key: Digest) -> &[Repeat] {
        self.repeats.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The executions under `name`, oldest first.
    #[must_use]
    pub fn history(&self, name: &str) -> Vec<&Record> {
        let keys = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        keys.iter().filter_map(|key| self.by_key.get(key)).collect()
    }

    fn add(&mut self, record: Record) {
        self.by_name.entry(record.name.clone()).or_default().push(record.key);
        let key = record.key;
        let outputs = record.outputs.clone();
        match self.by_key.insert(key, record) {
            None => self.order.push(key),
            Some(before) => {
                let repeat = |(output, digest): (String, Digest)| {
                    let (_, was) = before.outputs.iter().find(|(name, _)| *name == output)?;
                    Some(Repeat { same: *was == digest, output })
                };
                self.repeats.entry(key).or_default().extend(outputs.into_iter().filter_map(repeat));
            }
        }
    }
}

impl Store {
    /// Reads all records. A garbled line is skipped, since it is only an explanation.
    ///
    /// # Errors
    /// When the file exists but cannot be read.
    pub fn records(&self) -> Result<Records> {
        let path = self.root().join("records.jsonl");
        let mut records = Records::default();
        let file = match self.disk.open(&path, Open::Read) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(records),
            Err(e) => return Err(Error::io("open", &path, &e)),
        };
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(|e| Error::io("read", &path, &e))?;
            if let Ok(record) = serde_json::from_slice(&line) {
                records.add(record);
            }
        }
        Ok(records)
    }

    /// Appends one record.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record(&self, record: &Record) -> Result<()> {
        let path = self.root().join("records.jsonl");
        let mut line = serde_json::to_vec(record)
            .map_err(|e| Error::usage(format!("a record cannot be written: {e}")).because(e))?;
        // The line starts on a new line even after a torn one.
        line.insert(0, b'\n');
        line.push(b'\n');
        self.locks().appending(|| {
            self.disk
                .open(&path, Open::Append)
                .and_then(|mut file| file.write_all(&line))
                .map_err(|e| Error::io("append to", &path, &e))
        })
    }
}
