//! The code digest of a stage kind: one digest that enters its key, and the modules behind it, so that a rerun can be
//! explained by name. The digests themselves are computed at build time (crate `codehash`); this module only looks
//! them up.

use crate::digest::{Digest, Fields};

/// The code that a stage's result depends on.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Hash of all parts: this enters the key.
    pub digest: Digest,
    /// Module path or dependency → digest or version, sorted by name.
    pub parts: Vec<(String, String)>,
}

impl Code {
    /// From `name digest` pairs.
    #[must_use]
    pub fn new(mut parts: Vec<(String, String)>) -> Self {
        parts.sort();
        let mut fields = Fields::default();
        for (name, value) in &parts {
            fields.field(name.as_bytes()).field(value.as_bytes());
        }
        Self { digest: fields.finish(), parts }
    }
}

/// Build-time table: module path → the parts it reaches. Made by `codehash::source`.
pub type Table = &'static [(&'static str, &'static [(&'static str, &'static str)])];

/// The code behind `module`, from a build-time table. A module that is not in the table (such as a test's own
/// registry) is represented by its name alone.
#[must_use]
pub fn of(module: &str, table: Table) -> Code {
    let parts = table.binary_search_by_key(&module, |(name, _)| name).map_or_else(
        |_| vec![(module.to_owned(), "unhashed".to_owned())],
        |at| table[at].1.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
    );
    Code::new(parts)
}
