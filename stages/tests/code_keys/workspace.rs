//! A copy of the crates that stages consist of, which can be edited, with the digests of their code.

use std::{
    fs,
    path::{Path, PathBuf},
};

use codehash::{Crate, Digests, Modules, digests};

/// The crates of the checkout, copied to where they can be edited.
pub struct Workspace {
    dir: tempfile::TempDir,
    /// The digests before any edit.
    pub before: Digests,
}

impl Workspace {
    /// A copy of the checkout's.
    pub fn copy() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let dir = tempfile::tempdir().expect("a temporary folder");
        for Own { source, .. } in crates(&root).into_iter().chain([engine(&root)]) {
            copy(&source, &dir.path().join(source.strip_prefix(&root).expect("below the root")));
        }
        fs::copy(root.join("Cargo.lock"), dir.path().join("Cargo.lock")).expect("copied");
        let before = digests_below(&root, dir.path());
        Self { dir, before }
    }

    /// The digests with an `edit` of one file.
    pub fn after(&self, file: &str, edit: impl Fn(&str) -> String) -> Digests {
        let path = self.dir.path().join(file);
        let text = fs::read_to_string(&path).expect("read");
        let edited = edit(&text);
        assert_ne!(text, edited, "the edit of {file} found nothing to change");
        fs::write(&path, edited).expect("written");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let after = digests_below(&root, self.dir.path());
        fs::write(&path, text).expect("restored");
        after
    }
}

/// The digests of the crates of the checkout at `root`, of their copy in `dir`.
fn digests_below(root: &Path, dir: &Path) -> Digests {
    let copied = |one: Own| Own {
        source: dir.join(one.source.strip_prefix(root).expect("below the root")),
        ..one
    };
    let own: Vec<Own> = crates(root).into_iter().map(copied).collect();
    let own: Vec<Crate<'_>> = own.iter().map(Own::named).collect();
    let engine = copied(engine(root));
    let lock = fs::read_to_string(dir.join("Cargo.lock")).expect("read");
    let modules = |crates: &[Crate<'_>]| Modules::of(crates).expect("parses");
    digests(&modules(&own), &modules(&[engine.named()]), &lock).expect("parses")
}

/// A crate: its name in paths, its package, its sources.
pub struct Own {
    pub name: String,
    package: String,
    pub source: PathBuf,
}

impl Own {
    fn named(&self) -> Crate<'_> {
        Crate { name: &self.name, package: &self.package, source: &self.source }
    }
}

/// The crates that stages consist of, as the build script of the program finds them.
pub fn crates(root: &Path) -> Vec<Own> {
    let own = |name: &str, folder: &Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let package = manifest.lines().find_map(|line| line.strip_prefix("name = "));
        let package = package.expect("names its package").trim_matches('"').to_owned();
        Own { name: name.to_owned(), package, source: folder.join("src") }
    };
    let mut found = vec![own("stages", &root.join("stages"))];
    for folder in ["stages", "stages/papers"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.path().join("src/lib.rs").is_file() {
                found.push(own(&entry.file_name().to_string_lossy(), &entry.path()));
            }
        }
    }
    assert!(found.len() > 12, "{}", found.len());
    found
}

fn engine(root: &Path) -> Own {
    let name = || "pipeline".to_owned();
    Own { name: name(), package: name(), source: root.join("pipeline/src") }
}

/// The files of a folder and of those in it.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
