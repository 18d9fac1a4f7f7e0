//! The stage of a text: it is fetched, checked, read, and stored as numbered words for every paper.

use data::{DataSet, Places, corpus_table};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::port::{Any, Out};

/// Loads one text: its words (`main`) and their spellings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadCorpus {
    data_set: String,
    /// The pinned hashes of its files: different content gives a different result.
    content: Vec<String>,
}

impl LoadCorpus {
    /// The words, by their numbers.
    pub const WORDS: Out<Any> = Out::table("main");
    /// Their spellings.
    pub const VOCABULARY: Out<Any> = Out::table(corpus_table::VOCABULARY);

    /// The stage for this data set.
    #[must_use]
    pub fn new(entry: &DataSet) -> Self {
        Self { data_set: entry.id.to_owned(), content: entry.pins() }
    }
}

impl Stage for LoadCorpus {
    const KIND: &'static str = "data/corpus";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::WORDS.output(), Self::VOCABULARY.output()];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let places = Places::from_env(cx.downloads());
        let corpus = data::load_corpus(&self.data_set, &places).map_err(|error| match error {
            data::Error::Unavailable(why) => Stop::Unavailable(why.to_string()),
            other => Stop::Failed(other.to_string()),
        })?;
        let [words, vocabulary] =
            corpus_table::encode(&corpus).map_err(|e| Stop::Failed(e.to_string()))?;
        Self::WORDS.write(cx, words)?;
        Self::VOCABULARY.write(cx, vocabulary)
    }
}
