//! Environment and cost of the results: machines, programs and libraries, data, and CPU and GPU hours.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::{
    digest::Digest,
    provenance::Account,
    store::{Store, environment::Environment, record::Records},
};
use serde_json::Value;

/// The cost of a group of stages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Its name: a paper or a kind of stage.
    pub name: String,
    /// Number of results.
    pub stages: usize,
    /// CPU seconds.
    pub cpu_s: f64,
    /// Elapsed seconds, summed over stages.
    pub wall_s: f64,
    /// Seconds on GPUs: elapsed, times the GPUs held.
    pub gpu_s: f64,
    /// Largest resident memory of one stage in MiB, if it was measured.
    pub peak_mib: Option<u64>,
    /// Bytes of results.
    pub bytes: u64,
}

impl Cost {
    fn add(&mut self, account: &Account) {
        let gpus = account.gpus as f64;
        self.stages += 1;
        self.cpu_s += account.cpu_s();
        self.wall_s += account.cost.wall_s;
        self.gpu_s += account.cost.wall_s * gpus;
        self.peak_mib = self.peak_mib.max(account.cost.peak_mib);
        self.bytes += account.bytes;
    }
}

/// A data set as one stage loaded it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Data {
    /// The stage.
    pub stage: String,
    /// The data set's id.
    pub id: String,
    /// The SHA-256 digests of its files.
    pub files: Vec<String>,
    /// The digest of the table that was loaded from them.
    pub table: String,
}

/// The origins of results.
pub struct Origins {
    /// The cost of the present results, by paper.
    pub papers: Vec<Cost>,
    /// The same by kind of stage, the most expensive first.
    pub kinds: Vec<Cost>,
    /// The same in total.
    pub present: Cost,
    /// The cost of all computations recorded in the store, including superseded ones.
    pub ever: Cost,
    /// The data sets.
    pub data: Vec<Data>,
    /// Environments, with the number of present results from each.
    pub environments: Vec<(Environment, usize)>,
    /// Hosts of present results without a recorded environment, with the number of results; the name is empty
    /// if the host is unknown.
    pub hosts: Vec<(String, usize)>,
}

impl Origins {
    /// Reads the origins of the current results of the store.
    #[must_use]
    pub fn of(store: &Store, records: &Records) -> Self {
        let (mut papers, mut kinds): (BTreeMap<String, Cost>, BTreeMap<String, Cost>) =
            Default::default();
        let mut present = Cost { name: "present results".to_owned(), ..Cost::default() };
        let mut ever = Cost { name: "all that was computed".to_owned(), ..Cost::default() };
        let mut data = BTreeSet::new();
        let mut environments: BTreeMap<Digest, usize> = BTreeMap::new();
        let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
        for record in records.all() {
            ever.add(&Account::of(record, &record.name));
        }
        let names: Vec<(String, Digest)> = {
            let log = store.facts();
            log.known().names().into_iter().map(|(name, key)| (name.to_owned(), key)).collect()
        };
        let mut counted = BTreeSet::new();
        for (name, key) in names {
            let Some(record) = records.get(key) else { continue };
            let account = Account::of(record, &name);
            data.extend(loaded(&account));
            // A result with two names was computed once.
            if !counted.insert(key) {
                continue;
            }
            let paper = name.split('/').next().unwrap_or(&name).to_owned();
            for (group, name) in [(&mut papers, paper), (&mut kinds, record.kind.clone())] {
                let cost = group.entry(name.clone()).or_default();
                cost.name = name;
                cost.add(&account);
            }
            present.add(&account);
            match account.environment.filter(|digest| store.environment(*digest).is_some()) {
                Some(digest) => *environments.entry(digest).or_default() += 1,
                None => *hosts.entry(account.host.clone()).or_default() += 1,
            }
        }
        let mut kinds: Vec<Cost> = kinds.into_values().collect();
        kinds.sort_by(|a, b| b.cpu_s.total_cmp(&a.cpu_s).then_with(|| a.name.cmp(&b.name)));
        let environments = environments
            .into_iter()
            .filter_map(|(digest, n)| Some((store.environment(digest)?, n)));
        Self {
            papers: papers.into_values().collect(),
            kinds,
            present,
            ever,
            data: data.into_iter().collect(),
            environments: environments.collect(),
            hosts: hosts.into_iter().collect(),
        }
    }
}

/// The data set that a stage loaded, if it loaded one.
fn loaded(account: &Account) -> Option<Data> {
    let id = account.params.get("data_set")?.as_str()?.to_owned();
    let content = account.params.get("content")?.as_array()?;
    let files = content.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let (_, table) = account.outputs.first()?;
    Some(Data { stage: account.stage.clone(), id, files, table: table.to_string() })
}
