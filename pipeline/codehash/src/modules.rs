//! The modules of a crate, found by their files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    ops::Index,
    path::{Path, PathBuf},
};

use crate::{Crate, paths, tokens};

/// One module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Digest of its normalised tokens.
    pub digest: String,
    /// The absolute paths that it names: `crate_name::a::b::Item`.
    pub paths: BTreeSet<String>,
    /// Its file.
    pub file: PathBuf,
}

/// The modules of some crates, by module path. `main.rs` and the files in `bin/` are separate crates.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    found: BTreeMap<String, Module>,
    /// Module → those that it names.
    links: BTreeMap<String, BTreeSet<String>>,
    /// The crates, each with its package.
    packages: Vec<(String, String)>,
}

impl Modules {
    /// All modules below the `src` folders of `crates`.
    ///
    /// # Errors
    /// When a file cannot be read or is not valid Rust.
    pub fn of(crates: &[Crate]) -> io::Result<Self> {
        let mut found = BTreeMap::new();
        for one in crates {
            visit(one.source, one.name, true, &mut found)?;
        }
        let packages =
            crates.iter().map(|one| (one.name.to_owned(), one.package.to_owned())).collect();
        let mut modules = Self { found, links: BTreeMap::new(), packages };
        modules.links = modules.paths().map(|at| (at.to_owned(), modules.linked(at))).collect();
        Ok(modules)
    }

    /// Their paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }

    /// The crates: name in paths, and package.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.packages.iter().map(|(name, package)| (name.as_str(), package.as_str()))
    }

    /// The modules that the one at `at` names.
    fn linked(&self, at: &str) -> BTreeSet<String> {
        self.named(at).filter_map(|path| self.find(path)).map(str::to_owned).collect()
    }

    /// The module that contains what `path` names: its longest prefix that is a module.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&str> {
        let mut end = path.len();
        loop {
            if let Some((name, _)) = self.found.get_key_value(&path[..end]) {
                return Some(name);
            }
            end = path[..end].rfind("::")?;
        }
    }

    /// The paths that the module at `at` names. A child module hides a crate of the same name.
    pub fn named(&self, at: &str) -> impl Iterator<Item = &str> {
        let hidden =
            move |path: &&str| self.found.contains_key(&format!("{at}::{}", paths::head(path)));
        self[at].paths.iter().map(String::as_str).filter(move |path| !hidden(path))
    }

    /// The modules `starts`, those that they name, and so on. Modules that `followed` rejects, such as lists of
    /// everything there is, are left out, and so is what only they name.
    ///
    /// # Panics
    /// When one of `starts` is not a module.
    pub fn reached<'a>(
        &'a self,
        starts: impl IntoIterator<Item = &'a str>,
        followed: impl Fn(&str) -> bool,
    ) -> BTreeSet<&'a str> {
        let mut open: Vec<&str> = starts.into_iter().collect();
        let mut seen: BTreeSet<&str> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            for next in self.links[at].iter().map(String::as_str) {
                if followed(next) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

impl Index<&str> for Modules {
    type Output = Module;

    fn index(&self, path: &str) -> &Module {
        &self.found[path]
    }
}

fn visit(
    dir: &Path,
    prefix: &str,
    root: bool,
    found: &mut BTreeMap<String, Module>,
) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(dir)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() {
            if !(root && stem == "bin") {
                visit(&path, &format!("{prefix}::{stem}"), false, found)?;
            }
        } else if path.extension().is_some_and(|ext| ext == "rs") && !(root && stem == "main") {
            let name = match stem.as_str() {
                "lib" if root => prefix.to_owned(),
                "mod" => prefix.to_owned(),
                _ => format!("{prefix}::{stem}"),
            };
            let text = fs::read_to_string(&path)?;
            let module = module(&name, &text, path.clone())
                .map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
            found.insert(name, module);
        }
    }
    Ok(())
}

fn module(name: &str, text: &str, file: PathBuf) -> Result<Module, proc_macro2::LexError> {
    let tokens = tokens::meaningful(text.parse()?);
    let uses = paths::uses(&tokens);
    let mut hasher = blake3::Hasher::new();
    for line in &uses.lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.update(tokens::text(&uses.rest).as_bytes());
    let digest = hasher.finalize().to_hex()[..16].to_owned();
    Ok(Module { digest, paths: paths::named(name, &uses), file })
}
