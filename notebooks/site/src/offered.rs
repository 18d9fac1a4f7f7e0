//! What a reader can take away: files, and how to cite what is in them.

/// A file to take away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// What it is.
    pub name: String,
    /// Where it lies, from the report's folder.
    pub href: String,
}

/// What belongs to one figure or table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// The files.
    pub files: Vec<Download>,
    /// The source files of the stages that computed it.
    pub code: Vec<Download>,
    /// How it is cited.
    pub cite: String,
}
