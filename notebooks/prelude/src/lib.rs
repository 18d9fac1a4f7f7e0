//! The functions that notebooks use: they open artifacts by stage name, show tables and figures, and print
//! keys and verdicts. Invariant: the prelude computes nothing that another stage could need, and names no
//! paper.
//!
//! A cell ends every fallible call with `?`: the kernel reports the error, and every variable stays as it was. What makes
//! a page of a notebook takes whatever a cell reports for a failure (`scripts/notebook.py`).
//!
//! ```no_run
//! # fn cell() -> prelude::Result<()> {
//! let nb = prelude::open()?;
//! nb.table("toy/figures/curve")?.head(5)
//! # ;
//! # Ok(())
//! # }
//! ```

mod absent;
mod array;
pub mod charts;
pub mod error;
#[cfg(feature = "polars")]
mod frame;
pub mod html;
mod missing;
pub mod pivot;
pub mod raster;
pub mod report;
pub mod reshape;
pub mod runs;
pub mod sheet;
pub mod shelf;
pub mod sizes;
pub mod source;
mod sql;
mod stacked;
pub mod summary;
pub mod table;
#[cfg(test)]
mod testing;
pub mod verdict;

pub use error::{Error, Result};
pub use figures::Scale;
pub use ndarray;
#[cfg(feature = "polars")]
pub use polars;
pub use table::Table;

use source::Source;

/// The open store of artifacts, and the folder of the finished reports.
pub struct Notebook {
    source: Box<dyn Source>,
    report: std::path::PathBuf,
}

/// Opens the store named by `RETUNE_ARTIFACTS`, or the nearest `artifacts` folder here or above.
///
/// # Errors
/// If no store is found or it cannot be read.
pub fn open() -> Result<Notebook> {
    let dir = source::find(std::env::var_os("RETUNE_ARTIFACTS"), &std::env::current_dir()?)?;
    let artifacts = pipeline::artifacts::Artifacts::open(&dir).map_err(Error::store)?;
    Ok(Notebook { source: Box::new(artifacts), report: dir.join("report") })
}

impl Notebook {
    /// A notebook over another source of tables, with its `report` folder.
    #[must_use]
    pub fn over(source: Box<dyn Source>, report: std::path::PathBuf) -> Self {
        Self { source, report }
    }

    /// The main table of `stage`. If the stage, or one that it needs, cannot be computed here, the table is
    /// absent: a notice takes the place of whatever is built from it.
    ///
    /// # Errors
    /// If no run had this stage, it failed or was not run yet, its artifact is corrupt, or a column has a
    /// type that notebooks do not support.
    pub fn table(&self, stage: &str) -> Result<Table> {
        self.output(stage, "main")
    }

    /// The table `output` of `stage`.
    ///
    /// # Errors
    /// As [`Notebook::table`].
    pub fn output(&self, stage: &str, output: &str) -> Result<Table> {
        let absence = self.source.absence(stage);
        if !absence.is_empty() {
            return Ok(Table::missing(stage, output, absence));
        }
        let batch = self.source.table(stage, output)?;
        let mut table = Table::from_batch(&batch, stage, output, &self.source.key(stage)?)?;
        // What stands beside it is of another profile: its name says so wherever it is shown.
        if let Some(profile) = self.source.other_profile(stage) {
            table.stage += &format!(", of an earlier run under profile {profile}");
        }
        Ok(table.without(self.source.without(stage)))
    }

    /// The stages whose names match `glob`, sorted, including those that cannot be computed here.
    #[must_use]
    pub fn stages(&self, glob: &str) -> Vec<String> {
        self.source.stages(glob)
    }

    /// The runs recorded in the store.
    ///
    /// # Errors
    /// If their records cannot be read.
    pub fn runs(&self) -> Result<runs::Runs> {
        runs::Runs::open(self.report.parent().unwrap_or(&self.report))
    }

    /// The claims of the table `stage`, with their verdicts.
    ///
    /// # Errors
    /// As [`Notebook::table`], or if a column of the claims is missing.
    pub fn claims(&self, stage: &str) -> Result<verdict::Claims> {
        verdict::Claims::new(&self.table(stage)?)
    }

    /// What the paper prints of `figure`, such as `fig-4`: its points in the paper's units, with the paper's words.
    ///
    /// # Errors
    /// As [`Notebook::table`]; a paper that prints no number of its figures has no such table.
    pub fn printed(&self, paper: &str, figure: &str) -> Result<Table> {
        self.table(&format!("{paper}/figures/printed"))?.only("figure", &[figure])
    }

    /// What differs from the paper and why: the table `PAPER/differs`.
    ///
    /// # Errors
    /// As [`Notebook::table`].
    pub fn differs(&self, paper: &str) -> Result<html::Html> {
        report::differs(&self.table(&format!("{paper}/differs"))?)
    }

    /// The graph of the stages, from `PAPER-dag.svg` in the report folder.
    ///
    /// # Errors
    /// If the file exists but cannot be read.
    pub fn graph(&self, paper: &str) -> Result<html::Html> {
        report::graph(&self.report.join(format!("{paper}-dag.svg")), paper)
    }
}
