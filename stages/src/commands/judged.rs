//! The verdicts of a run on a paper, out of its table of claims: the reader's own, and those of recorded runs.

use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

use kit::{claims::tables::JudgedRow, row};
use pipeline::{
    artifacts::Artifacts,
    cli::Session,
    digest::Digest,
    error::{Error, Result},
    recorded::Recorded,
    store::{Store, record::Record},
};

use site::verdicts;

use super::results;

/// The verdicts of one run on one paper.
pub(super) struct Judged {
    pub(super) paper: String,
    pub(super) profile: Option<String>,
    /// Whether the run is one that is kept with the sources.
    pub(super) recorded: bool,
    /// Whether other code than this program's reached them.
    pub(super) outdated: bool,
    pub(super) key: Digest,
    pub(super) claims: Vec<JudgedRow>,
    /// What was found about each of them, in words.
    pub(super) found: Vec<String>,
}

impl Judged {
    /// The verdicts computed here. If there are none, `text` says why if they are absent, and it is an error unless a run
    /// is `recorded`.
    pub(super) fn own(
        results: &Artifacts,
        paper: &str,
        recorded: bool,
        text: &mut String,
    ) -> Result<Option<Judged>> {
        let stage = format!("{paper}/claims");
        if let Some(first) = results.absence(&stage).first() {
            let _ = writeln!(text, "{stage} has no result: {first}");
            return Ok(None);
        }
        if recorded && results.key(&stage).is_err() {
            return Ok(None);
        }
        Judged::of(results, paper, false).map(Some)
    }

    pub(super) fn of(tables: &Artifacts, paper: &str, recorded: bool) -> Result<Self> {
        let stage = format!("{paper}/claims");
        let table = tables.table(&stage, "main")?;
        let claims =
            row::read::<JudgedRow>(&table).map_err(|e| Error::usage(format!("{stage}: {e}")))?;
        // Rows of the same table, in its order.
        let told = verdicts::claims::claims(tables, &stage).map_err(super::of_site)?;
        let found = told.iter().map(verdicts::claims::Claim::found).collect();
        let (profile, key) = (tables.profile_of(&stage)?, tables.key(&stage)?);
        Ok(Self { paper: paper.to_owned(), profile, recorded, outdated: false, key, claims, found })
    }

    /// Those of the recorded runs of `papers`, or of all, by paper.
    pub(super) fn recorded(
        session: &Session,
        papers: Option<&[String]>,
    ) -> Result<BTreeMap<String, Self>> {
        let kept = Self::kept(session, papers)?;
        Ok(kept.into_iter().map(|(_, judged)| (judged.paper.clone(), judged)).collect())
    }

    /// Those of the recorded runs of `papers`, or of all, each with the folder of its run.
    fn kept(session: &Session, papers: Option<&[String]>) -> Result<Vec<(PathBuf, Self)>> {
        let mut all = results::recorded(session)?;
        all.retain(|(_, run)| papers.is_none_or(|papers| papers.contains(&run.experiment)));
        let outdated = results::outdated(session, &all)?;
        let judged = |(dir, run): (PathBuf, Recorded)| {
            let judged = Self::of(&run.artifacts(&dir)?, &run.experiment, true)?;
            let outdated = outdated.contains(&run.experiment);
            Ok((dir, Self { outdated, ..judged }))
        };
        all.into_iter().map(judged).collect()
    }

    /// Those of recorded runs and those computed here, of `papers` or of all, each with the record of how the verdicts
    /// came about, where one is left; by paper, the recorded ones first.
    ///
    /// # Errors
    /// When there are none, or a table or a store cannot be read.
    pub(super) fn all(
        session: &Session,
        papers: Option<&[String]>,
    ) -> Result<Vec<(Self, Option<Record>)>> {
        let chosen = |paper: &String| papers.is_none_or(|papers| papers.contains(paper));
        let mut all = Vec::new();
        for (dir, judged) in Self::kept(session, papers)? {
            let record = Store::open_existing(&dir)?.records()?.get(judged.key).cloned();
            all.push((judged, record));
        }
        if let Some(results) = results::here(session)? {
            let records = session.store()?.records()?;
            for paper in results.experiments_with("claims").into_iter().filter(chosen) {
                if results.absence(&format!("{paper}/claims")).is_empty() {
                    let judged = Self::of(&results, &paper, false)?;
                    let record = records.get(judged.key).cloned();
                    all.push((judged, record));
                }
            }
        }
        all.sort_by(|(a, _), (b, _)| (&a.paper, !a.recorded).cmp(&(&b.paper, !b.recorded)));
        if all.is_empty() {
            return Err(Error::usage("no verdicts yet").help("`retune run` computes them"));
        }
        Ok(all)
    }
}
