//! Runs that are kept with the sources, and audits of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use arrow_array::{
    Array, ArrayRef, Int64Array, RecordBatch, StringArray, cast::AsArray, types::Int64Type,
};
use parquet::arrow::ArrowWriter;
use pipeline::{artifacts::Artifacts, digest::Digest, store::Store, table};

use crate::world::World;

const FOLDER: &str = "artifacts/recorded/toy";

fn recorded() -> World {
    let world = World::new();
    world.good_run(&[]);
    let ended = world.toy(&["record", "toy"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    world
}

/// Changes the text column `name` of the list of stages.
fn edit_list(world: &World, name: &str, change: impl Fn(usize, &str) -> String) {
    let path = world.path(FOLDER).join("stages.parquet");
    let list = table::read(&path).expect("can be read");
    let at = list.schema().index_of(name).expect("is there");
    let column = list.column(at).as_string::<i32>();
    let new: StringArray = (0..column.len()).map(|i| Some(change(i, column.value(i)))).collect();
    let mut columns = list.columns().to_vec();
    columns[at] = Arc::new(new) as ArrayRef;
    let list = RecordBatch::try_new(list.schema(), columns).expect("the same columns");
    fs::remove_file(&path).expect("can be removed");
    table::write(&path, &list).expect("can be written");
}

fn files(dir: &Path) -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir(dir)
        .expect("is there")
        .map(|entry| entry.expect("can be read").file_name().into_string().expect("plain"))
        .collect();
    found.sort();
    found
}

#[test]
fn what_the_conclusion_reads_is_kept_and_the_rest_is_listed() {
    let world = recorded();
    let listed = world.toy(&["recorded"]).stdout;
    assert!(listed.starts_with("toy: profile full, "), "{listed}");
    let kept = Artifacts::under(&world.path(FOLDER), "full").expect("it is a store");
    let all = Artifacts::open(&world.path("artifacts")).expect("it is a store");
    let table = |from: &Artifacts, stage: &str| from.table(stage, "main").expect("has a result");
    assert_eq!(table(&kept, "toy/report"), table(&all, "toy/report"));
    assert!(kept.stages("toy/*/times-*").len() > 1, "what the conclusion reads");
    assert!(kept.stages("toy/a/data").is_empty(), "others' data are not kept");
    assert!(kept.stages("toy/dag").is_empty(), "the rest is not kept");
    let list = table::read(&world.path(FOLDER).join("stages.parquet")).expect("can be read");
    let stages = list.column_by_name("stage").expect("is there").as_string::<i32>();
    assert!(stages.iter().any(|stage| stage == Some("toy/a/data")), "all is listed");
    assert!(world.path(FOLDER).join("ro-crate-metadata.json").is_file());
    assert_eq!(world.toy(&["verify", "--store", FOLDER]).code, 0, "the store is sound");
    assert_eq!(files(&world.path(FOLDER).join("store/v1/tmp")), [""; 0], "nothing is left over");
}

#[test]
fn a_store_elsewhere_shows_those_beside_the_configs_unless_it_has_its_own() {
    let world = recorded();
    let elsewhere = world.toy(&["recorded", "--store", "elsewhere"]);
    assert!(elsewhere.stdout.starts_with("toy: profile full, "), "{}", elsewhere.stdout);
    fs::create_dir_all(world.path("elsewhere/recorded")).expect("can be made");
    let own = world.toy(&["recorded", "--store", "elsewhere"]);
    assert!(own.stdout.starts_with("no run is recorded"), "{}", own.stdout);
}

#[test]
fn recording_twice_replaces_and_an_audit_leaves_nothing_behind() {
    let world = recorded();
    assert_eq!(world.toy(&["record", "toy"]).code, 0);
    let before = files(&world.path("artifacts"));
    let ended = world.toy(&["audit", "--seed", "1"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(files(&world.path("artifacts")), before);
    assert_eq!(files(&world.path("artifacts/recorded")), ["toy"]);
}

#[test]
fn a_research_object_is_written_anew_from_what_is_kept() {
    let world = recorded();
    let path = world.path(FOLDER).join("ro-crate-metadata.json");
    let before = fs::read_to_string(&path).expect("is there");
    fs::write(&path, "{}").expect("can be written");
    world.good_run(&["--force", "toy/report"]); // the store has another last run now
    assert_eq!(world.toy(&["record", "toy", "--describe"]).code, 0);
    let after = fs::read_to_string(&path).expect("is there");
    assert_eq!(after, before);
    assert_eq!(world.toy(&["record", "tooy", "--describe"]).code, 2);
    assert_eq!(World::new().toy(&["record", "toy", "--describe"]).code, 3);
}

/// The value of `toy/report`.
fn report(from: &Artifacts) -> i64 {
    let report = from.table("toy/report", "main").expect("has a result");
    report.column(0).as_primitive::<Int64Type>().value(0)
}

/// The recorded one.
fn reported(world: &World) -> i64 {
    report(&Artifacts::under(&world.path(FOLDER), "full").expect("it is a store"))
}

/// The one that a run gives under the config as it is.
fn computed(world: &World) -> i64 {
    world.good_run(&[]);
    report(&Artifacts::open(&world.path("artifacts")).expect("it is a store"))
}

/// The keys in the list of stages, by stage and output.
fn keys(world: &World) -> BTreeMap<(String, String), String> {
    let list = table::read(&world.path(FOLDER).join("stages.parquet")).expect("can be read");
    let texts = ["stage", "output", "key"]
        .map(|name| list.column_by_name(name).expect("is there").as_string::<i32>().clone());
    let row = |i| {
        let [stage, output, key] = texts.each_ref().map(|column| column.value(i).to_owned());
        ((stage, output), key)
    };
    (0..list.num_rows()).map(row).collect()
}

#[test]
fn a_record_is_judged_anew_from_what_it_kept() {
    let world = recorded();
    let (value, before) = (reported(&world), keys(&world));
    // Nothing has changed: the same keys and bytes, and the record says that it was judged.
    let ended = world.toy(&["record", "toy", "--judge"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("; 1 stage judged anew by toy"), "{}", ended.stdout);
    assert_eq!((reported(&world), keys(&world)), (value, before.clone()));
    // A rule of the report: only the report is computed, from tables whose own inputs were not kept.
    world.edit("label = 0", "label = 5");
    fs::remove_dir_all(world.path("artifacts/store")).expect("can be removed");
    assert_eq!(world.toy(&["record", "toy", "--judge"]).code, 0);
    assert_ne!(reported(&world), value);
    let after = keys(&world);
    let moved = |((stage, _), key): (&(String, String), &String)| {
        let same = before.get(&(stage.clone(), "main".to_owned())) == Some(key);
        (!same).then(|| stage.clone())
    };
    let moved: BTreeSet<String> = after.iter().filter_map(moved).collect();
    assert_eq!(moved, ["toy/report".to_owned()].into());
    assert_eq!(before.len(), after.len(), "all that the run computed is still listed");
    assert_eq!(world.toy(&["verify", "--store", FOLDER]).code, 0, "the store is sound");
    assert_eq!(files(&world.path("artifacts/recorded")), ["toy"]);
    assert!(!files(&world.path("artifacts")).iter().any(|name| name.starts_with("judge")));
    // It is what a run gives under this config.
    assert_eq!(computed(&world), reported(&world));
}

#[test]
fn what_is_judged_is_computed_from_the_tables_as_they_were_kept() {
    let world = recorded();
    let value = reported(&world);
    // Other draws: what was kept of them is taken, unless it is asked for again.
    world.edit("below = ", "below = 1");
    assert_eq!(world.toy(&["record", "toy", "--judge"]).code, 0);
    assert_eq!(reported(&world), value);
    let ended = world.toy(&["record", "toy", "--judge", "--again", "toy/*/times-*"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_ne!(reported(&world), value);
    assert_eq!(computed(&world), reported(&world));
}

#[test]
fn a_record_that_lacks_a_table_cannot_be_judged_and_stays() {
    let world = recorded();
    let value = reported(&world);
    // One more method: its tables were never made.
    world.edit("[2, 3]", "[2, 3, 11]");
    let ended = world.toy(&["record", "toy", "--judge"]);
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("which was not kept"), "{}", ended.stderr);
    assert!(ended.stderr.contains("`--again toy/"), "{}", ended.stderr);
    assert_eq!(reported(&world), value);
    assert_eq!(world.toy(&["record", "tooy", "--judge"]).code, 2);
    assert_eq!(World::new().toy(&["record", "toy", "--judge"]).code, 3);
}

#[test]
fn an_audit_of_a_sound_record_bounds_what_could_be_wrong() {
    let ended = recorded().toy(&["audit", "toy", "--seed", "7", "--minutes", "5"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    // 1 − 0.05^(1/300)
    let words = "toy: 0 of 300 draws differ: at most 1 % of the evidence does, at 95 % confidence, of the 100 % \
                 that could be drawn (--seed 7)\n";
    assert_eq!(ended.stdout, words);
}

#[test]
fn an_audit_draws_nothing_that_needs_more_gpus_than_there_are() {
    let world = World::odd("gpu", 60, 0);
    world.good_run(&["--gpus", "1"]);
    assert_eq!(world.toy(&["record", "toy"]).code, 0);
    let ended = world.toy(&["audit", "toy", "--seed", "7"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.starts_with("toy: 0 of 300 draws differ"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("of the 100 %"), "{}", ended.stdout);
}

#[test]
fn an_audit_finds_what_is_not_as_recorded() {
    let world = recorded();
    // Every second digest in the list is replaced by another one.
    edit_list(&world, "digest", |i, text| {
        let digit = if text.starts_with('0') { '1' } else { '0' };
        if i % 2 == 0 { format!("{digit}{}", &text[1..]) } else { text.to_owned() }
    });
    let ended = world.toy(&["audit", "--seed", "7"]);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("differs      toy/"), "{}", ended.stdout);
    assert!(ended.stderr.contains("are not what was recorded"), "{}", ended.stderr);
}

/// A record from a processor of another family.
fn recorded_elsewhere() -> World {
    let world = recorded();
    let about = format!("{FOLDER}/recorded.json");
    let text = fs::read_to_string(world.path(&about)).expect("is there");
    let mut recorded: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    assert_eq!(recorded["families"].as_array().map(Vec::len), Some(1), "{text}");
    recorded["families"] = serde_json::json!(["another family"]);
    world.write(&about, &recorded.to_string());
    world
}

/// Puts another file in the place of the recorded `toy/report`: a table with this value.
fn replace_report(world: &World, value: i64) {
    let path = world.path(FOLDER);
    let column = Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("value", column)]).expect("one column");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
    writer.write(&batch).and_then(|()| writer.close()).expect("written");
    let digest = Digest::of(&bytes);
    let object = Store::open_existing(&path).expect("is a store").object(digest);
    fs::create_dir_all(object.parent().expect("has a folder")).expect("can be made");
    fs::write(object, bytes).expect("can be written");
    let list = table::read(&path.join("stages.parquet")).expect("can be read");
    let stages = list.column_by_name("stage").expect("is there").as_string::<i32>();
    edit_list(world, "digest", |i, text| {
        if stages.value(i) == "toy/report" { digest.to_string() } else { text.to_owned() }
    });
}

#[test]
fn an_audit_on_a_processor_of_another_family_compares_numbers() {
    let world = recorded_elsewhere();
    // The same bytes are the same numbers.
    assert_eq!(world.toy(&["audit", "--seed", "7"]).code, 0);
    // Of what has other bytes only kept tables can be compared, and under these digests none was kept.
    edit_list(&world, "digest", |i, text| {
        let digit = if text.starts_with('0') { '1' } else { '0' };
        if i % 2 == 0 { format!("{digit}{}", &text[1..]) } else { text.to_owned() }
    });
    let ended = world.toy(&["audit", "--seed", "7"]);
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(ended.stdout.contains("recorded on another family"), "{}", ended.stdout);
    assert!(ended.stdout.contains("only their digests were kept"), "{}", ended.stdout);
    // A kept table with other bytes: the same number, and another one.
    let world = recorded_elsewhere();
    let value = reported(&world);
    replace_report(&world, value);
    let ended = world.toy(&["audit", "--seed", "7"]);
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    let words = "1 outputs have other bytes and the same numbers to 1e-6; 0 cannot be compared";
    assert!(ended.stdout.contains(words), "{}", ended.stdout);
    replace_report(&world, value + 1);
    let ended = world.toy(&["audit", "--seed", "7"]);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("differs      toy/report"), "{}", ended.stdout);
}

#[test]
fn an_audit_under_another_config_tells_what_moved() {
    let world = recorded();
    world.edit("below = ", "below = 1");
    let ended = world.toy(&["audit", "--seed", "7"]);
    assert_eq!(ended.code, 0, "another config is no fault of the record: {}", ended.stderr);
    assert!(ended.stdout.contains("moved        toy/"), "{}", ended.stdout);
    assert!(ended.stdout.contains("other keys than recorded"), "{}", ended.stdout);
}

#[test]
fn what_is_too_long_for_the_time_is_not_drawn() {
    let ended = recorded().toy(&["audit", "--minutes", "1e-9"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("no stage can be computed again"), "{}", ended.stdout);
}

#[test]
fn faults_are_named() {
    let world = World::new();
    assert!(world.toy(&["recorded"]).stdout.contains("no run is recorded"));
    assert!(world.toy(&["record", "toy"]).stderr.contains("no run under profile full"));
    assert!(world.toy(&["record", "tooy"]).stderr.contains("no experiment is named `tooy`"));
    assert!(world.toy(&["audit"]).stderr.contains("no run is recorded"));
    let world = recorded();
    world.write(&format!("{FOLDER}/recorded.json"), "{}");
    let ended = world.toy(&["audit"]);
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("recorded.json") && ended.stderr.contains("help: "), "{ended:?}");
}

/// Writes the deposit of all recorded runs into the folder `deposit`.
fn deposit(world: &World) {
    let licence = "https://creativecommons.org/licenses/by/4.0/";
    let ended =
        world.toy(&["export", "zenodo", "deposit", "--licence", licence, "--author", "Doe, J."]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn a_deposit_has_archives_checksums_metadata_and_a_licence() {
    let world = recorded();
    deposit(&world);
    let dir = world.path("deposit");
    assert_eq!(files(&dir), ["LICENCE", "SHA256SUMS", "metadata.json", "toy.tar"]);
    let sums = std::process::Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&dir)
        .output()
        .expect("coreutils are there");
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stderr));
    let text = fs::read_to_string(dir.join("metadata.json")).expect("is there");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let metadata = &json["metadata"];
    assert_eq!(metadata["license"], "cc-by-4.0");
    assert_eq!(metadata["creators"][0]["name"], "Doe, J.");
    assert!(
        metadata["description"].as_str().is_some_and(|text| text.contains("toy: profile full"))
    );
    let first = fs::read(dir.join("toy.tar")).expect("is there");
    fs::remove_dir_all(&dir).expect("can be removed");
    deposit(&world);
    assert!(fs::read(dir.join("toy.tar")).expect("is there") == first, "the same bytes again");
}

#[test]
fn what_was_deposited_is_had_without_computing_it() {
    let world = recorded();
    deposit(&world);
    let archive = world.path("deposit/toy.tar").display().to_string();
    let other = World::new();
    let ran = other.good_run(&["--remote", &archive]);
    let pulled = ran.summary("pulled");
    assert!(pulled.contains("toy/report"), "{pulled:?}");
    assert!(!ran.executed().contains("toy/report"));
    assert!(other.artifacts() == world.artifacts(), "the same bytes");
}
