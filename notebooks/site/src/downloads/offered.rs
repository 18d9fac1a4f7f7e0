//! What a reader can take away: files, and how to cite what is in them.

/// The folder of the report in which files lie.
pub const FOLDER: &str = "data";

/// A file that is to be written, with its content.
pub type File = (String, Vec<u8>);

/// A file of the report, to be written with the others.
pub fn file(name: &str, label: String, content: Vec<u8>, files: &mut Vec<File>) -> Download {
    let href = format!("{FOLDER}/{name}");
    files.push((href.clone(), content));
    Download { name: label, href }
}

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
