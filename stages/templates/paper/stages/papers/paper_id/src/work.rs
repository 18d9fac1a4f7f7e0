//! The work of the paper's stages, in operations, on which estimates rest. An edit here reruns nothing.

use pipeline::work::{Inputs, Work};

use super::stages::search::Search;

/// Number of evaluations.
impl Work for Search {
    fn work(&self, _: &Inputs) -> f64 {
        self.evaluations as f64
    }

    fn variant(&self) -> String {
        self.method.clone()
    }
}
