//! `export`: a run as a research object, as PROV-JSON, or as an evaluation sheet; the program's bill of materials.

use std::{fs, path::Path};

use super::{
    Session,
    args::{Export, Exported},
    session::json,
};
use crate::{
    error::{Error, Result},
    provenance::{Story, prov, ro_crate, sbom, sheet},
};

pub(super) fn export(session: &Session, args: &Export) -> Result<()> {
    if let Exported::Sbom { file } = &args.what {
        write(file, &json(&sbom::document(session.registry.program))?)?;
        return session.print(&format!("the bill of materials is in {}\n", file.display()));
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

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::io("write", path, &e))
}
