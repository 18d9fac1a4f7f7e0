//! The modules of a crate, found by their files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use crate::{Crate, paths, tokens};

/// One module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Digest of its normalised tokens.
    pub digest: String,
    /// Absolute paths it names: `crate_name::a::b::Item`.
    pub paths: BTreeSet<String>,
}

/// All modules below a crate's `src`, by module path. `main.rs` and `bin/` are other crates.
///
/// # Errors
/// When a file cannot be read or is no Rust.
pub fn modules(of: Crate) -> io::Result<BTreeMap<String, Module>> {
    let mut found = BTreeMap::new();
    visit(of.source, of.name, true, &mut found)?;
    Ok(found)
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
            let module = module(&name, &text)
                .map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
            found.insert(name, module);
        }
    }
    Ok(())
}

fn module(name: &str, text: &str) -> Result<Module, proc_macro2::LexError> {
    let tokens = tokens::meaningful(text.parse()?);
    let uses = paths::uses(&tokens);
    let mut hasher = blake3::Hasher::new();
    for line in &uses.lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.update(tokens::text(&uses.rest).as_bytes());
    let digest = hasher.finalize().to_hex()[..16].to_owned();
    Ok(Module { digest, paths: paths::named(name, &uses) })
}
