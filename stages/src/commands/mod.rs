//! The commands that `retune` adds to those of the engine.

pub mod claims;
pub mod data;
mod judged;
pub mod nanopub;
pub mod new;
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
use pipeline::error::{Error, Result};

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
    fs::create_dir_all(&dir).map_err(|e| Error::io("create", &dir, &e))?;
    if fs::read_dir(&dir).map_err(|e| Error::io("read", &dir, &e))?.next().is_some() {
        return Err(
            Error::usage(format!("{} is not empty", dir.display())).help("name a new folder")
        );
    }
    Ok(dir)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::io("write", path, &e))
}
