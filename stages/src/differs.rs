//! What differs from the papers: the comments marked `DIFFERS:`, as the stage `ID/differs` of each paper. The build
//! script finds those of the sources; those of a paper's config are read with it.

use std::{collections::BTreeSet, fs};

use kit::differs::{Differs, Note};
use pipeline::{
    config::Config,
    error::{Error, Result},
    graph::Builder,
    registry::Experiment,
};

use crate::{contests, printed};

/// The owner of the notes (`papers/ID`, or a tuner by its name in configs), and the notes: file, text.
type Found = &'static [(&'static str, &'static [(&'static str, &'static str)])];
const FOUND: Found = include!(concat!(env!("OUT_DIR"), "/differs.rs"));
/// The mark with which a note begins. It is written in two parts, so that this line is not a note.
pub const MARK: &str = concat!("DIFF", "ERS:");

/// An experiment with the stages that the program adds to every paper: its contests, what it prints of its figures, and
/// what differs from it.
pub struct Noted(pub Box<dyn Experiment>);

impl Experiment for Noted {
    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        self.0.expand(config, builder)?;
        contests::add(self.id(), builder)?;
        printed::add(self.id(), config, builder)?;
        let notes = notes(self.id(), config)?;
        builder.add(format!("{}/differs", self.id()), &Differs { notes })?;
        Ok(())
    }
}

/// The notes of the paper `id`: those of its code and of the shared code that this reaches, of the tuners that its
/// config names, and of the config and the claims themselves.
///
/// # Errors
/// If a file of the paper cannot be read.
pub fn notes(id: &str, config: &Config) -> Result<Vec<Note>> {
    let mut all: Vec<Note> = of(&format!("papers/{id}")).collect();
    let claims = config.file().with_extension("claims.toml");
    // What is no paper has none.
    for file in [config.file().to_owned()].into_iter().chain(claims.exists().then_some(claims)) {
        let text = fs::read_to_string(&file).map_err(|e| Error::io("read", &file, &e))?;
        // The texts between quotes, and those outside, which are not names.
        all.extend(text.split('"').flat_map(of));
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let note = |text| Note { place: format!("configs/{name}"), text };
        all.extend(codehash::notes(&text, MARK).into_iter().map(note));
    }
    let mut seen = BTreeSet::new();
    all.retain(|note| seen.insert(note.clone()));
    // Those of one file stay in its order.
    all.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(all)
}

fn of(who: &str) -> impl Iterator<Item = Note> {
    let at = FOUND.binary_search_by_key(&who, |(name, _)| name);
    let notes = at.map_or(&[][..], |at| FOUND[at].1);
    notes.iter().map(|&(place, text)| Note { place: place.to_owned(), text: text.to_owned() })
}
