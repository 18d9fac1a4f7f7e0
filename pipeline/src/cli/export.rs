//! `export`: a run as a research object, as PROV-JSON, or as an evaluation sheet; the program's bill of materials.

use std::{fs, path::Path};

use super::{
    Session,
    args::{Export, Exported},
    record,
    session::json,
};
use crate::{
    error::{Error, Result},
    provenance::{Story, prov, ro_crate, sbom, sheet},
    recorded::{Recorded, deposit},
};

pub(super) fn export(session: &Session, args: &Export) -> Result<()> {
    if let Exported::Sbom { file } = &args.what {
        write(file, &json(&sbom::document(session.registry.program))?)?;
        return session.print(&format!("the bill of materials is in {}\n", file.display()));
    }
    if let Exported::Zenodo { dir, licence, author } = &args.what {
        return zenodo(session, dir, licence, author);
    }
    let store = session.store()?;
    let story = Story::of(&store, args.run)?;
    let program = session.registry.program;
    let place = match &args.what {
        Exported::RoCrate { dir, licence, author } => {
            let about = ro_crate::About {
                program: program.to_owned(),
                purpose: session.registry.about.to_owned(),
                licence: licence.clone(),
                author: author.clone(),
            };
            ro_crate::write(&store, &story, &about, dir)?;
            dir
        }
        Exported::Prov { file } => {
            write(file, &json(&prov::document(&story, program))?)?;
            file
        }
        Exported::Sheet { file } => {
            write(file, &sheet::write(&store, &story, &session.registry)?)?;
            file
        }
        Exported::Sbom { file } => file,
        Exported::Zenodo { dir, .. } => dir,
    };
    let mut text = format!(
        "run {} with {} stages is in {}\n",
        story.run.id,
        story.accounts.len(),
        place.display()
    );
    if !story.untold.is_empty() {
        text.push_str(&format!("no record is left of {} stages\n", story.untold.len()));
    }
    session.print(&text)
}

/// The recorded runs, ready to be deposited.
fn zenodo(session: &Session, dir: &Path, licence: &str, author: &str) -> Result<()> {
    let runs = Recorded::all(&record::folder(session))?;
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
