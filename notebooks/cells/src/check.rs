//! Checks the properties that every notebook and the report's pages must have, whatever data are absent.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use pipeline::{absence::causes, artifacts::Artifacts};

use crate::{
    error::{Error, Result},
    shown::Shown,
    stores::Copy,
};

/// The numbers of items checked, and the faults.
#[derive(Default)]
pub struct Found {
    /// Number of cells that were executed.
    pub cells: usize,
    /// Number of notices in place of what a cell cannot show.
    pub notices: usize,
    /// Number of cells that open a stage without a result, and report it.
    pub told: usize,
    /// The faults.
    pub wrong: Vec<String>,
}

impl Found {
    /// Adds the results of another check.
    pub fn and(&mut self, other: Self) {
        self.cells += other.cells;
        self.notices += other.notices;
        self.told += other.told;
        self.wrong.extend(other.wrong);
    }
}

/// For every stage without a result: the stages that a notice in its place names.
fn absent(artifacts: &Artifacts) -> BTreeMap<String, BTreeSet<String>> {
    let mut absent = BTreeMap::new();
    for stage in artifacts.stages("*") {
        let told = causes(&artifacts.absence(&stage));
        if !told.is_empty() {
            absent.insert(stage, told.into_iter().map(|cause| cause.stage).collect());
        }
    }
    absent
}

/// Executes the notebooks with this name over `copy`.
///
/// # Errors
/// If a notebook cannot be started, or the store cannot be read.
pub fn notebooks(copy: &Copy, names: &[&str]) -> Result<Found> {
    let artifacts = Artifacts::open(copy.path())?;
    let absent = absent(&artifacts);
    let mut found = Found::default();
    for name in names {
        let shown = Shown::of(name, copy.path())?;
        let cell = shown.cells.last().map_or(0, |cell| cell.number);
        let failed = shown.failed.iter().map(|said| format!("{name}, cell {cell} failed: {said}"));
        found.wrong.extend(failed);
        found.cells += shown.cells.len();
        for cell in &shown.cells {
            let place = format!("{name}, cell {}", cell.number);
            found.notices += usize::from(cell.has_notice());
            if cell.has_notice() && absent.is_empty() {
                found.wrong.push(format!("{place} has a notice, and nothing is absent"));
            }
            let opened = |stage: &&String| cell.source.contains(&format!("\"{stage}\""));
            for stage in absent.keys().filter(opened).filter(|_| !cell.shown.is_empty()) {
                let named = |cause: &String| cell.shown.contains(&format!("<code>{cause}</code>"));
                if cell.has_notice() && absent[stage].iter().any(named) {
                    found.told += 1;
                } else {
                    found.wrong.push(format!("{place} does not say why {stage} is absent"));
                }
            }
        }
    }
    Ok(found)
}

/// The stages whose tables a page shows.
fn sources(page: &str) -> BTreeSet<&str> {
    let parts = page.split("artifact ").skip(1);
    parts.filter_map(|rest| rest.split(" · key ").next()).collect()
}

/// Writes the report over `copy`. `whole` is its page of figures when nothing is removed.
///
/// # Errors
/// If the report cannot be written or read.
pub fn report(
    copy: &Copy,
    program: &Path,
    profile: &str,
    whole: Option<&str>,
) -> Result<(String, Found)> {
    copy.retune(program, &["report", "--profile", profile])?;
    let page = |name: &str| {
        let path = copy.path().join("report").join(name);
        fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))
    };
    let (figures, stages) = (page("figures.html")?, page("stages.html")?);
    let artifacts = Artifacts::under(copy.path(), profile)?;
    let absent = absent(&artifacts);
    let mut found = Found::default();
    for stage in absent.keys() {
        let judged = stages.contains(&format!("<th scope=\"row\">{stage}</th>"));
        if !judged && stages.contains(&format!("id=\"{}\"", paper(stage))) {
            found.wrong.push(format!("stages.html does not list {stage} without a result"));
        }
    }
    for stage in whole.map(sources).unwrap_or_default() {
        let Some(causes) = absent.get(stage) else { continue };
        let named = |cause: &String| figures.contains(&format!("<code>{cause}</code>"));
        if figures.contains("class=\"absent\"") && causes.iter().any(named) {
            found.told += 1;
        } else {
            found.wrong.push(format!("figures.html does not say why {stage} is absent"));
        }
    }
    if absent.is_empty() && figures.contains("class=\"absent\"") {
        found.wrong.push("figures.html has a notice, and nothing is absent".to_owned());
    }
    Ok((figures, found))
}

/// The paper of a stage.
pub fn paper(stage: &str) -> &str {
    stage.split('/').next().unwrap_or(stage)
}
