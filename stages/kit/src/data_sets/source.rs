//! Adds the stage of a data set to the graph, with the places that it can read while it fetches. Separate
//! from `load`, which is the stage itself, because the places of files are not part of its key.

use std::{env, path::Path};

use data::{Loader, Places};
use pipeline::{
    error::{Error, Result},
    graph::Builder,
};

use super::{
    benchmark::LoadBenchmark, corpus::LoadCorpus, curves::LoadCurves, images::LoadImages,
    load::LoadData,
};

/// Paths below the home folder: settings of the clients that fetch packages and URLs.
const SETTINGS: [&str; 5] = [".config", ".pip", ".npmrc", ".netrc", ".curlrc"];

/// Adds the stage called `name` that loads the data set of this id: its tables are those of
/// [`LoadData`], the one of [`LoadImages`] for a set of images, those of [`LoadCorpus`] for a text, those of
/// [`LoadBenchmark`] for a tabular benchmark, the one of [`LoadCurves`] for learning curves.
///
/// # Errors
/// If there is no such data set.
pub fn add(builder: &mut Builder, name: impl Into<String>, id: &str) -> Result<()> {
    let entry = data::find(id).ok_or_else(|| Error::usage(format!("no data set `{id}`")))?;
    let draft = match entry.loader {
        Loader::Rows(_) => builder.add(name, &LoadData::new(entry))?,
        Loader::Images(_) => builder.add(name, &LoadImages::new(entry))?,
        Loader::Corpus(_) => builder.add(name, &LoadCorpus::new(entry))?,
        Loader::Benchmark(_) => builder.add(name, &LoadBenchmark::new(entry))?,
        Loader::Curves(_) => builder.add(name, &LoadCurves::new(entry))?,
    };
    let draft = draft.downloads();
    if let Some(mirror) = Places::from_env("").mirror {
        draft.pinned(mirror);
    }
    if let Some(home) = env::var_os("HOME") {
        for file in SETTINGS {
            draft.pinned(Path::new(&home).join(file));
        }
    }
    Ok(())
}
