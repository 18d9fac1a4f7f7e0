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
    error::{Error, Exit, Result, suggestion},
    provenance,
};
use site::names::Named;

/// Refuses names that are those of no paper.
fn known<'a>(papers: &[Named], names: impl IntoIterator<Item = &'a String>) -> Result<()> {
    for name in names {
        if !papers.iter().any(|paper| paper.id == name.as_str()) {
            let ids: Vec<&str> = papers.iter().map(|paper| paper.id).collect();
            let near = near(name, ids.iter().copied());
            return Err(Error::usage(format!("no paper is called `{name}`{near}"))
                .help(format!("there are {}", ids.join(", "))));
        }
    }
    Ok(())
}

/// The suggestion of one of few short names, of which many are a few letters apart: one that begins or ends as `word`
/// does.
fn near<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let ends = |text: &str| (text.chars().next(), text.chars().next_back());
    let (first, last) = ends(word);
    let alike = |name: &&str| {
        let (own, other) = ends(name);
        own == first || other == last && name.len().abs_diff(word.len()) <= 1 && name.len() > 4
    };
    suggestion(word, names.into_iter().filter(alike))
}

/// An error of the report as one of the program.
fn of_site(error: site::Error) -> Error {
    match error {
        site::Error::Store(error) => error,
        other => Error::new(Exit::Store, other.to_string()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_near_are_suggested() {
        let papers = ["harmonica", "hoag", "hypertune", "smoothie", "stn", "tpe"];
        let near = |word| near(word, papers);
        assert_eq!(near("hgo"), "; did you mean `hoag`?");
        assert_eq!(near("armonica"), "; did you mean `harmonica`?");
        assert_eq!(near("tep"), "; did you mean `tpe`?");
        assert_eq!(near("nope"), "");
    }
}
