//! Notices for figures that have nothing to show because stages cannot be computed here: they name the
//! stages, the reason and the remedy.

use pipeline::{
    absence::{Absence, Cause, causes},
    artifacts::Artifacts,
};

use crate::error::Result;

/// Something that cannot be shown.
pub struct Missing {
    /// Its title.
    pub title: String,
    /// The stages because of which it is missing.
    pub causes: Vec<Cause>,
}

impl Missing {
    /// The notice in place of `title`, which is based on `stages`. `None` if none of them is missing: then
    /// they were not requested, or have too little to show.
    ///
    /// # Errors
    /// If a run's record cannot be read.
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
