//! A run as a Workflow Run RO-Crate of the Provenance Run Crate profile 0.5: the artifacts, the workflow that
//! produced them (stages and what they read), one action per stage with parameters, seed, inputs, outputs and cost,
//! and the libraries. The same run gives the same bytes.

mod run;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Map, Value, json};

use super::{Account, Story, sbom};
use crate::{
    digest::Digest,
    error::{Error, Result},
    machine::iso,
    store::Store,
};

/// What the engine cannot know about the crate.
pub struct About {
    /// The program's name.
    pub program: String,
    /// What it is for.
    pub purpose: String,
    /// The licence under which the results are published: a URL.
    pub licence: Option<String>,
    /// Who is responsible for the run.
    pub author: Option<String>,
}

const WORKFLOW: &str = "workflow.json";
const BILL: &str = "sbom.cdx.json";
const RUN: &str = "#run";
const ENGINE: &str = "#engine";

/// Writes the crate into `dir`, which must not exist or be empty.
///
/// # Errors
/// When the folder is not empty, cannot be written, or an artifact is missing or corrupt.
pub fn write(store: &Store, story: &Story, about: &About, dir: &Path) -> Result<()> {
    let io = |doing: &'static str| move |e: std::io::Error| Error::io(doing, dir, &e);
    fs::create_dir_all(dir.join("artifacts")).map_err(io("create"))?;
    if fs::read_dir(dir).map_err(io("read"))?.count() > 1 {
        return Err(Error::usage(format!("{} is not empty", dir.display()))
            .help("name a new folder for the crate"));
    }
    for account in &story.accounts {
        for (_, digest) in &account.outputs {
            let path = dir.join(copied(*digest));
            fs::write(&path, store.content(*digest, &account.stage)?)
                .map_err(|e| Error::io("write", &path, &e))?;
        }
    }
    fill(&Crate { store, story, about, place: copied }, dir)
}

/// Turns `dir`, which contains a store, into a crate of that store's artifacts.
///
/// # Errors
/// When the folder cannot be written, or an artifact is missing or corrupt.
pub fn describe(store: &Store, story: &Story, about: &About, dir: &Path) -> Result<()> {
    fill(&Crate { store, story, about, place: in_store }, dir)
}

/// The parts of a crate.
struct Crate<'a> {
    store: &'a Store,
    story: &'a Story,
    about: &'a About,
    /// The path of an artifact, below the crate's folder.
    place: fn(Digest) -> String,
}

fn copied(digest: Digest) -> String {
    format!("artifacts/{digest}.parquet")
}

fn in_store(digest: Digest) -> String {
    let text = digest.to_string();
    format!("store/v1/objects/{}/{text}.parquet", &text[..2])
}

fn fill(of: &Crate, dir: &Path) -> Result<()> {
    let Crate { store, story, about, place } = *of;
    let mut artifacts = BTreeMap::new();
    for account in &story.accounts {
        for (output, digest) in &account.outputs {
            artifacts.entry(*digest).or_insert_with(|| (output.as_str(), account.stage.as_str()));
        }
    }
    let mut graph = Entities::default();
    for (digest, (output, stage)) in &artifacts {
        let bytes = store.content(*digest, stage)?.len();
        graph.add(
            &place(*digest),
            json!({"@type": "File", "name": format!("{output} of {stage}"),
                "description": "A table in Parquet format.",
                "encodingFormat": "application/vnd.apache.parquet",
                "contentSize": bytes.to_string(), "identifier": format!("blake3:{digest}")}),
        );
    }
    // Without layout: long lists for programs, which a recorded run keeps among the sources.
    let write = |name: &str, value: &Value| {
        let path = dir.join(name);
        let text = serde_json::to_string(value).map_err(|e| {
            Error::usage(format!("cannot write {}: {e}", path.display())).because(e)
        })?;
        fs::write(&path, &text).map_err(|e| Error::io("write", &path, &e))?;
        Ok(text.len() as u64)
    };
    let bill = write(BILL, &sbom::document(&about.program))?;
    graph.add(
        BILL,
        json!({"@type": "File", "name": "Bill of materials",
            "description": "The packages that the program was built from which wrote this crate, as CycloneDX 1.5.",
            "encodingFormat": "application/vnd.cyclonedx+json", "contentSize": bill.to_string()}),
    );
    let bytes = write(WORKFLOW, &workflow_file(story))?;
    // Two stages with the same key were one computation.
    let mut keys = BTreeSet::new();
    let done: Vec<_> = story.accounts.iter().filter(|account| keys.insert(account.key)).collect();
    frame(&mut graph, of, artifacts.keys().copied());
    run::workflow(&mut graph, story, about, &done, bytes);
    // What was read but is not part of the crate is not mentioned.
    let part = |digest: Digest| artifacts.contains_key(&digest).then(|| place(digest));
    for account in &done {
        run::action(&mut graph, account, &part);
    }
    run::organisation(&mut graph, of, &done);
    write(
        "ro-crate-metadata.json",
        &json!({"@context": ["https://w3id.org/ro/crate/1.1/context", terms()], "@graph": graph.0}),
    )
    .map(drop)
}

/// Terms that the profiles use and RO-Crate 1.1 does not define.
fn terms() -> Value {
    let own = [
        "resourceUsage",
        "ParameterConnection",
        "connection",
        "sourceParameter",
        "targetParameter",
    ];
    let own = own.map(|word| (word, format!("https://w3id.org/ro/terms/workflow-run#{word}")));
    let others =
        [("buildInstructions", "https://codemeta.github.io/terms/buildInstructions".to_owned())];
    own.into_iter().chain(others).map(|(word, iri)| (word.to_owned(), json!(iri))).collect()
}

/// The entities of a crate, each with its identifier.
#[derive(Default)]
struct Entities(Vec<Value>);

impl Entities {
    fn add(&mut self, id: &str, properties: Value) {
        let mut entity = Map::from_iter([("@id".to_owned(), json!(id))]);
        if let Value::Object(properties) = properties {
            // Unknown properties are left out.
            entity.extend(properties.into_iter().filter(|(_, value)| !value.is_null()));
        }
        self.0.push(Value::Object(entity));
    }
}

fn id(id: impl AsRef<str>) -> Value {
    json!({"@id": id.as_ref()})
}

fn ids<S: AsRef<str>>(list: impl IntoIterator<Item = S>) -> Value {
    list.into_iter().map(id).collect()
}

/// Who is responsible, if that was given.
fn agent(about: &About) -> Option<Value> {
    about.author.as_ref().map(|_| id("#author"))
}

/// The stages and what they read, according to the records.
fn workflow_file(story: &Story) -> Value {
    let makers = story.makers();
    let stage = |account: &Account| {
        let inputs = account.inputs.iter().map(|(role, digest)| {
            let maker = digest.and_then(|digest| makers.get(&digest));
            let from = maker.map(|(from, output)| json!({"stage": from.stage, "output": output}));
            (role.clone(), from.unwrap_or(Value::Null))
        });
        json!({"stage": account.stage, "kind": account.kind, "parameters": account.params,
            "inputs": inputs.collect::<Map<_, _>>()})
    };
    let stages: Vec<_> = story.accounts.iter().map(stage).collect();
    let run = &story.run;
    json!({"profile": run.profile, "overrides": run.overrides, "stages": stages})
}

fn frame(graph: &mut Entities, of: &Crate, artifacts: impl Iterator<Item = Digest>) {
    let Crate { story, about, place, .. } = *of;
    let profile = |name: &str| format!("https://w3id.org/{name}");
    let profiles = [
        ("ro/wfrun/process/0.5", "Process Run Crate", "0.5"),
        ("ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
        ("ro/wfrun/provenance/0.5", "Provenance Run Crate", "0.5"),
        ("workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"),
    ];
    let files = artifacts.map(place).chain([WORKFLOW, BILL].map(str::to_owned));
    graph.add(
        "ro-crate-metadata.json",
        json!({"@type": "CreativeWork", "about": id("./"),
            "conformsTo": ids(["https://w3id.org/ro/crate/1.1",
                "https://w3id.org/workflowhub/workflow-ro-crate/1.0"])}),
    );
    for (name, title, version) in profiles {
        graph.add(
            &profile(name),
            json!({"@type": "CreativeWork", "name": title, "version": version}),
        );
    }
    let licence = about.licence.as_deref().unwrap_or("#licence");
    let text = match about.licence {
        Some(_) => "The licence under which the results are given away.",
        None => "No licence was stated for the results.",
    };
    graph.add(licence, json!({"@type": "CreativeWork", "name": "Licence", "description": text}));
    graph.add(
        "./",
        json!({"@type": "Dataset",
            "name": format!("Run {} of {} under profile {}", story.run.id, about.program, story.run.profile),
            "description": format!("Results of {} stages of {}: {}.", story.accounts.len(), about.program, about.purpose),
            "datePublished": iso(story.run.finished), "license": id(licence),
            "conformsTo": ids(profiles.map(|(name, ..)| profile(name))),
            "hasPart": ids(files), "mainEntity": id(WORKFLOW),
            "author": agent(about), "publisher": agent(about),
            "mentions": ids([RUN, "#organisation"])}),
    );
    if let Some(author) = &about.author {
        graph.add("#author", json!({"@type": "Person", "name": author}));
    }
}
