//! The code behind figures and tables: the source file of a stage's kind, as a file of the report, so that the link
//! also works where the report is copied to.

use std::{collections::BTreeMap, fs, path::PathBuf};

use super::offered::{Download, File, file};
use crate::words::anchor;

/// Which source file computes a stage.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The folder that the files are relative to.
    root: PathBuf,
    /// Stage → file.
    files: BTreeMap<String, &'static str>,
}

impl Code {
    /// The files of stages, relative to `root`.
    pub fn of(root: PathBuf, files: impl IntoIterator<Item = (String, &'static str)>) -> Self {
        Self { root, files: files.into_iter().collect() }
    }

    /// The file that computes `stage`, copied into the report; nothing where it is unknown, or where the sources are
    /// not at hand.
    pub fn link(&self, stage: &str, files: &mut Vec<File>) -> Option<Download> {
        let path = self.files.get(stage)?;
        let text = fs::read(self.root.join(path)).ok()?;
        // As text, which browsers show.
        let name = format!("code-{}.txt", anchor(path));
        Some(file(&name, (*path).to_owned(), text, files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_linked_where_its_file_is_at_hand() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let known = [("a/b", "src/downloads/code.rs"), ("a/c", "src/none.rs")];
        let code = Code::of(root, known.map(|(stage, file)| (stage.to_owned(), file)));
        let mut files = Vec::new();
        let link = code.link("a/b", &mut files).expect("a link");
        assert_eq!(
            (link.name.as_str(), link.href.as_str()),
            ("src/downloads/code.rs", "data/code-src-downloads-code-rs.txt")
        );
        assert!(files[0].1.starts_with(b"//! The code behind"));
        assert_eq!(code.link("a/c", &mut files), None, "the file is not there");
        assert_eq!(code.link("a/d", &mut files), None, "the stage is unknown");
        assert_eq!(files.len(), 1);
    }
}
