//! Penn Treebank as prepared by Mikolov: words of newspaper sentences, a sentence a line. Knows the
//! three parts.
//!
//! The text as a data set: a row a word in reading order, the end of each line being the word
//! [`END`]; the class is the word, and the one feature says which part it is of: 0 train, 1
//! validation, 2 test. Words are numbered in the order in which they first appear.

use std::collections::HashMap;

use ndarray::Array2;

use super::super::error::LoadError;
use super::super::fetch::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::numbers::text;

/// The word at the end of each line.
pub const END: &str = "<eos>";
/// Roles of the files, in the order of their numbers.
pub const PARTS: [&str; 3] = ["ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"];

/// All words of the three parts: 1 085 779 × 1, 10 000 classes.
///
/// # Errors
/// If a file is not UTF-8, or the validation or test part has a word that the training part has
/// not.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    // Only looked up, never iterated.
    let mut number: HashMap<String, u32> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let (mut parts, mut labels) = (Vec::new(), Vec::new());
    for (part, role) in PARTS.into_iter().enumerate() {
        let (file, bytes) = files.read(role)?;
        for (line, words) in text(file, &bytes)?.lines().enumerate() {
            for word in words.split_whitespace().chain([END]) {
                let label = match number.get(word) {
                    Some(&label) => label,
                    None if part > 0 => {
                        let what = format!("`{word}` is not a word of {}", PARTS[0]);
                        return Err(LoadError::line(file, line + 1, what));
                    }
                    None => {
                        let label = names.len() as u32;
                        number.insert(word.to_owned(), label);
                        names.push(word.to_owned());
                        label
                    }
                };
                labels.push(label);
                parts.push(part as f64);
            }
        }
    }
    let x = Array2::from_shape_vec((parts.len(), 1), parts)
        .map_err(|error| LoadError::whole(std::path::Path::new(PARTS[0]), error.to_string()))?;
    Ok(Loaded {
        x: Features::Dense(x),
        y: Target::Classes { labels, names },
        feature_names: vec!["part".into()],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::super::super::fetch::Fetched;
    use super::super::super::registry::Pin;
    use super::*;

    fn read(contents: [&[u8]; 3]) -> Result<Loaded, String> {
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
        let names = ["the", "<unk>", END, "N"].map(str::to_owned).to_vec();
        let labels = vec![0, 1, 2, 0, 3, 2, 3, 0, 2, 0, 2];
        assert_eq!(data.y, Target::Classes { labels, names });
        let parts = Features::Dense(
            Array2::from_shape_vec((11, 1), vec![0., 0., 0., 0., 0., 0., 1., 1., 1., 2., 2.])
                .unwrap(),
        );
        assert_eq!((data.x == parts, data.fault()), (true, None));
    }

    #[test]
    fn a_malformed_part_is_named_with_its_line() {
        let error = read([b"the\n", b"the\nthe cat\n", b"the\n"]).unwrap_err();
        assert_eq!(error, "ptb.valid.txt, line 2: `cat` is not a word of ptb.train.txt");
        let error = read([b"the\n", b"the\n", b"the\n\xff\n"]).unwrap_err();
        assert_eq!(error, "ptb.test.txt, line 2: not UTF-8 text");
    }
}
