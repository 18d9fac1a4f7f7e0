//! Environments: the machine, program and library versions with which results were computed. Many records share one,
//! so each is a file of its own, named by the digest of its text. Not needed for correctness.

use serde::{Deserialize, Serialize};

use super::Store;
use crate::{
    digest::Digest,
    disk::Kind,
    error::{Error, Result},
    kernels::Kernels,
    machine::Machine,
    program::Program,
};

/// The environment of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The machine.
    pub machine: Machine,
    /// The family of kernels that numerical libraries use on it ([`family`]); empty if it is not known, as in records
    /// from before families were told.
    #[serde(default)]
    pub family: String,
    /// How the program was built, with its libraries.
    pub program: Program,
    /// The revision of the checkout that contains the configs, with `-dirty` if files differ from it. A hint for
    /// people: the result depends on the code's digest.
    pub revision: Option<String>,
}

/// The family of this machine's processor: within it results have the same bits.
#[must_use]
pub fn family() -> &'static str {
    Kernels::here().name()
}

impl Store {
    /// Keeps an environment and returns its digest.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_environment(&self, environment: &Environment) -> Result<Digest> {
        let text = serde_json::to_vec_pretty(environment).map_err(|e| {
            Error::usage(format!("an environment cannot be written: {e}")).because(e)
        })?;
        let digest = Digest::of(&text);
        let folder = self.root().join("environments");
        let path = folder.join(format!("{digest}.json"));
        if !self.disk.is(&path, Kind::File) {
            // One at a time: several threads and processes may find it missing at the same time.
            self.locks().appending(|| {
                self.disk
                    .make_folders(&folder)
                    .and_then(|()| self.disk.replace(&path, &text))
                    .map_err(|e| Error::io("write", &path, &e))
            })?;
        }
        Ok(digest)
    }

    /// The environment with this digest; `None` if it is gone or garbled, since it is only an explanation.
    #[must_use]
    pub fn environment(&self, digest: Digest) -> Option<Environment> {
        let path = self.root().join("environments").join(format!("{digest}.json"));
        let text = self.disk.read(&path).ok().filter(|text| Digest::of(text) == digest)?;
        serde_json::from_slice(&text).ok()
    }
}
