//! An embedding whose columns respond to hyper-parameters, \[MacKay2019\] app. D.

use tch::{TchError, Tensor};

use super::builder::{Builder, Response};

/// Bound of the initial values, as in the public code.
const MOST: f64 = 0.1;

/// Vectors of words. One row holds a word's elementary vector and that of the response.
#[derive(Debug, Clone)]
pub struct HyperEmbedding {
    /// E (V×e), or `E_elem` next to `E_hyper` (V×2e).
    table: usize,
    response: Option<Response>,
    size: i64,
}

impl HyperEmbedding {
    /// An embedding of this many words in this many dimensions.
    pub fn new(builder: &mut Builder<'_>, words: usize, size: usize) -> Self {
        let table = builder.uniform(&[words, builder.copies() * size], MOST);
        let response = builder.response(size, false);
        Self { table, response, size: size as i64 }
    }

    /// The vectors (T×B×e) of words (T×B, whole numbers) for the hyper-parameters of each of the B
    /// sequences (B×n), or of all (1×n); each word's vector times its factor (V×1), if given.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        parts: &[Tensor],
        words: &Tensor,
        hypers: Option<&Tensor>,
        factors: Option<&Tensor>,
    ) -> Result<Tensor, TchError> {
        let rows = Tensor::f_embedding(&parts[self.table], words, -1, false, false)?;
        let joined = match (&self.response, hypers) {
            (None, _) => rows,
            (Some(_), None) => rows.f_narrow(-1, 0, self.size)?,
            (Some(response), Some(hypers)) => {
                let scales = response.scales(parts, hypers)?;
                let own = rows.f_narrow(-1, 0, self.size)?;
                own.f_addcmul(&scales, &rows.f_narrow(-1, self.size, self.size)?)?
            }
        };
        match factors {
            Some(factors) => joined.f_mul(&Tensor::f_embedding(factors, words, -1, false, false)?),
            None => Ok(joined),
        }
    }

    /// The elementary vectors (V×e), to which a decoder may be tied.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn elementary(&self, parts: &[Tensor]) -> Result<Tensor, TchError> {
        parts[self.table].f_narrow(1, 0, self.size)
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        if let Some(response) = &self.response {
            let size = self.size as usize;
            for row in marks[self.table].chunks_exact_mut(2 * size) {
                row[size..].fill(1.0);
            }
            response.mark(&[], marks);
        }
    }
}
