//! Fuzzing of the records of runs and of executions: a garbled one is named or skipped, and the others are kept.

use std::{fs, path::PathBuf};

use pipeline::{
    estimate::{
        fit::disagreement,
        rate::Group,
        rates::{Sample, Samples},
    },
    store::{
        Store,
        runs::{Lack, RunRecord},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};
use tempfile::TempDir;

use crate::{
    fixed, scratch,
    spoilt::{NUMBERS, pieces, spoilt},
    toy,
};

const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\n",
    " ",
    "null",
    "true",
    "0",
    "-1",
    "1e308",
    "1e999",
    "18446744073709551615",
    "\"id\":7",
    "\"finished\":18446744073709551615",
    "\"stages\":{}",
    "\"key\":\"00\"",
    "\\u0000",
    "\\ud800",
    "é",
    "[[[[",
    "{\"a\":",
    "\"wall_s\":-1e308",
    "\"cpu_s\":1e-320",
    "\"threads\":18446744073709551615",
    "\"name\":\"\"",
    "\"kind\":\"mix\"",
];

fn run() -> RunRecord {
    let key = pipeline::digest::Digest::of(b"a");
    RunRecord {
        id: 1,
        finished: 1_700_000_000,
        host: "here".to_owned(),
        profile: "desk".to_owned(),
        overrides: vec!["a=1".to_owned()],
        targets: None,
        pinned: false,
        stages: [("paper/a".to_owned(), key)].into(),
        lacking: [("paper/b".to_owned(), Lack::of(key))].into(),
    }
}

/// A record of a stage that the toy program knows, as a line.
fn line() -> String {
    let digest = pipeline::digest::Digest::of(b"b");
    format!(
        "{{\"key\":\"{digest}\",\"name\":\"toy/a\",\"kind\":\"mix\",\"manifest\":{{\"parts\":[[\"stage\",\"mix\"],\
         [\"params\",\"{{\\\"times\\\":2,\\\"plus\\\":0,\\\"worker\\\":false,\\\"sleep_ms\\\":0}}\"],\
         [\"input in\",\"{digest}\"]],\"code\":[[\"toy::mix\",\"00\"]]}},\"outputs\":[[\"main\",\"{digest}\"]],\
         \"cost\":{{\"wall_s\":0.5,\"cpu_s\":0.25,\"peak_mib\":9}},\"threads\":1,\"gpus\":0,\"bytes\":900,\
         \"environment\":null,\"host\":\"here\",\"finished\":1700000000,\"program\":\"0.1.0\"}}"
    )
}

/// A store, and a file of it.
fn store(file: &str, bytes: &[u8]) -> (TempDir, Store, PathBuf) {
    let dir = scratch();
    let store = Store::open(dir.path()).expect("opens");
    let path = store.root().join(file);
    fs::write(&path, bytes).expect("can be written");
    (dir, store, path)
}

/// Whatever the record of a run contains, it is read or named, and the next run gets a record.
fn reads_or_names(file: &str, bytes: &[u8]) {
    let (_dir, store, path) = store(&format!("runs/{file}.json"), bytes);
    let (runs, garbled) = store.runs().expect("the folder can be read");
    let said = |error: &pipeline::Error| error.to_string() + error.remedy().unwrap_or_default();
    let of_file = |error: &pipeline::Error| {
        assert!(said(error).contains(&path.display().to_string()), "{}", said(error));
    };
    garbled.iter().for_each(of_file);
    for run in &runs {
        assert_eq!(run.id.to_string(), file, "a record is that of its number");
        assert!(!pipeline::machine::iso(run.finished).is_empty());
        store.pin(run.id, !run.pinned).expect("can be written");
        assert_eq!(store.run_record(run.id).expect("is there").pinned, !run.pinned);
    }
    match store.record_run(RunRecord { profile: "smoke".to_owned(), ..run() }) {
        Ok(id) => assert_eq!(store.run_record(id).expect("was written").profile, "smoke"),
        Err(error) => of_file(&error),
    }
}

/// Whatever records say, `rates` and the inputs of estimates can be computed.
fn estimated(store: &Store) {
    let records = store.records().expect("garbled lines are skipped");
    let kinds = toy::registry().kinds;
    let samples = Samples::of(&kinds, &records, store);
    let groups: Vec<(&Group, &[Sample])> = samples.groups().collect();
    for (group, own) in groups {
        let observations: Vec<_> = own.iter().map(|sample| samples.cpu(sample)).collect();
        assert!(disagreement(&observations).is_none_or(|factor| factor >= 1.0), "{group}");
        drop(samples.typical(group, store));
        if let Some(rate) = samples.rate(group) {
            assert!(rate.cpu.constant_s >= 0.0 && rate.start_s >= 0.0, "{rate:?}");
        }
    }
}

#[test]
fn the_sound_records_are_read() {
    let bytes = serde_json::to_vec(&run()).expect("is JSON");
    let (_dir, store_of_run, _) = store("runs/1.json", &bytes);
    assert_eq!(store_of_run.run_record(1).expect("is one"), run());
    let (_dir, store, _) = store("records.jsonl", line().as_bytes());
    assert_eq!(store.records().expect("can be read").all().count(), 1);
    estimated(&store);
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn any_record_of_a_run_is_read_or_named(
        file in prop_oneof![4 => Just("1"), 1 => select(&NUMBERS[..]), 1 => select(&["007", "+1", "x"][..])],
        text in pieces(&PIECES),
    ) {
        reads_or_names(file, text.as_bytes());
    }

    #[test]
    fn a_spoilt_record_of_a_run_is_read_or_named(
        file in prop_oneof![4 => Just("1"), 1 => select(&NUMBERS[..])],
        bytes in spoilt(serde_json::to_vec(&run()).unwrap(), &PIECES),
    ) {
        reads_or_names(file, &bytes);
    }

    #[test]
    fn garbled_records_of_executions_are_skipped_and_the_sound_ones_stay(
        lines in vec(prop_oneof![
            pieces(&PIECES).prop_map(String::into_bytes),
            spoilt(line().into_bytes(), &PIECES),
        ], 0..5),
    ) {
        let sound = line().replace("toy/a", "toy/sound");
        let mut bytes = lines.join(&b'\n');
        bytes.extend(format!("\n{sound}\n").bytes());
        let (_dir, store, _) = store("records.jsonl", &bytes);
        let records = store.records().unwrap();
        prop_assert!(!records.history("toy/sound").is_empty());
        estimated(&store);
    }

    /// Every number of a record in turn, at its extremes.
    #[test]
    fn any_numbers_can_be_reckoned_with(
        lines in vec((select(&["0.5", "0.25", "\"threads\":1", "\"gpus\":0", "900", "1700000000"][..]),
            select(&NUMBERS[..])), 1..8),
    ) {
        let lines: Vec<String> = lines.iter().enumerate().map(|(i, (field, number))| {
            let name = field.rsplit_once(':').map_or(String::new(), |(name, _)| format!("{name}:"));
            let key = pipeline::digest::Digest::of(&[i as u8]).to_string();
            let line = line().replacen(field, &format!("{name}{number}"), 1);
            line.replacen(&pipeline::digest::Digest::of(b"b").to_string(), &key, 1)
        }).collect();
        let (_dir, store, _) = store("records.jsonl", lines.join("\n").as_bytes());
        estimated(&store);
    }
}
