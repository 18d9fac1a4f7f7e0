//! The pinned hash of a file.

use std::fmt;

use super::digest::{git_blob_hex, sha256_hex};

/// The pinned hash of a file, lower-case hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// SHA-256 of the content.
    Sha256(&'static str),
    /// The content's id in git, for a file of which nothing stronger is published.
    GitBlob(&'static str),
}

impl Pin {
    /// The digits.
    #[must_use]
    pub fn hex(self) -> &'static str {
        match self {
            Self::Sha256(hex) | Self::GitBlob(hex) => hex,
        }
    }

    /// Name of the hash.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Sha256(_) => "sha256",
            Self::GitBlob(_) => "git blob",
        }
    }

    /// The digits that `bytes` have under this kind of hash.
    #[must_use]
    pub fn hash(self, bytes: &[u8]) -> String {
        match self {
            Self::Sha256(_) => sha256_hex(bytes),
            Self::GitBlob(_) => git_blob_hex(bytes),
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.hex())
    }
}
