//! Reads the King James Bible, a JSON object whose members are the verses in reading order, `"Genesis 1:1"`
//! and so on, and divides it into words and parts.
//!
//! Words are as in Mikolov's Penn Treebank: lower-cased, without punctuation, the end of a verse being the
//! word [`END`]. A word is a run of letters, apostrophes and hyphens that begins and ends with a letter; the
//! brackets around words that the translators added and the paragraph marks are dropped. Of every [`CYCLE`]
//! chapters the tenth is for validation and the last for testing: books differ too much for the last ones to
//! represent all. The [`SIZE`] − 2 most frequent words of the training part are kept in addition to [`END`]
//! and `<unk>`, which stands for all other words.

use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, MapAccess, Visitor};

use super::super::corpus::Corpus;
use super::super::error::LoadError;
use super::super::files::Files;
use super::super::vocabulary::{END, UNKNOWN, Vocabulary};

/// Role of the file.
pub const VERSES: &str = "verses-1769.json";
/// The number of distinct words, including `<unk>` and `<eos>`: as many as Penn Treebank has.
pub const SIZE: usize = 10_000;
/// Length of a cycle of chapters, of which one is for validation and one for testing.
pub const CYCLE: usize = 20;

/// All words of the three parts.
///
/// # Errors
/// If the file is not JSON of that form.
pub fn load(files: &Files) -> Result<Corpus, LoadError> {
    let (file, bytes) = files.read(VERSES)?;
    read(file, &bytes, SIZE)
}

fn read(file: &Path, bytes: &[u8], size: usize) -> Result<Corpus, LoadError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let verses = json.deserialize_map(Verses).and_then(|verses| json.end().map(|()| verses));
    let verses = verses.map_err(|e| LoadError::field(file, e.line(), e.column(), e.to_string()))?;
    let mut parts = [const { Vec::new() }; 3];
    let (mut chapter, mut number) = (None, 0_usize);
    for (place, text) in &verses {
        let Some((this, _)) = place.rsplit_once(':') else {
            return Err(LoadError::whole(file, format!("`{place}` is no place of a verse")));
        };
        if chapter.is_some_and(|last| last != this) {
            number += 1;
        }
        chapter = Some(this);
        let part = match number % CYCLE {
            9 => 1,
            last if last == CYCLE - 1 => 2,
            _ => 0,
        };
        parts[part].extend(words(text));
        parts[part].push(END.to_owned());
    }
    let vocabulary = Vocabulary::most_frequent(size, parts[0].iter().map(String::as_str));
    let numbers = |part: &[String]| -> Vec<u32> {
        let known = |word: &str| vocabulary.find(word).or_else(|| vocabulary.find(UNKNOWN));
        part.iter().filter_map(|word| known(word)).collect()
    };
    let [train, validation, test] = parts.each_ref().map(|part| numbers(part));
    Ok(Corpus { train, validation, test, vocabulary: vocabulary.into_words() })
}

/// The words of a verse.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphabetic() || "'-".contains(c)))
        .map(|run| run.trim_matches(|c: char| !c.is_alphabetic()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Reads an object of strings as a list, in its order.
struct Verses;

impl<'de> Visitor<'de> for Verses {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of verses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = map.next_entry()? {
            all.push(member);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_without_punctuation() {
        let all = |text| words(text).collect::<Vec<_>>().join(" ");
        assert_eq!(all("# And God said, Let [it] be: (for"), "and god said let it be for");
        assert_eq!(all("Tubal-cain's sons' sin-- by"), "tubal-cain's sons sin by");
        assert_eq!(all(" -- ' "), "");
    }

    /// Twenty chapters, each with a word of its own and the word `the`.
    fn chapters() -> String {
        let verse =
            |i: u8| format!("\"A {i}:1\":\"The {}.\",\"A {i}:2\":\"The\"", char::from(96 + i));
        format!("{{{}}}", (1..=20).map(verse).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn a_tenth_of_the_chapters_is_not_to_learn_from() {
        let data = read(Path::new("x"), chapters().as_bytes(), 6).unwrap();
        assert_eq!(data.vocabulary, ["the", "a", END, "b", "c", UNKNOWN]);
        assert_eq!(data.train[..10], [0, 1, 2, 0, 2, 0, 3, 2, 0, 2]);
        assert_eq!((data.train.len(), data.train[90 - 5..].to_vec()), (90, vec![0, 5, 2, 0, 2]));
        // Their words are in no training chapter.
        assert_eq!((data.validation, data.test), (vec![0, 5, 2, 0, 2], vec![0, 5, 2, 0, 2]));
    }

    #[test]
    fn what_is_no_object_of_verses_is_refused_with_its_place() {
        let said = |text: &str| read(Path::new("x"), text.as_bytes(), 9).unwrap_err().to_string();
        assert!(said("{\n\"A 1:1\": 3}").starts_with("x, line 2, column "), "{}", said("{3}"));
        assert!(said("[]").contains("expected an object of verses"));
        assert!(said("{} {}").starts_with("x, line 1"));
        assert_eq!(said("{\"A\": \"b\"}"), "x: `A` is no place of a verse");
    }
}
