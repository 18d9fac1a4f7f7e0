//! The commands that `retune` adds to those of the engine.

pub mod claims;
pub mod data;
mod judged;
pub mod nanopub;
pub mod new;
pub mod open;
pub mod pages;
pub mod papers;
pub mod reference;
pub mod report;
mod results;
pub mod rubric;
mod scaffold;
pub mod schema;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, value_parser};
use pipeline::{
    error::{Error, Result, suggestion},
    provenance,
};
use site::names::Named;

/// Refuses names that are those of no paper.
fn known<'a>(papers: &[Named], names: impl IntoIterator<Item = &'a String>) -> Result<()> {
    for name in names {
        if !papers.iter().any(|paper| paper.id == name.as_str()) {
            let near = suggestion(name, papers.iter().map(|paper| paper.id));
            return Err(Error::usage(format!("no paper is called `{name}`{near}")));
        }
    }
    Ok(())
}

/// The argument of exports that write a folder.
fn new_folder() -> Arg {
    Arg::new("dir")
        .value_name("DIR")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("A new folder")
}

/// That folder, made if it is not there; it must be empty.
fn made(matches: &ArgMatches) -> Result<PathBuf> {
    let dir = matches.get_one::<PathBuf>("dir").cloned().unwrap_or_default();
    if matches.try_contains_id("run").unwrap_or(false) {
        return Err(Error::usage("--run chooses nothing here").help("`--profile NAME` does"));
    }
    provenance::new_folder(&dir, "name a new folder")?;
    Ok(dir)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::io("write", path, &e))
}
