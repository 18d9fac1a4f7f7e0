//! The text that networks are trained on and judged by: the beginning of each part, in fewer words. Where
//! the text that is wanted cannot be had, another stands in, and `source` says which it is.

use arrow_array::RecordBatch;
use data::{
    corpus::Corpus,
    corpus_table,
    vocabulary::{UNKNOWN, Vocabulary},
};
use kit::table::{Columns, TableError};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::text::config::Cut;

/// The output that names the text.
pub const SOURCE: &str = "source";

/// The roles of a text's words and of their spellings: of the one that is wanted, and of its stand-in.
pub const ROLES: [[&str; 2]; 2] =
    [["words", "vocabulary"], ["stand-in words", "stand-in vocabulary"]];

/// Takes the first words of each part and keeps the most frequent ones of the training part.
#[derive(Serialize, Deserialize)]
pub struct CutStage {
    /// How many.
    pub cut: Cut,
    /// The names of the texts, the one that is wanted first, then its stand-in if it has one.
    pub texts: Vec<String>,
}

impl Stage for CutStage {
    const KIND: &'static str = "stn/text/cut";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table(corpus_table::VOCABULARY), Output::table(SOURCE)];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let fail = |e: corpus_table::CorpusTableError| Stop::Failed(e.to_string());
        let there = |[words, _]: &[&str; 2]| cx.roles().any(|role| role == *words);
        let first = self.texts.iter().zip(ROLES).find(|(_, roles)| there(roles));
        let Some((name, [words, vocabulary])) = first else {
            let why = format!("no text can be had: {}", self.texts.join(", "));
            return Err(Stop::Unavailable(why));
        };
        let whole =
            corpus_table::decode(&cx.input(words)?, &cx.input(vocabulary)?).map_err(fail)?;
        let [words, vocabulary] = corpus_table::encode(&cut(&whole, &self.cut)).map_err(fail)?;
        cx.write("main", &words)?;
        cx.write(corpus_table::VOCABULARY, &vocabulary)?;
        Ok(cx.write(SOURCE, &source(name)?)?)
    }
}

/// A table of one row that names the text.
fn source(name: &str) -> Result<RecordBatch, TableError> {
    Columns::new().text("text", "the text that networks are trained on", [name]).batch()
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
