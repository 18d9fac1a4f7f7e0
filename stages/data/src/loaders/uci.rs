//! Reads letter recognition and Adult as the UCI repository publishes them: comma-separated lines without a
//! header.

use std::collections::BTreeSet;
use std::path::Path;

use ndarray::Array2;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::numbers::{number, text};

const LETTER: [&str; 16] = [
    "x-box", "y-box", "width", "high", "onpix", "x-bar", "y-bar", "x2bar", "y2bar", "xybar",
    "x2ybr", "xy2br", "x-ege", "xegvy", "y-ege", "yegvx",
];
/// Columns of Adult before the label, and whether each holds words.
const ADULT: [(&str, bool); 14] = [
    ("age", false),
    ("workclass", true),
    ("fnlwgt", false),
    ("education", true),
    ("education-num", false),
    ("marital-status", true),
    ("occupation", true),
    ("relationship", true),
    ("race", true),
    ("sex", true),
    ("capital-gain", false),
    ("capital-loss", false),
    ("hours-per-week", false),
    ("native-country", true),
];
/// Rows of Adult's training part; they come first.
pub const ADULT_TRAIN: usize = 32_561;

/// Letter recognition, 20 000 × 16 whole numbers from 0 to 15; classes A to Z. By convention the first 16 000
/// rows are the training part.
///
/// # Errors
/// If the file is malformed.
pub fn letter(files: &Files) -> Result<Loaded, LoadError> {
    let (file, bytes) = files.read("letter-recognition.data")?;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (line, fields) in lines(file, text(file, &bytes)?, LETTER.len() + 1)? {
        let label = if let &[letter @ b'A'..=b'Z'] = fields[0].as_bytes() {
            u32::from(letter - b'A')
        } else {
            let what = format!("`{}` is not a letter from A to Z", fields[0]);
            return Err(LoadError::field(file, line, 1, what));
        };
        labels.push(label);
        for (column, field) in fields.iter().enumerate().skip(1) {
            values.push(number(file, line, column + 1, field)?);
        }
    }
    Ok(Loaded {
        x: matrix(file, labels.len(), LETTER.len(), values)?,
        y: Target::Classes { labels, names: ('A'..='Z').map(String::from).collect() },
        feature_names: LETTER.map(str::to_owned).to_vec(),
    })
}

/// Adult, 48 842 × 108: first the [`ADULT_TRAIN`] rows of the training part, then the test part.
/// Numbers are as published; a column of words becomes one column of 0 and 1 for each word that
/// either part has, in alphabetical order, `?` (unknown) being a word. Class 1 earns more than
/// 50 000 dollars a year.
///
/// # Errors
/// If a file is malformed.
pub fn adult(files: &Files) -> Result<Loaded, LoadError> {
    let parts = [files.read("adult.data")?, files.read("adult.test")?];
    let mut rows = Vec::new();
    for (file, bytes) in &parts {
        for (line, fields) in lines(file, text(file, bytes)?, ADULT.len() + 1)? {
            rows.push((*file, line, fields));
        }
    }
    let words: Vec<Vec<&str>> = (0..ADULT.len())
        .map(|column| {
            let (_, named) = ADULT[column];
            if !named {
                return Vec::new();
            }
            let all: BTreeSet<&str> = rows.iter().map(|(.., fields)| fields[column]).collect();
            all.into_iter().collect()
        })
        .collect();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (file, line, fields) in &rows {
        for ((column, &(_, of_words)), words) in ADULT.iter().enumerate().zip(&words) {
            if of_words {
                values.extend(words.iter().map(|&word| f64::from(word == fields[column])));
            } else {
                values.push(number(file, *line, column + 1, fields[column])?);
            }
        }
        // The labels of the test part end in a full stop.
        labels.push(match fields[ADULT.len()].trim_end_matches('.') {
            "<=50K" => 0,
            ">50K" => 1,
            other => {
                let what = format!("`{other}` is neither <=50K nor >50K");
                return Err(LoadError::field(file, *line, ADULT.len() + 1, what));
            }
        });
    }
    let mut feature_names = Vec::new();
    for ((name, of_words), words) in ADULT.iter().zip(&words) {
        if *of_words {
            feature_names.extend(words.iter().map(|word| format!("{name}={word}")));
        } else {
            feature_names.push((*name).to_owned());
        }
    }
    Ok(Loaded {
        x: matrix(parts[0].0, labels.len(), feature_names.len(), values)?,
        y: Target::Classes { labels, names: vec!["<=50K".into(), ">50K".into()] },
        feature_names,
    })
}

/// The fields of each line, without surrounding blanks, and the line's number. Empty lines and comment lines,
/// which begin with `|`, are skipped.
fn lines<'a>(
    file: &Path,
    text: &'a str,
    columns: usize,
) -> Result<Vec<(usize, Vec<&'a str>)>, LoadError> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('|') {
            continue;
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != columns {
            let what = format!("{} fields, expected {columns}", fields.len());
            return Err(LoadError::line(file, at + 1, what));
        }
        found.push((at + 1, fields));
    }
    Ok(found)
}

fn matrix(
    file: &Path,
    rows: usize,
    columns: usize,
    values: Vec<f64>,
) -> Result<Features, LoadError> {
    Array2::from_shape_vec((rows, columns), values)
        .map(Features::Dense)
        .map_err(|error| LoadError::whole(file, error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::super::super::files::Fetched;
    use super::super::super::pin::Pin;
    use super::*;

    /// The result of `loader` for files with these contents.
    fn read(
        loader: fn(&Files) -> Result<Loaded, LoadError>,
        contents: &[(&'static str, &str)],
    ) -> Result<Loaded, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut by_role = BTreeMap::new();
        for &(role, content) in contents {
            let path = folder.path().join(role);
            fs::write(&path, content).unwrap();
            by_role.insert(role, Fetched { path, pin: Pin::Sha256("") });
        }
        let folder = format!("{}/", folder.path().display());
        loader(&Files { id: "made up", by_role }).map_err(|e| e.to_string().replace(&folder, ""))
    }

    fn letter_of(content: &str) -> Result<Loaded, String> {
        read(letter, &[("letter-recognition.data", content)])
    }

    const NUMBERS: &str = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";

    #[test]
    fn letters_are_classes() {
        let data = letter_of(&format!("Z,0,{NUMBERS}\nA,9,{NUMBERS}\n")).unwrap();
        assert!(matches!(&data.y, Target::Classes { labels, .. } if *labels == [25, 0]));
        assert_eq!((data.x.shape(), data.fault()), ((2, 16), None));
    }

    #[test]
    fn a_malformed_letter_is_named_with_line_and_column() {
        for (content, expected) in [
            (format!("a,0,{NUMBERS}\n"), "line 1, column 1: `a` is not a letter from A to Z"),
            (format!("A,0,{NUMBERS}\nB,inf,{NUMBERS}\n"), "line 2, column 2: `inf` is not finite"),
            (format!("A,{NUMBERS}\n"), "line 1: 16 fields, expected 17"),
        ] {
            let expected = format!("letter-recognition.data, {expected}");
            assert_eq!(letter_of(&content).unwrap_err(), expected);
        }
    }

    fn adult_of(test: &str) -> Result<Loaded, String> {
        let train = "39, B, 7, w, 13, w, w, w, w, w, 2, 0, 40, w, <=50K\n\n";
        read(adult, &[("adult.data", train), ("adult.test", test)])
    }

    #[test]
    fn words_become_columns() {
        let data =
            adult_of("|remark\n25, ?, 8, w, 9, w, w, w, w, w, 0, 0, 20, w, >50K.\n").unwrap();
        assert_eq!(data.feature_names[..4], ["age", "workclass=?", "workclass=B", "fnlwgt"]);
        let Features::Dense(x) = &data.x else { panic!("expected a dense matrix") };
        assert_eq!(x.row(0).to_vec()[..4], [39.0, 0.0, 1.0, 7.0]);
        assert_eq!(x.row(1).to_vec()[..4], [25.0, 1.0, 0.0, 8.0]);
        assert!(matches!(&data.y, Target::Classes { labels, .. } if *labels == [0, 1]));
        assert_eq!(data.fault(), None);
    }

    #[test]
    fn a_malformed_adult_is_named_with_line_and_column() {
        for (test, expected) in [
            (
                "x, B, 8, w, 9, w, w, w, w, w, 0, 0, 20, w, >50K.\n",
                "line 1, column 1: `x` is not a number",
            ),
            (
                "|\n1, B, 8, w, 9, w, w, w, w, w, 0, 0, 20, w, 50K\n",
                "line 2, column 15: `50K` is neither <=50K nor >50K",
            ),
            ("1, B\n", "line 1: 2 fields, expected 15"),
        ] {
            assert_eq!(adult_of(test).unwrap_err(), format!("adult.test, {expected}"));
        }
    }
}
