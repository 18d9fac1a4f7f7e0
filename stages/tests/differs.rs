//! Tests the stages `ID/differs`: each has the notes of its paper and of the code that it uses, and every
//! note is in one of them, with few exceptions.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use pipeline::{config::Config, graph::Builder};
use stages::{differs::MARK, papers};

/// Notes in no list, each with the reason.
const NOBODYS: [(&str, &str); 1] =
    [("stages/tuners/src/bayesian/tpe.rs", "no paper's experiments run TPE by itself")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The notes of the paper `id`, whose config has `text`, as they are passed to its stage: place, text.
fn stage(id: &str, text: &str) -> Vec<(String, String)> {
    let registry = papers::registry();
    let experiment = registry.experiments.iter().find(|one| one.id() == id).expect("a paper");
    let file = root().join(format!("configs/{id}.toml"));
    let config = Config::parse(&file, text, "smoke").expect("a config");
    let mut builder = Builder::new(&registry.kinds);
    experiment.expand(&config, &mut builder).expect("it expands");
    let graph = builder.build().expect("a graph");
    let node = &graph[graph.find(&format!("{id}/differs")).expect("the stage")];
    let params: serde_json::Value = serde_json::from_str(&node.params).expect("parameters");
    let own = |note: &serde_json::Value, of: &str| note[of].as_str().expect("a text").to_owned();
    let notes = params["notes"].as_array().expect("notes");
    notes.iter().map(|note| (own(note, "place"), own(note, "text"))).collect()
}

/// Paper → the files of its notes.
fn lists() -> BTreeMap<String, BTreeSet<String>> {
    let all = papers::registry().experiments;
    let list = |id: &str| {
        let text = fs::read_to_string(root().join(format!("configs/{id}.toml"))).expect("read");
        stage(id, &text).into_iter().map(|(place, _)| place).collect()
    };
    all.iter().map(|one| (one.id().to_owned(), list(one.id()))).collect()
}

/// The sources of stage code that have a note in a comment.
fn marked(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        if path.is_dir() {
            let apart = ["stages/src", "stages/templates", "stages/reference"];
            if !apart.contains(&name.as_str()) {
                marked(&path, found);
            }
        } else if name.contains("/src/") && name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("read");
            if !codehash::notes(&text, MARK).is_empty() {
                found.push(name);
            }
        }
    }
}

#[test]
fn every_note_is_listed_and_a_papers_own_optimiser_with_that_paper_alone() {
    let lists = lists();
    let with = |file: &str| -> Vec<&str> {
        lists.iter().filter(|(_, places)| places.contains(file)).map(|(id, _)| &**id).collect()
    };
    for (file, papers) in [
        ("stages/tuners/src/gradient/hoag_rules.rs", ["hoag"].as_slice()),
        ("stages/tuners/src/gradient/iterdiff.rs", &["hoag"]),
        ("stages/tuners/src/harmonica.rs", &["harmonica"]),
        ("stages/tuners/src/bayesian/hypertune.rs", &["hypertune"]),
        ("stages/nets/src/learner.rs", &["harmonica"]),
        ("stages/nets/src/text/network.rs", &["stn"]),
        ("stages/models/src/bilevel/kernel_ridge.rs", &["hoag"]),
        ("stages/models/src/density/kde.rs", &["compare", "smoothie"]),
        ("stages/data/src/loaders/warnings.rs", &["smoothie"]),
        ("stages/data/src/loaders/parkinsons.rs", &["hoag"]),
    ] {
        assert_eq!(with(file), papers, "{file}");
    }
    let mut all = Vec::new();
    marked(&root().join("stages"), &mut all);
    assert!(all.len() > 30, "the sources were not found: {all:#?}");
    all.retain(|file| with(file).is_empty() && NOBODYS.iter().all(|(known, _)| known != file));
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn a_config_brings_its_own_notes_and_those_of_the_tuners_that_it_names() {
    let text = fs::read_to_string(root().join("configs/hoag.toml")).expect("read");
    let before = stage("hoag", &text);
    assert_eq!(before, stage("hoag", &format!("# A remark, and empty lines.\n\n\n{text}")));
    assert!(!before.iter().any(|(place, _)| place.ends_with("dehb.rs")), "{before:#?}");
    let changed = format!("# {MARK} a toy.\n# It names \"dehb\".\n\n{text}");
    let file = tempfile::tempdir().expect("a folder");
    let config = file.path().join("hoag.toml");
    fs::write(&config, &changed).expect("written");
    let claims = root().join("configs/hoag.claims.toml");
    fs::copy(claims, config.with_extension("claims.toml")).expect("copied");
    let read = Config::read(&config, "smoke").expect("a config");
    let notes = stages::differs::notes("hoag", &read).expect("notes");
    let note = |place: &str| notes.iter().find(|note| note.place == place);
    let own = note("configs/hoag.toml").expect("the config's own");
    assert_eq!(own.text, "a toy. It names \"dehb\".");
    assert!(note("stages/tuners/src/multi_fidelity/dehb.rs").is_some());
    assert_eq!(notes.len(), before.len() + 3, "its own, DEHB's and that of its brackets");
}
