//! The results that commands show.

use std::{collections::BTreeSet, path::PathBuf};

use pipeline::{
    artifacts::Artifacts, cli::Session, error::Result, recorded::Recorded, store::Store,
};

/// The profile of runs that are made to be recorded.
pub const RECORDED: &str = "recorded";

/// The recorded runs, with their folders; of one that is damaged it warns.
///
/// # Errors
/// When the folder of recorded runs cannot be read.
pub fn recorded(session: &Session) -> Result<Vec<(PathBuf, Recorded)>> {
    let mut sound = Vec::new();
    for (dir, run) in Recorded::each(&session.recorded())? {
        match run.and_then(|run| run.check(&dir).map(|()| run)) {
            Ok(run) => sound.push((dir, run)),
            Err(error) => session.warning(&error),
        }
    }
    Ok(sound)
}

/// The papers whose recorded verdicts were reached by other code than this program's.
///
/// # Errors
/// When a list of stages cannot be read.
pub fn outdated(session: &Session, runs: &[(PathBuf, Recorded)]) -> Result<BTreeSet<String>> {
    let mut papers = BTreeSet::new();
    for (dir, run) in runs {
        if run.is_outdated(dir, &format!("{}/claims", run.experiment), session.kinds())? {
            papers.insert(run.experiment.clone());
        }
    }
    Ok(papers)
}

/// The results computed here; `None` before anything is computed, if runs come with the sources: these are then all
/// there is to show.
///
/// # Errors
/// When there are neither, or none of the profile that was asked for, or the store cannot be read.
pub fn here(session: &Session) -> Result<Option<Artifacts>> {
    let dir = session.artifacts();
    if !Store::exists(dir) && !Recorded::each(&session.recorded())?.is_empty() {
        return Ok(None);
    }
    session.results().map(Some)
}

/// Why there are only recorded results to show: nothing was run here under the profile that was asked for. `None` if
/// something was, or no profile was asked for.
///
/// # Errors
/// When the store cannot be read.
pub fn not_run(session: &Session) -> Result<Option<String>> {
    let (dir, Some(profile)) = (session.artifacts(), session.asked_profile()) else {
        return Ok(None);
    };
    let mut others = BTreeSet::new();
    if Store::exists(dir) {
        others.extend(Store::open_existing(dir)?.runs()?.0.into_iter().map(|run| run.profile));
    }
    if others.contains(profile) {
        return Ok(None);
    }
    let others: Vec<String> = others.into_iter().collect();
    let under = if others.is_empty() {
        String::new()
    } else {
        format!(" (runs were under: {})", others.join(", "))
    };
    Ok(Some(format!("nothing was run here under profile {profile} yet{under}")))
}
