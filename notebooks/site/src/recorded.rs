//! Reads the runs that are kept with the sources: each paper's verdicts, and what the run was.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use pipeline::{artifacts::Artifacts, machine, recorded};

use crate::{
    error::Result,
    verdicts::claims::{self, Claim},
    verdicts::summary,
    words::{count, duration},
};

/// Said of verdicts that other code than the program's reached.
pub const OUTDATED: &str = "judged by an earlier version of the rules";

/// That, after the name of a run whose verdicts are `outdated`; otherwise nothing.
#[must_use]
pub fn judged_by(outdated: bool) -> String {
    if outdated { format!(", {OUTDATED}") } else { String::new() }
}

/// A recorded run of one paper.
pub struct Recorded {
    /// All its tables that were kept.
    pub tables: Artifacts,
    /// The key of the stage that judged.
    pub key: String,
    /// All claims, under all variants.
    pub claims: Vec<Claim>,
    /// What an audit of the published numbers found.
    pub audit: Option<String>,
    /// Content digest → the stage that made it.
    pub makers: HashMap<String, String>,
    /// The profile that it ran under.
    pub profile: String,
    /// Overrides of the config.
    pub overrides: Vec<String>,
    /// Whether other code than the program's reached its verdicts.
    pub outdated: bool,
    /// Its size, cost, machines and date, as one sentence.
    pub told: String,
}

/// What was recorded in `runs`, each with its folder, by paper; the verdicts of some papers are `outdated`.
///
/// # Errors
/// When one of them cannot be read.
pub fn all(
    runs: Vec<(PathBuf, recorded::Recorded)>,
    outdated: &BTreeSet<String>,
) -> Result<BTreeMap<String, Recorded>> {
    let read = |(dir, run): (PathBuf, recorded::Recorded)| {
        let outdated = outdated.contains(&run.experiment);
        Ok((run.experiment.clone(), read(&dir, run, outdated)?))
    };
    runs.into_iter().map(read).collect()
}

fn read(dir: &Path, run: recorded::Recorded, outdated: bool) -> Result<Recorded> {
    let tables = run.artifacts(dir)?;
    let stage = format!("{}/claims", run.experiment);
    let makers = run.lines(dir)?.into_iter().map(|line| {
        let output = if line.output == "main" {
            String::new()
        } else {
            format!(" --output {}", line.output)
        };
        (line.digest.to_string(), line.stage + &output)
    });
    Ok(Recorded {
        key: tables.key(&stage)?.to_string(),
        claims: claims::claims(&tables, &stage)?,
        audit: summary::audit(&tables, &run.experiment)?,
        makers: makers.collect(),
        told: told(&run),
        outdated,
        profile: run.profile,
        overrides: run.overrides,
        tables,
    })
}

fn told(run: &recorded::Recorded) -> String {
    let lacking = match run.lacking.len() {
        0 => String::new(),
        n => format!("; {} could not be computed there", count(n, "stage")),
    };
    let judged = run.judged.as_ref().map_or_else(String::new, |judged| {
        format!("; judged anew from the kept tables {}", machine::iso(judged.finished))
    });
    format!(
        "{} in {} of CPU time on {}, finished {}{lacking}{judged}",
        count(run.stages, "stage"),
        duration(run.cpu_s),
        run.hardware(),
        machine::iso(run.finished),
    )
}
