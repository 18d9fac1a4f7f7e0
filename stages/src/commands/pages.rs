//! `retune pages`: lists which pages of notebooks are out of date. A page is not a stage: a notebook opens
//! whatever its cells ask for, and is executed by an external kernel. A page still has a key, computed like
//! that of a stage from digests of its inputs, and the page contains this key.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches};
use codehash::{Crate, Modules};
use pipeline::{
    artifacts::Artifacts,
    cli::{Command, Session, manual::Example},
    digest::{Digest, Fields},
    error::{Error, Result},
    store::Store,
};
use serde_json::Value;

/// The command.
pub struct Pages;

/// The crates between results and page. A comment in them does not change a page.
const CRATES: [(&str, &str); 3] = [
    ("figures", "notebooks/figures/src"),
    ("prelude", "notebooks/prelude/src"),
    ("pipeline", "pipeline/src"),
];
/// Other files that decide how a page looks.
const FILES: [&str; 8] = [
    "Cargo.lock",
    "notebooks/figures/assets/colours.css",
    "notebooks/figures/assets/figures.css",
    "notebooks/figures/assets/panels.css",
    "notebooks/evcxr.toml",
    "scripts/env.sh",
    "scripts/notebook.css",
    "scripts/notebook.py",
];

impl Command for Pages {
    fn clap(&self) -> clap::Command {
        clap::Command::new("pages")
            .about("Say which pages of notebooks are out of date: key, fresh or stale, notebook")
            .after_help(
                "A page is fresh where it carries the key of what its notebook would show now: its \
                 cells, the results of the papers that they name, and the code in between. \
                 scripts/notebook.sh makes those that are stale.",
            )
            .arg(
                Arg::new("report").long("report").value_name("DIR").help(
                    "The folder of the pages [default: report, in the folder of the artifacts]",
                ),
            )
            .arg(Arg::new("notebook").value_name("NOTEBOOK.ipynb").num_args(1..).required(true))
    }

    fn examples(&self) -> &'static [Example] {
        &[(
            "{program} pages notebooks/{experiment}.ipynb",
            "say whether the page of a notebook is up to date",
        )]
    }

    fn run(&self, session: &Session, matches: &ArgMatches) -> Result<()> {
        let report = matches.get_one::<String>("report").map(PathBuf::from);
        let report = report.unwrap_or_else(|| session.artifacts().join("report"));
        let root = session.config_dir().canonicalize().map_err(|e| {
            Error::io("find", session.config_dir(), &e).help("name the folder: --configs DIR")
        })?;
        let code = code(root.parent().unwrap_or(&root))?;
        let mut text = String::new();
        for notebook in matches.get_many::<String>("notebook").into_iter().flatten() {
            let key = key(Path::new(notebook), code, session.artifacts(), &report)?;
            let name = Path::new(notebook).file_stem().unwrap_or_default().to_string_lossy();
            let page = fs::read_to_string(report.join(format!("{name}.html"))).unwrap_or_default();
            let state = if page.contains(&mark(key)) { "fresh" } else { "stale" };
            text += &format!("{key}\t{state}\t{notebook}\n");
        }
        session.print(&text)
    }
}

/// The mark with the key in a page, which `scripts/notebook.py` writes.
fn mark(key: Digest) -> String {
    format!("<meta name=\"made-from\" content=\"{key}\">")
}

/// The digest of the code between results and page.
fn code(root: &Path) -> Result<Digest> {
    let mut fields = Fields::default();
    let sources = CRATES.map(|(name, source)| (name, root.join(source)));
    let crates = sources.each_ref().map(|(name, source)| Crate { name, package: name, source });
    let modules =
        Modules::of(&crates).map_err(|e| Error::io("read the code of notebooks in", root, &e))?;
    for path in modules.paths() {
        fields.field(path.as_bytes()).field(modules[path].digest.as_bytes());
    }
    for name in FILES {
        let path = root.join(name);
        fields.field(&fs::read(&path).map_err(|e| Error::io("read", &path, &e))?);
    }
    Ok(fields.finish())
}

/// The key of the page of `notebook`: its cells, the results that they may open, and the code in between.
///
/// # Errors
/// If the file is not a notebook, or the store cannot be read.
fn key(notebook: &Path, code: Digest, artifacts: &Path, report: &Path) -> Result<Digest> {
    let text = fs::read(notebook).map_err(|e| Error::io("read", notebook, &e))?;
    let none = |why: &dyn std::fmt::Display| {
        Error::usage(format!("{} is no notebook: {why}", notebook.display()))
    };
    let value: Value = serde_json::from_slice(&text).map_err(|e| none(&e))?;
    let cells = value["cells"].as_array().ok_or_else(|| none(&"it has no cells"))?;
    let mut fields = Fields::default();
    fields.field(code.to_string().as_bytes());
    let mut said = String::new();
    for cell in cells {
        let source = source(cell);
        let kind = cell["cell_type"].as_str().unwrap_or_default();
        fields.field(kind.as_bytes()).field(source.as_bytes());
        if kind == "code" {
            said += &source;
        }
    }
    let name = notebook.file_stem().unwrap_or_default().to_string_lossy();
    let graph = report.join(format!("{name}-dag.svg"));
    fields.field(&fs::read(graph).unwrap_or_default());
    if artifacts.join("store/v1/log").is_file() {
        results(&said, artifacts, &mut fields)?;
    }
    Ok(fields.finish())
}

/// The content of a cell.
fn source(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

/// The results that cells may open: those of each paper that they name, or of all papers if they ask for any
/// paper; and the runs, if they report them.
fn results(said: &str, artifacts: &Path, fields: &mut Fields) -> Result<()> {
    let tables = Artifacts::open(artifacts)?;
    let store = Store::open_existing(artifacts)?;
    let log = store.facts();
    let facts = log.known();
    let stages = tables.stages("*");
    let papers: BTreeSet<&str> = stages.iter().filter_map(|name| name.split('/').next()).collect();
    let named = |paper: &&str| {
        said.contains(&format!("\"{paper}/")) || said.contains(&format!("\"{paper}\""))
    };
    let own: BTreeSet<&str> = papers.iter().copied().filter(named).collect();
    let any = own.is_empty() || said.contains("\"*");
    for stage in stages
        .iter()
        .filter(|name| any || name.split('/').next().is_some_and(|paper| own.contains(paper)))
    {
        fields.field(stage.as_bytes());
        if let Ok(key) = tables.key(stage) {
            fields.field(key.to_string().as_bytes());
            // Measured times differ between runs under the same key.
            for artifact in facts.done(key).into_iter().flat_map(|made| made.iter()) {
                fields.field(artifact.digest.to_string().as_bytes());
            }
        } else {
            for absence in tables.absence(stage) {
                fields.field(absence.to_string().as_bytes());
            }
        }
    }
    let told = if said.contains(".runs()") { store.runs()?.0 } else { Vec::new() };
    for run in told {
        fields.field(&run.id.to_le_bytes()).field(&run.finished.to_le_bytes());
    }
    Ok(())
}
