//! Converts a [`Corpus`] to two Arrow tables and back, without loss.
//!
//! A row of the first is a word of the text in reading order: `part` (0 training, 1 validation, 2 test;
//! ascending) and `word`, its number. Row n of the second, [`VOCABULARY`], is the spelling of word n.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt8Array, UInt32Array};
use arrow_schema::DataType;

use super::corpus::Corpus;
use super::described::{self, Column};

/// Name of the table of spellings.
pub const VOCABULARY: &str = "vocabulary";

/// A text that cannot be written to tables, or tables that hold no text.
#[derive(Debug, thiserror::Error)]
#[error("table of words: {0}")]
pub struct CorpusTableError(String);

fn fault(what: impl Into<String>) -> CorpusTableError {
    CorpusTableError(what.into())
}

/// The words and the vocabulary of `corpus`.
///
/// # Errors
/// If it contradicts itself ([`Corpus::fault`]).
pub fn encode(corpus: &Corpus) -> Result<[RecordBatch; 2], CorpusTableError> {
    if let Some(what) = corpus.fault() {
        return Err(fault(what));
    }
    let parts = corpus.parts().into_iter().zip(0_u8..);
    let part = UInt8Array::from_iter_values(
        parts.flat_map(|(words, part)| std::iter::repeat_n(part, words.len())),
    );
    let word = UInt32Array::from_iter_values(corpus.parts().into_iter().flatten().copied());
    let vocabulary = StringArray::from_iter_values(&corpus.vocabulary);
    Ok([
        batch(vec![
            ("part", "0 to learn from, 1 to tune by, 2 to be judged by", Arc::new(part)),
            ("word", "number of the word, from 0", Arc::new(word)),
        ])?,
        batch(vec![("word", "spelling of the word of this row's number", Arc::new(vocabulary))])?,
    ])
}

/// The text in the table of words and the table of the vocabulary.
///
/// # Errors
/// If a column is missing or of another type, or the content contradicts itself.
pub fn decode(words: &RecordBatch, vocabulary: &RecordBatch) -> Result<Corpus, CorpusTableError> {
    let part = column(words, "part", &DataType::UInt8)?.as_primitive::<UInt8Type>().values();
    let word = column(words, "word", &DataType::UInt32)?.as_primitive::<UInt32Type>().values();
    let spelling = column(vocabulary, "word", &DataType::Utf8)?.as_string::<i32>();
    if !part.is_sorted() || part.last().is_some_and(|&last| last > 2) {
        return Err(fault("`part` is not ascending or above 2"));
    }
    let of = |number: u8| {
        let end = |number| part.partition_point(|&p| p < number);
        word[end(number)..end(number + 1)].to_vec()
    };
    let corpus = Corpus {
        train: of(0),
        validation: of(1),
        test: of(2),
        vocabulary: spelling.iter().map(|word| word.unwrap_or_default().to_owned()).collect(),
    };
    corpus.fault().map_or(Ok(corpus), |what| Err(fault(what)))
}

fn batch(columns: Vec<Column<'_>>) -> Result<RecordBatch, CorpusTableError> {
    described::batch(columns).map_err(|e| fault(e.to_string()))
}

fn column<'a>(
    table: &'a RecordBatch,
    name: &str,
    kind: &DataType,
) -> Result<&'a ArrayRef, CorpusTableError> {
    let column =
        table.column_by_name(name).ok_or_else(|| fault(format!("it has no column `{name}`")))?;
    if column.data_type() != kind || column.null_count() > 0 {
        return Err(fault(format!("column `{name}` is {}", column.data_type())));
    }
    Ok(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Corpus {
        Corpus {
            train: vec![0, 1, 2, 0],
            validation: vec![2, 1],
            test: vec![1],
            vocabulary: ["the", "<eos>", "<unk>"].map(str::to_owned).to_vec(),
        }
    }

    #[test]
    fn a_text_comes_back_as_it_went() {
        let [words, vocabulary] = encode(&small()).unwrap();
        assert_eq!((words.num_rows(), vocabulary.num_rows()), (7, 3));
        assert_eq!(decode(&words, &vocabulary).unwrap(), small());
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        assert!(encode(&Corpus { train: vec![3], ..small() }).is_err());
        let [words, vocabulary] = encode(&small()).unwrap();
        let said = |words: &RecordBatch, vocabulary: &RecordBatch| {
            decode(words, vocabulary).unwrap_err().to_string()
        };
        // Without its last row the text has no test part.
        assert!(said(&words.slice(0, 6), &vocabulary).contains("a part of the text"));
        assert!(said(&words, &vocabulary.slice(0, 2)).contains("not in the vocabulary"));
        assert!(said(&vocabulary, &vocabulary).contains("no column `part`"));
        let part: ArrayRef = Arc::new(UInt8Array::from(vec![0, 0, 1, 0, 1, 2, 2]));
        let turned =
            batch(vec![("part", "", part), ("word", "", words.column(1).clone())]).unwrap();
        assert!(said(&turned, &vocabulary).contains("not ascending"));
        let part: ArrayRef = Arc::new(UInt8Array::from(vec![0, 0, 0, 1, 1, 2, 3]));
        let fourth =
            batch(vec![("part", "", part), ("word", "", words.column(1).clone())]).unwrap();
        assert!(said(&fourth, &vocabulary).contains("above 2"));
    }
}
