//! The text that networks are trained and evaluated on: the beginning of each part, with a smaller
//! vocabulary. If the requested text is not available, another stands in, and `source` says which one it is.

use data::{
    corpus::Corpus,
    corpus_table,
    vocabulary::{UNKNOWN, Vocabulary},
};
use kit::{
    data_sets::stored,
    port::{Any, In, Out},
};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{tables::collected::Named, text::config::Cut};

/// The roles of a text's words and of their spellings, for the requested text and for its stand-in.
pub const ROLES: [[&str; 2]; 2] =
    [["words", "vocabulary"], ["stand-in words", "stand-in vocabulary"]];

/// Takes the first words of each part and keeps the most frequent ones of the training part.
#[derive(Serialize, Deserialize)]
pub struct CutStage {
    /// The numbers of words.
    pub cut: Cut,
    /// The names of the texts: the requested one first, then its stand-in if it has one.
    pub texts: Vec<String>,
}

impl CutStage {
    /// Words and spellings of the texts.
    pub const TEXTS: [[In<Any>; 2]; 2] = [
        [In::new(ROLES[0][0]), In::new(ROLES[0][1])],
        [In::new(ROLES[1][0]), In::new(ROLES[1][1])],
    ];
    /// The words that are taken, by their numbers.
    pub const WORDS: Out<Any> = Out::table("main");
    /// Their spellings.
    pub const VOCABULARY: Out<Any> = Out::table(corpus_table::VOCABULARY);
    /// The name of the text.
    pub const SOURCE: Out<Named> = Out::table("source");
}

impl Stage for CutStage {
    const KIND: &'static str = "stn/text/cut";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::WORDS.output(), Self::VOCABULARY.output(), Self::SOURCE.output()];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut texts = self.texts.iter().zip(Self::TEXTS);
        let Some((name, inputs)) = texts.find(|(_, [words, _])| words.is_there(cx)) else {
            let why = format!("no text can be had: {}", self.texts.join(", "));
            return Err(Stop::Unavailable(why));
        };
        let whole = stored::corpus(cx, &inputs)?;
        let [words, vocabulary] = corpus_table::encode(&cut(&whole, &self.cut))
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Self::WORDS.write(cx, words)?;
        Self::VOCABULARY.write(cx, vocabulary)?;
        Self::SOURCE.write(cx, &[Named { text: name.clone() }])
    }
}

/// The beginning of each part. Words that are not among the most frequent of the training part's
/// beginning become [`UNKNOWN`].
fn cut(whole: &Corpus, to: &Cut) -> Corpus {
    let spelled = |word: &u32| whole.vocabulary[*word as usize].as_str();
    let first = |part: &'static str, words: usize| {
        let all = match part {
            "train" => &whole.train,
            "validation" => &whole.validation,
            _ => &whole.test,
        };
        &all[..words.min(all.len())]
    };
    let train = first("train", to.train);
    let known = Vocabulary::most_frequent(to.vocabulary, train.iter().map(spelled));
    let unknown = known.find(UNKNOWN).unwrap_or(0);
    let number = |word: &u32| known.find(spelled(word)).unwrap_or(unknown);
    let numbered = |part: &[u32]| part.iter().map(number).collect();
    Corpus {
        train: numbered(train),
        validation: numbered(first("validation", to.validation)),
        test: numbered(first("test", to.test)),
        vocabulary: known.into_words(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_frequent_become_unknown() {
        let vocabulary: Vec<String> = ["a", "b", "<unk>", "c"].map(str::to_owned).to_vec();
        let whole = Corpus {
            train: vec![0, 1, 0, 2, 3, 3, 3],
            validation: vec![3, 1, 0],
            test: vec![0, 1],
            vocabulary,
        };
        let to = Cut { train: 4, validation: 2, test: 9, vocabulary: 2 };
        let small = cut(&whole, &to);
        // Of a b a <unk>, two words: a, and <unk> in the place of b.
        assert_eq!(small.vocabulary, ["a", "<unk>"]);
        assert_eq!((small.train, small.validation), (vec![0, 1, 0, 1], vec![1, 1]));
        assert_eq!(small.test, [0, 1]);
        let all = Cut { train: 99, validation: 99, test: 99, vocabulary: 99 };
        assert_eq!(cut(&whole, &all), whole);
    }
}
