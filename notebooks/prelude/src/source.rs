//! The source of tables: a store of artifacts, or a test double.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use arrow_array::RecordBatch;
use pipeline::{absence::Absence, artifacts::Artifacts};

use crate::error::{Error, Result};

/// Provides tables by stage name.
pub trait Source {
    /// The table `output` of `stage`.
    ///
    /// # Errors
    /// If there is none or it cannot be read.
    fn table(&self, stage: &str, output: &str) -> Result<RecordBatch>;
    /// The file of that table.
    ///
    /// # Errors
    /// If there is none.
    fn path(&self, stage: &str, output: &str) -> Result<PathBuf>;
    /// The key of the artifact of `stage`, in hexadecimal.
    ///
    /// # Errors
    /// If the stage has no artifact.
    fn key(&self, stage: &str) -> Result<String>;
    /// The profile that the artifact of `stage` is of, if it is not that of the last run.
    fn other_profile(&self, stage: &str) -> Option<String>;
    /// The stages whose names match `glob`.
    fn stages(&self, glob: &str) -> Vec<String>;
    /// Why `stage` has no artifact, if it or a stage that it needs cannot be computed here; otherwise empty.
    fn absence(&self, stage: &str) -> Vec<Absence>;
    /// The stages without which the artifact of `stage` was computed.
    fn without(&self, stage: &str) -> Vec<Absence>;
}

impl Source for Artifacts {
    fn table(&self, stage: &str, output: &str) -> Result<RecordBatch> {
        Artifacts::table(self, stage, output).map_err(Error::store)
    }

    fn path(&self, stage: &str, output: &str) -> Result<PathBuf> {
        Artifacts::path(self, stage, output).map_err(Error::store)
    }

    fn key(&self, stage: &str) -> Result<String> {
        Artifacts::key(self, stage).map(|key| key.to_string()).map_err(Error::store)
    }

    fn other_profile(&self, stage: &str) -> Option<String> {
        self.other_profile_of(stage).ok().flatten()
    }

    fn stages(&self, glob: &str) -> Vec<String> {
        Artifacts::stages(self, glob)
    }

    fn absence(&self, stage: &str) -> Vec<Absence> {
        Artifacts::absence(self, stage)
    }

    fn without(&self, stage: &str) -> Vec<Absence> {
        Artifacts::without(self, stage)
    }
}

/// The folder of artifacts: `named` if given, otherwise `artifacts` in `from` or the nearest folder above.
pub(crate) fn find(named: Option<OsString>, from: &Path) -> Result<PathBuf> {
    // An empty variable counts as not set.
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    from.ancestors()
        .map(|dir| dir.join("artifacts"))
        .find(|dir| dir.is_dir())
        .ok_or_else(|| Error::NoStore { from: from.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_folder_wins() {
        let found = find(Some("elsewhere".into()), Path::new("/")).unwrap();
        assert_eq!(found, Path::new("elsewhere"));
    }

    #[test]
    fn a_folder_named_by_nothing_is_not_named() {
        let here = tempfile::tempdir().unwrap();
        std::fs::create_dir(here.path().join("artifacts")).unwrap();
        let found = find(Some("".into()), here.path()).unwrap();
        assert_eq!(found, here.path().join("artifacts"));
    }

    #[test]
    fn the_message_says_where_the_search_began_and_what_to_do() {
        let message = find(None, Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(message.contains("/nowhere/at/all") && message.contains("make reproduce"));
    }
}
