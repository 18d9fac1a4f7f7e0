//! Reads the three parts of Penn Treebank as prepared by Mikolov: words of newspaper sentences, one sentence
//! per line.
//!
//! The end of each line is the word [`END`]. Words are numbered in the order in which they first
//! appear.

use super::super::corpus::Corpus;
use super::super::error::LoadError;
use super::super::files::Files;
use super::super::vocabulary::{END, Vocabulary};
use super::numbers::text;

/// Roles of the files: training, validation, test.
pub const PARTS: [&str; 3] = ["ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"];

/// All words of the three parts: 929 589, 73 760 and 82 430 of 10 000 distinct ones.
///
/// # Errors
/// If a file is not UTF-8, or the validation or test part has a word that the training part does not have.
pub fn load(files: &Files) -> Result<Corpus, LoadError> {
    let mut vocabulary = Vocabulary::default();
    let mut parts = [const { Vec::new() }; 3];
    for (part, role) in parts.iter_mut().zip(PARTS) {
        let (file, bytes) = files.read(role)?;
        for (line, words) in text(file, &bytes)?.lines().enumerate() {
            for word in words.split_whitespace().chain([END]) {
                let number = if role == PARTS[0] {
                    vocabulary.add(word)
                } else {
                    vocabulary.find(word).ok_or_else(|| {
                        let what = format!("`{word}` is not a word of {}", PARTS[0]);
                        LoadError::line(file, line + 1, what)
                    })?
                };
                part.push(number);
            }
        }
    }
    let [train, validation, test] = parts;
    Ok(Corpus { train, validation, test, vocabulary: vocabulary.into_words() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::super::super::files::Fetched;
    use super::super::super::pin::Pin;
    use super::*;

    fn read(contents: [&[u8]; 3]) -> Result<Corpus, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut by_role = BTreeMap::new();
        for (role, content) in PARTS.into_iter().zip(contents) {
            let path = folder.path().join(role);
            fs::write(&path, content).unwrap();
            by_role.insert(role, Fetched { path, pin: Pin::Sha256("") });
        }
        let folder = format!("{}/", folder.path().display());
        load(&Files { id: "ptb", by_role }).map_err(|e| e.to_string().replace(&folder, ""))
    }

    #[test]
    fn words_are_numbered_as_they_appear() {
        let data = read([b" the <unk> \n the N\n", b"N the\n", b"the\n"]).unwrap();
        let vocabulary = ["the", "<unk>", END, "N"].map(str::to_owned).to_vec();
        let expected = Corpus {
            train: vec![0, 1, 2, 0, 3, 2],
            validation: vec![3, 0, 2],
            test: vec![0, 2],
            vocabulary,
        };
        assert_eq!(data, expected);
    }

    #[test]
    fn a_malformed_part_is_named_with_its_line() {
        let error = read([b"the\n", b"the\nthe cat\n", b"the\n"]).unwrap_err();
        assert_eq!(error, "ptb.valid.txt, line 2: `cat` is not a word of ptb.train.txt");
        let error = read([b"the\n", b"the\n", b"the\n\xff\n"]).unwrap_err();
        assert_eq!(error, "ptb.test.txt, line 2: not UTF-8 text");
    }
}
