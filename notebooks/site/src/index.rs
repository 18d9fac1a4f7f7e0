//! Writes `index.parquet`, a table of all present artifacts, so that readers do not have to know the layout
//! of the store. Fields are derived from the segments of stage names.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pipeline::{
    digest::Digest,
    provenance::Account,
    store::{Store, record::Records},
    table,
};

use crate::error::{Error, Result};

/// One output of one stage.
#[derive(Debug, Default, PartialEq)]
struct Row {
    stage: String,
    output: String,
    kind: String,
    paper: String,
    problem: String,
    method: String,
    sweep: String,
    data_set: String,
    seed: String,
    key: String,
    digest: String,
    path: String,
}

/// A column's name, its description, and its value in a row.
type Column = (&'static str, &'static str, fn(&Row) -> &String);

const COLUMNS: [Column; 12] = [
    ("stage", "the stage's name", |row| &row.stage),
    ("output", "which of its tables", |row| &row.output),
    ("kind", "what the stage does", |row| &row.kind),
    ("paper", "the paper: the first part of the name", |row| &row.paper),
    ("problem", "the second part of the name: a problem, or a part of the paper", |row| {
        &row.problem
    }),
    ("method", "the further parts without values: the method of a run, else the step", |row| {
        &row.method
    }),
    ("sweep", "the parts with values: split, repeat, replicate, trial", |row| &row.sweep),
    ("data_set", "the data set that it goes back to, where it is one alone", |row| &row.data_set),
    ("seed", "the digest that its random streams come from, where it has any", |row| &row.seed),
    ("key", "the hash of everything that decides the result", |row| &row.key),
    ("digest", "the BLAKE3 of the file", |row| &row.digest),
    ("path", "where the file lies, below the folder of this one", |row| &row.path),
];

/// Writes `index.parquet` into the folder `artifacts`, one row per output, sorted by stage and output.
///
/// # Errors
/// If it cannot be written.
pub fn write(artifacts: &Path, store: &Store, records: &Records) -> Result<PathBuf> {
    let rows = rows(artifacts, store, records);
    let field = |(name, about, _): &Column| {
        let about = HashMap::from([("description".to_owned(), (*about).to_owned())]);
        Field::new(*name, DataType::Utf8, false).with_metadata(about)
    };
    let schema = Schema::new(COLUMNS.iter().map(field).collect::<Vec<_>>());
    let column = |(_, _, value): &Column| {
        Arc::new(StringArray::from_iter_values(rows.iter().map(value))) as ArrayRef
    };
    let path = artifacts.join("index.parquet");
    let batch = RecordBatch::try_new(Arc::new(schema), COLUMNS.iter().map(column).collect())
        .map_err(|e| Error::io("lay out", &path, std::io::Error::other(e)))?;
    let beside = artifacts.join(format!(".index.parquet.{}", std::process::id()));
    // Left by a killed process with this number.
    drop(fs::remove_file(&beside));
    table::write(&beside, &batch)?;
    fs::rename(&beside, &path).map_err(|e| Error::io("write", &path, e))?;
    Ok(path)
}

fn rows(artifacts: &Path, store: &Store, records: &Records) -> Vec<Row> {
    let log = store.facts();
    let facts = log.known();
    let accounts: Vec<(&str, Digest, Option<Account>)> = facts
        .names()
        .into_iter()
        .map(|(name, key)| (name, key, records.get(key).map(|record| Account::of(record, name))))
        .collect();
    let mut sources = Sources::of(accounts.iter().filter_map(|(.., account)| account.as_ref()));
    let mut rows = Vec::new();
    for (name, key, account) in &accounts {
        let mut produced: Vec<_> =
            facts.done(*key).into_iter().flat_map(|list| list.iter()).collect();
        produced.sort_by(|a, b| a.output.cmp(&b.output));
        for artifact in produced {
            let object = store.object(artifact.digest);
            let path = object.strip_prefix(artifacts).unwrap_or(&object);
            rows.push(Row {
                stage: (*name).to_owned(),
                output: artifact.output.to_string(),
                kind: account.as_ref().map(|a| a.kind.clone()).unwrap_or_default(),
                data_set: account.as_ref().map(|a| sources.data_set(a)).unwrap_or_default(),
                seed: account.as_ref().and_then(|a| a.seed.clone()).unwrap_or_default(),
                key: key.to_string(),
                digest: artifact.digest.to_string(),
                path: path.to_string_lossy().into_owned(),
                ..named(name)
            });
        }
    }
    rows
}

/// The fields derived from a name.
fn named(name: &str) -> Row {
    let (swept, plain): (Vec<&str>, Vec<&str>) = name.split('/').partition(|p| p.contains('='));
    let part = |i: usize| plain.get(i).copied().unwrap_or_default().to_owned();
    let method = plain.get(2..).unwrap_or_default().join("/");
    Row { paper: part(0), problem: part(1), method, sweep: swept.join("/"), ..Row::default() }
}

/// The data sets on which results are based.
struct Sources {
    /// Content → the inputs of the stage that wrote it.
    inputs: HashMap<Digest, Vec<Digest>>,
    /// Content → data sets, as far as determined.
    known: HashMap<Digest, BTreeSet<String>>,
}

impl Sources {
    fn of<'a>(accounts: impl Iterator<Item = &'a Account>) -> Self {
        let (mut inputs, mut known) = (HashMap::new(), HashMap::new());
        for account in accounts {
            let loaded = account.params.get("content").and(account.params.get("data_set"));
            for (_, digest) in &account.outputs {
                if let Some(id) = loaded.and_then(serde_json::Value::as_str) {
                    known.insert(*digest, BTreeSet::from([id.to_owned()]));
                }
                let read = account.inputs.iter().filter_map(|(_, digest)| *digest);
                inputs.entry(*digest).or_insert_with(|| read.collect());
            }
        }
        Self { inputs, known }
    }

    /// The data sets behind one content. No stage reads itself, so the traversal ends; results are cached, so
    /// that no stage is visited twice.
    fn behind(&mut self, content: Digest) -> BTreeSet<String> {
        let mut open = vec![content];
        while let Some(at) = open.last().copied() {
            if self.known.contains_key(&at) {
                open.pop();
                continue;
            }
            let read = self.inputs.get(&at).cloned().unwrap_or_default();
            let ahead: Vec<Digest> = read
                .iter()
                .filter(|d| !self.known.contains_key(*d) && !open.contains(*d))
                .copied()
                .collect();
            if ahead.is_empty() {
                let all = read.iter().filter_map(|d| self.known.get(d)).flatten().cloned();
                let all = all.collect();
                self.known.insert(at, all);
                open.pop();
            } else {
                open.extend(ahead);
            }
        }
        self.known.get(&content).cloned().unwrap_or_default()
    }

    fn data_set(&mut self, account: &Account) -> String {
        let Some((_, content)) = account.outputs.first() else { return String::new() };
        let mut sets = self.behind(*content).into_iter();
        match (sets.next(), sets.next()) {
            (Some(one), None) => one,
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_paper_problem_method_and_sweep() {
        let row = named("toy/digits/grid@code/split=3");
        let told = [row.paper, row.problem, row.method, row.sweep];
        assert_eq!(told, ["toy", "digits", "grid@code", "split=3"]);
        let row = named("toy/net/replicate=0/after/trial=1");
        assert_eq!([row.method, row.sweep], ["after", "replicate=0/trial=1"]);
        assert_eq!(named("toy/claims").method, "");
    }
}
