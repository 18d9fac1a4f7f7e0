//! Numbers words.

use std::collections::HashMap;

/// The word at the end of each line.
pub const END: &str = "<eos>";
/// The word that stands for all words without a number.
pub const UNKNOWN: &str = "<unk>";

/// Words numbered from 0 in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    words: Vec<String>,
    /// Only looked up, never iterated.
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    /// The number of `word`, which gets the next free number if it has none.
    pub fn add(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    /// The number of `word`, if it has one.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The words in the order of their numbers.
    #[must_use]
    pub fn into_words(self) -> Vec<String> {
        self.words
    }

    /// At most `size` words: [`UNKNOWN`] and the most frequent words of `text`; among equally frequent words
    /// those that occur first. They are numbered by first occurrence in the text, where [`UNKNOWN`] takes the
    /// place of all other words, or last if it does not occur.
    ///
    /// ```
    /// use data::vocabulary::Vocabulary;
    ///
    /// let words = Vocabulary::most_frequent(2, "b a b c b".split(' '));
    /// assert_eq!((words.find("b"), words.find("a")), (Some(0), None));
    /// assert_eq!(words.into_words(), ["b", "<unk>"]);
    /// ```
    #[must_use]
    pub fn most_frequent<'a>(size: usize, text: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut all = Self::default();
        let mut counts: Vec<u64> = Vec::new();
        for word in text.clone() {
            let number = all.add(word) as usize;
            counts.resize(all.words.len(), 0);
            counts[number] += 1;
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        // Stable: the earlier of equals stays first.
        order.sort_by_key(|&number| std::cmp::Reverse(counts[number]));
        let mut kept = vec![false; counts.len()];
        for &number in order.iter().take(size.saturating_sub(1)) {
            kept[number] = true;
        }
        let mut numbered = Self::default();
        for word in text {
            let keep = all.find(word).is_some_and(|number| kept[number as usize]);
            numbered.add(if keep { word } else { UNKNOWN });
        }
        numbered.add(UNKNOWN);
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_words_become_unknown() {
        let text = "b a c a b d e a".split(' ');
        let words = |size| Vocabulary::most_frequent(size, text.clone()).into_words().join(" ");
        // a occurs three times, b twice, the others once.
        assert_eq!(words(4), "b a c <unk>");
        assert_eq!(words(3), "b a <unk>");
        assert_eq!(words(2), "<unk> a");
        assert_eq!(words(1), "<unk>");
        assert_eq!(words(9), "b a c d e <unk>");
    }

    #[test]
    fn a_word_has_one_number() {
        let mut all = Vocabulary::default();
        assert_eq!([all.add("x"), all.add("y"), all.add("x")], [0, 1, 0]);
        assert_eq!((all.find("y"), all.find("z")), (Some(1), None));
        assert_eq!(all.into_words(), ["x", "y"]);
    }
}
