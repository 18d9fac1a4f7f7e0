//! The runs recorded in a store, and the changes between two of them: which stages, and by how much their
//! results changed.

use std::path::Path;

use pipeline::{
    provenance::moved::{Difference, compare},
    store::{
        Store,
        record::{Record, Records},
        runs::RunRecord,
    },
    table,
};

use crate::{
    error::{Error, Result},
    html::{Html, number},
    sheet::Sheet,
};

/// The runs of a store.
pub struct Runs {
    store: Store,
    records: Records,
    runs: Vec<RunRecord>,
}

/// Number of rows of a comparison that are shown; the others are counted.
const ROWS: usize = 60;

impl Runs {
    /// Reads the runs of the store in the folder `artifacts`.
    pub(crate) fn open(artifacts: &Path) -> Result<Self> {
        let store = Store::open_existing(artifacts).map_err(Error::store)?;
        let records = store.records().map_err(Error::store)?;
        let (runs, _) = store.runs().map_err(Error::store)?;
        Ok(Self { store, records, runs })
    }

    /// One row per run, the oldest first.
    #[must_use]
    pub fn list(&self) -> Html {
        let mut sheet = Sheet::new(&["run", "profile", "overrides", "stages", "host"]);
        for run in &self.runs {
            let (id, stages) = (run.id.to_string(), run.stages.len().to_string());
            let overrides = run.overrides.join(", ");
            sheet.row(vec![id, run.profile.clone(), overrides, stages, run.host.clone()]);
        }
        sheet.show()
    }

    /// The last run, and the last run before it that has a stage in common with it.
    #[must_use]
    pub fn last_two(&self) -> Option<(u64, u64)> {
        let (last, others) = self.runs.split_last()?;
        let common =
            |run: &&RunRecord| run.stages.keys().any(|name| last.stages.contains_key(name));
        Some((others.iter().rev().find(common)?.id, last.id))
    }

    fn run(&self, id: u64) -> Result<&RunRecord> {
        let known: Vec<u64> = self.runs.iter().map(|run| run.id).collect();
        let found = self.runs.iter().find(|run| run.id == id);
        found.ok_or_else(|| Error::Store(format!("there is no run {id}, only {known:?}")))
    }

    /// The changes from run `old` to run `new`: one row for each output of a stage that was recomputed, with
    /// the column that changed most.
    ///
    /// # Errors
    /// If one of them is not recorded.
    pub fn compare(&self, old: u64, new: u64) -> Result<Html> {
        let (a, b) = (self.run(old)?, self.run(new)?);
        let mut sheet = Sheet::new(&["stage", "output", "what became of it"]);
        let (mut same, mut rows) = (0_usize, Vec::new());
        for (name, key) in &b.stages {
            match a.stages.get(name) {
                None => rows.push(vec![name.clone(), String::new(), "new".to_owned()]),
                Some(before) if before == key => same += 1,
                Some(before) => {
                    let known = (self.records.get(*before), self.records.get(*key));
                    let (Some(old), Some(new)) = known else { continue };
                    let each = self.outputs(old, new).into_iter();
                    rows.extend(each.map(|(output, told)| vec![name.clone(), output, told]));
                }
            }
        }
        let gone = a.stages.keys().filter(|name| !b.stages.contains_key(*name));
        rows.extend(gone.map(|name| vec![name.clone(), String::new(), "gone".to_owned()]));
        let more = rows.len().saturating_sub(ROWS);
        rows.into_iter().take(ROWS).for_each(|row| sheet.row(row));
        let more = if more == 0 { String::new() } else { format!(", {more} more rows") };
        let told = format!("<p>Run {old} → run {new}: {same} stages are the same{more}.</p>");
        Ok(Html(told).then(&sheet.show()))
    }

    /// Each output of a stage with its change.
    fn outputs(&self, old: &Record, new: &Record) -> Vec<(String, String)> {
        let told = |(name, digest): &(String, pipeline::digest::Digest)| {
            let before = old.outputs.iter().find(|(other, _)| other == name);
            let told = match before {
                None => "new".to_owned(),
                Some((_, before)) if before == digest => "computed anew, the same".to_owned(),
                Some((_, before)) => {
                    let read = |digest| table::read(&self.store.object(digest)).ok();
                    match (read(*before), read(*digest)) {
                        (Some(before), Some(after)) => words(&compare(&before, &after)),
                        _ => "moved; the earlier table is gone".to_owned(),
                    }
                }
            };
            (name.clone(), told)
        };
        new.outputs.iter().map(told).collect()
    }
}

/// The difference of two tables in words: names the column whose numbers changed most.
fn words(difference: &Difference) -> String {
    let (before, after) = difference.rows;
    let mut told = Vec::new();
    if before != after {
        told.push(format!("{before} → {after} rows"));
    }
    let columns = [("without", &difference.gone), ("with", &difference.came)];
    for (how, names) in columns.into_iter().filter(|(_, names)| !names.is_empty()) {
        told.push(format!("{how} {}", names.join(", ")));
    }
    let size = |most: &pipeline::provenance::moved::Most| (most.new - most.old).abs();
    let numbers = difference.moved.iter().filter_map(|moved| Some((moved, moved.most?)));
    if let Some((moved, most)) = numbers.max_by(|a, b| size(&a.1).total_cmp(&size(&b.1))) {
        let (old, new) = (number(most.old), number(most.new));
        told.push(format!("{}: {} rows, most {old} → {new}", moved.column, moved.rows));
    }
    let more = difference.moved.len();
    told.push(format!("{more} columns moved"));
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    use pipeline::digest::Digest;

    use super::*;
    use crate::testing;

    /// Publishes a stage with one loss; returns its key.
    fn make(store: &Store, name: &str, loss: f64) -> Digest {
        let column = Arc::new(Float64Array::from(vec![loss])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("loss", column)]).unwrap();
        testing::make(store, name, &loss.to_string(), &[("main", batch)])
    }

    fn end(store: &Store, stages: &[(&str, Digest)]) {
        testing::end(store, "smoke", stages);
    }

    #[test]
    fn two_runs_are_compared_stage_by_stage() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let (same, old) = (make(&store, "toy/same", 1.0), make(&store, "toy/moved", 0.5));
        end(&store, &[("toy/same", same), ("toy/moved", old)]);
        // A run of other stages has nothing in common with the last one.
        end(&store, &[("other/x", make(&store, "other/x", 3.0))]);
        let new = make(&store, "toy/moved", 0.25);
        end(&store, &[("toy/same", same), ("toy/moved", new)]);
        drop(store);
        let runs = Runs::open(dir.path()).unwrap();
        assert_eq!(runs.last_two(), Some((1, 3)));
        let html = runs.compare(1, 3).unwrap().0;
        assert!(html.contains("1 stages are the same"), "{html}");
        assert!(html.contains("<td>toy/moved</td><td>main</td>"), "{html}");
        assert!(html.contains("loss: 1 rows, most 0.5 → 0.25; 1 columns moved"), "{html}");
        assert!(!html.contains("toy/same"), "{html}");
        assert!(runs.list().0.contains("<td class=\"n\">3</td><td>smoke</td>"));
        assert!(runs.compare(1, 9).unwrap_err().to_string().contains("no run 9"));
    }
}
