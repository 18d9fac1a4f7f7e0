//! The stage of a data set in the graph, with the places it may read while it fetches. Apart from
//! `load`, which is what the stage does: where files may lie is no part of its key.

use std::{env, path::Path};

use pipeline::{
    error::{Error, Result},
    graph::Builder,
};

use super::load::LoadData;
use crate::data::Places;

/// Below the home folder: settings of the clients that fetch packages and addresses.
const SETTINGS: [&str; 5] = [".config", ".pip", ".npmrc", ".netrc", ".curlrc"];

/// Adds the stage called `name` that loads the data set of this id.
///
/// # Errors
/// When there is no such data set.
pub fn add(builder: &mut Builder, name: impl Into<String>, id: &str) -> Result<()> {
    let load = LoadData::new(id).ok_or_else(|| Error::usage(format!("no data set `{id}`")))?;
    let draft = builder.add(name, &load)?.downloads();
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
