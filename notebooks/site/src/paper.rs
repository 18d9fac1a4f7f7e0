//! A paper with its claims: as they were judged here, and as the recorded run judged them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use pipeline::artifacts::Artifacts;

use crate::{
    absent::missing::Missing,
    drawing::frame::Frame,
    error::Result,
    names::{Citation, Names},
    recorded::Recorded,
    verdicts::claims::{Claim, claims},
    verdicts::summary,
};

/// The profile under which verdicts have no meaning.
pub const SMOKE: &str = "smoke";

/// What readers of such verdicts are told.
pub const MEANINGLESS: &str =
    "Verdicts of profile smoke have no meaning: it only checks that everything runs.";

/// A mark where the code differs from the paper.
pub struct Differs {
    /// The file.
    pub place: String,
    /// What differs, and why.
    pub what: String,
}

/// One paper with its claims.
pub struct Paper {
    /// Its id: the first part of its stages' names.
    pub id: String,
    /// What readers call it.
    pub name: String,
    /// Its title; empty where it is not known.
    pub title: String,
    /// Who wrote it, and where it is.
    pub citation: Option<Citation>,
    /// What an audit of its published numbers found.
    pub audit: Option<String>,
    /// The key of the stage that judged.
    pub key: String,
    /// All claims, under all variants: as they were judged here, or where nothing was judged here, or under
    /// [`SMOKE`], as the recorded run judged them.
    pub claims: Vec<Claim>,
    /// Whether they were judged here.
    pub here: bool,
    /// Whether what was judged here has no meaning.
    pub smoke: bool,
    /// That, where the recorded run judged `claims`.
    pub aside: Vec<Claim>,
    /// The run that is kept with the sources.
    pub recorded: Option<Recorded>,
    /// What differs from the paper; nothing where its stage `ID/differs` was not run.
    pub differs: Vec<Differs>,
    /// Whether the executed notebook is there.
    pub notebook: bool,
}

impl Paper {
    /// The claims under the variant fixed beforehand.
    pub fn headline(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| claim.headline)
    }

    /// The verdicts on claim `id` under the other variants.
    #[must_use]
    pub fn others(&self, id: &str) -> Vec<&Claim> {
        self.claims.iter().filter(|claim| !claim.headline && claim.id == id).collect()
    }

    /// The claims as they were judged here, under the variant fixed beforehand.
    pub fn own(&self) -> impl Iterator<Item = &Claim> {
        let claims = if self.here { &self.claims } else { &self.aside };
        claims.iter().filter(|claim| claim.headline)
    }

    /// The claims as the recorded run judged them, under the variant fixed beforehand.
    pub fn recorded(&self) -> impl Iterator<Item = &Claim> {
        let claims = match &self.recorded {
            Some(recorded) if self.here => &recorded.claims[..],
            Some(_) => &self.claims[..],
            None => &[],
        };
        claims.iter().filter(|claim| claim.headline)
    }
}

/// Every paper that has verdicts, here or in `recorded`, by id.
///
/// # Errors
/// When a table of claims cannot be read, or lacks a column.
pub fn papers(
    artifacts: &Artifacts,
    report: &Path,
    names: &Names,
    mut recorded: BTreeMap<String, Recorded>,
) -> Result<Vec<Paper>> {
    let mut ids: BTreeSet<String> = recorded.keys().cloned().collect();
    let judged = |id: &String| artifacts.key(&format!("{id}/claims")).is_ok();
    let here: BTreeSet<String> =
        artifacts.experiments_with("claims").into_iter().filter(judged).collect();
    ids.extend(here.iter().cloned());
    let paper = |id: String| {
        let mut recorded = recorded.remove(&id);
        let (here, stage) = (here.contains(&id), format!("{id}/claims"));
        let smoke = here && artifacts.profile_of(&stage)?.as_deref() == Some(SMOKE);
        let own = if here { claims(artifacts, &stage)? } else { Vec::new() };
        let (key, claims, aside) = match &mut recorded {
            Some(recorded) if smoke || !here => {
                (recorded.key.clone(), std::mem::take(&mut recorded.claims), own)
            }
            _ => (artifacts.key(&stage)?.to_string(), own, Vec::new()),
        };
        let here = here && (recorded.is_none() || !smoke);
        let mut differs = differs(artifacts, &id)?;
        if let (true, Some(recorded)) = (differs.is_empty(), &recorded) {
            differs = self::differs(&recorded.tables, &id)?;
        }
        let audit = summary::audit(artifacts, &id)?;
        let audit = audit.or_else(|| recorded.as_ref().and_then(|run| run.audit.clone()));
        Ok(Paper {
            name: names.name(&id).to_owned(),
            title: names.title(&id).to_owned(),
            citation: names.citation(&id),
            audit,
            key,
            claims,
            here,
            smoke,
            aside,
            differs,
            notebook: report.join(format!("{id}.html")).is_file(),
            recorded,
            id,
        })
    };
    ids.into_iter().map(paper).collect()
}

/// The papers that have no verdicts, since what these rest on cannot be computed here.
///
/// # Errors
/// When a run's record cannot be read.
pub fn missing(artifacts: &Artifacts, names: &Names) -> Result<Vec<Missing>> {
    let mut all = Vec::new();
    for id in artifacts.experiments_with("claims") {
        let stage = format!("{id}/claims");
        if !artifacts.absence(&stage).is_empty() {
            all.extend(Missing::of(artifacts, names.name(&id).to_owned(), [stage.as_str()])?);
        }
    }
    Ok(all)
}

/// What differs from a paper, as its stage found it.
fn differs(artifacts: &Artifacts, id: &str) -> Result<Vec<Differs>> {
    let Some(frame) = Frame::find(artifacts, &format!("{id}/differs"), "main")? else {
        return Ok(Vec::new());
    };
    let notes = frame.text("place")?.into_iter().zip(frame.text("text")?);
    Ok(notes.map(|(place, what)| Differs { place, what }).collect())
}
