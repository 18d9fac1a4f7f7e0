//! How results came about, according to the records: which code, parameters, inputs and seed, on which machine, at
//! what cost, with which libraries. Only reads the store; the export formats are in the submodules.

pub mod moved;
pub mod prov;
pub mod ro_crate;
pub mod sbom;
pub mod sheet;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use serde::Serialize;
use serde_json::Value;

use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
    graph::near,
    store::{
        Store,
        environment::Environment,
        record::{Cost, Record, Records},
        runs::RunRecord,
    },
};

/// Creates the folder that an export fills, if it does not exist.
///
/// # Errors
/// When it is not empty (with the help `remedy`), or cannot be created.
pub fn new_folder(dir: &Path, remedy: &str) -> Result<()> {
    fs::create_dir_all(dir).map_err(|e| Error::io("create", dir, &e))?;
    if fs::read_dir(dir).map_err(|e| Error::io("read", dir, &e))?.next().is_some() {
        return Err(Error::usage(format!("{} is not empty", dir.display())).help(remedy));
    }
    Ok(())
}

/// Everything that is known about one result.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    /// The stage's name.
    pub stage: String,
    /// Its kind.
    pub kind: String,
    /// The key that it was computed under.
    pub key: Digest,
    /// The digest of its code.
    pub code: String,
    /// Module or dependency → digest or version.
    pub code_parts: Vec<(String, String)>,
    /// Its parameters.
    pub params: Value,
    /// Role → content digest of what it read; `None` if an optional input was unavailable.
    pub inputs: Vec<(String, Option<Digest>)>,
    /// Content digests of the user's files that it read.
    pub files: Vec<String>,
    /// The digest that its random streams are derived from.
    pub seed: Option<String>,
    /// The properties of the environment that entered the key.
    pub facets: Vec<(String, String)>,
    /// Output → content digest.
    pub outputs: Vec<(String, Digest)>,
    /// Bytes of its outputs together.
    pub bytes: u64,
    /// Elapsed and CPU seconds, peak memory.
    pub cost: Cost,
    /// The number of CPU slots that it had.
    pub threads: usize,
    /// The number of GPUs that it had.
    pub gpus: usize,
    /// Host name.
    pub host: String,
    /// Seconds since the epoch at its end.
    pub finished: u64,
    /// The digest under which its [`Environment`] is kept.
    pub environment: Option<Digest>,
}

impl Account {
    /// The account of a record, under the name `stage`.
    #[must_use]
    pub fn of(record: &Record, stage: &str) -> Self {
        let mut account = Self {
            stage: stage.to_owned(),
            kind: record.kind.clone(),
            key: record.key,
            code: String::new(),
            code_parts: record.manifest.code.clone(),
            params: Value::Null,
            inputs: Vec::new(),
            files: Vec::new(),
            seed: None,
            facets: Vec::new(),
            outputs: record.outputs.clone(),
            bytes: record.bytes,
            cost: record.cost,
            threads: record.threads,
            gpus: record.gpus,
            host: record.host.clone(),
            finished: record.finished,
            environment: record.environment,
        };
        for (part, value) in &record.manifest.parts {
            match part.split_once(' ').unwrap_or((part, "")) {
                ("code", _) => account.code.clone_from(value),
                ("params", _) => {
                    account.params = serde_json::from_str(value).unwrap_or(Value::Null);
                }
                ("input", role) => account.inputs.push((role.to_owned(), value.parse().ok())),
                ("file", _) => account.files.push(value.clone()),
                ("seed", _) => account.seed = Some(value.clone()),
                ("facet", name) => account.facets.push((name.to_owned(), value.clone())),
                _ => {}
            }
        }
        account
    }

    /// CPU seconds as measured, otherwise the elapsed time on every slot that it had.
    #[must_use]
    pub fn cpu_s(&self) -> f64 {
        let slots = self.threads as f64;
        self.cost.cpu_s.unwrap_or(self.cost.wall_s * slots)
    }

    /// Seconds since the epoch at its start.
    #[must_use]
    pub fn started(&self) -> u64 {
        let seconds = self.cost.wall_s.max(0.0).ceil() as u64;
        self.finished.saturating_sub(seconds)
    }
}

/// The account of `what`: a stage's current result, a key, or an artifact's digest; for the latter two, the first
/// hexadecimal digits are enough.
///
/// # Errors
/// When nothing is recorded under it, or it is ambiguous.
pub fn find(store: &Store, records: &Records, what: &str) -> Result<Account> {
    let present = store.facts().known().key_of(what);
    let named = records.history(what);
    let own = present.and_then(|key| records.get(key)).or(named.last().copied());
    if let Some(record) = own {
        return Ok(Account::of(record, what));
    }
    let begins = |digest: &Digest| digest.to_string().starts_with(what);
    let fits = |record: &&Record| {
        begins(&record.key) || record.outputs.iter().any(|(_, digest)| begins(digest))
    };
    let hexadecimal = what.len() >= 6 && what.bytes().all(|b| b.is_ascii_hexdigit());
    let found: Vec<_> = records.all().filter(|_| hexadecimal).filter(fits).collect();
    match found[..] {
        [one] => Ok(Account::of(one, &one.name)),
        [] => {
            let near = near(what, records.all().map(|record| record.name.as_str()));
            Err(Error::usage(format!("nothing is recorded of `{what}`{near}"))
                .help("name a stage, a key or an artifact's digest (six digits or more)"))
        }
        _ => {
            let names: Vec<_> = found.iter().map(|record| record.name.as_str()).collect();
            Err(Error::usage(format!("`{what}` fits several results: {}", names.join(", "))))
        }
    }
}

/// A run with the accounts of everything that it ended with.
pub struct Story {
    /// The run.
    pub run: RunRecord,
    /// Its stages, by name.
    pub accounts: Vec<Account>,
    /// Stages without a record.
    pub untold: Vec<String>,
    /// The environments that the accounts name.
    pub environments: BTreeMap<Digest, Environment>,
}

impl Story {
    /// The story of run `id`, or of the last one.
    ///
    /// # Errors
    /// When there is no such run, or the records cannot be read.
    pub fn of(store: &Store, id: Option<u64>) -> Result<Self> {
        let last = store.run_ids()?.last().copied();
        let id = id.or(last).ok_or_else(|| {
            Error::new(Exit::Store, "no run is recorded in this store").help("run `retune run`")
        })?;
        let (run, records) = (store.run_record(id)?, store.records()?);
        let (mut accounts, mut untold) = (Vec::new(), Vec::new());
        for (stage, key) in &run.stages {
            match records.get(*key) {
                Some(record) => accounts.push(Account::of(record, stage)),
                None => untold.push(stage.clone()),
            }
        }
        let wanted = accounts.iter().filter_map(|account| account.environment);
        let environments = wanted.filter_map(|digest| Some((digest, store.environment(digest)?)));
        let environments = environments.collect();
        Ok(Self { run, accounts, untold, environments })
    }

    /// Content digest → the account that made it and the output's name. If several made the same content, the first
    /// by name.
    #[must_use]
    pub fn makers(&self) -> HashMap<Digest, (&Account, &str)> {
        let mut makers = HashMap::new();
        for account in &self.accounts {
            for (output, digest) in &account.outputs {
                makers.entry(*digest).or_insert((account, output.as_str()));
            }
        }
        makers
    }
}
