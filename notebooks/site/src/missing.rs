//! What has nothing to show, since stages cannot be computed here: which, why, and the remedy.

use pipeline::{
    absence::{Absence, Cause, causes},
    artifacts::Artifacts,
};

use crate::error::Result;

/// Something that cannot be shown.
pub struct Missing {
    /// What it would be called.
    pub title: String,
    /// What it is missing for want of.
    pub causes: Vec<Cause>,
}

impl Missing {
    /// What stands in the place of `title`, which rests on `stages`. Nothing where they lack nothing: then
    /// they were not asked for, or have too little to show.
    ///
    /// # Errors
    /// When a run's record cannot be read.
    pub fn of<'a>(
        artifacts: &Artifacts,
        title: String,
        stages: impl IntoIterator<Item = &'a str>,
    ) -> Result<Option<Self>> {
        let mut absences: Vec<Absence> = Vec::new();
        for stage in stages {
            let own = artifacts.absence(stage).into_iter().chain(artifacts.without(stage));
            for absence in own {
                if !absences.contains(&absence) {
                    absences.push(absence);
                }
            }
        }
        let missing = Self { title, causes: causes(&absences) };
        Ok((!missing.causes.is_empty()).then_some(missing))
    }
}
