//! Computes term weights of documents: words, vocabulary, tf-idf.
//!
//! The definitions are those of scikit-learn's `TfidfVectorizer` with its defaults: lower case;
//! a term is a run of two or more word characters (letters, digits, underscore); term frequency
//! is the plain count (sublinear off); idf(t) = ln((1 + n) / (1 + df(t))) + 1 for n documents of
//! which df(t) hold t; each row is scaled to unit ℓ2 norm; the vocabulary is sorted.

use std::collections::HashMap;

use super::super::loaded::Sparse;

/// Term counts of a sequence of documents and their vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Counts, documents × terms.
    pub counts: Sparse,
    /// The terms, sorted by code point.
    pub terms: Vec<String>,
}

/// Counts the terms of documents in the Latin-1 encoding. The vocabulary is that of all of them.
#[must_use]
pub fn count_latin1<'a>(documents: impl IntoIterator<Item = &'a [u8]>) -> Counts {
    let lower = lower_table();
    // Numbers terms by first appearance; only looked up, never iterated.
    let mut number: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut counts =
        Sparse { rows: 0, cols: 0, indptr: vec![0], indices: Vec::new(), values: Vec::new() };
    let mut words: Vec<u32> = Vec::new();
    let mut term: Vec<u8> = Vec::new();
    for document in documents {
        words.clear();
        for word in document.split(|&byte| lower[usize::from(byte)].is_none()) {
            if word.len() < 2 {
                continue;
            }
            term.clear();
            term.extend(word.iter().filter_map(|&byte| lower[usize::from(byte)]));
            let index = if let Some(&index) = number.get(&term) {
                index
            } else {
                let index = found.len() as u32;
                found.push(term.clone());
                number.insert(term.clone(), index);
                index
            };
            words.push(index);
        }
        words.sort_unstable();
        for same in words.chunk_by(|a, b| a == b) {
            counts.indices.push(same[0]);
            counts.values.push(same.len() as f64);
        }
        counts.indptr.push(counts.indices.len());
        counts.rows += 1;
    }
    counts.cols = found.len();
    let terms = sort_vocabulary(found, &mut counts);
    Counts { counts, terms }
}

/// Renumbers the terms in sorted order. Latin-1 bytes sort as their code points do.
fn sort_vocabulary(found: Vec<Vec<u8>>, counts: &mut Sparse) -> Vec<String> {
    let mut order: Vec<u32> = (0..found.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| found[a as usize].cmp(&found[b as usize]));
    let mut rank = vec![0; found.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old as usize] = new as u32;
    }
    let mut row: Vec<(u32, f64)> = Vec::new();
    for i in 0..counts.rows {
        let range = counts.indptr[i]..counts.indptr[i + 1];
        row.clear();
        row.extend(range.clone().map(|k| (rank[counts.indices[k] as usize], counts.values[k])));
        row.sort_unstable_by_key(|&(column, _)| column);
        for (k, &(column, value)) in range.zip(&row) {
            counts.indices[k] = column;
            counts.values[k] = value;
        }
    }
    order.iter().map(|&old| found[old as usize].iter().copied().map(char::from).collect()).collect()
}

/// The lower-case form of every Latin-1 word character; `None` for characters that separate words.
fn lower_table() -> [Option<u8>; 256] {
    std::array::from_fn(|code| {
        let character = char::from(code as u8);
        if !(character.is_alphanumeric() || character == '_') {
            return None;
        }
        // No Latin-1 letter has a lower-case form of more than one character or outside Latin-1.
        character.to_lowercase().next().and_then(|lower| u8::try_from(u32::from(lower)).ok())
    })
}

/// Turns term counts into tf-idf weights with rows of unit ℓ2 norm (a row without terms stays
/// empty).
pub fn weigh(counts: &mut Sparse) {
    let mut documents_with = vec![0_u32; counts.cols];
    for &term in &counts.indices {
        documents_with[term as usize] += 1;
    }
    let n = counts.rows as f64;
    let idf: Vec<f64> =
        documents_with.iter().map(|&df| ((1.0 + n) / (1.0 + f64::from(df))).ln() + 1.0).collect();
    for i in 0..counts.rows {
        let range = counts.indptr[i]..counts.indptr[i + 1];
        for k in range.clone() {
            counts.values[k] *= idf[counts.indices[k] as usize];
        }
        let row = &mut counts.values[range];
        let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in row.iter_mut() {
            *v /= norm;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_two_or_more_word_characters() {
        let text = b"It's a_b x \xc9t\xe9 12 3 \xbd\xb2 \xa9\xa9 C++";
        let Counts { terms, .. } = count_latin1([&text[..]]);
        assert_eq!(terms, ["12", "a_b", "it", "½²", "été"].map(String::from));
    }

    #[test]
    fn counts_are_sorted_by_term_whatever_the_order_of_appearance() {
        let documents = [&b"bb aa bb"[..], b"", b"cc aa"];
        let Counts { counts, terms } = count_latin1(documents);
        assert_eq!(terms, ["aa", "bb", "cc"]);
        assert_eq!(counts.indptr, [0, 2, 2, 4]);
        assert_eq!(counts.indices, [0, 1, 0, 2]);
        assert_eq!(counts.values, [1.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn weights_follow_the_smooth_definition() {
        let mut counts = count_latin1([&b"bb aa bb"[..], b"", b"cc aa"]).counts;
        weigh(&mut counts);
        // n = 3, df(aa) = 2, df(bb) = 1.
        let (aa, bb) = ((4.0_f64 / 3.0).ln() + 1.0, 2.0 * (2.0_f64.ln() + 1.0));
        let norm = (aa * aa + bb * bb).sqrt();
        assert!((counts.values[0] - aa / norm).abs() < 1e-15);
        assert!((counts.values[1] - bb / norm).abs() < 1e-15);
        assert_eq!(counts.row(1).0.len(), 0);
    }
}
