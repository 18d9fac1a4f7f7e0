//! A text as numbered words, in three parts: training, validation and test.

/// Words in reading order, each as its index in `vocabulary`. [`END`](super::vocabulary::END) is at the end
/// of each line.
///
/// ```
/// use data::{Corpus, corpus_table};
///
/// let vocabulary = ["a", "b"].map(str::to_owned).to_vec();
/// let corpus = Corpus { train: vec![0, 1], validation: vec![1], test: vec![0], vocabulary };
/// assert_eq!((corpus.len(), corpus.fault()), (4, None));
/// let [words, vocabulary] = corpus_table::encode(&corpus)?;
/// assert_eq!(corpus_table::decode(&words, &vocabulary)?, corpus);
/// # Ok::<(), corpus_table::CorpusTableError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    /// The training part.
    pub train: Vec<u32>,
    /// The validation part.
    pub validation: Vec<u32>,
    /// The test part.
    pub test: Vec<u32>,
    /// The distinct words.
    pub vocabulary: Vec<String>,
}

impl Corpus {
    /// Training, validation and test part.
    #[must_use]
    pub fn parts(&self) -> [&[u32]; 3] {
        [&self.train, &self.validation, &self.test]
    }

    /// Number of words of all parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first inconsistency found, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.parts().iter().any(|part| part.is_empty()) {
            return Some("a part of the text has no words");
        }
        let known = |word: &u32| (*word as usize) < self.vocabulary.len();
        if !self.parts().iter().all(|part| part.iter().all(known)) {
            return Some("a word is not in the vocabulary");
        }
        let mut words: Vec<&String> = self.vocabulary.iter().collect();
        words.sort_unstable();
        words.windows(2).any(|pair| pair[0] == pair[1]).then_some("two words have one spelling")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_seen() {
        let vocabulary = vec!["a".to_owned(), "b".to_owned()];
        let whole = Corpus { train: vec![0, 1], validation: vec![1], test: vec![0], vocabulary };
        assert_eq!((whole.fault(), whole.len()), (None, 4));
        assert!(Corpus { test: vec![], ..whole.clone() }.fault().is_some());
        assert!(Corpus { validation: vec![2], ..whole.clone() }.fault().is_some());
        let vocabulary = vec!["a".to_owned(), "a".to_owned()];
        assert!(Corpus { vocabulary, ..whole }.fault().is_some());
    }
}
