//! Stores for tests.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use pipeline::{
    digest::Digest,
    manifest::Manifest,
    store::{
        Store,
        record::{Cost, Record},
        runs::RunRecord,
    },
    table,
};

/// Publishes a stage with these tables, by output, under a key made of its name and `what`; returns the key.
pub(crate) fn make(
    store: &Store,
    name: &str,
    what: &str,
    tables: &[(&str, RecordBatch)],
) -> Digest {
    let key = Digest::of(format!("{name} {what}").as_bytes());
    let dir = tempfile::tempdir().unwrap();
    for (output, batch) in tables {
        table::write(&table::file_name(dir.path(), output), batch).unwrap();
    }
    let outputs: Vec<String> = tables.iter().map(|(output, _)| (*output).to_owned()).collect();
    let made = store.publish(key, name, dir.path(), &outputs).unwrap();
    let record = Record {
        key,
        name: name.to_owned(),
        kind: "toy".to_owned(),
        manifest: Manifest { parts: Vec::new(), code: Vec::new() },
        outputs: made.iter().map(|a| (a.output.to_string(), a.digest)).collect(),
        cost: Cost { wall_s: 1.0, cpu_s: None, peak_mib: None },
        threads: 1,
        gpus: 0,
        bytes: 1,
        environment: None,
        host: "here".to_owned(),
        finished: 1,
        program: String::new(),
    };
    store.record(&record).unwrap();
    key
}

/// Ends a run of these stages under `profile`.
pub(crate) fn end(store: &Store, profile: &str, stages: &[(&str, Digest)]) {
    let stages: BTreeMap<String, Digest> =
        stages.iter().map(|(name, key)| ((*name).to_owned(), *key)).collect();
    let run = RunRecord {
        id: 0,
        finished: 1,
        host: "here".to_owned(),
        profile: profile.to_owned(),
        overrides: Vec::new(),
        targets: None,
        pinned: false,
        stages,
        lacking: BTreeMap::new(),
    };
    store.record_run(run).unwrap();
}
