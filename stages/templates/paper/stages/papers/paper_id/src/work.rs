//! The work of the paper's stages, in operations: what estimates rest on. An edit here reruns nothing.

use pipeline::work::{Inputs, Work};

use super::stages::search::Search;

/// Evaluations.
impl Work for Search {
    fn work(&self, _: &Inputs) -> f64 {
        self.evaluations as f64
    }

    fn variant(&self) -> String {
        self.method.clone()
    }
}
