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
//! Limitations: code that is reached through a trait object or a registry without being named is not found. A
//! stage names everything that it calls, so this does not arise there. Nor are methods of a type that are written in
//! another module than the type: what others call there is a function, which is named. A dependency counts by its own version;
//! what it depends on in turn does not count.

mod modules;
mod notes;
mod paths;
mod tokens;

use std::{collections::BTreeMap, fmt::Write, io, path::Path};

pub use modules::{Module, Modules};
pub use notes::notes;
use paths::head;

/// A crate of ours.
#[derive(Clone, Copy, Debug)]
pub struct Crate<'a> {
    /// Its name in paths.
    pub name: &'a str,
    /// Its package's name in `Cargo.lock`.
    pub package: &'a str,
    /// Its `src` folder.
    pub source: &'a Path,
}

/// Module path → what it reaches: (module path or `dependency NAME`) → digest or version.
pub type Digests = BTreeMap<String, BTreeMap<String, String>>;

/// The digests of every module of `own`, which may name modules of `foreign` crates and the dependencies that `lock`
/// (the text of `Cargo.lock`) lists for the packages of `own`.
///
/// # Errors
/// When the lock file is not valid TOML.
pub fn digests(own: &Modules, foreign: &Modules, lock: &str) -> io::Result<Digests> {
    let versions = versions(own.packages(), lock)?;
    // What each names beyond the crates that are followed: most are reached from hundreds of others.
    let beyond: BTreeMap<&str, BTreeMap<String, String>> =
        own.paths().map(|at| (at, beyond(at, own, foreign, &versions))).collect();
    let mut table = Digests::new();
    for start in own.paths() {
        let mut reached = BTreeMap::new();
        for at in own.reached([start], |_| true) {
            reached.insert(at.to_owned(), own[at].digest.clone());
            for (part, value) in &beyond[at] {
                let known = reached.entry(part.clone()).or_insert_with(|| value.clone());
                // Two crates may have different versions of a dependency.
                if !known.split(", ").any(|one| one == value) {
                    known.push_str(&format!(", {value}"));
                }
            }
        }
        table.insert(start.to_owned(), reached);
    }
    Ok(table)
}

/// What the module at `at` names of `foreign` crates and of dependencies, with digests and versions.
fn beyond(
    at: &str,
    own: &Modules,
    foreign: &Modules,
    versions: &BTreeMap<String, BTreeMap<String, String>>,
) -> BTreeMap<String, String> {
    let versions = &versions[head(at)];
    let part = |path: &str| match foreign.find(path) {
        // A crate's root only lists its modules.
        Some(next) if !next.contains("::") => None,
        Some(next) => Some((next.to_owned(), foreign[next].digest.clone())),
        None => {
            let version = versions.get(head(path))?;
            Some((format!("dependency {}", head(path)), version.clone()))
        }
    };
    own.named(at).filter(|path| own.find(path).is_none()).filter_map(part).collect()
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

/// Crate → the versions of its package's dependencies, by their names in paths.
fn versions<'a>(
    packages: impl Iterator<Item = (&'a str, &'a str)>,
    lock: &str,
) -> io::Result<BTreeMap<String, BTreeMap<String, String>>> {
    let table: toml::Table =
        lock.parse().map_err(|e| io::Error::other(format!("Cargo.lock: {e}")))?;
    let all = table.get("package").and_then(toml::Value::as_array);
    let all = all.map(Vec::as_slice).unwrap_or_default();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    for package in all {
        by_name.entry(text(package, "name")).or_insert_with(|| text(package, "version"));
    }
    let of = |package: &str| {
        let own = all.iter().find(|one| text(one, "name") == package);
        let named = own.and_then(|own| own.get("dependencies")?.as_array());
        let entries = named.into_iter().flatten().filter_map(toml::Value::as_str);
        // `name`, or `name version` if the lock file contains several versions.
        let version = |entry: &str| match entry.split_once(' ') {
            Some((name, version)) => (name.replace('-', "_"), version.to_owned()),
            None => (entry.replace('-', "_"), by_name.get(entry).cloned().unwrap_or_default()),
        };
        entries.map(version).collect()
    };
    Ok(packages.map(|(name, package)| (name.to_owned(), of(package))).collect())
}
