//! Divides a text into rows that are read in parallel, segment by segment.

use models::neural::language::BadLanguage;
use tch::{Device, TchError, Tensor};

use crate::error::TorchError;

/// A text with a reading position.
#[derive(Debug)]
pub struct Stream {
    /// Words (n×B): row b of the text is column b.
    words: Tensor,
    bptt: i64,
    /// The next word to be read.
    at: i64,
    /// Number of complete passes so far.
    passes: usize,
}

/// A segment of a text.
#[derive(Debug)]
pub struct Segment {
    /// Words (T×B).
    pub words: Tensor,
    /// The words after them (T·B).
    pub next: Tensor,
    /// Whether it begins a pass.
    pub first: bool,
}

impl Stream {
    /// A text in `rows` rows; the remainder is left out.
    ///
    /// # Errors
    /// If a row has fewer than two words, or a word is not below `vocabulary`.
    pub fn new(
        part: &'static str,
        text: &[u32],
        vocabulary: usize,
        (rows, bptt): (usize, usize),
        device: Device,
    ) -> Result<Self, TorchError> {
        let length = text.len() / rows;
        if length < 2 {
            let least = 2 * rows;
            return Err(BadLanguage::Short { part, words: text.len(), least }.into());
        }
        if let Some(&word) = text.iter().find(|&&word| word as usize >= vocabulary) {
            return Err(BadLanguage::Word { part, word, words: vocabulary }.into());
        }
        let words: Vec<i64> = text[..length * rows].iter().map(|&word| i64::from(word)).collect();
        let words = Tensor::f_from_slice(&words)?.f_view([rows as i64, length as i64])?;
        let words = words.f_transpose(0, 1)?.f_contiguous()?.f_to_device(device)?;
        Ok(Self { words, bptt: bptt as i64, at: 0, passes: 0 })
    }

    /// Number of rows that are read in parallel.
    pub fn rows(&self) -> usize {
        self.words.size()[1] as usize
    }

    /// Number of complete passes so far.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The position: the next word, and the number of complete passes.
    pub fn position(&self) -> [f64; 2] {
        [self.at as f64, self.passes as f64]
    }

    /// Goes to a position.
    pub fn go_to(&mut self, [at, passes]: [f64; 2]) {
        (self.at, self.passes) = (at as i64, passes as usize);
    }

    /// The next segment; after the last one of a pass, the first of the next.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn take(&mut self) -> Result<Segment, TchError> {
        let (from, last) = (self.at, self.words.size()[0] - 1);
        let length = self.bptt.min(last - from);
        let words = self.words.f_narrow(0, from, length)?;
        let next = self.words.f_narrow(0, from + 1, length)?.f_reshape([-1])?;
        self.at += length;
        if self.at == last {
            self.at = 0;
            self.passes += 1;
        }
        Ok(Segment { words, next, first: from == 0 })
    }
}
