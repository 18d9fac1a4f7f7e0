//! Language models of \[MacKay2019\] section 4.1, as data: LSTMs that predict the next word, and the seven
//! hyper-parameters that regularise them, each identified by its name.

use serde::{Deserialize, Serialize};

/// A language model and how it goes through a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Language {
    /// Layers of LSTM units.
    pub layers: usize,
    /// Units per layer; the last layer has the dimension of the embedding if the decoder is tied.
    pub units: usize,
    /// Dimension of the embedding of a word.
    pub embedding: usize,
    /// Whether the decoder's weights are the elementary embedding.
    pub tied: bool,
    /// Sequences that are read side by side.
    pub batch: usize,
    /// Words through which gradients go back: the length of truncated backpropagation through time.
    pub bptt: usize,
    /// Sequences side by side when a text is evaluated.
    pub evaluation_batch: usize,
    /// Whether the validation loss that hyper-parameters descend has the penalties on activations,
    /// as in the public code, or is the plain one of \[MacKay2019\] eq. (1).
    pub penalised: bool,
}

/// A text in three parts, with its words numbered from 0.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The training text, for the weights.
    pub train: &'a [u32],
    /// The validation text, for the hyper-parameters.
    pub validation: &'a [u32],
    /// The test text, on which nothing is chosen.
    pub test: &'a [u32],
    /// Number of distinct words.
    pub vocabulary: usize,
}

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLanguage {
    /// A count of zero.
    #[error("`{0}` is 0: expected at least 1")]
    Zero(&'static str),
    /// A text too short for the batch.
    #[error("the {part} text has {words} words: expected at least {least}")]
    Short {
        /// The text.
        part: &'static str,
        /// Its number of words.
        words: usize,
        /// The required number: two per row.
        least: usize,
    },
    /// A word beyond the vocabulary.
    #[error("the {part} text has word {word} of {words}")]
    Word {
        /// The text.
        part: &'static str,
        /// The word.
        word: u32,
        /// Size of the vocabulary.
        words: usize,
    },
    /// An unknown name.
    #[error("hyper-parameter `{0}`: expected one of {all}", all = names().join(", "))]
    Unknown(String),
    /// A name given twice.
    #[error("hyper-parameter `{0}` is there twice")]
    Twice(String),
    /// A hyper-parameter that all sequences of a batch must share.
    #[error("hyper-parameter `{0}`: all sequences of a batch have the same: set `shared = true`")]
    NotShared(String),
}

impl Language {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If one of them is 0.
    pub fn check(&self) -> Result<(), BadLanguage> {
        let counts = [
            ("layers", self.layers),
            ("units", self.units),
            ("embedding", self.embedding),
            ("batch", self.batch),
            ("bptt", self.bptt),
            ("evaluation-batch", self.evaluation_batch),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(BadLanguage::Zero(name)),
            None => Ok(()),
        }
    }

    /// Units of a layer, from 0.
    pub fn units_of(&self, layer: usize) -> usize {
        if self.tied && layer + 1 == self.layers { self.embedding } else { self.units }
    }
}

/// The regularisers of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regulariser {
    /// Dropout rate between the embedding and the first layer, with the same mask for all words of a segment
    /// (variational, \[Gal2016\]).
    InputDropout,
    /// Dropout rate between layers, likewise.
    HiddenDropout,
    /// Dropout rate between the last layer and the decoder, likewise.
    OutputDropout,
    /// Rate at which whole words lose their embedding.
    EmbeddingDropout,
    /// Rate at which weights between hidden units are dropped (DropConnect).
    DropConnect,
    /// α: mean square of the last layer's outputs after dropout (AR, \[Merity2018\]).
    Activation,
    /// β: mean square of the change of the last layer's outputs from word to word (TAR).
    TemporalActivation,
}

/// All names.
const NAMES: [(&str, Regulariser); 7] = [
    ("input-dropout", Regulariser::InputDropout),
    ("hidden-dropout", Regulariser::HiddenDropout),
    ("output-dropout", Regulariser::OutputDropout),
    ("embedding-dropout", Regulariser::EmbeddingDropout),
    ("drop-connect", Regulariser::DropConnect),
    ("activation", Regulariser::Activation),
    ("temporal-activation", Regulariser::TemporalActivation),
];

/// The names of all hyper-parameters.
pub fn names() -> [&'static str; NAMES.len()] {
    NAMES.map(|(name, _)| name)
}

impl Regulariser {
    /// Whether all sequences of a batch share it.
    fn shared(self) -> bool {
        !matches!(self, Self::InputDropout | Self::HiddenDropout | Self::OutputDropout)
    }
}

/// The regularisers that a list of hyper-parameters controls, in its order.
#[derive(Debug, Clone)]
pub struct Regularisers(Vec<Regulariser>);

impl Regularisers {
    /// The regularisers of these hyper-parameters; others are not applied.
    ///
    /// # Errors
    /// If a name is unknown or occurs twice, or a hyper-parameter that must be shared is not.
    pub fn of(hypers: &[super::self_tuning::Hyper]) -> Result<Self, BadLanguage> {
        let mut all = Vec::new();
        for hyper in hypers {
            let name = || hyper.name.clone();
            let known = NAMES.iter().find(|(known, _)| *known == hyper.name);
            let (_, found) = known.ok_or_else(|| BadLanguage::Unknown(name()))?;
            if all.contains(found) {
                return Err(BadLanguage::Twice(name()));
            }
            if found.shared() && !hyper.shared {
                return Err(BadLanguage::NotShared(name()));
            }
            all.push(*found);
        }
        Ok(Self(all))
    }

    /// The index of a regulariser among the hyper-parameters.
    pub fn position(&self, of: Regulariser) -> Option<usize> {
        self.0.iter().position(|regulariser| *regulariser == of)
    }
}

#[cfg(test)]
mod tests {
    use super::super::self_tuning::{Hyper, Range};
    use super::*;

    fn hyper(name: &str, shared: bool) -> Hyper {
        let range = Range::Interval { low: 0.0, high: 1.0 };
        Hyper { name: name.to_owned(), range, start: 0.05, shared }
    }

    #[test]
    fn hyper_parameters_are_found_by_name() {
        let all = [hyper("drop-connect", true), hyper("output-dropout", false)];
        let found = Regularisers::of(&all).unwrap();
        assert_eq!(found.position(Regulariser::OutputDropout), Some(1));
        assert_eq!(found.position(Regulariser::InputDropout), None);
    }

    #[test]
    fn names_are_known_stand_once_and_share_what_they_must() {
        let said = |hypers: &[Hyper]| Regularisers::of(hypers).unwrap_err();
        assert!(said(&[hyper("dropout", false)]).to_string().contains("output-dropout"));
        let twice = said(&[hyper("activation", true), hyper("activation", true)]);
        assert_eq!(twice, BadLanguage::Twice("activation".to_owned()));
        let alone = said(&[hyper("embedding-dropout", false)]);
        assert_eq!(alone, BadLanguage::NotShared("embedding-dropout".to_owned()));
    }
}
