//! The work of the paper's stages, on which estimates rest. An edit here reruns nothing.

use pipeline::work::{Inputs, Work};

/// Number of evaluations.
impl Work for super::search::Search {
    fn work(&self, _: &Inputs) -> f64 {
        self.evaluations as f64
    }
}
