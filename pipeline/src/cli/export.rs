//! `export`: a run as a research object, as PROV-JSON, or as an evaluation sheet; the program's bill of materials.

use std::{fs, path::Path};

use super::{
    Session,
    args::{Export, Exported},
    session::{json, words::count},
};
use crate::{
    error::{Error, Result},
    provenance::{Story, prov, ro_crate, sbom, sheet},
    recorded::{Recorded, deposit},
    store::Store,
};

pub(super) fn export(session: &Session, args: &Export) -> Result<()> {
    let program = session.registry.program;
    match &args.what {
        Exported::Sbom { file } => {
            write(file, &json(&sbom::document(program))?)?;
            session.print(&format!("the bill of materials is in {}\n", file.display()))
        }
        Exported::Zenodo { dir, licence, author } => zenodo(session, dir, licence, author),
        Exported::RoCrate { dir, licence, author } => {
            run(session, args.run, dir, |store, story| {
                let about = ro_crate::About {
                    program: program.to_owned(),
                    purpose: session.registry.about.to_owned(),
                    licence: licence.clone(),
                    author: author.clone(),
                };
                ro_crate::write(store, story, &about, dir)
            })
        }
        Exported::Prov { file } => run(session, args.run, file, |_, story| {
            write(file, &json(&prov::document(story, program))?)
        }),
        Exported::Sheet { file } => run(session, args.run, file, |store, story| {
            write(file, &sheet::write(store, story, &session.registry)?)
        }),
    }
}

/// Has a run written to `place` and prints which run it was.
fn run(
    session: &Session,
    run: Option<u64>,
    place: &Path,
    written: impl Fn(&Store, &Story) -> Result<()>,
) -> Result<()> {
    let store = session.store()?;
    let story = Story::of(&store, run)?;
    written(&store, &story)?;
    let mut text = format!(
        "run {} with {} is in {}\n",
        story.run.id,
        count(story.accounts.len(), "stage"),
        place.display()
    );
    if !story.untold.is_empty() {
        text.push_str(&format!("no record is left of {}\n", count(story.untold.len(), "stage")));
    }
    session.print(&text)
}

/// The recorded runs, prepared for a deposit.
fn zenodo(session: &Session, dir: &Path, licence: &str, author: &str) -> Result<()> {
    let runs = Recorded::all(&session.recorded())?;
    if runs.is_empty() {
        return Err(Error::usage("no run is recorded").help("`retune record EXPERIMENT` keeps one"));
    }
    let about = deposit::About {
        program: session.registry.program.to_owned(),
        purpose: session.registry.about.to_owned(),
        licence: licence.to_owned(),
        author: author.to_owned(),
    };
    deposit::write(&runs, &about, dir)?;
    session.print(&format!("{} recorded runs are in {}\n", runs.len(), dir.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::io("write", path, &e))
}
