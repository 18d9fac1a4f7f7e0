//! What this program was built from, besides the code of its stages: compiler, target, libraries. Recorded by the
//! build script. Invariant: nothing of it enters a key.

use serde::{Deserialize, Serialize};

/// A package of the lock file.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// The SHA-256 of the downloaded package, and the licence; empty if they are not known.
    pub(crate) checksum: &'static str,
    pub(crate) licence: &'static str,
}

/// Every package of the lock file that comes from a registry.
pub(crate) const PACKAGES: &[Package] = include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// How the program was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The engine's version.
    pub version: String,
    /// The compiler and its version.
    pub compiler: String,
    /// The target triple.
    pub target: String,
    /// `release` or `debug`.
    pub build: String,
    /// Library → version, as in the lock file when it was built.
    pub libraries: Vec<(String, String)>,
}

impl Program {
    /// The program that is running.
    #[must_use]
    pub fn this() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("RETUNE_COMPILER").to_owned(),
            target: env!("RETUNE_TARGET").to_owned(),
            build: env!("RETUNE_BUILD").to_owned(),
            libraries: PACKAGES.iter().map(|p| (p.name.to_owned(), p.version.to_owned())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_is_read() {
        let program = Program::this();
        let version = |name: &str| program.libraries.iter().find(|(n, _)| n == name);
        let (_, blake3) = version("blake3").expect("the engine hashes with it");
        assert!(blake3.starts_with("1."), "{blake3}");
        assert!(version("pipeline").is_none(), "our own crates are no libraries");
        assert!(program.compiler.starts_with("rustc 1."), "{}", program.compiler);
    }
}
