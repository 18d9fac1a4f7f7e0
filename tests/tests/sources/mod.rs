//! The files of the checkout, for tests that read them. Skips what is built, fetched or computed.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders whose content is not written by hand.
const SKIPPED: [&str; 2] = ["target", "artifacts"];

/// One text file of the checkout.
pub struct File {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// All text files, sorted by path. Hidden folders are skipped, except that of the automatic tests.
pub fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    let mut files: Vec<File> = paths
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            let path = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            Some(File { path, text })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "the checkout was not found");
    files
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let hidden = name.starts_with('.') && name != ".ci";
        if name == ".git" {
            // A folder, or a file where the checkout is a second work tree.
        } else if !path.is_dir() {
            found.push(path);
        } else if !hidden && !SKIPPED.contains(&name.as_str()) {
            walk(&path, found);
        }
    }
}
