//! Builds a small store by hand: two papers with claims, curves and contests, and two runs.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt32Array};
use pipeline::{
    digest::Digest,
    manifest::Manifest,
    store::{
        Fact, Store,
        record::{Cost, Record},
        runs::RunRecord,
    },
    table,
};

fn text<'a>(values: impl IntoIterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn real(values: impl IntoIterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<Float64Array>())
}

fn flag(values: Vec<bool>) -> ArrayRef {
    Arc::new(BooleanArray::from(values))
}

fn index(values: Vec<u32>) -> ArrayRef {
    Arc::new(UInt32Array::from(values))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .expect("columns of one length")
}

/// Two claims: one replicated with an interval and the paper's number, one not testable.
fn claims(evidence: &str) -> (RecordBatch, RecordBatch) {
    let none = || real([Some(0.5), None]);
    let main = batch(vec![
        ("id", text(["A1", "A 2"])),
        ("item", text(["Table 1", "Fig. 2"])),
        ("statement", text(["ours <script>alert(1)</script> & better", "cannot be tested"])),
        ("criterion", text(["p < 0.05", "any"])),
        ("paper_value", text(["0.3", "x"])),
        ("rules", text(["paper", "paper"])),
        ("headline", flag(vec![true, true])),
        ("scaled_down", flag(vec![true, false])),
        ("verdict", text(["points the paper's way", "not testable"])),
        ("value", none()),
        ("low", real([Some(0.4), None])),
        ("high", real([Some(0.6), None])),
        ("n", index(vec![4, 0])),
        ("effect", real([Some(0.25), None])),
        ("effect_name", text(["Cliff's δ", ""])),
        ("value_text", text(["", ""])),
        ("reason", text(["holds on digits", "nothing that it needs is available"])),
        ("power", real([Some(0.97), None])),
        ("false_positives", real([Some(0.02), None])),
        ("stability", text(["the same under 3 root seeds", ""])),
        ("if_true", text(["it is better", ""])),
        ("if_false", text(["it is not", ""])),
        ("evidence", text([evidence, evidence])),
    ]);
    let findings = batch(vec![
        ("id", text(["A1", "A1", "A 2"])),
        ("rules", text(["paper", "paper", "paper"])),
        ("place", text(["digits against the paper", "iris", "wine"])),
        ("in_paper", flag(vec![true, false, true])),
        ("holds", text(["yes", "no", "open"])),
        ("value", real([Some(0.5), Some(-1.0), None])),
        ("low", real([Some(0.4), None, None])),
        ("high", real([Some(0.6), None, None])),
        ("text", text(["an error", "a difference", "its data are not available"])),
        ("published", real([Some(0.3), None, None])),
        ("published_at_least", flag(vec![false; 3])),
        ("published_kind", text(["level", "", ""])),
        ("unit", text(["error", "", ""])),
    ]);
    (main, findings)
}

/// What the two claims rest on besides.
fn grounds() -> (RecordBatch, RecordBatch) {
    let counts = |claimed: u32| index(vec![claimed, 0]);
    let grounds = batch(vec![
        ("id", text(["A1", "A 2"])),
        ("rules", text(["paper", "paper"])),
        ("rule", text(["each", "each"])),
        ("scaled_down", flag(vec![true, false])),
        ("flips", flag(vec![false, false])),
        ("claimed_met", counts(194)),
        ("claimed_in_part", counts(0)),
        ("claimed_missed", counts(2)),
        ("claimed_open", counts(4)),
        ("absent_met", counts(4)),
        ("absent_in_part", counts(0)),
        ("absent_missed", counts(96)),
        ("absent_open", counts(100)),
        ("change", text(["It would be <less>.", "Evidence on wine would give it a verdict."])),
    ]);
    let places = batch(vec![
        ("id", text(["A1", "A1", "A 2"])),
        ("rules", text(["paper", "paper", "paper"])),
        ("place", text(["digits against the paper", "iris", "wine"])),
        ("n", index(vec![16, 1, 0])),
        ("replicated", flag(vec![true, false, false])),
        ("scaled_down", flag(vec![false; 3])),
        ("met", text(["yes", "no", ""])),
        ("region_low", real([Some(0.375), Some(0.375), None])),
        ("region_high", real([Some(f64::INFINITY), Some(f64::INFINITY), None])),
        ("without_effect", real([Some(0.0), None, None])),
    ]);
    (grounds, places)
}

fn curves() -> RecordBatch {
    let rows: Vec<(&str, &str, u32, u32, f64)> = ["digits", "iris"]
        .into_iter()
        .flat_map(|problem| ["grid", "hoag-cubic"].map(|method| (problem, method)))
        .flat_map(|(problem, method)| {
            (0..2u32).flat_map(move |split| {
                (0..5u32).map(move |step| {
                    let speed = if method == "grid" { 0.5 } else { 0.2 };
                    let value = f64::powf(speed, f64::from(step + split));
                    (problem, method, split, 10 * (step + 1), value)
                })
            })
        })
        .collect();
    batch(vec![
        ("problem", text(rows.iter().map(|r| r.0))),
        ("rules", text(rows.iter().map(|_| "paper-half-L"))),
        ("method", text(rows.iter().map(|r| r.1))),
        ("split", index(rows.iter().map(|r| r.2).collect())),
        ("inner_iterations", index(rows.iter().map(|r| r.3).collect())),
        ("suboptimality", real(rows.iter().map(|r| Some(r.4)))),
        ("step", index(rows.iter().map(|r| r.3 / 10).collect())),
        ("lambda0", real(rows.iter().map(|r| Some(f64::from(r.3))))),
        ("test_loss", real(rows.iter().map(|r| Some(2.0 + r.4)))),
    ])
}

/// The host and times of the store's results.
pub struct Place {
    /// The host.
    pub host: &'static str,
    /// Seconds since the epoch at the first result.
    pub time: u64,
    /// Whether papers are computed in the order of their names or the other way round.
    pub forward: bool,
}

struct Maker<'a> {
    store: &'a Store,
    place: &'a Place,
    clock: u64,
    stages: BTreeMap<String, Digest>,
    profile: &'a str,
}

impl Maker<'_> {
    /// Publishes a result and its record; returns the digests of its outputs.
    fn make(
        &mut self,
        name: &str,
        params: &str,
        inputs: &[Digest],
        outputs: &[(&str, &RecordBatch)],
    ) -> Vec<Digest> {
        let key = Digest::of(format!("{name} {params}").as_bytes());
        let dir = tempfile::tempdir().expect("a folder");
        let names: Vec<String> = outputs.iter().map(|(name, _)| (*name).to_owned()).collect();
        for (output, batch) in outputs {
            table::write(&table::file_name(dir.path(), output), batch).expect("a table");
        }
        let made = self.store.publish(key, name, dir.path(), &names).expect("published");
        self.clock += 5;
        let part = |name: &str, value: String| (name.to_owned(), value);
        let mut parts = vec![part("kind", kind(name)), part("code", "c0de".to_owned())];
        parts.push(part("params", params.to_owned()));
        let named = inputs.iter().enumerate();
        parts.extend(named.map(|(i, digest)| part(&format!("input {i}"), digest.to_string())));
        let record = Record {
            key,
            name: name.to_owned(),
            kind: kind(name),
            manifest: Manifest { parts, code: Vec::new() },
            outputs: made.iter().map(|a| (a.output.to_string(), a.digest)).collect(),
            cost: Cost { wall_s: 2.0, cpu_s: Some(1.0), peak_mib: None },
            threads: 1,
            gpus: 0,
            bytes: 2048,
            environment: None,
            host: self.place.host.to_owned(),
            finished: self.clock,
            program: "0.1.0".to_owned(),
        };
        self.store.record(&record).expect("recorded");
        self.stages.insert(name.to_owned(), key);
        made.iter().map(|artifact| artifact.digest).collect()
    }

    fn end(&mut self) {
        self.clock += 1;
        let run = RunRecord {
            id: 0,
            finished: self.clock,
            host: self.place.host.to_owned(),
            profile: self.profile.to_owned(),
            overrides: Vec::new(),
            targets: None,
            pinned: false,
            stages: self.stages.clone(),
            lacking: BTreeMap::new(),
        };
        self.store.record_run(run).expect("recorded");
    }
}

fn kind(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).split('=').next().unwrap_or(name).to_owned()
}

/// Builds the store in `dir`.
pub fn store(dir: &Path, place: &Place) {
    store_under(dir, place, "desk");
}

/// The same, of runs under `profile`.
pub fn store_under(dir: &Path, place: &Place, profile: &str) {
    let store = Store::open(dir).expect("a store");
    let stages = BTreeMap::new();
    let mut maker = Maker { store: &store, place, clock: place.time, stages, profile };
    let mut papers = ["hoag", "toy"];
    if !place.forward {
        papers.reverse();
    }
    for paper in papers {
        let load = r#"{"data_set":"digits","content":["aa11bb22cc33dd44"]}"#;
        let loaded = batch(vec![("x", real([Some(1.0)]))]);
        let data = maker.make(&format!("{paper}/data"), load, &[], &[("main", &loaded)]);
        let runs: Vec<Digest> = (0..40)
            .flat_map(|split| {
                let name = format!("{paper}/run/split={split}");
                let own = batch(vec![("split", real([Some(f64::from(split))]))]);
                maker.make(&name, "{\"points\":5}", &data, &[("main", &own)])
            })
            .collect();
        let name = format!("{paper}/figures/convergence");
        let evidence = maker.make(&name, "{}", &runs, &[("main", &curves())]);
        let (main, findings) = claims(&evidence[0].to_string());
        let (grounds, places) = grounds();
        let outputs =
            [("main", &main), ("findings", &findings), ("grounds", &grounds), ("places", &places)];
        maker.make(&format!("{paper}/claims"), "{}", &evidence, &outputs);
        let names = ["grid", "hoag-cubic"];
        let main = batch(vec![
            ("block", text(["digits", "digits", "iris", "iris"])),
            ("method", text([names[0], names[1], names[0], names[1]])),
            ("value", real([0.1, 0.01, 0.2, 0.02].map(Some))),
            ("relative_rank", real([1.0, 0.0, 1.0, 0.0].map(Some))),
        ]);
        let ranks = batch(vec![
            ("treatment", text([names[1], names[0]])),
            ("average_rank", real([Some(1.0), Some(2.0)])),
            ("critical_difference", real([Some(1.386), Some(1.386)])),
        ]);
        let bars = batch(vec![("best", text([names[1]])), ("worst", text([names[0]]))]);
        let outputs = [("main", &main), ("ranks", &ranks), ("bars", &bars)];
        maker.make(&format!("{paper}/contests/problems"), "{}", &evidence, &outputs);
        let differs = batch(vec![("place", text(["toy.rs"])), ("text", text(["a <b> differs"]))]);
        maker.make(&format!("{paper}/differs"), "{}", &[], &[("main", &differs)]);
    }
    maker.end();
    // The second run changes one parameter of one sweep; the rest is cut off.
    let loaded = Digest::of(b"what it reads");
    let own = batch(vec![("split", real([Some(0.0)]))]);
    maker.make("toy/run/split=0", "{\"points\":7}", &[loaded], &[("main", &own)]);
    let key = Digest::of(b"absent");
    store.append(&[Fact::Unavailable(key, "toy/absent/data", "no such file")]).expect("appended");
    maker.end();
}
