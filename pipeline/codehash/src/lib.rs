//! Digests of what a module's code means: its token stream and that of every module it reaches.
//!
//! Used by build scripts. Comments, documentation, white space, trailing commas, the order of imports, tests
//! and schemas of configs do not count; everything else does. A module reaches the modules that its paths name
//! (through `use` or in full), and those that these name in turn, across the crates given as `own`. Modules of
//! a *foreign* crate of ours count when they are named directly, but are not followed further: the engine's
//! internals do not decide a stage's result.
//!
//! [`Modules::reached`] gives the same reachability to callers that look for something else in the sources,
//! such as the comments that carry a mark ([`notes`]).
//!
//! Limitation: code that is reached through a trait object or a registry without being named is not found. A
//! stage names everything that it calls, so this does not arise there.

mod modules;
mod notes;
mod paths;
mod tokens;

use std::{collections::BTreeMap, fmt::Write, io, path::Path};

pub use modules::{Module, Modules};
pub use notes::notes;

/// A crate of ours.
#[derive(Clone, Copy, Debug)]
pub struct Crate<'a> {
    /// Its name in paths.
    pub name: &'a str,
    /// Its `src` folder.
    pub source: &'a Path,
}

/// Module path → what it reaches: (module path or `dependency NAME`) → digest or version.
pub type Digests = BTreeMap<String, BTreeMap<String, String>>;

/// The digests of every module of the crates `own`, which may name each other's modules, modules of `foreign`
/// crates, and the dependencies that `lock` (the text of `Cargo.lock`) lists for them.
///
/// # Errors
/// When a source file cannot be read or is not valid Rust, or the lock file is not valid TOML.
pub fn digests(own: &[Crate], foreign: &[Crate], lock: &str) -> io::Result<Digests> {
    let (ours, theirs) = (Modules::of(own)?, Modules::of(foreign)?);
    let mut versions = BTreeMap::new();
    for one in own {
        versions.extend(self::versions(one.name, lock)?);
    }
    let mut table = Digests::new();
    for start in ours.paths() {
        let mut reached = BTreeMap::new();
        for at in ours.reached([start], |_| true) {
            let module = &ours[at];
            reached.insert(at.to_owned(), module.digest.clone());
            for path in ours.named(at).filter(|path| ours.find(path).is_none()) {
                if let Some(next) = theirs.find(path) {
                    // A crate's root only lists its modules.
                    if next.contains("::") {
                        reached.insert(next.to_owned(), theirs[next].digest.clone());
                    }
                } else if let Some(head) = path.split("::").next()
                    && let Some(version) = versions.get(head)
                {
                    reached.insert(format!("dependency {head}"), version.clone());
                }
            }
        }
        table.insert(start.to_owned(), reached);
    }
    Ok(table)
}

/// The table as Rust source: `&[(module, &[(part, value)])]`, sorted, for `include!`.
#[must_use]
pub fn source(digests: &Digests) -> String {
    let mut text = "&[\n".to_owned();
    for (module, parts) in digests {
        let _ = writeln!(text, "    ({module:?}, &[");
        for (name, value) in parts {
            let _ = writeln!(text, "        ({name:?}, {value:?}),");
        }
        text.push_str("    ]),\n");
    }
    text + "]\n"
}

/// The versions of the dependencies of package `own`, by their names in paths.
fn versions(own: &str, lock: &str) -> io::Result<BTreeMap<String, String>> {
    let table: toml::Table =
        lock.parse().map_err(|e| io::Error::other(format!("Cargo.lock: {e}")))?;
    let packages =
        table.get("package").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &packages {
        by_name.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    let own = packages.iter().find(|package| text(package, "name") == own);
    let named = own.and_then(|package| package.get("dependencies")?.as_array());
    let mut versions = BTreeMap::new();
    for entry in named.into_iter().flatten().filter_map(toml::Value::as_str) {
        // `name`, or `name version` if the lock file contains several versions.
        let (name, version) = match entry.split_once(' ') {
            Some((name, version)) => (name, version.to_owned()),
            None => {
                (entry, by_name.get(entry).and_then(|v| v.first()).cloned().unwrap_or_default())
            }
        };
        versions.insert(name.replace('-', "_"), version);
    }
    Ok(versions)
}
