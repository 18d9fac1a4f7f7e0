//! The types of a registry entry: the files of a data set, their pinned hashes, their sources, and the
//! loader. The entries themselves are in `catalogue/`.

use std::fmt;

use super::benchmark::Benchmark;
use super::corpus::Corpus;
use super::curves::LearningCurves;
use super::error::LoadError;
use super::files::Files;
use super::images::Images;
use super::lines::Lines;
use super::loaded::Loaded;
pub use super::pin::Pin;

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
    /// A table of recorded trainings.
    Benchmark(fn(&Files) -> Result<Benchmark, LoadError>),
    /// Recorded learning curves.
    Curves(fn(&Files) -> Result<LearningCurves, LoadError>),
}

impl Loader {
    /// The kind of data, for messages.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Rows(_) => "a design matrix",
            Self::Images(_) => "images",
            Self::Corpus(_) => "a text",
            Self::Benchmark(_) => "a tabular benchmark",
            Self::Curves(_) => "a set of learning curves",
        }
    }
}

/// Size of the loaded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Instances, or words of a text, or configurations of a benchmark, or evaluations of learning curves.
    pub rows: usize,
    /// Columns of the design matrix, or values per image, or hyper-parameters of a benchmark, or learners of learning
    /// curves; 1 for a text.
    pub features: usize,
    /// Number of classes, or of distinct words; `None` for a real target, a benchmark and learning curves.
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
            PackageKind::Pypi | PackageKind::PypiSource => "pypi",
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
    /// Python packages of which there are only sources, fetched with `pip`, which runs their set-up script to learn
    /// what they are.
    PypiSource,
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
